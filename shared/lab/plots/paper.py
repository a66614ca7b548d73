"""A plot as a page of HTML that needs no script: its picture, what is to be seen, and the same as a table."""

from markupsafe import Markup

from shared.domain.datasets import Cell, as_printed
from shared.domain.plots import DIGITS, Drawing, PlotTable
from shared.lab.notebook.markup import element, join, picture, plain_table
from shared.lab.pages import whole_page
from shared.lab.plots.describing import number
from shared.lab.plots.orders import MISSING
from shared.values.locales import NumberSigns


def paper_of(drawing: Drawing, name: str, svg: bytes, signs: NumberSigns, form: Markup | None = None) -> bytes:
    """`svg` is its picture; `form` chooses another one, on a page that is served and not kept."""
    notices = [element("p", one, class_="cell-warning") for one in drawing.notices]
    tables = [_table(one, signs) for one in drawing.tables]
    said = element("p", drawing.alt, class_="cell-note")
    head = (element("h1", name), *filter(None, [form]), *notices, picture(svg, "image/svg+xml", drawing.alt), said)
    body = join((*head, element("h2", "The same as a table"), *tables))
    return whole_page(name, body, asks=form is not None)


def refusal_of(said: str, form: Markup) -> bytes:
    """The page where nothing is drawn, with the form that chooses something else."""
    body = join((element("h1", "This is not drawn"), form, element("p", said, class_="cell-warning")))
    return whole_page("This is not drawn", body, asks=True)


def _table(table: PlotTable, signs: NumberSigns) -> str:
    heads = [*(one.title for one in table.columns), "Rows"]
    decimals = [one.decimals for one in table.columns]
    cells = (
        [_cell(*one, signs) for one in zip(row.cells, row.decimals or decimals, strict=True)] for row in table.rows
    )
    rows = ([*shown, number(row.rows, signs)] for shown, row in zip(cells, table.rows, strict=True))
    return plain_table(heads, rows)


def _cell(cell: Cell, decimals: int | None, signs: NumberSigns) -> str:
    if cell is None:
        return MISSING
    is_number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
    return signs.write(as_printed(cell, decimals, DIGITS)) if is_number else str(cell)
