"""Right-to-left text: sorts the characters of a visual line into logical order.

PDF files paint glyphs in any order, and the PDF library only reverses runs of one direction. Here the order follows
from the glyphs' positions, by inverting the display order of the Unicode bidirectional algorithm (UAX 9). No character
is added, lost or changed.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
# Arabic letters turn the digits after them into Arabic numbers, to which signs do not stick (UAX 9, W2).
_ARABIC = re.compile("[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufeff]")
_KINDS = {"R": "R", "AL": "R", "L": "L", "EN": "N", "AN": "N", "CS": "C", "ES": "S", "ET": "T"}
# A glyph for more characters than this does not define their positions.
MAX_PARTS = 4

Char = dict[str, Any]  # with `c`, or `text`, and `bbox`


@dataclass(slots=True)
class _Cluster:
    """A glyph: its character, and what stands on it or was written as one with it."""

    x: float
    right: float
    wide: Char
    raw: int
    others: list[Char] = field(default_factory=list[Char])

    @property
    def kind(self) -> str:
        return _KINDS.get(unicodedata.bidirectional(self.wide["text"]), "O")


def reading_order_of(characters: Sequence[Char], rtl: bool) -> list[Char]:
    """The characters of one visual line (dicts with `text` and `bbox`, in the library's order) as they are read;
    `rtl` is the direction of the paragraph."""
    clusters = sorted(_clusters(characters), key=lambda cluster: cluster.x)
    if any(len(cluster.others) > MAX_PARTS for cluster in clusters):
        return list(characters)
    kinds = "".join([cluster.kind for cluster in clusters])
    signs = not any(_ARABIC.match(cluster.wide["text"]) for cluster in clusters)
    order = _from_the_right(kinds, 0, signs) if rtl else _from_the_left(kinds, signs)
    return [char for position in order for char in (clusters[position].wide, *clusters[position].others)]


def _clusters(characters: Sequence[Char]) -> list[_Cluster]:
    """Marks go with the character before them; parts of a ligature, which have no width, with the one that has."""
    clusters: list[_Cluster] = []
    parts: list[tuple[int, Char]] = []
    for raw, char in enumerate(characters):
        x0, _, x1, _ = char["bbox"]
        if clusters and unicodedata.category(char["text"]) == "Mn":
            clusters[-1].others.append(char)
        elif x1 - x0 < 0.01:
            parts.append((raw, char))
        else:
            clusters.append(_Cluster((x0 + x1) / 2, x1, char, raw))
    for raw, char in parts:
        owner = _owner(clusters, raw, char["bbox"][0])
        if owner is None:
            clusters.append(_Cluster(char["bbox"][0], char["bbox"][2], char, raw))
        else:
            owner.others.insert(0 if raw < owner.raw else len(owner.others), char)
    return clusters


def _owner(clusters: Sequence[_Cluster], raw: int, x: float) -> _Cluster | None:
    """Of the glyphs next to a part of a ligature in the library's order, the one at whose right edge it stands."""
    before = next((cluster for cluster in reversed(clusters) if cluster.raw < raw), None)
    after = next((cluster for cluster in clusters if cluster.raw > raw), None)
    near = [cluster for cluster in (before, after) if cluster is not None]
    return min(near, key=lambda cluster: round(abs(cluster.right - x), 2), default=None)


def _from_the_right(kinds: str, start: int, signs: bool) -> list[int]:
    """Positions of a right-to-left stretch as read: from the right, left-to-right runs and numbers as they stand."""
    order: list[int] = []
    number = r"N(?:[CS]?N)*T*" if signs else r"N(?:C?N)*"
    runs = re.compile(rf"L(?:[^R]*[LN])?|{r'T*' if signs else ''}{number}|.")
    for run in reversed(list(runs.finditer(kinds))):
        order += range(start + run.start(), start + run.end())
    return order


def _from_the_left(kinds: str, signs: bool) -> list[int]:
    """Positions of a left-to-right line as read: from the left, right-to-left runs turned round."""
    order: list[int] = []
    for run in re.finditer(r"R(?:[^L]*R)?|[^R]+", kinds):
        if run.group()[0] == "R":
            order += _from_the_right(run.group(), run.start(), signs)
        else:
            order += range(run.start(), run.end())
    return order
