"""Edits in another version of their document: at the same lines wherever they stand, or nowhere."""

from collections.abc import Collection, Iterator

import pytest

from shared.domain.edits import Edit
from shared.domain.geometry import Rect
from shared.domain.ids import new_id
from shared.domain.page import Fragment, PageFile
from shared.extraction.edits.carry import PageFiles, carry_edits

HASH = "0" * 64


def version(*pages: list[str]) -> PageFiles:
    def files(some: Collection[int] | None) -> Iterator[PageFile]:
        for number, texts in enumerate(pages, start=1):
            fragments = [
                Fragment(id=f"p{number}.f{n}", text=text, box=Rect(x=0.1, y=0.02 * n, w=0.5, h=0.015))
                for n, text in enumerate(texts, start=1)
            ]
            if some is None or number in some:
                yield PageFile(page=number, route="text", fragments=fragments, extractor_version="test")

    return files


def left_out(page: int, *ids: str) -> Edit:
    passage = {"page": page, "fragment_ids": ids, "text_hash": HASH}
    skip = {"op": "skip", "fragment_ids": ids, "reason": "footer"}
    change = {"change": "regroup", "passage": passage, "operations": [skip]}
    return Edit.model_validate({"id": new_id(), "kind": "furniture", "changes": [change]})


def referred(edit: Edit) -> tuple[int, tuple[str, ...]]:
    (change,) = edit.changes
    return change.passage.page, change.passage.fragment_ids


@pytest.mark.parametrize(
    ("before", "after", "asked", "found"),
    [
        # On another page, behind a new line; as far from each other as before.
        (["A", "Total", "B"], ["new", "A", "Total", "B"], ("p2.f1", "p2.f3"), ("p3.f2", "p3.f4")),
        # Each of several for itself.
        (["Total", "Total"], ["x", "Total", "Total"], ("p2.f2",), ("p3.f3",)),
    ],
)
def test_lines_that_are_found_are_referred_to(
    before: list[str], after: list[str], asked: tuple[str, ...], found: tuple[str, ...]
) -> None:
    (edit,) = carry_edits([left_out(2, *asked)], version(["first"], before), version(["first"], ["more"], after))
    assert referred(edit) == (3, found)


@pytest.mark.parametrize(
    "after",
    [["Total"], ["Total", "Total", "Total"], ["A", "B"], ["Total.", "Total"]],
    ids=["fewer", "more", "none", "changed"],
)
def test_lines_that_cannot_be_told_apart_are_referred_to_nowhere(after: list[str]) -> None:
    """Also where a line of the same text has the same number by now."""
    (edit,) = carry_edits([left_out(1, "p1.f1")], version(["Total", "Total"]), version(after))
    assert not {*referred(edit)[1]} & {f"p1.f{n}" for n in range(1, 9)}
