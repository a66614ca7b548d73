"""Typed values of table rows. Their names come from column headers, row labels, or labels inside the cells."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from shared.domain.attributes import Attribute
from shared.domain.draft import CellDraft, FormValue, TableDraft
from shared.extraction.attributes.labels import DECIMALS, Scale, find_labelled, know_none, without_number
from shared.extraction.attributes.row_names import full_name, row_names
from shared.extraction.attributes.values import ReadValue, is_nothing, is_padded, read_values
from shared.extraction.lists import ends_in_colon
from shared.extraction.tables.rows import (
    BRACKETED,
    Extent,
    column_labels,
    columns_of,
    is_label,
    leaf_labels,
    width_of,
)
from shared.extraction.tables.totals import summary_rows
from shared.values.names import Hint, read_label
from shared.values.quantities import NumberReading
from shared.values.short_dates import is_short_date, short_dates

# Bare numbers are read as values in columns with at least this share of numbers; elsewhere they are taken for names.
NUMERIC_SHARE: Final = 0.8
MAX_HEADER: Final = 80
_PERIOD = re.compile(
    r"\b(?:19|20)\d\d\b|\b(?:january|february|march|april|june|july|august|september|october|november|december)\b"
    r"|\bended\b|\bas of\b|\b[QH][1-4]\b|\bFY",
    re.I,
)
_CURRENCY = re.compile("[A-Z]{3}")
_WORD = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True)
class _Column:
    """A column's header, the part of it that is only this column's (`leaf`), and whether its cells are mostly numbers,
    of one currency, with decimals; `days` are those that its cells are where all of them are short dates."""

    name: str | None
    label: str
    hint: Hint
    numeric: bool
    period: bool
    leaf: str
    leaf_period: bool
    currency: str | None
    decimals: bool
    days: Mapping[str, datetime]


def table_attributes(
    table: TableDraft, scale: Scale, reading: NumberReading, knows: Callable[[str], bool] = know_none, heading: str = ""
) -> Iterator[tuple[int, Attribute]]:
    """Yields (grid row, attribute). `heading` is what stands over the table, without its number. `knows` says of a
    label's name whether it is declared: then it is a label wherever it stands beside a value."""
    if table.header_rows and not table.values:
        yield from _under_headers(table, heading, scale, reading, knows)
    else:
        for index, row in enumerate(table.rows[table.header_rows :], table.header_rows):
            values = table.values.get(index, [])
            found = _form_values(row, values, scale, reading) if values else _unheaded_row(row, reading, knows)
            yield from ((index, one) for one in found)


def _under_headers(
    table: TableDraft, heading: str, scale: Scale, reading: NumberReading, knows: Callable[[str], bool]
) -> Iterator[tuple[int, Attribute]]:
    summaries = _summaries(table, reading)
    places, columns = columns_of(table.rows), _columns(table, reading, summaries)
    names = row_names(table, heading, len(columns), reading) if _is_statement(columns) else None
    by_period, group = names is None and _has_periods(table, len(columns)), ""
    summaries = {} if names is not None or by_period else summaries
    for index in range(table.header_rows, len(table.rows)):
        row = table.rows[index]
        label = row[0].text if row else ""
        if is_label([cell.text for cell in row], len(columns)):
            group = label
            continue
        if index in summaries:
            at_foot = _of_summary(row, places[index], columns, summaries[index], scale, reading, knows)
            yield from ((index, one) for one in at_foot)
            continue
        group = label.partition(":")[0] if ": " in label else group
        for place, cell in zip(places[index], row, strict=True):
            if not cell.text or place.start >= len(columns) or place.end - place.start > 1:
                continue
            column = columns[place.start]
            over = scale.of(f"{group} {label} {'' if names is not None else column.label}", cell.text, column.decimals)
            if names is not None:
                found = _by_row(label, names.get(index, []), column, cell, over, reading, knows) if place.start else []
            elif by_period and place.start:
                turned = replace(column, leaf="", label=group)
                found = _by_row(label, [column.label], turned, cell, over, reading, knows)
            else:
                found = _by_column(column, cell, over, reading)
            yield from ((index, one) for one in found)


def _of_summary(
    row: Sequence[CellDraft], places: Sequence[Extent], columns: Sequence[_Column], label: int, scale: Scale,
    reading: NumberReading, knows: Callable[[str], bool],
) -> Iterator[Attribute]:  # fmt: skip
    """What stands at the foot is named by its own label, and no value of the column; a total of columns is none."""
    said = [(place, cell) for place, cell in zip(places, row, strict=True) if cell.text]
    if len(said) != 2 or not label or said[1][0].start >= len(columns):
        return
    (_, named), (place, cell) = said
    column = replace(columns[place.start], leaf="")
    over = scale.of(f"{named.text} {column.label}", cell.text, column.decimals)
    yield from _by_row(named.text.rstrip(" :"), [], column, cell, over, reading, knows)


