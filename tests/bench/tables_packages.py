"""Are tables found on pages of other origins? `python -m tests.bench.tables_packages FOLDER [--half sealed]`.

Prints for each half of `tables_packages.toml`, or of the file that `--gold` names (`tables_others.toml`), the
detection of tables as `tables.py` counts it: F1, how many were found, are there, and were read. Each page is read with
the profile of its whole document. FOLDER holds each package unpacked, by its name. `opened` says which pages differ.
"""

import argparse
import json
import tomllib
from pathlib import Path

from shared.domain.turned import as_read
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.bench.tables import tables_of_page
from tests.bench.tables_score import Score, Table, score

GOLD = Path(__file__).with_name("tables_packages.toml")


def read_page(path: Path, page: int) -> list[Table]:
    """Our tables of one page of a PDF."""
    with open_pdf(path) as source:
        sketches = (sketch_page(as_read(source.read_page(n))) for n in range(1, source.page_count + 1))
        profile = build_profile(sketches, source.outline)
        file = source.read_page(page)
    return list(tables_of_page(file, extract_page(file, profile)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=["opened", "sealed"], action="append")
    parser.add_argument("--gold", type=Path, default=GOLD)
    a = parser.parse_args()
    for half in a.half or ["opened", "sealed"]:
        total = Score()
        for package in tomllib.loads(a.gold.read_text(encoding="utf-8"))["package"]:
            for one in package["pages"] if package["half"] == half else []:
                gold = [Table(one["page"], tuple(box), []) for box in one["tables"]]
                found = score(gold, read_page(a.folder / package["name"] / one["file"], one["page"]))
                total += found
                if half == "opened" and not found.found == found.gold == found.ours:
                    print(f"{package['name']} {one['file']} {one['page']}: {found[:3]}")
        print(json.dumps({half: total.figures()["detection"], "found, are, ours": total[:3]}))


if __name__ == "__main__":
    main()
