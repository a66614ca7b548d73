"""Reads pictures of pages: photographs, screenshots, scans as they leave a scanner."""
