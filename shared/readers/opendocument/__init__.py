"""Reads OpenDocument texts and presentations (.odt, .odp): structure by headings, lists, tables and frames."""
