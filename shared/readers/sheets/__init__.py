"""Reads spreadsheets: workbooks of Excel and OpenDocument, tables in plain text."""
