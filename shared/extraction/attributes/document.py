"""Finds a document's attributes: typed values in labels, table cells and sentences.

Works on the assembled document, since a header may be on another page than its rows and since number formats are
decided for the document as a whole. `AttributePass` collects what it needs while the pages are assembled, and attaches
the attributes at the end.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from shared.domain.attribute_schema import AttributeSchema
from shared.domain.attributes import Attribute, AttributeCandidate, readable
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.operations import (
    AttributeClaim,
    CandidateAttribute,
    PageOperations,
    RegisterChunk,
    RegisterFigure,
    RegisterTable,
)
from shared.domain.page import PageFile
from shared.extraction.attributes.declared import Declarations
from shared.extraction.attributes.heads import values_of_heads, with_aliases
from shared.extraction.attributes.labels import find_labelled, scales_of
from shared.extraction.attributes.tables import short_days, table_attributes
from shared.extraction.attributes.values import ReadValue, read_values
from shared.extraction.lists import CAPTION
from shared.extraction.references import Resolver
from shared.values.dates import find_dates, month_first
from shared.values.money import AFTER, BEFORE, has_other_dollars
from shared.values.names import Hint, hint_of, name_of
from shared.values.numbers import NUMBER, Style, style_of
from shared.values.quantities import FoundQuantity, NumberReading, before, find_quantities, other_senses
from shared.values.units import match_unit, unit_of

PROSE_TYPES: Final = frozenset({"text", "list", "footnote", "caption"})
# Confidence by how a value was found. Set by hand, below the precision that tests/bench/attributes.py measures; the
# model's precision is not measured.
CONFIDENCE: Final = {"label": 0.98, "table": 0.98, "text": 0.95, "model": 0.9}
_NUMBER = re.compile(rf"(?<![\w.,])(?:{BEFORE})?(?P<number>{NUMBER})(?![\d])")
# A file as a mail lists it: its size is none of what it is about.
_FILE = re.compile(r"\([\w.+-]{1,100}/[\w.+-]{1,100}, [\d,]{1,20} bytes\)")


class _Line(NamedTuple):
    """A fragment of a chunk (or a part of one) and its offset in the chunk's text."""

    reference: str
    start: int
    text: str
    parts: bool


