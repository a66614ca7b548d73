"""Reads plain text, Markdown and program text."""
