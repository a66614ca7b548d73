"""How it is decided whether what passes a filter is listed, and that a list is all that passes."""

from typing import Any
from uuid import UUID

import numpy as np
import pytest

from shared.domain.operations import ChunkType
from shared.domain.scope import Identity, Scope
from shared.filters import selection as selections
from shared.filters.selection import Filters, Selection, select_chunks
from shared.lexical.query import read_query
from shared.lexical.search import DEPTH_MAX, Limits, lexical_candidates
from shared.runtime import Runtime
from shared.vectors.search import vector_candidates
from tests.store.seeding import Passage, add_base, add_document

DOCUMENTS, CHUNKS = 3, 30
CAPTIONS, ALL = 5 * DOCUMENTS, CHUNKS * DOCUMENTS
LISTED, MANY = "few pass: listed", "many pass: each index tests what it finds"
UNREAD = "no test leaves few: each index tests what it finds"
CUT_OFF = "too many to list: each index tests what it finds"


def kind_of(place: int) -> ChunkType:
    return "caption" if 5 <= place < 10 else "text"


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    made = add_base(runtime, identity, "selections")
    for name in range(DOCUMENTS):
        add_document(runtime, made, f"{name}", [Passage(f"wing {n}", chunk_type=kind_of(n)) for n in range(CHUNKS)])
    with runtime.database.transaction(made) as connection:
        connection.execute("update documents set chunk_count = %s", [CHUNKS])
    return made


def chosen(runtime: Runtime, scope: Scope, filters: Filters) -> Selection:
    with runtime.database.transaction(scope) as connection:
        return select_chunks(connection, filters)


def ids(selection: Selection) -> set[UUID]:
    assert selection.listed is not None
    return {UUID(one) for one in selection.listed.strip("{}").split(",") if one}


def captions(runtime: Runtime, scope: Scope) -> set[UUID]:
    with runtime.database.transaction(scope) as connection:
        return {row["id"] for row in connection.execute("select id from chunks where chunk_type = 'caption'")}


def test_without_a_filter_nothing_is_decided(runtime: Runtime, scope: Scope) -> None:
    selection = chosen(runtime, scope, Filters())
    assert (selection.listed, selection.plan, selection.figures) == (None, "no filter", {})
    assert selection.expected is None


@pytest.mark.parametrize("filters", [Filters(types=()), Filters(documents=()), Filters(types=("text",), documents=())])
def test_where_nothing_is_asked_for_nothing_is_looked_for(runtime: Runtime, scope: Scope, filters: Filters) -> None:
    selection = chosen(runtime, scope, filters)
    assert (selection.listed, selection.plan, selection.figures) == ("{}", "nothing is asked for", {"matches": 0})


# The sample is everything that is served, so that what it lets expect is what is there: fifteen captions of ninety.
SAMPLED = {"total": ALL, "sample": ALL, "passed": CAPTIONS, "parts": []}
ROOM = {"LISTED_MAX": CAPTIONS, "SAMPLE": ALL, "EXPECTED_MAX": ALL, "READ_MAX": 0, "READ_MAX_FOR_FEW": CAPTIONS}


@pytest.mark.parametrize(
    ("limits", "plan", "figures"),
    [
        ({"LISTED_MAX": ALL}, UNREAD, {"total": ALL, "sample": 0, "passed": 0, "read": ALL}),
        ({"LISTED_MAX": ALL, "READ_MAX_FOR_FEW": ALL}, LISTED, {"read": CAPTIONS, "matches": CAPTIONS, "sample": 0}),
        ({"LISTED_MAX": ALL - 1}, LISTED, SAMPLED | {"read": CAPTIONS, "matches": CAPTIONS}),
        ({}, LISTED, SAMPLED | {"read": CAPTIONS, "matches": CAPTIONS}),
        ({"LISTED_MAX": CAPTIONS - 1}, CUT_OFF, SAMPLED | {"read": CAPTIONS}),
        ({"EXPECTED_MAX": CAPTIONS - 1, "READ_MAX": ALL}, MANY, SAMPLED | {"read": CAPTIONS}),
        ({"EXPECTED_MAX": CAPTIONS, "READ_MAX": ALL}, LISTED, SAMPLED | {"read": CAPTIONS, "matches": CAPTIONS}),
        ({"READ_MAX_FOR_FEW": CAPTIONS - 1}, UNREAD, SAMPLED | {"read": CAPTIONS}),
        ({"EXPECTED_MAX": 3 * CAPTIONS}, LISTED, SAMPLED | {"read": CAPTIONS, "matches": CAPTIONS}),
        ({"EXPECTED_MAX": 3 * CAPTIONS - 1}, UNREAD, SAMPLED | {"read": CAPTIONS}),
        ({"EXPECTED_MAX": 3 * CAPTIONS - 1, "READ_MAX": CAPTIONS}, LISTED, SAMPLED | {"matches": CAPTIONS}),
    ],
)
def test_what_passes_is_listed_where_that_is_little_to_read_and_to_name(
    runtime: Runtime,
    scope: Scope,
    monkeypatch: pytest.MonkeyPatch,
    limits: dict[str, int],
    plan: str,
    figures: dict[str, Any],
) -> None:
    for name, value in (ROOM | limits).items():
        monkeypatch.setattr(selections, name, value)
    selection = chosen(runtime, scope, Filters(types=("caption",)))
    assert (selection.plan, selection.figures | figures) == (plan, selection.figures)
    if plan == LISTED:
        assert ids(selection) == captions(runtime, scope)
    else:
        assert selection.listed is None
        assert "matches" not in selection.figures


