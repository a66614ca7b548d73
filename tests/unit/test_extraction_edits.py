"""Whatever people do to an extraction, its text stays the source's and every fragment is accounted for once."""

from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.edits import Change, Edit, EditKind, Passage, Placement, Retype
from shared.domain.geometry import PageBox, Rect, union
from shared.domain.ids import new_id
from shared.domain.operations import (
    Cell,
    Operation,
    PageOperations,
    RegisterChunk,
    RegisterSection,
    RegisterTable,
    Skip,
)
from shared.domain.page import Fragment, PageFile
from shared.errors import BadInput
from shared.extraction.assemble import assemble
from shared.extraction.compose import CELL, CODE_LINE, LINE
from shared.extraction.edits import plans
from shared.extraction.edits.marks import apply_marks, first_reference, section_openers
from shared.extraction.edits.replay import Replay, replay
from shared.extraction.validate import validate_operations

Pages = dict[int, tuple[PageFile, PageOperations]]
PAGES = 3
LINES = 9
Kind = Literal["text", "list", "code", "footnote", "heading", "table", "skip"]
KINDS: tuple[Kind, ...] = ("text", "list", "code", "footnote", "heading", "table", "skip")
AS_TEXT = Retype(chunk_id=new_id(), chunk_type="text")
WORDS = ("valve", "spring", "1.2 Seals", "a torque of 12 Nm", "Oil")


def page_file(page: int) -> PageFile:
    fragments = [
        Fragment(
            id=f"p{page}.f{n}",
            text=f"{WORDS[(page + n) % len(WORDS)]} {page}.{n}",
            box=Rect(x=0.1, y=n / 20, w=0.5, h=0.04),
            font="Sans",
            size=10,
        )
        for n in range(1, LINES + 1)
    ]
    return PageFile(page=page, width_pt=400, height_pt=600, route="text", fragments=fragments, extractor_version="test")


@st.composite
def page_operations(draw: st.DrawFn, page: int) -> PageOperations:
    """The page's lines cut into runs, each of which is something."""
    cuts = sorted(draw(st.sets(st.integers(2, LINES), max_size=5)))
    operations: list[Operation] = []
    for start, end in zip([1, *cuts], [*cuts, LINES + 1], strict=True):
        ids = [f"p{page}.f{n}" for n in range(start, end)]
        kind = draw(st.sampled_from(KINDS))
        operations.append(_operation(kind, ids, draw(st.booleans())))
    return PageOperations(page=page, operations=operations, flags=["odd"], engine="test", engine_version="1")


def _operation(kind: Kind, ids: list[str], flag: bool) -> Operation:
    if kind == "heading":
        return RegisterSection(title_fragment_ids=ids, depth=1 + flag)
    if kind == "skip":
        return Skip(fragment_ids=ids, reason="footer")
    if kind == "table":
        return RegisterTable(header_rows=0, rows=[[Cell(fragment_ids=[one])] for one in ids])
    return RegisterChunk(fragment_ids=ids, chunk_type=kind, continues_previous_page=flag)


@st.composite
def documents(draw: st.DrawFn) -> Pages:
    return {page: (page_file(page), draw(page_operations(page))) for page in range(1, PAGES + 1)}


def unmarked(pages: Pages, replayed: Replay) -> DocumentDraft:
    return assemble((file, replayed.edited_pages.operations(page)) for page, (file, _) in pages.items())


def tried(pages: Pages, edits: Sequence[Edit]) -> tuple[Replay, DocumentDraft, dict[UUID, str]]:
    replayed = replay(pages.__getitem__, edits)
    draft = unmarked(pages, replayed)
    return replayed, draft, replayed.stale | apply_marks(draft, replayed.marks)


def assembled(pages: Pages, edits: Sequence[Edit]) -> tuple[Replay, DocumentDraft]:
    replayed, draft, stale = tried(pages, edits)
    assert stale == {}
    return replayed, draft


def target(chunk: ChunkDraft) -> plans.Target:
    references: dict[int, list[str]] = {}
    for box in chunk.boxes:
        assert isinstance(box, PageBox)
        references.setdefault(box.page, []).extend(box.fragment_ids)
    return plans.Target(chunk.chunk_type, chunk.flags, references)


