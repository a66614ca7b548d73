"""Reads records: JSON with the schema of its kind, as label and value."""
