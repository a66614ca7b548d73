"""Builds the lines of a page with right-to-left text from single characters, by their positions.

The PDF library splits such lines wherever the direction changes, and leaves the parts of a ligature, stray blanks and
the order of the parts as in the file.
"""

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

from shared.readers.pdf.bidi import RTL, Char, reading_order_of
from shared.readers.pdf.copies import Place
from shared.readers.pdf.lines import MONO, Bars, PdfLine, line_of, needs_split, single, split_line

# Greatest distance between pieces of one line, in type sizes; cells are farther apart.
JOIN_EM = 0.5
GAP_EM = 1.2
RTL_SHARE = 0.3


class _Piece:
    """A line as the library gave it, with its inked extent."""

    def __init__(self, raw: dict[str, Any], block: int, position: int) -> None:
        self.raw, self.block, self.position = raw, block, position
        self.characters = [single(span, char) for span in raw["spans"] for char in span["chars"]]
        boxes = [char["bbox"] for char in self.characters if not char["text"].isspace()]
        self.x0 = min([box[0] for box in boxes], default=0.0)
        self.x1 = max([box[2] for box in boxes], default=0.0)
        self.y0 = min([box[1] for box in boxes], default=0.0)
        self.y1 = max([box[3] for box in boxes], default=-1.0)
        self.rtl = any(RTL.match(char["text"]) for char in self.characters)
        self.size = max([span["size"] for span in raw["spans"]], default=0.0)

    @property
    def inked(self) -> bool:
        return self.y1 >= self.y0


def lines_of_rtl_page(
    blocks: Sequence[dict[str, Any]], bars: Bars, copies: Collection[Place]
) -> tuple[list[PdfLine], bool]:
    """The lines of the text blocks of a `rawdict` without `copies`, in the order of the file, and whether the page as a
    whole runs from right to left."""
    pieces = [
        piece
        for number, block in enumerate(blocks)
        for position, raw in enumerate(block.get("lines", ()))
        if (number, position) not in copies and (piece := _Piece(raw, number, position)).inked
    ]
    rtl = _is_rtl(char["text"] for piece in pieces for char in piece.characters)
    chains = sorted(_chains(pieces), key=lambda chain: min((piece.block, piece.position) for piece in chain))
    return [line for chain in chains for line in _lines_of(chain, rtl, bars)], rtl


def _is_rtl(texts: Iterable[str]) -> bool:
    letters = [text for text in texts if text.isalpha()]
    return sum(RTL.match(text) is not None for text in letters) >= RTL_SHARE * max(1, len(letters))


def _chains(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Pieces that touch on one row and of which one runs from right to left, joined; others alone."""
    chains: list[list[_Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.x0):
        found = next((chain for chain in reversed(chains) if _touch(chain, piece)), None)
        if found is None:
            chains.append([piece])
        else:
            found.append(piece)
    return [part for chain in chains for part in ([chain] if any(p.rtl for p in chain) else [[p] for p in chain])]


def _touch(chain: Sequence[_Piece], piece: _Piece) -> bool:
    last = max(chain, key=lambda piece: piece.x1)
    if not (_is_horizontal(piece.raw) and _is_horizontal(last.raw)):
        return False
    shared = min(last.y1, piece.y1) - max(last.y0, piece.y0)
    gap = piece.x0 - last.x1
    near = -0.5 * piece.size <= gap <= JOIN_EM * max(last.size, piece.size)
    return near and shared > 0.5 * min(last.y1 - last.y0, piece.y1 - piece.y0)


def _is_horizontal(raw: dict[str, Any]) -> bool:
    return raw["dir"][0] > 0.99 and raw["wmode"] == 0


def _lines_of(chain: Sequence[_Piece], rtl: bool, bars: Bars) -> list[PdfLine]:
    first = chain[0]
    if not any(piece.rtl for piece in chain) or not _is_horizontal(first.raw):
        line = line_of(first.characters, first.raw, first.block)
        split = line is not None and needs_split(line, bars)
        return split_line(first.raw, first.block, bars) if split else [line] if line is not None else []
    characters = [char for piece in chain for char in piece.characters]
    base = rtl or _is_rtl(char["text"] for char in characters)
    parts = (reading_order_of(part, base) for part in _parts(characters, bars))
    return [line for part in parts if (line := line_of(part, first.raw, first.block)) is not None]


def _parts(characters: Sequence[Char], bars: Bars) -> list[list[Char]]:
    """Between gaps and rules, each in the library's order."""
    inked = sorted((char for char in characters if not char["text"].isspace()), key=lambda char: char["bbox"][0])
    y = (inked[0]["bbox"][1] + inked[0]["bbox"][3]) / 2
    crossing = [x for x, y0, y1 in bars[0] if y0 <= y <= y1]
    mono = all(char["flags"] & MONO for char in inked)
    cuts: list[float] = []
    for left, right in pairwise(inked):
        a, b = left["bbox"][2], right["bbox"][0]
        if (b - a > GAP_EM * left["size"] and not mono) or any(a - 1 <= x <= b + 1 for x in crossing):
            cuts.append((a + b) / 2)
    parts: list[list[Char]] = [[] for _ in range(len(cuts) + 1)]
    for char in characters:
        middle = (char["bbox"][0] + char["bbox"][2]) / 2
        parts[sum(middle > cut for cut in cuts)].append(char)
    return parts
