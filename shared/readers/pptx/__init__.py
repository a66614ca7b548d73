"""Reads presentations (PresentationML): a slide is a part."""