def _summaries(table: TableDraft, reading: NumberReading) -> dict[int, int]:
    """Rows of the body that sum up others, each with the column of its label."""

    def number(text: str) -> float | None:
        found = read_values(text, reading)
        return found[0].quantity.number if len(found) == 1 and found[0].quantity else None

    width = width_of(table.rows)
    body: list[list[str]] = []
    for places, row in zip(columns_of(table.rows), table.rows, strict=True):
        texts = [""] * width
        for place, cell in zip(places, row, strict=True):
            texts[place.start] = cell.text
        body.append(texts)
    found = summary_rows(body[table.header_rows :], number)
    return {at + table.header_rows: label for at, label in found.items()}


def _has_periods(table: TableDraft, width: int) -> bool:
    """Whether the rows stand in groups that are periods: then rows and columns together say what a value is."""
    body = [[cell.text for cell in row] for row in table.rows[table.header_rows :]]
    labels = [texts[0] for texts in body if is_label(texts, width)]
    return len(labels) > 1 and all(_PERIOD.search(label) for label in labels)


def _by_row(
    label: str, groups: Sequence[str], column: _Column, cell: CellDraft, over: Hint | None, reading: NumberReading,
    knows: Callable[[str], bool],
) -> list[Attribute]:  # fmt: skip
    """For financial statements: the row's label is the attribute's name, with what the row belongs to in front and the
    name of a column that is no period behind it; the column's header is the qualifier."""
    name, hint = read_label(label, reading.plain_dollar)
    if not name:
        return []
    own = hint if hint != Hint() else column.hint
    if over and own != Hint() and own.unit is None and own.scale == 1.0:
        own = replace(own, scale=over.scale)
    full = full_name(groups, name, "" if column.leaf_period else column.leaf, reading.plain_dollar)
    values = [value for value in _values(cell.text, own, over, column, reading) if value.typed]
    called = name if knows(name) and not knows(full) else full
    return [_attribute(called, value, cell, column.label) for value in values]


def _by_column(column: _Column, cell: CellDraft, over: Hint | None, reading: NumberReading) -> list[Attribute]:
    if column.name is None:
        return []
    if day := column.days.get(cell.text):
        return [_attribute(column.name, ReadValue(0, len(cell.text), time=day), cell, None)]
    values = _values(cell.text, column.hint, over, column, reading)
    quantity = values[0].quantity if len(values) == 1 else None
    if quantity and quantity.unit is None and not column.numeric:
        values = [ReadValue(values[0].start, values[0].end, text=" ".join(cell.text.split()))]
    return [_attribute(column.name, value, cell, None) for value in values]


def _values(text: str, own: Hint, over: Hint | None, column: _Column, reading: NumberReading) -> list[ReadValue]:
    """Reads a cell with the hint of its label or header (`own`), else with the hint that applies to the table (`over`).

    Where that is None (it may not apply), only values with a unit of their own are read. Amounts in millions have the
    currency that is printed anywhere in their column; accounts print it in the first and the last row.
    """
    if own == Hint() and over is None:
        found = read_values(text, reading)
        return [v for v in found if v.quantity is None or _has_measure(v.quantity.unit)]
    said = own if own != Hint() or over is None else over
    if said.scale != 1.0 and said.unit is None and said.currency is None:
        said = replace(said, currency=column.currency)
    return read_values(text, reading, said)


def _has_measure(unit: str | None) -> bool:
    """Whether there is a unit other than a currency; for a currency, the scale of the table may still apply."""
    return unit is not None and not _CURRENCY.fullmatch(unit)


def _attribute(name: str, value: ReadValue, cell: CellDraft, qualifier: str | None) -> Attribute:
    ids = tuple(reference for box in cell.boxes for reference in box.fragment_ids)
    return Attribute(
        name=name, raw=cell.text[value.start : value.end], fragment_ids=ids, route="table", quantity=value.quantity,
        text=value.text, time=value.time, boolean=value.boolean, qualifier=qualifier or None,
    )  # fmt: skip


def short_days(tables: Sequence[TableDraft]) -> dict[str, Mapping[str, datetime]]:
    """The days of columns of short dates, by the label and the cell's text. All columns of one label are one: a
    long table is divided into several, and of one part of it less may be known."""
    headed = [table for table in tables if table.header_rows]
    if not any(is_short_date(cell.text) for table in headed for row in table.rows for cell in row):
        return {}
    columns: dict[str, dict[str, None]] = {}
    for table in headed:
        labels, cells = _labels_and_cells(table)
        for at, label in enumerate(labels):
            columns.setdefault(label, {}).update((text, None) for text in cells.get(at, []) if not is_nothing(text))
    return {label: days for label, texts in columns.items() if (days := short_dates([*texts]))}


