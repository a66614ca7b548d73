"""Reads e-books (EPUB) and web pages that a browser saved whole (MHTML): pages in a container."""