def random_changes(
    data: st.DataObject, replayed: Replay, pages: Pages, draft: DocumentDraft
) -> tuple[EditKind, list[Change]]:
    edited = replayed.edited_pages
    kind: EditKind = data.draw(
        st.sampled_from(["merge", "split", "retype", "resection", "furniture", "restore", "unflag"])
    )
    chunks = [target(chunk) for chunk in draft.chunks]
    if kind == "restore":
        skipped = data.draw(st.sampled_from(draft.skipped)) if draft.skipped else None
        references = skipped.box.fragment_ids if skipped else ()
        some = references[: data.draw(st.integers(0, len(references)))]
        return kind, plans.plan_restore(edited, skipped.page if skipped else 1, some, "text")
    if not chunks:
        raise BadInput("nothing to edit")
    one, two = data.draw(st.sampled_from(chunks)), data.draw(st.sampled_from(chunks))
    match kind:
        case "merge":
            return kind, plans.plan_merge(edited, [one, two])
        case "split":
            return kind, plans.plan_split(edited, one, data.draw(st.sampled_from([*one.references.values()][-1])))
        case "retype":
            types: st.SearchStrategy[Any] = st.sampled_from(["text", "code", "caption", "heading"])
            return kind, plans.plan_retype(edited, one, Retype(chunk_id=new_id(), chunk_type=data.draw(types)))
        case "furniture":
            return kind, plans.plan_furniture(edited, [one], "decoration")
        case "unflag":
            return kind, plans.plan_unflag(edited, [], data.draw(st.integers(1, PAGES)))
        case _:
            opener = data.draw(st.sampled_from([None, *section_openers(unmarked(pages, replayed))]))
            section = edited.passage(int(opener[1]), [opener]) if opener else None
            passages = [edited.passage(page, references) for page, references in plans.whole_passages(edited, one)]
            return kind, [Placement(passage=passage, section=section) for passage in passages]


def check_everything(pages: Pages, replayed: Replay, draft: DocumentDraft) -> None:
    texts = {f.id: f for file, _ in pages.values() for f in file.fragments}
    for page, (file, _) in pages.items():
        assert validate_operations(file, replayed.edited_pages.operations(page)) == []
    assert [summary.unclaimed for summary in draft.pages] == [0] * PAGES
    for chunk in draft.chunks:
        check_verbatim(chunk, texts)
    whole = [chunk for chunk in draft.chunks if chunk.chunk_type not in ("table_row",)]
    claimed = [r for chunk in whole for box in chunk.boxes if isinstance(box, PageBox) for r in box.fragment_ids]
    left_out = [r for item in draft.skipped for r in item.box.fragment_ids]
    assert sorted([*claimed, *left_out]) == sorted(texts)


def check_verbatim(chunk: ChunkDraft, texts: dict[str, Fragment]) -> None:
    boxes = [box for box in chunk.boxes if isinstance(box, PageBox)]
    lines = [texts[reference].text for box in boxes for reference in box.fragment_ids]
    content = chunk.content
    for line in lines:
        assert content.startswith(line)
        content = content[len(line) :]
        content = next((content[len(j) :] for j in (CELL, LINE, CODE_LINE) if content.startswith(j)), content)
    assert content == ""
    for box in boxes:
        around = union([texts[reference].box for reference in box.fragment_ids])
        assert (box.x, box.y, box.w, box.h) == (around.x, around.y, around.w, around.h)


@settings(max_examples=80, deadline=None)
@given(documents(), st.data())
def test_any_sequence_of_edits_keeps_every_character_and_undoing_all_restores_the_document(
    pages: Pages, data: st.DataObject
) -> None:
    _, original = assembled(pages, [])
    edits: list[Edit] = []
    for _ in range(data.draw(st.integers(1, 6))):
        replayed, draft = assembled(pages, edits)
        try:
            kind, changes = random_changes(data, replayed, pages, draft)
        except BadInput:
            continue
        made = Edit(id=new_id(), kind=kind, changes=changes)
        stale = tried(pages, [*edits, made])[2]
        assert made.id not in stale
        if stale:
            continue  # refused: it would undo an earlier one
        edits.append(made)
        check_everything(pages, *assembled(pages, edits))
    stored = [Edit.model_validate_json(edit.model_dump_json()) for edit in edits]
    assert assembled(pages, stored)[1] == assembled(pages, edits)[1]
    assert assembled(pages, [])[1] == original