def _columns(table: TableDraft, reading: NumberReading, summaries: Mapping[int, int]) -> list[_Column]:
    labels, cells = _labels_and_cells(table, summaries)
    texts = [[cell.text for cell in row] for row in table.rows]
    leaves = leaf_labels(columns_of(table.rows), texts, table.header_rows)
    return [_column(label, leaves[at], cells.get(at, []), reading) for at, label in enumerate(labels)]


def _labels_and_cells(
    table: TableDraft, summaries: Mapping[int, int] | None = None
) -> tuple[list[str], dict[int, list[str]]]:
    """The label of each column, and what stands under it; not the labels of rows that sum up others."""
    places = columns_of(table.rows)
    texts = [[cell.text for cell in row] for row in table.rows]
    cells: dict[int, list[str]] = {}
    for at in range(table.header_rows, len(texts)):
        for place, text in zip(places[at], texts[at], strict=True):
            if text and (summaries or {}).get(at) != place.start:
                cells.setdefault(place.start, []).append(text)
    return column_labels(places, texts, table.header_rows), cells


def _column(label: str, leaf: str, cells: Sequence[str], reading: NumberReading) -> _Column:
    name, hint = read_label(label, reading.plain_dollar) if len(label) <= MAX_HEADER else (None, Hint())
    name = None if hint != Hint() and BRACKETED.match(label) else name
    filled = [found[0].quantity for text in cells if (found := read_values(text, reading))]
    numbers = [quantity for quantity in filled if quantity]
    currencies = {q.unit for q in numbers if _CURRENCY.fullmatch(q.unit or "")}
    return _Column(
        name,
        label,
        hint,
        numeric=bool(filled) and len(numbers) >= NUMERIC_SHARE * len(filled) and not any(map(is_padded, cells)),
        period=_PERIOD.search(label) is not None,
        leaf=leaf,
        leaf_period=_PERIOD.search(leaf) is not None or not _WORD.search(leaf),
        currency=currencies.pop() if len(currencies) == 1 else None,
        days=reading.days.get(label, {}),
        decimals=sum(DECIMALS.search(text) is not None for text in cells) > 0.5 * len(cells),
    )


def _is_statement(columns: Sequence[_Column]) -> bool:
    """Whether most numeric columns after the first are headed by a period, as in a financial statement."""
    numeric = [column for column in columns[1:] if column.numeric]
    return bool(numeric) and 2 * sum(column.period for column in numeric) >= len(numeric)


def _form_values(
    row: Sequence[CellDraft], values: Sequence[FormValue], scale: Scale, reading: NumberReading
) -> Iterator[Attribute]:  # fmt: skip
    for one in values:
        cell = row[one.cell]
        filled = CellDraft(text=cell.text[one.start :], boxes=cell.boxes)
        over = scale.of(one.label, filled.text, DECIMALS.search(filled.text) is not None)
        yield from _beside(without_number(one.label), filled, reading, texts=True, over=over)


def _unheaded_row(
    row: Sequence[CellDraft], reading: NumberReading, knows: Callable[[str], bool]
) -> Iterator[Attribute]:
    """For a row of a table without header: a label with a colon beside its value, `Label: value` in one cell, or a
    label beside a number."""
    inked = [cell for cell in row if cell.text]
    for at, cell in enumerate(inked):
        label = inked[at - 1].text if at else ""
        if ends_in_colon(cell.text):
            continue
        if ends_in_colon(label):
            yield from _beside(without_number(label), cell, reading, texts=True)
        elif at == 1 and len(inked) == 2 and not re.search(r"\d", label) and len(label) <= MAX_HEADER:
            name, _ = read_label(label, reading.plain_dollar)
            yield from _beside(label, cell, reading, texts=name is not None and knows(name))
        else:
            for found in find_labelled([(0, cell.text)], reading, knows):
                if found.value:
                    yield _attribute(found.name, found.value, cell, None)


def _beside(
    label: str, cell: CellDraft, reading: NumberReading, texts: bool, over: Hint | None = None
) -> Iterator[Attribute]:
    name, hint = read_label(label, reading.plain_dollar)
    hint = over if over is not None and hint == Hint() else hint
    for value in read_values(cell.text, reading, hint) if name else ():
        if name and (value.typed or texts):
            yield _attribute(name, value, cell, None)
