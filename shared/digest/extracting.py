"""What a unit says, in its own words: sentences that stand in its middle, by the stored vectors of their chunks and the
words of the headings above them."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.answering.sentences import split_row, split_sentences
from shared.digest.datasets import LEADERS
from shared.digest.lines import CitedSource, FileLine, hash_of
from shared.digest.units import DigestUnit
from shared.domain.digest import TITLE_MAX, Tier
from shared.lexical.tokenizer import tokenize
from shared.store.connect import Row

# Of a statement, in characters: less is seldom one, more is cut at a word.
SHORT, LONG = 30, 320
WORDS_MIN: Final = 4
CUT: Final = " …"
# A description takes this share of a unit's text, within these characters.
SHARE, LEAST, MOST = 0.3, 600, 4_000
OF_ONE_CHUNK: Final = 2
# What points back at a sentence that is not there.
OF_POINTING: Final = -0.5
_POINTS: Final = re.compile(
    r"(?:It|Its|This|That|They|Their|Them|These|Those|He|She|His|Her|Such|However|Therefore|Thus|Hence|Er|Sie|Es|Diese[rs]?"
    r"|Dies|Il|Elle|Ils|Elles|Ce|Cela|Cette)\b"
)
_CLOSING: Final = re.compile(r"(?<=\w{3})[.:∗*†‡]+$")
WHOLE: Final = frozenset({"formula", "code"})
# What the words of headings, being a whole sentence, and being the first of a chunk add to the cosine of its chunk to
# the unit. A whole sentence comes before any cell, label or fragment.
OF_HEADINGS, OF_WHOLE, OF_FIRST = 0.3, 2.0, 0.05


@dataclass
class UnitText:
    """A unit's heading, and its statements in the order of reading; `ranked` are places in these, best first, of which
    the first `whole` are whole sentences."""

    unit: DigestUnit
    heading: FileLine
    statements: list[FileLine]
    ranked: list[int]
    whole: int = 0

    def without(self, hidden: Collection[str], tier: Tier) -> list[FileLine]:
        """Its statements, best first, without those that a person changed or took out there; of a summary whole
        sentences alone, where it has any."""
        shown = self.ranked[: self.whole] if tier == "summary" and self.whole else self.ranked
        best = (self.statements[place] for place in shown)
        return [one for one in best if hash_of(tier, one.text) not in hidden]


def read_statements(unit: DigestUnit, passages: Mapping[UUID, Row], preferred: Collection[UUID] = ()) -> UnitText:
    """`passages` has the unit's chunks; those of `preferred` bore out answers that people confirmed."""
    titled = tokenize(" ".join(unit.titles[1:])).counts.keys()
    weighed: list[tuple[float, int, FileLine]] = []
    for chunk_id in unit.chunk_ids:
        if (row := passages.get(chunk_id)) is None:
            continue
        near = _cosine(unit, row) + (chunk_id in preferred)
        source = CitedSource("chunk", chunk_id, row["document_id"], row["content_hash"])
        own = [(near + _weight(text, place, titled), text) for place, text in enumerate(_sentences(row))]
        for weight, text in sorted(own, key=lambda one: -one[0])[:OF_ONE_CHUNK]:
            weighed.append((weight, len(weighed), FileLine("statement", shown(text), (source,))))
    chosen = sorted(_best(weighed, unit.size), key=lambda one: one[1])
    statements = [line for _, _, line in chosen]
    ranked = sorted(range(len(chosen)), key=lambda place: (-chosen[place][0], place))
    return UnitText(unit, heading_of(unit), statements, ranked, sum(_is_whole(line.text) for line in statements))


def heading_of(unit: DigestUnit) -> FileLine:
    """The line that its statements stand under."""
    cited = () if unit.document_id is None else (CitedSource("document", unit.document_id, unit.document_id),)
    return FileLine("heading", title_of(unit.title), cited)


def shown(text: str) -> str:
    """A sentence as a line: white space is one space, and what is too long is cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= LONG else line[: LONG - len(CUT)].rsplit(" ", 1)[0] + CUT


def title_of(text: str) -> str:
    """As a title: one line, without the sign that separates an index's columns, cut at a word."""
    line = " ".join(text.replace("|", "/").split()).strip("#–‑-·•∗†‡ ")
    line = _CLOSING.sub("", line) or "Untitled"
    return line if len(line) <= TITLE_MAX else line[: TITLE_MAX - len(CUT)].rsplit(" ", 1)[0] + CUT


def is_verbatim(text: str, contents: Iterable[str]) -> bool:
    """Whether one of the contents has the text, but for white space and where it is cut."""
    said = text.removesuffix(CUT)
    return any(said in " ".join(content.split()) for content in contents)


def _sentences(row: Row) -> list[str]:
    content, kind = row["content"], row["chunk_type"]
    if kind in WHOLE:
        return [content]
    found = (split_row if kind == "table_row" else split_sentences)(content)
    told = [s for s in found if len(s) >= SHORT and len(s.split()) >= WORDS_MIN and not s.endswith("?")]
    return told or ([content] if len(content) >= SHORT or kind != "text" else [])


def _weight(text: str, place: int, titled: Collection[str]) -> float:
    own = tokenize(text).counts.keys()
    shared = sum(word in own for word in titled) / len(titled) if titled else 0.0
    pointing = OF_POINTING * bool(_POINTS.match(text))
    return OF_HEADINGS * shared + OF_WHOLE * _is_whole(text) + pointing + OF_FIRST * (place == 0) - (len(text) > LONG)


def _is_whole(text: str) -> bool:
    """Whether it is a sentence, and no label with dots up to a number. Scripts without capitals begin with any
    letter."""
    ends = text.rstrip("\"'”’)]").endswith((".", "!", "。", "।", "።", CUT.strip()))
    return text[:1].isalpha() and not text[:1].islower() and ends and not LEADERS.search(text)


def _cosine(unit: DigestUnit, row: Row) -> float:
    vector = row["embedding"]
    return 0.0 if vector is None or not unit.centroid.size else float(vector.to_numpy() @ unit.centroid)


def _best(weighed: Sequence[tuple[float, int, FileLine]], size: int) -> list[tuple[float, int, FileLine]]:
    room, known, chosen = min(max(SHARE * size, LEAST), MOST), set[str](), list[tuple[float, int, FileLine]]()
    for one in sorted(weighed, key=lambda one: (-one[0], one[1])):
        if one[2].text in known:
            continue
        if chosen and room < len(one[2].text):
            break
        known.add(one[2].text)
        room -= len(one[2].text)
        chosen.append(one)
    return chosen
