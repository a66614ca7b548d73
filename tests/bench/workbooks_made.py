"""Workbooks whose truth is known exactly, because they are made here from random blocks, and how well they are read.

`python -m tests.bench.workbooks_made [COUNT] [--seed N]` prints precision and recall of tables (the same columns, first
and last row), of rows, of header rows, of the header path of every column, and of the texts that cells show.

A sheet has one to four blocks, below or beside one another: a title or none, headers of one to three levels with
merged cells above, a row of units or none, rows of words, numbers, money, percentages and days, totals as formulas with
the value that was computed last, empty cells, hidden rows, notes between; some sheets are hidden.
"""

import argparse
import random
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from shared.domain.geometry import CellRange, corners_of, range_name
from shared.domain.operations import RegisterTable
from shared.domain.page import Fragment
from shared.readers.sheets.document import open_workbook
from tests.readers.workbooks import Made, workbook

SEED = 20261125
WORDS = "amber berth crane dock engine flange gauge harbour index journal kestrel ledger margin nozzle output".split()  # noqa: SIM905
UNITS = {"number": ("kg", "[kW]", "mm", "m³/h", "(t)"), "money": ("EUR", "k€", "$"), "percent": ("%",)}
EPOCH = date(1899, 12, 30)
Value = str | float | tuple[float, str]


class Block(NamedTuple):
    """What a table truly is: its rows' numbers, its columns, and the header's texts per column from above."""

    sheet: str
    header: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, int]
    paths: dict[int, tuple[str, ...]]


class Truth(NamedTuple):
    blocks: list[Block]
    texts: dict[tuple[str, int, int], str]


class _Sheet:
    def __init__(self, name: str, chance: random.Random) -> None:
        self.name, self.chance = name, chance
        self.cells: dict[str, Value] = {}
        self.texts: dict[tuple[str, int, int], str] = {}
        self.merged: list[str] = []
        self.hidden: list[int] = []
        self.blocks: list[Block] = []

    def put(self, row: int, column: int, value: Value, shown: str, formula: str = "") -> None:
        name = range_name(column, row, column, row)
        if formula and isinstance(value, float):
            value = f"<c ><f>{formula}</f><v>{value}</v></c>"
        self.cells[name] = value
        self.texts[self.name, row, column] = shown

    def words(self, least: int, most: int) -> str:
        return " ".join(self.chance.choice(WORDS) for _ in range(self.chance.randint(least, most)))

    def block(self, top: int, left: int) -> int:
        """Writes a block; returns the first row below it."""
        chance, row = self.chance, top
        if chance.random() < 0.5:
            title = f"Table {chance.randint(1, 9)}. {self.words(2, 4)}"
            self.put(row, left, title, title)
            row += 1 + (chance.random() < 0.3)
        kinds = [
            "word",
            *(
                chance.choice(["number", "number", "money", "percent", "day", "word"])
                for _ in range(chance.randint(1, 6))
            ),
        ]
        if all(kind == "word" for kind in kinds):
            kinds[-1] = "number"
        right = left + len(kinds) - 1
        header, paths, row = self._header(row, left, kinds)
        rows, row = self._rows(row, left, kinds)
        self.blocks.append(Block(self.name, header, rows, (left, right), paths))
        return row

    def _header(self, row: int, left: int, kinds: list[str]) -> tuple[tuple[int, ...], dict[int, tuple[str, ...]], int]:
        chance, first = self.chance, row
        paths: dict[int, tuple[str, ...]] = {left + at: () for at in range(len(kinds))}
        for _ in range(chance.choice([0, 0, 0, 1, 1, 2]) if len(kinds) > 2 else 0):
            column = left + 1
            while column < left + len(kinds):
                width = min(chance.randint(2, 3), left + len(kinds) - column)
                said = self.words(1, 2)
                self.put(row, column, said, said)
                if width > 1:
                    self.merged.append(range_name(column, row, column + width - 1, row))
                for covered in range(column, column + width):
                    paths[covered] = (*paths[covered], said)
                column += width
            row += 1
        named = chance.sample(WORDS, len(kinds))
        for at, said in enumerate(named):
            self.put(row, left + at, said.capitalize(), said.capitalize())
            paths[left + at] = (*paths[left + at], said.capitalize())
        row += 1
        measured = [at for at, kind in enumerate(kinds) if kind in UNITS]
        if chance.random() < 0.3 and len(measured) * 2 >= len(kinds):
            for at in measured:
                unit = chance.choice(UNITS[kinds[at]])
                self.put(row, left + at, unit, unit)
                paths[left + at] = (*paths[left + at], unit)
            row += 1
        return tuple(range(first, row)), paths, row

    def _rows(self, row: int, left: int, kinds: list[str]) -> tuple[tuple[int, ...], int]:
        chance, first = self.chance, row
        sums = [0.0] * len(kinds)
        for _ in range(chance.randint(3, 30)):
            for at, kind in enumerate(kinds):
                if at > 1 and chance.random() < 0.06:
                    continue
                self._value(row, left + at, kind, sums, at)
            if chance.random() < 0.03:
                self.hidden.append(row)
            row += 1
        if "number" in kinds and chance.random() < 0.4:
            self.put(row, left, "Total", "Total")
            for at, kind in enumerate(kinds):
                if kind == "number":
                    area = range_name(left + at, first, left + at, row - 1)
                    self.put(row, left + at, sums[at], f"{sums[at]:g}", f"SUM({area})")
            row += 1
        return tuple(range(first, row)), row

    def _value(self, row: int, column: int, kind: str, sums: list[float], at: int) -> None:
        chance = self.chance
        match kind:
            case "number":
                number = chance.randint(1, 5000)
                sums[at] += number
                self.put(row, column, number, str(number))
            case "money":
                cents = chance.randint(100, 9_999_999)
                self.put(row, column, (cents / 100, "#,##0.00"), f"{cents / 100:,.2f}")
            case "percent":
                share = chance.randint(1, 999)
                self.put(row, column, (share / 1000, "0.0%"), f"{share / 10:.1f}%")
            case "day":
                day = date(2020, 1, 1) + timedelta(days=chance.randint(0, 2000))
                self.put(row, column, (float((day - EPOCH).days), "yyyy-mm-dd"), day.isoformat())
            case _:
                said = f"{self.words(1, 3)} {chance.randint(1, 99)}" if at == 0 else self.words(1, 3)
                self.put(row, column, said, said)


