"""What parts say of a file of data, compared with its names and values."""

import time
from pathlib import Path

import pytest

from shared.domain.geometry import TextRange
from shared.domain.operations import Cell, Operation, RegisterChunk, RegisterSection, RegisterTable, Skip
from shared.domain.page import Fragment, PageFile
from shared.domain.raw_page import SecondField, SecondText
from shared.domain.verify import StoredPage
from shared.verify.fields import FieldProof
from shared.verify.parts import PartProver
from tests.readers.structured import opened

Line = str | tuple[str, ...] | list[list[str]]


class Part:
    """A part made by hand: `# title`, a line, lines of one value, or rows of a table."""

    def __init__(self, *lines: Line) -> None:
        self.fragments: list[Fragment] = []
        self.operations: list[Operation] = []
        for at, line in enumerate(lines):
            match line:
                case str() if line.startswith("# "):
                    self.operations.append(RegisterSection(title_fragment_ids=[self.add(line[2:], at)], depth=1))
                case str() if line.startswith("~ "):
                    self.operations.append(Skip(fragment_ids=[self.add(line[2:], at)], reason="decoration"))
                case list():
                    rows = [[Cell(fragment_ids=[self.add(one, at)] if one else []) for one in row] for row in line]
                    self.operations.append(RegisterTable(rows=rows, header_rows=1))
                case _:
                    said = [line] if isinstance(line, str) else line
                    ids = [self.add(one, at) for one in said]
                    self.operations.append(RegisterChunk(fragment_ids=ids, chunk_type="list"))

    def add(self, text: str, at: int) -> str:
        place = TextRange(start=10 * at, end=10 * at + 9)
        self.fragments.append(Fragment(id=f"p1.f{len(self.fragments) + 1}", text=text, place=place))
        return self.fragments[-1].id

    def file(self) -> PageFile:
        return PageFile(
            page=1, route="text", fragments=self.fragments, structure=self.operations, extractor_version="1"
        )


def compared(fields: list[tuple[str, str | None]], *lines: Line, bare: str = "") -> tuple[list[str], str]:
    """The texts that are in no field, and what is left of the fields."""
    proof = FieldProof([SecondField(name, value, name == bare) for name, value in fields])
    file = Part(*lines).file()
    wrong = proof.differences(file, {one.id for one in file.fragments})
    return [one.text for one in file.fragments if one.id in wrong], proof.left()


PUMP: list[tuple[str, str | None]] = [("name", "P-30"), ("mass", "12.5"), ("motor", None), ("power", "3 kW")]
ROWS: list[tuple[str, str | None]] = [
    ("id", "1"), ("at", None), ("x", "2"), ("id", "2"), ("at", None), ("x", "3"),
]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        ("name: P-30", "mass: 12.5", "# motor", "power: 3 kW"),
        ("name: P-30", "mass: 12.5", "motor: power: 3 kW"),
        ([["name", "mass", "motor.power"], ["P-30", "12.5", "3 kW"]],),
        ([["name", "mass", "motor"], ["P-30", "12.5", "power: 3 kW"]],),
        ("~ name: P-30", "mass: 12.5", "power: 3 kW", "# P-30"),
    ],
)
def test_a_value_may_stand_behind_its_name_below_it_or_among_others(lines: tuple[Line, ...]) -> None:
    assert compared(PUMP, *lines) == ([], "")


@pytest.mark.parametrize(
    ("lines", "wrong", "left"),
    [
        (("P-30", "mass: 12.5", "power: 3 kW"), ["P-30"], "name:P-30"),
        (("name: P-30", "mass: 125", "power: 3 kW"), ["mass: 125"], "mass:12.5"),
        (("name: P-30", "power: 3 kW"), [], "mass:12.5"),
        (("name: P-30", "power: 12.5", "mass: 3 kW"), ["power: 12.5", "mass: 3 kW"], "mass:12.5; power:3kW"),
        (("# size", "name: P-30", "mass: 12.5", "power: 3 kW"), ["size"], ""),
        (([["name", "mass", "motor.force"], ["P-30", "12.5", "3 kW"]],), ["motor.force", "3 kW"], "power:3kW"),
        (([["name", "mass", "gear.power"], ["P-30", "12.5", "3 kW"]],), ["gear.power"], ""),
        (([["name", "motor.power", "mass"], ["P-30", "12.5", "3 kW"]],), ["12.5", "3 kW"], "mass:12.5; power:3kW"),
    ],
)
def test_a_name_that_is_lost_or_another_ones_is_told(lines: tuple[Line, ...], wrong: list[str], left: str) -> None:
    assert compared(PUMP, *lines) == (wrong, left)


