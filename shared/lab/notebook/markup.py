"""HTML that holds no word of anybody's as markup: every text is escaped where it is put in."""

import base64
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from shared.domain.knowledge import TableCell, TableGrid


def element(tag: str, *children: str | Markup, **attributes: str | None) -> Markup:
    """`<tag …>children</tag>`; what is no `Markup` is text. An attribute's `_` is a hyphen, `class_` is `class`."""
    named = Markup("").join(
        Markup(' {}="{}"').format(Markup(name.rstrip("_").replace("_", "-")), value)  # noqa: S704 names are ours
        for name, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(escape(child) for child in children)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), named, inner)  # noqa: S704 tags are ours


def join(parts: Iterable[str | Markup]) -> Markup:
    return Markup("").join(parts)


def paragraphs(text: str) -> Markup:
    """Plain text; an empty line begins another paragraph."""
    return join(element("p", part.strip()) for part in text.split("\n\n") if part.strip())


def picture(data: bytes, media: str, alt: str) -> Markup:
    """An image that is part of the page."""
    where = f"data:{media};base64,{base64.b64encode(data).decode()}"
    return Markup('<img src="{}" alt="{}">').format(where, alt)


def grid_table(grid: TableGrid) -> Markup:
    rows = [_row(row, "th" if at < grid.header_rows else "td") for at, row in enumerate(grid.rows)]
    caption = [element("caption", grid.caption)] if grid.caption else []
    head = [element("thead", join(rows[: grid.header_rows]))] if grid.header_rows else []
    return element("table", *caption, *head, element("tbody", join(rows[grid.header_rows :])))


def plain_table(header: Sequence[str], rows: Iterable[Sequence[str | Markup]]) -> Markup:
    head = element("tr", *(element("th", name) for name in header))
    body = join(element("tr", *(element("td", cell) for cell in row)) for row in rows)
    return element("table", element("thead", head), element("tbody", body))


def _row(cells: Sequence[TableCell], tag: str) -> Markup:
    return element(
        "tr",
        *(
            element(
                tag,
                cell.text,
                rowspan=str(cell.row_span) if cell.row_span > 1 else None,
                colspan=str(cell.col_span) if cell.col_span > 1 else None,
            )
            for cell in cells
        ),
    )