def plain(*operations: Operation, page: int = 1) -> Pages:
    claimed = PageOperations(page=page, operations=[*operations], flags=["odd"], engine="test", engine_version="1")
    return {page: (page_file(page), claimed)}


def chunk(*numbers: int, page: int = 1, **more: Any) -> RegisterChunk:
    return RegisterChunk(fragment_ids=[f"p{page}.f{n}" for n in numbers], chunk_type="text", **more)


def rest(start: int, page: int = 1) -> RegisterChunk:
    return chunk(*range(start, LINES + 1), page=page)


def edit(kind: EditKind, changes: list[Change]) -> Edit:
    return Edit(id=new_id(), kind=kind, changes=changes)


def test_an_edit_applies_to_another_grouping_of_the_same_lines() -> None:
    pages = plain(chunk(1), chunk(2), rest(3))
    replayed, draft = assembled(pages, [])
    merged = edit("merge", plans.plan_merge(replayed.edited_pages, [target(c) for c in draft.chunks[:2]]))
    for other in (plain(chunk(1, 2), rest(3)), plain(chunk(2), chunk(1), rest(3))):
        assert [c.content for c in assembled(other, [merged])[1].chunks] == [
            c.content for c in assembled(pages, [merged])[1].chunks
        ]


@pytest.mark.parametrize("split_at", [2, 3])
def test_an_edit_is_stale_where_its_lines_are_grouped_with_others(split_at: int) -> None:
    pages = plain(chunk(1), chunk(2), rest(3))
    replayed, draft = assembled(pages, [])
    merged = edit("merge", plans.plan_merge(replayed.edited_pages, [target(c) for c in draft.chunks[:2]]))
    other = plain(chunk(1), rest(2)) if split_at == 2 else plain(chunk(1, 2, 3), rest(4))
    found = replay(other.__getitem__, [merged])
    assert found.stale == {merged.id: "the lines are grouped in another way on page 1"}
    assert found.edited_pages.edited == {}


def test_an_edit_is_stale_where_its_lines_say_something_else() -> None:
    pages = plain(chunk(1), chunk(2), rest(3))
    replayed, draft = assembled(pages, [])
    merged = edit("merge", plans.plan_merge(replayed.edited_pages, [target(c) for c in draft.chunks[:2]]))
    file, operations = pages[1]
    changed = file.model_copy(
        update={"fragments": [file.fragments[0].model_copy(update={"text": "vaIve"}), *file.fragments[1:]]}
    )
    reasons = replay({1: (changed, operations)}.__getitem__, [merged]).stale
    assert reasons == {merged.id: "the text of page 1 is not the same any more"}


def test_an_edit_of_two_pages_applies_whole_or_not_at_all() -> None:
    table = [RegisterTable(rows=[[Cell(fragment_ids=[f"p{p}.f{n}"])] for n in (1, 2)]) for p in (1, 2)]
    pages = plain(rest(3), table[0]) | plain(table[1], rest(3, page=2), page=2)
    replayed, draft = assembled(pages, [])
    whole = next(c for c in draft.chunks if c.chunk_type == "table")
    both = edit("retype", plans.plan_retype(replayed.edited_pages, target(whole), AS_TEXT))
    assert assembled(pages, [both])[0].edited_pages.edited.keys() == {1, 2}
    found = replay((pages | plain(rest(1, page=2), page=2)).__getitem__, [both])
    assert found.edited_pages.edited == {}
    assert both.id in found.stale


def test_attributes_and_keywords_stay_with_their_lines() -> None:
    claim = {"name": "torque", "value_fragment_ids": ["p1.f2"], "raw": "12", "value": 12.0}
    pages = plain(chunk(1, 2, keywords=["seal"], attributes=[claim], confidence=0.7), rest(3))
    file, _ = pages[1]
    assert "12" in file.fragments[1].text
    replayed, draft = assembled(pages, [])
    split = edit("split", plans.plan_split(replayed.edited_pages, target(draft.chunks[0]), "p1.f2"))
    first, second = assembled(pages, [split])[1].chunks[:2]
    assert (first.attrs, first.confidence) == ({}, 0.7)
    assert (second.attrs["torque"]["value"], second.confidence) == (12.0, 0.7)


