"""Reads Rich Text Format: paragraphs by their styles, tables by their cells, notes, what is hidden."""
