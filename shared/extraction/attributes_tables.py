"""Typed values of a table's rows: the columns' headers name them, or the rows' labels, or labels inside the cells."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from shared.domain.attributes import Attribute
from shared.domain.draft import CellDraft, TableDraft
from shared.extraction.attributes_labels import find_labelled
from shared.extraction.attributes_names import hint_of, name_of, read_label
from shared.extraction.attributes_values import Hint, Value, read_values
from shared.extraction.quantities import Reading
from shared.extraction.table_rows import column_labels, columns_of

# Bare numbers are numbers where this share of their column is; elsewhere they are names that look like numbers.
NUMERIC_SHARE: Final = 0.8
MAX_HEADER: Final = 80
_PERIOD = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\b(?:quarter|months?|weeks?|years?|fiscal|period)\b.*\bended\b|\bended\b|\bas of\b|\b[QH][1-4]\b|\bFY",
    re.I,
)
_SCALED = re.compile(r"\(?(?P<said>[^()]*\bin (?:thousands|millions|billions)\b[^()]*)\)?", re.I)
_EXCEPT = re.compile(r"\b(?:except|unless|other than)\b(?P<what>.*)", re.I | re.S)


@dataclass(frozen=True)
class _Column:
    name: str | None
    label: str
    hint: Hint
    numeric: bool
    period: bool


@dataclass(frozen=True)
class _Scale:
    """What stands over the table about all of its numbers; `excepted` are words of rows that it does not hold for."""

    hint: Hint
    excepted: frozenset[str] = frozenset()

    def of(self, label: str) -> Hint | None:
        """For a row of this label; None where it may not hold."""
        if self.hint == Hint() or not self.excepted:
            return self.hint
        return (
            None
            if self.excepted & set(re.findall(r"[a-z]{4,}", label.lower().replace("shares", "share")))
            else self.hint
        )


def table_attributes(table: TableDraft, above: str, reading: Reading) -> Iterator[tuple[int, Attribute]]:
    """Attributes with the row of the grid that they stand in. `above` is the text right above the table."""
    if table.header_rows:
        yield from _under_headers(table, above, reading)
    else:
        for index, row in enumerate(table.rows):
            yield from ((index, found) for found in _form_row(row, reading))


def _under_headers(table: TableDraft, above: str, reading: Reading) -> Iterator[tuple[int, Attribute]]:
    places = columns_of(table.rows)
    columns = _columns(table, reading)
    statement = _is_statement(columns)
    scale = _scale(table, above, reading)
    for index in range(table.header_rows, len(table.rows)):
        row = table.rows[index]
        label = row[0].text if row else ""
        if not any(cell.text for cell in row[1:]):
            continue
        for place, cell in zip(places[index], row, strict=True):
            if not cell.text or place.start >= len(columns) or place.end - place.start > 1:
                continue
            column = columns[place.start]
            if statement:
                found = _by_row(label, column, cell, scale, reading) if place.start else []
            else:
                found = _by_column(column, cell, scale, label, reading)
            yield from ((index, one) for one in found)


def _by_row(label: str, column: _Column, cell: CellDraft, scale: _Scale, reading: Reading) -> list[Attribute]:
    """In a statement: the row's label is the name, the column's header the qualifier."""
    name, hint = read_label(label, reading.plain_dollar)
    over = scale.of(label)
    if not name or over is None:
        return []
    said = next((h for h in (hint, column.hint) if h != Hint()), over)
    said = replace(said, scale=over.scale) if said.unit is None and said.scale == 1.0 else said
    values = [value for value in read_values(cell.text, reading, said) if value.typed]
    return [_attribute(name, value, cell, column.label) for value in values]


def _by_column(column: _Column, cell: CellDraft, scale: _Scale, label: str, reading: Reading) -> list[Attribute]:
    if column.name is None:
        return []
    over = scale.of(f"{label} {column.label}")
    if over is None:
        return []
    said = column.hint if column.hint != Hint() else over
    values = read_values(cell.text, reading, said)
    plain = len(values) == 1 and values[0].quantity is not None and said == Hint() and not column.numeric
    if plain and values[0].quantity is not None and values[0].quantity.unit is None:
        values = [Value(values[0].start, values[0].end, text=" ".join(cell.text.split()))]
    return [_attribute(column.name, value, cell, None) for value in values]


def _attribute(name: str, value: Value, cell: CellDraft, qualifier: str | None) -> Attribute:
    ids = tuple(reference for box in cell.boxes for reference in box.fragment_ids)
    return Attribute(
        name=name, raw=cell.text[value.start : value.end], fragment_ids=ids, route="table", quantity=value.quantity,
        text=value.text, time=value.time, boolean=value.boolean, qualifier=qualifier or None,
    )  # fmt: skip


def _columns(table: TableDraft, reading: Reading) -> list[_Column]:
    places = columns_of(table.rows)
    texts = [[cell.text for cell in row] for row in table.rows]
    labels = column_labels(places, texts, table.header_rows)
    cells: dict[int, list[str]] = {}
    for row_places, row in zip(places[table.header_rows :], texts[table.header_rows :], strict=True):
        for place, text in zip(row_places, row, strict=True):
            if text:
                cells.setdefault(place.start, []).append(text)
    return [_column(label, cells.get(at, []), reading) for at, label in enumerate(labels)]


def _column(label: str, cells: Sequence[str], reading: Reading) -> _Column:
    name, hint = read_label(label, reading.plain_dollar) if len(label) <= MAX_HEADER else (None, Hint())
    values = [read_values(text, reading) for text in cells]
    filled = [found for found in values if found]
    numbers = sum(found[0].quantity is not None for found in filled)
    numeric = bool(filled) and numbers >= NUMERIC_SHARE * len(filled)
    return _Column(name, label, hint, numeric, _PERIOD.search(label) is not None)


def _is_statement(columns: Sequence[_Column]) -> bool:
    """Numbers by period: most numeric columns beyond the first are headed by one."""
    numeric = [column for column in columns[1:] if column.numeric]
    return bool(numeric) and 2 * sum(column.period for column in numeric) >= len(numeric)


def _scale(table: TableDraft, above: str, reading: Reading) -> _Scale:
    """From the header, the caption or the line above: `(in millions, except per share amounts)`."""
    header = [cell.text for row in table.rows[: table.header_rows] for cell in row if cell.text]
    for text in (*header, table.caption, above):
        said = _SCALED.search(text)
        if said is None:
            continue
        excepted = _EXCEPT.search(said["said"])
        plain = said["said"][: excepted.start()] if excepted else said["said"]
        words = re.findall(r"[a-z]{4,}", excepted["what"].lower().replace("shares", "share")) if excepted else []
        return _Scale(
            hint_of(plain.strip(" ,;"), reading.plain_dollar), frozenset(words) - {"amounts", "data", "which"}
        )
    return _Scale(Hint())


def _form_row(row: Sequence[CellDraft], reading: Reading) -> Iterator[Attribute]:
    """In a table without a header: `Label:` beside its value, `Label: value` in one cell, or a label and a number."""
    inked = [cell for cell in row if cell.text]
    for at, cell in enumerate(inked):
        label = inked[at - 1].text if at else ""
        if label.rstrip().endswith((":", "：")):
            yield from _beside(label, cell, reading, texts=True)
        elif at == 1 and len(inked) == 2 and not re.search(r"\d", label) and len(label) <= MAX_HEADER:
            yield from _beside(label, cell, reading, texts=False)
        else:
            for found in find_labelled([(0, cell.text)], reading):
                if found.value:
                    yield _attribute(found.name, found.value, cell, None)


def _beside(label: str, cell: CellDraft, reading: Reading, texts: bool) -> Iterator[Attribute]:
    name, hint = read_label(label, reading.plain_dollar)
    for value in read_values(cell.text, reading, hint) if name and name_of(label) else ():
        if name and (value.typed or texts):
            yield _attribute(name, value, cell, None)
