"""Whether a chunk contains a quote: only letters and digits are compared, since typography may change between runs."""

import hashlib
import unicodedata


def letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in plain if character.isalnum())


def contains_quote(content: str, quote: str) -> bool:
    """Whether `content` has the quote; a quote without letters or digits is compared as it is."""
    wanted = letters(quote)
    return wanted in letters(content) if wanted else quote in content


def content_hash(content: str) -> str:
    """SHA-256 of a chunk's content."""
    return hashlib.sha256(content.encode()).hexdigest()
