"""Reads notes: what somebody wrote, below a head of a few lines."""
