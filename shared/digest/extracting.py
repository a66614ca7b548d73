"""What a unit says, in its own words: sentences that stand in its middle, by the stored vectors of their chunks and the
words of the headings above them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from shared.answering.sentences import split_row, split_sentences
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
WHOLE: Final = frozenset({"formula", "code"})
# What the words of headings, being a whole sentence, and being the first of a chunk add to the cosine of its chunk to
# the unit.
OF_HEADINGS, OF_WHOLE, OF_FIRST = 0.3, 0.2, 0.05


@dataclass
class UnitText:
    """A unit's heading, and its statements in the order of reading; `ranked` are places in these, best first."""

    unit: DigestUnit
    heading: FileLine
    statements: list[FileLine]
    ranked: list[int]

    def without(self, hidden: Collection[str], tier: Tier) -> list[FileLine]:
        """Its statements, best first, without those that a person changed or took out there."""
        best = (self.statements[place] for place in self.ranked)
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
    heading = FileLine("heading", title_of(unit.titles[-1]), _named_by(unit))
    chosen = sorted(_best(weighed, unit.size), key=lambda one: one[1])
    statements = [line for _, _, line in chosen]
    ranked = sorted(range(len(chosen)), key=lambda place: (-chosen[place][0], place))
    return UnitText(unit, heading, statements, ranked)


def shown(text: str) -> str:
    """A sentence as a line: white space is one space, and what is too long is cut at a word."""
    line = " ".join(text.split())
    return line if len(line) <= LONG else line[: LONG - len(CUT)].rsplit(" ", 1)[0] + CUT


def title_of(text: str) -> str:
    """As a title: one line, without the sign that separates an index's columns, cut at a word."""
    line = " ".join(text.replace("|", "/").split()).strip("#–‑-·• ") or "Untitled"
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
    whole = text[:1].isupper() and text.rstrip("\"'”’)]").endswith((".", "!", "。"))
    return OF_HEADINGS * shared + OF_WHOLE * whole + OF_FIRST * (place == 0) - (len(text) > LONG)


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


def _named_by(unit: DigestUnit) -> tuple[CitedSource, ...]:
    return () if unit.document_id is None else (CitedSource("document", unit.document_id, unit.document_id),)