@pytest.mark.parametrize(("most", "plan"), [(CAPTIONS - 1, CUT_OFF), (CAPTIONS, LISTED), (CAPTIONS + 1, LISTED)])
def test_a_list_is_whole_where_no_more_than_allowed_had_to_be_looked_at(
    runtime: Runtime, scope: Scope, most: int, plan: str
) -> None:
    with runtime.database.transaction(scope) as connection:
        found = selections._listed(connection, Filters(types=("caption",)), None, {}, most)  # noqa: SLF001
    assert found.plan == plan
    assert found.figures["read"] == min(most + 1, CAPTIONS)


@pytest.mark.parametrize(("most", "plan"), [(7, CUT_OFF), (8, LISTED)])
def test_where_the_sample_was_wrong_twice_as_much_is_looked_at_as_it_let_expect(
    runtime: Runtime, scope: Scope, monkeypatch: pytest.MonkeyPatch, most: int, plan: str
) -> None:
    def underestimate(*_: object) -> dict[str, Any]:
        return {"total": ALL, "sample": ALL, "passed": 7, "parts": [], "read": 7}

    monkeypatch.setattr(selections, "_sample", underestimate)
    monkeypatch.setattr(selections, "READ_MAX_FOR_FEW", most)
    assert chosen(runtime, scope, Filters(types=("caption",))).plan == plan


def test_of_pinned_documents_what_passes_is_looked_for_in_them_alone(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute("select id, document_id, chunk_type from chunks").fetchall()
    first, second = sorted({row["document_id"] for row in rows})[:2]
    both = {row["id"] for row in rows if row["document_id"] in (first, second) and row["chunk_type"] == "caption"}
    selection = chosen(runtime, scope, Filters(types=("caption",), documents=(first, second)))
    assert (ids(selection), selection.figures["read"]) == (both, 2 * CHUNKS)
    assert len(both) == CAPTIONS * 2 // DOCUMENTS


@pytest.mark.parametrize(("passed", "expected"), [(0, ALL / 10), (1, ALL / 10), (2, ALL / 5)])
def test_of_a_sample_that_nothing_passed_one_is_taken_to_pass(passed: int, expected: float) -> None:
    figures = {"total": ALL, "sample": 10, "passed": passed}
    assert Selection(Filters(types=("caption",)), figures=figures).expected == expected


def test_where_there_is_little_everything_that_is_selected_is_scored(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        read = read_query(connection, "wing")
        found = lexical_candidates(connection, read, Selection(Filters()), 100, Limits(scanned_chunks=ALL))
        assert (found.plan, found.exact, found.figures) == ("every selected chunk", True, {})
        assert len(found.candidates) == ALL
        more = lexical_candidates(connection, read, Selection(Filters()), 100, Limits(scanned_chunks=ALL - 1))
    assert more.plan == "the strongest postings of each term"


@pytest.mark.parametrize(("scanned", "postings"), [(40, 0), (39, 30), (21, 30), (20, 30), (19, 40), (0, 40)])
def test_small_knowledge_bases_are_scanned_within_half_of_what_may_be_and_the_others_read(
    runtime: Runtime, identity: Identity, scanned: int, postings: int
) -> None:
    bases = [add_base(runtime, identity, f"{size} and {scanned}") for size in (10, 30)]
    for base, size in zip(bases, (10, 30), strict=True):
        add_document(runtime, base, "Wings", [Passage(f"wing {n}") for n in range(size)])
    both = bases[0].model_copy(update={"knowledge_base_ids": [b.knowledge_base_ids[0] for b in bases]})
    with runtime.database.transaction(both) as connection:
        read = read_query(connection, "wing")
        found = lexical_candidates(connection, read, Selection(Filters()), 100, Limits(scanned, 1000, 1000))
    assert (len(found.candidates), found.exact) == (40, True)
    assert found.figures.get("postings", 0) == postings


def test_where_no_knowledge_base_is_in_scope_there_is_nothing_to_search(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope.model_copy(update={"knowledge_base_ids": ()})) as connection:
        found = vector_candidates(connection, {"test": np.ones(4, np.float32)}, Selection(Filters()), 10)
    assert (found.candidates, found.exact, found.plan) == ([], True, "nothing to search")


def test_however_little_is_expected_to_pass_no_more_is_asked_for_than_the_database_hands_out(
    runtime: Runtime, scope: Scope
) -> None:
    figures = {"total": ALL, "sample": 1000 * DEPTH_MAX, "passed": 1}
    selection = Selection(Filters(types=("caption",)), figures=figures)
    with runtime.database.transaction(scope) as connection:
        found = lexical_candidates(connection, read_query(connection, "wing"), selection, 40, Limits(0, 1000, 1000))
    assert {one.chunk_id for one in found.candidates} == captions(runtime, scope)
