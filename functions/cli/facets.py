"""Prints what a result holds by the values of its attributes, and the result as a table."""

from typing import Any

from functions.cli.output import count, new_table, out, shorten

RANGES_SHOWN = 13


def print_facets(facets: dict[str, Any]) -> None:
    """An attribute a line, its values or ranges with their counts behind it."""
    of = "that pass" if facets["counted"] == "matches" else "that were ranked"
    table = new_table("attribute", "chunks", "values", numbers=("chunks",))
    for one in facets["attributes"]:
        label = one["name"] if one["unit"] is None else f"{one['name']} ({one['unit']})"
        table.add_row(label, f"{one['chunks']:,}", " · ".join(_choices(one)))
    out.print(f"{count(facets['chunks'], 'chunk')} {of}", style="bold")
    out.print(table if facets["attributes"] else "None of them has attributes.")
    out.print()


def _choices(facet: dict[str, Any]) -> list[str]:
    shown = [f"{_mark(one)}{shorten(one['value'], 30)} {one['count']:,}" for one in facet["values"]]
    ranges = [one for one in facet["ranges"] if one["count"]]
    shown += [f"{_mark(one)}{_end(one['low'])} to {_end(one['high'])}: {one['count']:,}" for one in ranges]
    return [*shown, *([f"and {facet['further']:,} more"] if facet["further"] else [])]


def _mark(choice: dict[str, Any]) -> str:
    return "✓ " if choice["chosen"] else ""


def _end(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:,.12g}"


def print_result_table(table: dict[str, Any]) -> None:
    """The hits, one a line, with the columns that were asked for."""
    columns = table["columns"]
    labels = [column["label"] for column in columns]
    shown = new_table(*labels, numbers=tuple(column["label"] for column in columns if column["number"]))
    for row in table["rows"]:
        shown.add_row(*(_cell(cell) for cell in row["cells"]))
    out.print(shown)


def _cell(cell: str | float | None) -> str:
    if cell is None:
        return ""
    return shorten(cell) if isinstance(cell, str) else f"{cell:,.12g}"
