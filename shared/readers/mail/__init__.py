"""Reads e-mail: single messages and mailboxes."""