@pytest.mark.parametrize(
    ("value", "line"),
    [("1,5", "mass: 15"), ("12:30", "mass: 1230"), ("[x]", "mass: x"), ("1, 5", "mass: 15"), ("12.5", "mass: 1")],
)
def test_signs_within_a_value_and_its_end_count(value: str, line: str) -> None:
    fields: list[tuple[str, str | None]] = [("mass", value), ("name", "P-30")]
    wrong, left = compared(fields, line, "name: P-30")
    assert (wrong, left) == ([line], f"mass:{value.replace(' ', '')}")


def test_a_piece_of_a_value_is_none_of_its_own() -> None:
    fields: list[tuple[str, str | None]] = [("mass", "12.5"), ("tags", "a, b")]
    assert compared(fields, "mass: 12.5", "tags: a, b", "2.5", "b", "mass: 1", "x: y")[0] == [
        "2.5", "b", "mass: 1", "x: y",
    ]  # fmt: skip


def test_what_is_said_twice_is_wrong_once() -> None:
    fields: list[tuple[str, str | None]] = [("a", "1"), ("b", "2"), ("a", "1")]
    assert compared(fields, "a: 1", "a: 1", "b: 2", "a: 1") == (["a: 1"], "")
    assert compared(fields, "a: 1", "a: 1; b: 2") == ([], "")
    assert compared(fields, "a: 1", "b: 2") == ([], "a:1")


def test_members_of_a_list_are_found_at_once_in_any_order() -> None:
    def spent(count: int) -> float:
        items = [f"{number:040}" for number in range(count)]
        proof = FieldProof([SecondField("", ", ".join(items), items=items)])
        file = Part(*reversed(items)).file()
        begun = time.process_time()
        assert proof.differences(file, {one.id for one in file.fragments}) == {}
        assert proof.left() == ""
        return time.process_time() - begun

    assert any(spent(8000) < 8 * spent(2000) for _ in range(3))


def test_each_value_is_said_once_in_its_row() -> None:
    assert compared(ROWS, [["id", "at.x"], ["1", "2"], ["2", "3"]]) == ([], "")
    assert compared(ROWS, [["id", "at.x"], ["1", "2"], ["2", ""]]) == ([], "x:3")


def test_a_value_of_several_lines_is_said_where_they_all_are() -> None:
    code: list[tuple[str, str | None]] = [("code", "if a:\n    b: 1"), ("b", "1")]
    assert compared(code, ("code: if a:", "    b: 1"), "b: 1") == ([], "")
    assert compared(code, "code: if a:", "b: 1") == (["code: if a:"], "code:ifa:b:1")


def test_only_what_reads_on_may_lose_its_name() -> None:
    book: list[tuple[str, str | None]] = [("title", "Pumps"), ("para", "One."), ("para", "Two.")]
    assert compared(book, "title: Pumps", "One.", "Two.", bare="para") == ([], "")
    assert compared(book, "Pumps", "One.", "Two.", bare="para") == (["Pumps"], "title:Pumps")
    assert compared(book, "title: Pumps", "One.", bare="para") == ([], "para:Two.")


def test_an_empty_value_is_said_by_its_column() -> None:
    fields: list[tuple[str, str | None]] = [("a", "1"), ("b", ""), ("a", "2"), ("b", "x")]
    assert compared(fields, [["a", "b"], ["1", ""], ["2", "x"]]) == ([], "")
    assert compared(fields, [["a"], ["1"], ["2"]], "b: x") == ([], "b:")


def test_a_value_may_go_on_in_the_next_part() -> None:
    proof = FieldProof([SecondField("text", "b c"), SecondField("text", "b d")])
    said = [Part("text: b c", ("text: b",)), Part("# text", ("d",))]
    for part in said:
        file = part.file()
        assert proof.differences(file, {one.id for one in file.fragments}) == {}
    assert proof.left() == ""


def test_what_no_part_says_is_a_failure_of_the_document(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}')
    source = opened(tmp_path / "x.json")
    page = source.read_page(1)
    for fields, left in (([SecondField("a", "1")], None), ([SecondField("a", "1"), SecondField("b", "2")], "b:2")):
        prover = PartProver(source, SecondText("", fields=fields))
        assert prover.prove(1, StoredPage(1, False, page.route, []), page).second == {}
        wrong, _ = prover.left_over()
        assert (wrong and (wrong.check, wrong.expected)) == (left and ("unread_text", left))
