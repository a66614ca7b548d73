"""Words divided at a line's end, put together for the indexes: content keeps `inter- national`, as the source has it,
but nobody searches for that.

Whether the hyphen belongs to the word is decided by the document itself: by which form it uses elsewhere. Where it
uses neither, the index gets both.
"""

import re
from collections.abc import Iterable

_SOFT = re.compile("\u00ad\\s?")
_DIVIDED = re.compile(r"(?<![\w-])((?:[^\W_]+-)*[^\W_]{2,})[-\u2010]\s([^\W_]+)")
_WORD = re.compile(r"[^\W_]+(?:[-\u2010][^\W_]+)*")
# `pre- and post-`: the hyphen stands for the rest of the word.
_SUSPENDED = {"and", "or", "nor", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "en", "of", "og", "och"}


class Rejoiner:
    """Knows the words of one document; `texts` are its chunks' contents."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: set[str] = set()
        for text in texts:
            self._words.update([word.lower() for word in _WORD.findall(_DIVIDED.sub(" ", text))])

    def rejoin(self, text: str) -> str:
        """`text` for an index; equal where it has no divided words."""
        if "-" not in text and "\u2010" not in text and "\u00ad" not in text:
            return text
        return _DIVIDED.sub(self._whole, _SOFT.sub("", text))

    def _whole(self, divided: re.Match[str]) -> str:
        first, second = divided.groups()
        if second.lower() in _SUSPENDED:
            return divided.group()
        whole, compound = first + second, f"{first}-{second}"
        if not second[0].islower() or first[-1].isdigit():
            return compound
        if whole.lower() in self._words:
            return whole
        return compound if compound.lower() in self._words else f"{whole} {compound}"
