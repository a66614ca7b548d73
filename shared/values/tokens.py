"""How many tokens of a language model a text is, where its tokenizer is not at hand: an estimate that is not below.

Texts of the world's scripts were counted by four tokenizers, two generations of byte-pair encodings and two of other
makers (tests/bench/tokens.json has the counts of ours); what one word, digit or character takes at most on average is
written down here, and a tenth is added. English prose is over-estimated by a half, tables and digits by a third.
"""

import math
import re
from typing import Final

# A word with the space before it, which belongs to it; other space in a line; any other character.
_PIECE: Final = re.compile(r" ?[A-Za-z]+|[^\S\n]+|.", re.DOTALL)
# What no vocabulary has as a whole: consonants in a row, three vowels, a letter thrice.
_ODD: Final = re.compile(r"[^aeiouy]{4}|[aeiou]{3}|(.)\1\1", re.IGNORECASE)
_ODD_FROM: Final = 4
_MARGIN: Final = 1.1
# Bytes that a character beyond ASCII takes a token for, at most.
_BYTES: Final = 2


class EstimatedTokens:
    """Counts without a tokenizer."""

    name = "estimate"

    def count(self, text: str) -> int:
        """Never below a tokenizer's count on the texts that it was made with."""
        return math.ceil(_MARGIN * sum(map(_cost, _PIECE.findall(text))))


def _cost(piece: str) -> float:
    last = piece[-1]
    if not last.isascii():
        return min(len(piece.encode("utf-8", "surrogatepass")), _BYTES)
    if last.isalpha():
        return _word(piece.lstrip())
    if len(piece) > 1:
        return (len(piece) + 1) // 2
    return 1 if last in " \n" or last.isprintable() else _BYTES


def _word(word: str) -> float:
    letters = len(word)
    if letters >= _ODD_FROM and _ODD.search(word):
        return 0.8 * letters
    if not word.islower() and not word.istitle():
        return (letters + 1) // 2 + 0.5
    return 1 + (letters - 1) // 3