def test_what_was_left_out_comes_back_in_reading_order() -> None:
    pages = plain(rest(3), Skip(fragment_ids=["p1.f1", "p1.f2"], reason="header"))
    replayed, _ = assembled(pages, [])
    restored = edit("restore", plans.plan_restore(replayed.edited_pages, 1, ["p1.f2"], "text"))
    draft = assembled(pages, [restored])[1]
    assert [first_reference(c) for c in draft.chunks] == ["p1.f2", "p1.f3"]
    assert [s.box.fragment_ids for s in draft.skipped] == [("p1.f1",)]


def heading(number: int) -> RegisterSection:
    return RegisterSection(title_fragment_ids=[f"p1.f{number}"], depth=1)


def test_a_chunk_moves_to_another_section_with_its_context_and_back() -> None:
    pages = plain(heading(1), chunk(2, 3), heading(4), rest(5))
    replayed, draft = assembled(pages, [])
    assert set(section_openers(draft)) == {"p1.f1", "p1.f4"}
    passage, opener = replayed.edited_pages.passage(1, ["p1.f2", "p1.f3"]), replayed.edited_pages.passage(1, ["p1.f4"])
    moved = edit("resection", [Placement(passage=passage, section=opener)])
    back = edit("resection", [Placement(passage=passage, section=None)])
    chunk_moved = assembled(pages, [moved])[1].chunks[1]
    assert (chunk_moved.section, chunk_moved.context) == (1, draft.sections[1].title)
    assert assembled(pages, [moved, back])[1] == draft


def test_a_section_that_is_gone_makes_the_placing_stale() -> None:
    pages = plain(heading(1), chunk(2, 3), heading(4), rest(5))
    replayed, draft = assembled(pages, [])
    passage, opener = replayed.edited_pages.passage(1, ["p1.f2", "p1.f3"]), replayed.edited_pages.passage(1, ["p1.f4"])
    moved = edit("resection", [Placement(passage=passage, section=opener)])
    gone = edit("retype", plans.plan_retype(replayed.edited_pages, target(draft.chunks[2]), AS_TEXT))
    found = replay(pages.__getitem__, [moved, gone])
    made = unmarked(pages, found)
    assert apply_marks(made, found.marks) == {moved.id: "the section that it names is no longer there"}


def test_flags_are_taken_off_a_page_and_off_single_chunks() -> None:
    pages = plain(chunk(1), rest(2))
    replayed, draft = assembled(pages, [])
    page = edit("unflag", plans.plan_unflag(replayed.edited_pages, [], 1))
    one = edit("unflag", plans.plan_unflag(replayed.edited_pages, [target(draft.chunks[0])], None))
    assert [c.flags for c in assembled(pages, [one])[1].chunks] == [[], ["odd"]]
    cleared = assembled(pages, [page])[1]
    assert ([c.flags for c in cleared.chunks], cleared.pages[0].flags) == ([[], []], [])


def test_parts_of_a_table_are_refused_with_what_can_be_done() -> None:
    table = RegisterTable(
        rows=[[Cell(fragment_ids=["p1.f2"])], [Cell(fragment_ids=["p1.f3"])]], caption_fragment_ids=["p1.f1"]
    )
    pages = plain(table, rest(4))
    replayed, draft = assembled(pages, [])
    for part in (c for c in draft.chunks[:4] if c.chunk_type != "table"):
        with pytest.raises(BadInput, match="whole table into text"):
            plans.plan_furniture(replayed.edited_pages, [target(part)], "decoration")
        with pytest.raises(BadInput, match="whole table into text"):
            plans.plan_merge(replayed.edited_pages, [target(part), target(draft.chunks[-1])])
    whole = next(c for c in draft.chunks if c.chunk_type == "table")
    text = edit("retype", plans.plan_retype(replayed.edited_pages, target(whole), AS_TEXT))
    made = assembled(pages, [text])[1]
    assert [c.chunk_type for c in made.chunks] == ["caption", "text", "text"]
    assert made.chunks[1].content == " ".join(f.text for f in pages[1][0].fragments[1:3])


def test_a_changed_hash_is_noticed_on_a_whole_page() -> None:
    pages = plain(rest(1))
    wrong = Passage(page=1, text_hash="0" * 64)
    assert replay(pages.__getitem__, [edit("resection", [Placement(passage=wrong, section=None)])]).stale
