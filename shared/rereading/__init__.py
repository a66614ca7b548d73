"""A second way to read a source, for the proof alone: it shares no code with the readers of page files."""
