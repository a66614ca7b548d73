"""Rejoins words that are hyphenated across lines, for the indexes and where sentences are shown: content keeps
`inter- national` as in the source.

Whether the hyphen belongs to the word is decided by the form that the document uses elsewhere. Where it uses neither,
the index gets both, and people see one word, or a compound where both halves are words of the document.
"""

import re
from collections.abc import Iterable
from functools import cached_property

_SOFT = re.compile("\u00ad\\s?")
# A word of at least two letters, or a number or code of any length (`1-` / `800-555-1212`, `B-` / `12`).
_DIVIDED = re.compile(r"(?<![\w-])((?:[^\W_]+-)*(?:[^\W_]{2,}|\d|[A-Z](?=[-\u2010]\s\d)))[-\u2010]\s([^\W_]+)")
_WORD = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
# The two forms of a divided word, one behind the other as `rejoin` puts them; most words have no compound behind them.
_TWICE = re.compile(r"(?<![\w-])(?=[\w-]+ [\w-]*\w-\w)((?:[^\W_]+-)*[^\W_]{2,40}?)([^\W_]{1,40}) \1-\2(?![^\W_])")
# In `pre- and post-` the hyphen replaces the rest of the word.
_SUSPENDED = {"and", "or", "nor", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "of", "og", "och"}


def printed_once(text: str, content: str = "") -> str:
    """`text` of an index with the words as printed (`Pre- loaded`) of which it has two forms (`Preloaded Pre-loaded`);
    what stands so in `content` stays."""
    return _TWICE.sub(lambda pair: pair[0] if pair[0] in content else f"{pair[1]}- {pair[2]}", text)


class Rejoiner:
    """Rejoins words by the vocabulary of one document; `texts` are its chunks' contents."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = list(texts)

    @cached_property
    def _words(self) -> set[str]:
        """Most documents have no divided word, and need none of them."""
        return {word.lower() for text in self._texts for word in _WORD.findall(_DIVIDED.sub(" ", text))}

    def rejoin(self, text: str) -> str:
        """`text` for an index; unchanged where no word is hyphenated across lines."""
        if "-" not in text and "\u2010" not in text and "\u00ad" not in text:
            return text
        return _DIVIDED.sub(self._whole, _SOFT.sub("", text))

    def show(self, text: str) -> str:
        """`text` as people read it; unchanged where no word is hyphenated across lines."""
        return _DIVIDED.sub(self._likeliest, _SOFT.sub("", text))

    def _likeliest(self, divided: re.Match[str]) -> str:
        forms = self._forms(divided)
        halves = {half.lower() for half in divided.groups()}
        return forms[-1] if halves <= self._words else forms[0]

    def _whole(self, divided: re.Match[str]) -> str:
        return " ".join(self._forms(divided))

    def _forms(self, divided: re.Match[str]) -> list[str]:
        """What it may be: one form where the document decides, else the whole word and the compound."""
        first, second = divided.groups()
        if second.lower() in _SUSPENDED:
            return [divided.group()]
        whole, compound = first + second, f"{first}-{second}"
        if not second[0].islower() or first[-1].isdigit():
            return [compound]
        if whole.lower() in self._words:
            return [whole]
        return [compound] if compound.lower() in self._words else [whole, compound]
