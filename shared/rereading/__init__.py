"""The second way to read a source, for verification only: shares no code with the readers of page files."""
