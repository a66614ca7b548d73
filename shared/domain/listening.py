"""Whether anybody still waits for what is under way."""


class HungUp(Exception):
    """Whoever asked has gone: what is under way for them ends, and counts all the same."""
