"""Reads Word documents (WordprocessingML): structure by styles, outline levels and lists."""
