"""What stands over a table about all of its numbers: `(in millions, except per share amounts)`."""

import re
from dataclasses import dataclass
from typing import Final

from shared.domain.draft import DocumentDraft
from shared.extraction.attributes_names import hint_of
from shared.extraction.attributes_values import NO_HINT, Hint

# It stands in one of so many short chunks before its table.
ABOVE: Final = 2
MAX_ABOVE: Final = 300
DECIMALS: Final = re.compile(r"\d[.,]\d{1,2}\)?$")
_SAID = re.compile(r"(?:\(|(?<![^().]))(?P<said>[^().]*\bin (?:thousands|millions|billions)\b[^()]*)\)?", re.I)
_EXCEPT = re.compile(r"\b(?:except|unless|other than)\b(?P<what>.*)", re.I | re.S)
# Words of an exception that name nothing.
_EMPTY: Final = frozenset({"amount", "data", "which", "number", "thousand", "million", "reflected", "where", "noted"})


@dataclass(frozen=True)
class Scale:
    """`excepted` are words of rows that `hint` does not hold for. `unclear`: other tables of the document state a
    scale and this one does not, so that its bare numbers may be anything."""

    hint: Hint = NO_HINT
    excepted: frozenset[str] = frozenset()
    unclear: bool = False

    def of(self, words: str, cell: str, decimals: bool) -> Hint | None:
        """For a cell under these labels; None where it may not hold: they speak of what is excepted, or the cell has
        decimals and those of its column do not."""
        if self.unclear:
            return None
        if self.excepted and (self.excepted & _singular(words) or (DECIMALS.search(cell) and not decimals)):
            return None
        return self.hint


def scales_of(draft: DocumentDraft, plain_dollar: bool) -> list[Scale]:
    """For each table what its header, its caption or the lines above it say, or those of the one before with the same
    header."""
    found: list[Scale | None] = []
    before: tuple[list[str], Scale | None] = ([], None)
    wholes = {c.table: at for at, c in enumerate(draft.chunks) if c.chunk_type == "table" and c.table is not None}
    for number, table in enumerate(draft.tables):
        at = wholes.get(number, 0)
        above = [c.content for c in draft.chunks[max(0, at - ABOVE) : at] if len(c.content) <= MAX_ABOVE]
        header = [cell.text for row in table.rows[: table.header_rows] for cell in row]
        scale = _stated([*header, table.caption, *reversed(above)], plain_dollar)
        scale = scale or (before[1] if header == before[0] else None)
        found.append(scale)
        before = header, scale
    other = Scale(unclear=any(scale is not None for scale in found))
    return [scale or other for scale in found]


def _stated(texts: list[str], plain_dollar: bool) -> Scale | None:
    for text in texts:
        said = _SAID.search(text)
        if said is None:
            continue
        excepted = _EXCEPT.search(said["said"])
        plain = said["said"][: excepted.start()] if excepted else said["said"]
        words = _singular(excepted["what"]) - _EMPTY if excepted else frozenset[str]()
        return Scale(hint_of(plain.strip(" ,;"), plain_dollar), words)
    return None


def _singular(text: str) -> frozenset[str]:
    """Its words, roughly in the singular."""
    return frozenset(word.removesuffix("s") for word in re.findall(r"[a-z]{4,}", text.lower()))