class AttributePass:
    """Collects the texts of fragments and the engines' attribute claims; finds the attributes of the finished draft."""

    def __init__(self, schema: AttributeSchema | None = None) -> None:
        self._declared = Declarations(schema or AttributeSchema())
        self._texts: dict[str, tuple[str, bool]] = {}
        self._claims: dict[str, list[AttributeClaim]] = {}
        self._heads: dict[str, Literal["begins", "goes_on"]] = {}
        self._proposed: list[AttributeCandidate] = []

    def watch(
        self, pages: Iterable[tuple[PageFile, PageOperations]]
    ) -> Iterator[tuple[PageFile, PageOperations]]:  # fmt: skip
        """Passes the pages on unchanged; keeps only their fragments' texts and the claims."""
        for page, operations in pages:
            resolver = Resolver(page)
            for operation in operations.operations:
                match operation:
                    case RegisterChunk():
                        self._remember(operation.fragment_ids, resolver)
                        if operation.head:
                            self._heads[operation.fragment_ids[0]] = operation.head
                        if operation.attributes:
                            self._claims[operation.fragment_ids[0]] = list(operation.attributes)
                    case RegisterTable() | RegisterFigure():
                        self._remember(operation.caption_fragment_ids, resolver)
                    case CandidateAttribute() if name := name_of(operation.name):
                        self._proposed.append(AttributeCandidate(name=name, raw=operation.raw))
                    case _:
                        pass
            yield page, operations

    def _remember(self, references: Sequence[str], resolver: Resolver) -> None:
        for part in resolver.resolve_all(references):
            placed = part.fragment.place is not None
            known = placed or len(part.fragment.char_x) == len(part.fragment.text) + 1
            self._texts[part.reference] = part.text, known and part.whole

    def attach(self, draft: DocumentDraft) -> None:
        """Sets the attributes of the draft's chunks, and lists in the draft what could not be typed."""
        reading = reading_of(draft)
        draft.candidates = list(self._proposed)
        draft.undeclared = []
        draft.schema_version = self._declared.version
        rows = self._table_rows(draft, reading)
        for at, chunk in enumerate(draft.chunks):
            found: list[Attribute] = []
            if chunk.chunk_type == "table_row" and chunk.table is not None and chunk.row is not None:
                found = rows.get((chunk.table, chunk.row), [])
            elif chunk.chunk_type in PROSE_TYPES:
                lines = self._lines(chunk)
                found = self._block_attributes(chunk, lines, reading, draft.candidates)
                found += self._claimed(lines, reading)
            chunk.attributes, refused = self._declared.sort_out(at, _with_confidence(found))
            draft.undeclared += refused
        for chunk, values in values_of_heads(draft.chunks, self._heads):
            chunk.attributes += values
        for chunk in draft.chunks:
            chunk.attributes = with_aliases(chunk.attributes)
            chunk.attrs = readable(chunk.attributes)

    def _table_rows(self, draft: DocumentDraft, reading: NumberReading) -> dict[tuple[int, int], list[Attribute]]:
        rows: dict[tuple[int, int], list[Attribute]] = {}
        scales, headings = scales_of(draft, reading.plain_dollar), _headings(draft)
        for number, table in enumerate(draft.tables):
            heading = headings.get(number, "")
            for row, attribute in table_attributes(table, scales[number], reading, self._declared.knows, heading):
                rows.setdefault((number, row), []).append(attribute)
        return rows

    def _lines(self, chunk: ChunkDraft) -> list[_Line]:
        lines: list[_Line] = []
        position = 0
        for reference in (r for box in chunk.boxes for r in box.fragment_ids):
            text, parts = self._texts.get(reference, ("", False))
            # Two lines are joined by one character or none.
            position = max(position, chunk.content.find(text, position))
            lines.append(_Line(reference, position, text, parts))
            position += len(text)
        return lines

    def _block_attributes(
        self, chunk: ChunkDraft, lines: Sequence[_Line], reading: NumberReading, candidates: list[AttributeCandidate]
    ) -> list[Attribute]:
        """The labelled values of the block's lines, and the values in its sentences beside them. A caption has a title
        behind its colon (`Table 2: Counts`), no value."""
        content = chunk.content
        found: list[Attribute] = []
        taken: list[tuple[int, int]] = []
        labelled = [(line.start, line.text) for line in lines if chunk.chunk_type != "caption"]
        for one in find_labelled(labelled, reading, self._declared.knows):
            if one.value is None:
                candidates.append(AttributeCandidate(name=one.name, raw=one.raw))
                continue
            found.append(_attribute(one.name, one.value, one.raw, lines, "label"))
            taken.append((one.value.start, one.value.end))
        taken += [described.span() for described in _FILE.finditer(content)]
        for value, name in _in_prose(content, reading):
            if not any(value.start < end and start < value.end for start, end in taken):
                found.append(_attribute(name, value, content[value.start : value.end], lines, "text"))
        return found

    def _claimed(self, lines: Sequence[_Line], reading: NumberReading) -> list[Attribute]:
        claims = [claim for line in lines for claim in self._claims.get(line.reference, [])]
        return [attribute_of_claim(claim, reading) for claim in claims]


def _headings(draft: DocumentDraft) -> dict[int, str]:
    """What stands over each table: its caption without `Table 3.`, else the title of its section."""
    found: dict[int, str] = {}
    for chunk in draft.chunks:
        if chunk.chunk_type == "table" and chunk.table is not None:
            caption = draft.tables[chunk.table].caption
            own = CAPTION.match(caption)
            title = draft.sections[chunk.section].title if chunk.section is not None else ""
            found[chunk.table] = caption[own.end() if own else 0 :].strip(" .:") or title
    return found


def reading_of(draft: DocumentDraft) -> NumberReading:
    """How this document writes numbers: decimal separators, and units and currencies that it uses in a special
    sense."""
    texts = [chunk.content for chunk in draft.chunks if chunk.chunk_type in PROSE_TYPES]
    cells = [cell.text for table in draft.tables for row in table.rows[table.header_rows :] for cell in row]
    whole = "\n".join([*texts, *cells])
    measured = [number for text in texts for number in _measured(text)]
    return NumberReading(
        style=_style(measured, [cell.strip(" $€£()%-−–+") for cell in cells]),
        plain_dollar=not has_other_dollars(whole),
        not_units=other_senses(whole),
        month_first=month_first(whole),
        days=short_days(draft.tables),
    )


