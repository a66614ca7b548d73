"""Reads notebooks (.ipynb): what was written, the program text, and what it printed."""
