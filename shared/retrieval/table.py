"""The hits of a search as a table: what is known of each, and its attributes, one column each."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from shared.domain.facets import ResultTable, TableColumn, TableRow
from shared.domain.geometry import SheetBox
from shared.domain.knowledge import Hit, RowBehind
from shared.filters.declared import declared_attributes, declared_units, refuse_unknown
from shared.store.connect import Connection
from shared.store.search import FoundChunk
from shared.values.csv_cells import harmless_cell
from shared.values.names import name_of, read_label
from shared.values.unit_names import unit_name
from shared.values.units import ucum_unit

# Before the name of an attribute that has the name of another column.
ATTRIBUTE: Final = "attr:"
# Before the name of one in a column of what is printed.
PRINTED: Final = "printed:"
ATTRIBUTES_SHOWN: Final = 8
Row = Hit | FoundChunk
_Cell = str | float | None


def table_of(
    connection: Connection,
    rows: Sequence[Row],
    asked: Sequence[str],
    behind: Sequence[RowBehind] = (),
    *,
    as_printed: bool = False,
) -> ResultTable:
    """`asked`: columns by name, of attributes or of `KNOWN`; none: the document and what the rows have most, and those
    `behind` the passages, which are no rows of it: `cells_behind` has theirs.

    Numbers are numbers where all values of a column are single ones in one unit, or can be told in the unit that is
    declared, else a cell has what is printed. `as_printed`: where they are told in another unit than printed, a further
    column has what is printed. Raises BadFilter for an attribute that nothing in scope has.
    """
    names = _names(connection, asked) if asked else _usual(rows, behind)
    units = declared_units(connection, [one.removeprefix(ATTRIBUTE) for one in names if one.startswith(ATTRIBUTE)])
    ways = [way for name in names for way in _ways(name, rows, units, as_printed=as_printed)]
    return ResultTable(
        columns=[column for column, _ in ways],
        rows=[
            TableRow(chunk_id=row.chunk.id, document_id=row.document.id, cells=[cell(row) for _, cell in ways])
            for row in rows
        ],
    )


def _ways(
    name: str, rows: Sequence[Row], units: Mapping[str, str], *, as_printed: bool
) -> Iterator[tuple[TableColumn, Callable[[Row], _Cell]]]:
    """The column, with how its cells are read; and that of what is printed."""
    bare = name.removeprefix(ATTRIBUTE)
    unit = units.get(bare) if name.startswith(ATTRIBUTE) else None
    values = [row.chunk.attrs[bare] for row in rows if bare in row.chunk.attrs] if unit else []
    told = [_told(value, unit) for value in values] if unit else []
    if unit is None or not told or None in told:
        column = _column(name, rows)
        yield column, partial(_cell, column)
        return
    shown = unit_name(unit)
    label = bare.replace("_", " ")
    column = TableColumn(name=name, label=f"{label} ({shown})", unit=shown, number=True)
    yield column, lambda row: _told(value, unit) if (value := row.chunk.attrs.get(bare)) else None
    if as_printed and any(value.get("unit") != unit for value in values):
        printed = TableColumn(name=f"{PRINTED}{bare}", label=f"{label} as printed")
        yield printed, lambda row: _printed(value) if (value := row.chunk.attrs.get(bare)) else None


def _told(value: Mapping[str, Any], unit: str) -> float | None:
    """The number in the unit with this code; None for what is no single number, or measures something else."""
    if not _is_number(value):
        return None
    printed = value.get("unit")
    if printed == unit:
        return float(value["value"])
    own, target = (ucum_unit(code) if code else None for code in (printed, unit))
    way = own.conversion(target) if own and target else None
    return float(f"{value['value'] * way[0] + way[1]:.10g}") if way else None


def cells_behind(table: ResultTable, row: RowBehind) -> list[_Cell]:
    """What a row that is no passage has for the columns of the table, as printed; with what its header says where that
    is another unit than the column's, or a scale."""
    return [_cell_behind(column, row) for column in table.columns]


def _cell_behind(column: TableColumn, row: RowBehind) -> _Cell:
    if not column.name.startswith(ATTRIBUTE):
        return KNOWN_BEHIND.get(column.name, lambda _: None)(row)
    for cell in row.cells:
        name, hint = read_label(cell.label)
        if f"{ATTRIBUTE}{name}" == column.name:
            unit = unit_name(hint.unit.code) if hint.unit else hint.currency
            plain = hint.scale == 1.0 and unit in (None, column.unit)
            return cell.value if plain else str(cell)
    return None