def _style(measured: Sequence[str], cells: Sequence[str]) -> Style:
    found = style_of(measured)
    return style_of([cell for cell in cells if re.fullmatch(NUMBER, cell)] + list(measured)) if cells else found


def _measured(text: str) -> Iterator[str]:
    """Numbers with a currency or a unit; bare ones may be section numbers or citations."""
    for match in _NUMBER.finditer(text):
        end = match.end()
        space = end + (text[end : end + 1] in (" ", "\u00a0"))
        if match["before"] or AFTER.match(text, end) or match_unit(text, space):
            yield match["number"]


def _in_prose(content: str, reading: NumberReading) -> Iterator[tuple[ReadValue, str]]:
    quantities = list(find_quantities(content, reading))
    if _follows_number(content, quantities):
        return
    for found in quantities:
        yield ReadValue(found.start, found.end, quantity=found.quantity), found.name or "quantity"
    for start, end, date in find_dates(content, reading.month_first):
        yield ReadValue(start, end, time=date), "date"


def _follows_number(content: str, found: Sequence[FoundQuantity]) -> bool:
    """Whether an amount directly follows another number, without a word between them: a row of an undetected table,
    whose scale and header are not known."""
    return any(re.search(r"\d\)?\s+$", before(content, one.start)) for one in found if one.name == "money")


def _attribute(name: str, value: ReadValue, raw: str, lines: Sequence[_Line], route: str) -> Attribute:
    ids = tuple(
        _reference(line, value)
        for line in lines
        if line.start < value.end and value.start < line.start + len(line.text)
    )
    return Attribute(
        name=name, raw=raw, fragment_ids=ids, route="label" if route == "label" else "text", quantity=value.quantity,
        text=value.text, time=value.time, boolean=value.boolean,
        confidence=CONFIDENCE["label" if route == "label" else "text"],
    )  # fmt: skip


def _reference(line: _Line, value: ReadValue) -> str:
    """A reference to the characters of the value where their positions are known, else to the whole fragment."""
    start, end = max(0, value.start - line.start), min(len(line.text), value.end - line.start)
    return f"{line.reference}[{start}:{end}]" if line.parts and (start, end) != (0, len(line.text)) else line.reference


def attribute_of_claim(claim: AttributeClaim, reading: NumberReading) -> Attribute:
    """Checks an engine's claim by the rules: its number is accepted where they read the same one from its raw text."""
    values = read_values(claim.raw, reading, _hint_of_claim(claim))
    value = values[0] if len(values) == 1 else None
    if value and value.quantity and isinstance(claim.value, float) and value.quantity.number != claim.value:
        value = None
    return Attribute(
        name=name_of(claim.name) or claim.name, raw=claim.raw, fragment_ids=tuple(claim.value_fragment_ids),
        route="model",
        quantity=value.quantity if value else None, time=value.time if value else None,
        boolean=value.boolean if value else None,
        text=None if value and value.typed else " ".join(claim.raw.split()),
    )  # fmt: skip


def _hint_of_claim(claim: AttributeClaim) -> Hint:
    if not claim.unit:
        return Hint()
    try:
        return Hint(unit=unit_of(claim.unit))
    except KeyError:
        return hint_of(claim.unit)


def _with_confidence(found: Sequence[Attribute]) -> list[Attribute]:
    """Sets the confidence by how each value was found, and removes repetitions of the same value under the same
    name."""
    seen: Counter[tuple[str, str, tuple[str, ...]]] = Counter()
    kept: list[Attribute] = []
    for one in found:
        key = one.name, one.raw, one.fragment_ids
        if one.route != "model" or not seen[key]:
            sure = CONFIDENCE[one.route]
            kept.append(one if one.confidence == sure else one.model_copy(update={"confidence": sure}))
        seen[key] += 1
    return kept
