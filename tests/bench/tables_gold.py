"""Human ground truth for tables in the development corpora, in the form that they are scored in."""

import csv
import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench.tables_score import Cell, Table, from_rows


class Gold(NamedTuple):
    """A PDF and the tables of its pages, or of just one `page` of it."""

    path: Path
    tables: list[Table]
    page: int | None = None


def docling_gold(corpora: Path) -> list[Gold]:
    """Every PDF with a ground truth of its own, those without tables too."""
    found: list[Gold] = []
    for path in sorted((corpora / "mixed-docling/pdf/sources").glob("*.pdf")):
        truth = corpora / "mixed-docling/pdf/groundtruth" / f"{path.stem}.json"
        if truth.exists():
            document = json.loads(truth.read_text())
            found.append(Gold(path, [_docling_table(document, table) for table in document.get("tables", [])]))
    return found


def _docling_table(document: dict[str, Any], table: dict[str, Any]) -> Table:
    place = table["prov"][0]
    box, page = place["bbox"], place["page_no"]
    height = document["pages"][str(page)]["size"]["height"]
    bottom_left = box["coord_origin"] == "BOTTOMLEFT"
    top, bottom = (height - box["t"], height - box["b"]) if bottom_left else (box["t"], box["b"])
    cells = [
        Cell(c["start_row_offset_idx"], c["start_col_offset_idx"], c["text"], c["row_span"], c["col_span"])
        for c in table["data"]["table_cells"]
    ]
    return Table(page, (box["l"], top, box["r"], bottom), cells)


def read_gold(corpora: Path, name: str) -> list[Gold]:
    """Single pages of the corpora, read by eye: their boxes and cells as (row, column, text, rows, columns). Each is a
    Gold of its own, whose `page` says which page was read. `name`: "left_out" for the first pages that were read,
    then "read", "aside", "further", "beyond", "apart", "kept", "fresh", "unseen" and "opened"; "sealed" for reporting
    only."""
    pages = json.loads(Path(__file__).with_name(f"tables_{name}.json").read_text(encoding="utf-8"))
    return [
        Gold(
            corpora / one["file"],
            [Table(one["page"], tuple(t["box"]), [Cell(*cell) for cell in t["cells"]]) for t in one["tables"]],
            one["page"],
        )
        for one in pages
    ]


def lattice_tables(corpora: Path) -> list[Gold]:
    """What camelot itself reads from its ruled samples: no human truth, but another reader's cells, without boxes."""
    found: list[Gold] = []
    for folder in sorted((corpora / "tables-camelot/benchmark/lattice").glob("*/")):
        tables = [_csv(path) for path in sorted(folder.glob("*-data-camelot-page-*.csv"))]
        source = folder / f"{folder.name}.pdf"
        if tables and source.exists():
            found.append(Gold(source, tables))
    return found


def _csv(path: Path) -> Table:
    page = int(path.stem.split("-page-")[1].split("-")[0])
    with path.open(encoding="utf-8", errors="replace", newline="") as lines:
        return from_rows(list(csv.reader(lines)), page)