def make(chance: random.Random) -> tuple[bytes, Truth]:
    sheets: dict[str, Made] = {}
    truth = Truth([], {})
    for number in range(chance.randint(1, 3)):
        sheet = _Sheet(f"Sheet {number + 1}", chance)
        row = chance.choice([1, 1, 2, 4])
        for _ in range(chance.randint(1, 3)):
            left = chance.choice([1, 1, 2])
            below = sheet.block(row, left)
            if chance.random() < 0.25:
                below = max(below, sheet.block(row, sheet.blocks[-1].columns[1] + chance.randint(2, 3)))
            row = below + chance.randint(1, 3)
            if chance.random() < 0.4:
                said = f"Note: {sheet.words(6, 12)}."
                sheet.put(row, left, said, said)
                row += chance.randint(2, 3)
        state = "hidden" if number and chance.random() < 0.2 else "visible"
        sheets[sheet.name] = Made(sheet.cells, sheet.merged, sheet.hidden, state=state)
        truth.blocks.extend(sheet.blocks)
        truth.texts.update(sheet.texts)
    return workbook(sheets), truth


def read(path: Path) -> Truth:
    found = Truth([], {})
    with open_workbook(path, None) as source:
        for number in range(1, source.page_count + 1):
            page = source.read_page(number)
            placed = {one.id: one for one in page.fragments}
            for one in page.fragments:
                if isinstance(one.place, CellRange) and one.text != one.place.sheet:
                    left, top, *_ = corners_of(one.place.range)
                    found.texts[one.place.sheet, top, left] = one.text
            for said in page.structure or []:
                if isinstance(said, RegisterTable):
                    cells = [[[placed[i] for i in cell.fragment_ids] for cell in row] for row in said.rows]
                    found.blocks.extend(_block(cells, said.header_rows))
    return found


def _block(rows: list[list[list[Fragment]]], heads: int) -> Iterator[Block]:
    places: list[list[tuple[CellRange, str]]] = [
        [(one.place, one.text) for cell in row for one in cell if isinstance(one.place, CellRange)] for row in rows
    ]
    corners = [corners_of(place.range) for row in places for place, _ in row]
    if not corners:
        return
    left, right = min(one[0] for one in corners), max(one[2] for one in corners)
    numbers = [min((corners_of(place.range)[1] for place, _ in row), default=0) for row in places]
    paths: dict[int, tuple[str, ...]] = {}
    for column in range(left, right + 1):
        said = [(place, text) for row in places[:heads] for place, text in row]
        over = [text for place, text in said if corners_of(place.range)[0] <= column <= corners_of(place.range)[2]]
        paths[column] = tuple(over)
    yield Block(
        places[-1][0][0].sheet if places[-1] else "",
        tuple(numbers[:heads]),
        tuple(numbers[heads:]),
        (left, right),
        paths,
    )


def judge(truth: Truth, found: Truth) -> Counter[str]:
    """Counts of what is right, of what was found and of what there is, for each measure."""
    counts: Counter[str] = Counter()
    sets = [_sets(truth), _sets(found)]
    for name in sets[0]:
        there, got = sets[0][name], sets[1][name]
        counts += Counter({f"{name} right": len(there & got), f"{name} found": len(got), f"{name} there": len(there)})
    return counts


def _sets(said: Truth) -> dict[str, set[object]]:
    blocks = said.blocks
    return {
        "tables": {(b.sheet, b.columns, b.rows[:1], b.rows[-1:]) for b in blocks},
        "rows": {(b.sheet, b.columns, row) for b in blocks for row in b.rows},
        "header rows": {(b.sheet, b.columns, row) for b in blocks for row in b.header},
        "header paths": {(b.sheet, b.rows[:1], column, path) for b in blocks for column, path in b.paths.items()},
        "texts": set(said.texts.items()),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--wrong", action="store_true", help="print the tables that are not as they are")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(arguments.count):
            data, truth = make(random.Random(arguments.seed + number))
            path = Path(folder) / f"{number}.xlsx"
            path.write_bytes(data)
            found = read(path)
            counts += judge(truth, found)
            if arguments.wrong:
                for one in truth.blocks:
                    if one not in found.blocks:
                        near = [b for b in found.blocks if b.sheet == one.sheet and set(b.rows) & set(one.rows)]
                        print(number, one, "\n   ", *near)
    print(f"| {arguments.count} workbooks, seed {arguments.seed} | there | precision | recall |")
    print("| --- | --- | --- | --- |")
    for name in ("tables", "rows", "header rows", "header paths", "texts"):
        right, got, there = (counts[f"{name} {kind}"] for kind in ("right", "found", "there"))
        print(f"| {name} | {there} | {right / max(1, got):.3f} | {right / max(1, there):.3f} |")


if __name__ == "__main__":
    main()
