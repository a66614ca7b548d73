"""A plot as a page of HTML that needs no script: its picture, what is to be seen, and the same as a table."""

from shared.domain.datasets import Cell
from shared.domain.plots import Drawing, PlotTable
from shared.lab.notebook.markup import element, join, picture, plain_table
from shared.lab.pages import whole_page
from shared.lab.plots.composing import MISSING
from shared.lab.plots.describing import number
from shared.values.locales import NumberSigns


def paper_of(drawing: Drawing, name: str, svg: bytes, signs: NumberSigns) -> bytes:
    """`svg` is its picture."""
    notices = [element("p", one, class_="cell-warning") for one in drawing.notices]
    tables = [_table(one, signs) for one in drawing.tables]
    said = element("p", drawing.alt, class_="cell-note")
    head = (element("h1", name), *notices, picture(svg, "image/svg+xml", drawing.alt), said)
    return whole_page(name, join((*head, element("h2", "The same as a table"), *tables)))


def _table(table: PlotTable, signs: NumberSigns) -> str:
    heads = [*(one.title for one in table.columns), "Rows"]
    rows = ([*(_cell(cell, signs) for cell in row.cells), number(row.rows, signs)] for row in table.rows)
    return plain_table(heads, rows)


def _cell(cell: Cell, signs: NumberSigns) -> str:
    if cell is None:
        return MISSING
    is_number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
    return signs.write(f"{cell:.6g}") if is_number else str(cell)
