from typing import Literal

import pytest

from shared.domain.geometry import PageBox
from shared.domain.operations import (
    Cell,
    EngineChunkType,
    PageOperations,
    RegisterChunk,
    RegisterTable,
    Skip,
    SkipReason,
)
from shared.domain.verify import StoredSkip
from shared.verify.claims import Held, PageClaims, claim_failures, skip_failures
from shared.verify.operations import operation_failures
from shared.verify.page import ProvenPage
from shared.verify.pieces import Lines, SourceLine


def line(number: int, text: str) -> SourceLine:
    edges = tuple(0.1 + 0.01 * n for n in range(len(text) + 1))
    return SourceLine(f"p1.f{number}", text, 0.1, 0.1, 0.5, 0.2, 10, False, lambda: edges, None)


LINES = Lines([line(1, "one"), line(2, "two parts"), line(3, "Page 7")])
PAGE = ProvenPage(1, None, LINES)


def held(*references: str, kind: str = "text", begins: bool = True) -> Held:
    return Held("1", kind, begins, references)


def left_out(*references: str, text: str = "Page 7", reason: SkipReason = "footer") -> StoredSkip:
    return StoredSkip(reason, text, PageBox(page=1, x=0, y=0, w=1, h=1, fragment_ids=references))


FOOTER = left_out("p1.f3")


@pytest.mark.parametrize(
    ("claims", "skipped", "checks", "unclaimed"),
    [
        ([held("p1.f1", "p1.f2")], [FOOTER], [], 0),
        ([held("p1.f1"), held("p1.f2[0:4]"), held("p1.f2[4:9]")], [FOOTER], [], 0),
        ([held("p1.f1"), held("p1.f2[0:3]"), held("p1.f2[4:9]")], [FOOTER], [], 0),
        ([held("p1.f1"), held("p1.f2[0:2]"), held("p1.f2[4:9]")], [FOOTER], ["unclaimed"], 1),
        ([held("p1.f1"), held("p1.f2[0:3]")], [FOOTER], ["unclaimed"], 1),
        ([held("p1.f1")], [FOOTER], ["unclaimed"], 1),
        ([held("p1.f1", "p1.f2")], [], ["unclaimed"], 1),
        ([], [], ["unclaimed"], 3),
        ([held("p1.f1", "p1.f2"), held("p1.f1")], [FOOTER], ["claimed_twice"], 0),
        ([held("p1.f1", "p1.f2", "p1.f3")], [FOOTER], ["claimed_twice"], 0),
        ([held("p1.f1"), held("p1.f2[0:5]"), held("p1.f2[4:9]")], [FOOTER], ["claimed_twice"], 0),
        ([held("p1.f1", "p1.f2", "p1.f9")], [FOOTER], ["fragment"], 0),
    ],
)
def test_every_character_of_a_page_is_held_once(
    claims: list[Held], skipped: list[StoredSkip], checks: list[str], unclaimed: int
) -> None:
    wrong, count = claim_failures(PAGE, PageClaims(claims), skipped)
    assert ([one.check for one in wrong], count) == (checks, unclaimed)


@pytest.mark.parametrize(
    ("skip", "right"),
    [
        (FOOTER, True),
        (left_out("p1.f3", text="Page 8"), False),
        (left_out("p1.f1", "p1.f2", text="one two parts"), True),
        (left_out("p1.f1", "p1.f2", text="one | two parts", reason="repeated_table_header"), True),
        (left_out("p1.f1", "p1.f2", text="one | two part", reason="repeated_table_header"), False),
        (left_out("p1.f1", "p1.f2", text="one | two parts"), False),
    ],
)
def test_what_was_left_out_says_what_its_lines_say(skip: StoredSkip, right: bool) -> None:
    assert (not list(skip_failures(PAGE, [skip]))) is right


def chunk(*references: str, kind: EngineChunkType = "text") -> RegisterChunk:
    return RegisterChunk(fragment_ids=list(references), chunk_type=kind)


OPERATIONS = [chunk("p1.f1"), chunk("p1.f2", kind="list"), Skip(fragment_ids=["p1.f3"], reason="footer")]
STORED = [held("p1.f1"), held("p1.f2", kind="list")]


@pytest.mark.parametrize(
    ("stored", "skipped", "right"),
    [
        (STORED, [FOOTER], True),
        ([held("p1.f1", begins=False), STORED[1]], [FOOTER], True),
        ([held("p1.f1", kind="caption", begins=False), STORED[1]], [FOOTER], True),
        ([held("p1.f2", begins=False), *STORED], [FOOTER], False),
        (STORED[::-1], [FOOTER], False),
        (STORED[:1], [FOOTER], False),
        ([*STORED, held("p1.f1")], [FOOTER], False),
        ([held("p1.f1"), held("p1.f2")], [FOOTER], False),
        ([held("p1.f1[0:2]"), STORED[1]], [FOOTER], False),
        (STORED, [], False),
        (STORED, [FOOTER, left_out("p1.f1")], False),
        (STORED, [left_out("p1.f3", reason="header")], False),
    ],
)
def test_what_is_stored_is_what_the_operations_say(stored: list[Held], skipped: list[StoredSkip], right: bool) -> None:
    operations = PageOperations(page=1, operations=[*OPERATIONS], engine="test", engine_version="1")
    assert (not list(operation_failures(1, LINES, operations, stored, skipped))) is right


def test_operations_of_another_page_or_none_are_told() -> None:
    other = PageOperations(page=2, operations=[*OPERATIONS], engine="test", engine_version="1")
    assert [one.check for one in operation_failures(1, LINES, None, STORED, [FOOTER])] == ["operations"]
    assert next(operation_failures(1, LINES, other, STORED, [FOOTER])).actual == "operations of page 2"


ROW = ((("p1.f1",), 1, 1), (("p1.f2",), 1, 1))


@pytest.mark.parametrize(
    ("said", "stored", "right"),
    [
        ("table", Held("1", "table", False, ("p1.f1", "p1.f2"), (), (ROW,)), True),
        ("table", held("p1.f1", "p1.f2", begins=False), False),
        ("text", Held("1", "table", False, ("p1.f1", "p1.f2"), (), (ROW,)), False),
        ("table", Held("1", "table", False, ("p1.f1", "p1.f2"), (), (ROW, ROW)), False),
        ("text", held("p1.f1", "p1.f2", begins=False), True),
        ("text", held("p1.f1", begins=False), False),
        ("text", held("p1.f2", "p1.f1", begins=False), False),
        ("text", held("p1.f1", "p1.f2", kind="code", begins=False), False),
        ("code", held("p1.f1", "p1.f2", kind="code", begins=False), True),
        ("code", held("p1.f1", "p1.f2", begins=False), False),
    ],
)
def test_what_goes_on_from_the_page_before_goes_on_as_what_it_is(
    said: EngineChunkType | Literal["table"], stored: Held, right: bool
) -> None:
    cells = [Cell(fragment_ids=["p1.f1"]), Cell(fragment_ids=["p1.f2"])]
    first = RegisterTable(rows=[cells]) if said == "table" else chunk("p1.f1", "p1.f2", kind=said)
    operations = PageOperations(page=1, operations=[first, OPERATIONS[2]], engine="test", engine_version="1")
    assert (not list(operation_failures(1, LINES, operations, [stored], [FOOTER]))) is right