def write_csv(table: ResultTable, above: Iterable[Sequence[_Cell]] = (), below: Iterable[Sequence[_Cell]] = ()) -> str:
    """As RFC 4180 has it, with further lines; a text that a spreadsheet would compute begins with an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(harmless_cell(column.label) for column in table.columns)
    for cells in (*above, *(row.cells for row in table.rows), *below):
        writer.writerow(_written(cell) for cell in cells)
    return text.getvalue()


def _written(cell: _Cell) -> str | float:
    if cell is None:
        return ""
    return harmless_cell(cell) if isinstance(cell, str) else int(cell) if cell.is_integer() else cell


def _names(connection: Connection, asked: Sequence[str]) -> list[str]:
    """`KNOWN` names as they are, attributes as `attr:name`."""
    labels = [label.removeprefix(ATTRIBUTE) for label in asked if label not in KNOWN]
    ways = {label: [n for n in dict.fromkeys((name_of(label), read_label(label)[0])) if n] for label in labels}
    known = declared_attributes(connection, sorted({name for names in ways.values() for name in names}))
    found: list[str] = []
    for label in asked:
        if label in KNOWN:
            found.append(label)
            continue
        bare = label.removeprefix(ATTRIBUTE)
        name = next((name for name in ways[bare] if name in known), None)
        if name is None:
            refuse_unknown(connection, bare, (ways[bare] or [bare])[0])
        found.append(f"{ATTRIBUTE}{name}")
    return list(dict.fromkeys(found))


def _usual(rows: Sequence[Row], behind: Sequence[RowBehind]) -> list[str]:
    """The document, its section where there is one, and the attributes that most rows have, as they stand in them."""
    named = [[name for cell in row.cells if (name := read_label(cell.label)[0])] for row in behind]
    counts = Counter(name for names in (*(row.chunk.attrs for row in rows), *named) for name in names)
    most = [name for name, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:ATTRIBUTES_SHOWN]]
    places = {names[at]: at for names in named for at in range(len(names))}
    places |= {name: _first_place(name, rows) for name in most if any(name in row.chunk.attrs for row in rows)}
    shown = [f"{ATTRIBUTE}{name}" for name in sorted(most, key=lambda name: places[name])]
    known = ["document", *(["section"] if any(row.chunk.section for row in rows) else [])]
    return [*shown, *known, "place"]


def _first_place(name: str, rows: Sequence[Row]) -> int:
    """Where its value stands in the text of the first row that has it."""
    chunk = next(row.chunk for row in rows if name in row.chunk.attrs)
    return chunk.content.find(str(chunk.attrs[name]["raw"]))


def _column(name: str, rows: Sequence[Row]) -> TableColumn:
    if not name.startswith(ATTRIBUTE):
        return TableColumn(name=name, label=name)
    bare = name.removeprefix(ATTRIBUTE)
    values = [row.chunk.attrs[bare] for row in rows if bare in row.chunk.attrs]
    units = {value.get("unit") for value in values}
    number = len(units) == 1 and all(_is_number(value) for value in values)
    unit = units.pop() if number else None
    shown = unit_name(unit) if unit else None
    label = f"{bare} ({shown})" if shown else bare
    return TableColumn(name=name, label=label.replace("_", " "), unit=shown, number=number)


def _is_number(value: Mapping[str, Any]) -> bool:
    single = not any(value.get(key) for key in ("also", "upper", "comparator", "tolerance"))
    return single and isinstance(value["value"], float | int) and not isinstance(value["value"], bool)


def _cell(column: TableColumn, row: Row) -> _Cell:
    if not column.name.startswith(ATTRIBUTE):
        return KNOWN[column.name](row)
    value = row.chunk.attrs.get(column.name.removeprefix(ATTRIBUTE))
    if value is None:
        return None
    if column.number:
        return float(value["value"])
    return "; ".join(_printed(one) for one in [value, *value.get("also", [])])


def _printed(value: Mapping[str, Any]) -> str:
    """What is printed, with its unit where that stands in the header alone."""
    raw, unit = " ".join(str(value["raw"]).split()), value.get("unit")
    named = unit_name(unit) if unit else ""
    bare = bool(unit) and not any(letter.isalpha() or letter in "$€£¥%°" for letter in raw)
    return f"{raw} {named}" if bare else raw


def _section(row: Row) -> str | None:
    section = row.chunk.section
    return " ".join(filter(None, (section.address, section.title))) if section else None


def _place(row: Row) -> str | None:
    box = next(iter(row.chunk.boxes), None)
    if box is None:
        return None
    return f"{box.sheet}!{box.range}" if isinstance(box, SheetBox) else f"page {box.page}"


def _version(row: Row | RowBehind) -> str | None:
    return (row.version.label or str(row.version.index)) if row.version else None


def _date(row: Row) -> str | None:
    return row.chunk.date.date().isoformat() if row.chunk.date else None


KNOWN: Final[Mapping[str, Callable[[Row], _Cell]]] = {
    "document": lambda row: row.document.name,
    "version": _version,
    "date": _date,
    "section": _section,
    "place": _place,
    "text": lambda row: " ".join((row.chunk.marked or row.chunk.content).split()),
}
KNOWN_BEHIND: Final[Mapping[str, Callable[[RowBehind], _Cell]]] = {
    "document": lambda row: row.document.name,
    "version": _version,
    "place": lambda row: f"{row.sheet}!{row.range}",
    "text": lambda row: " · ".join(map(str, row.cells)),
}
