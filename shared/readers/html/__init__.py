"""Reads web pages (HTML, XHTML): the main text by its structure, everything else that is visible as left out."""
