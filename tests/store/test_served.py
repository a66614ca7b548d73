"""Only what is published, current and not rejected is found, whichever way it is looked for; older versions when asked
for or pinned.

Six documents say the same and bear the same addresses; those that must not be found say it best. Every way of looking
is asked with every filter, and has to find all that it may and nothing else.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.scope import Identity, Scope
from shared.filters import selection as selections
from shared.filters.selection import Filters, select_chunks
from shared.lexical.query import read_query
from shared.lexical.search import Limits, lexical_candidates
from shared.retrieval.requests import AskRequest, LookupRequest, SearchRequest
from shared.retrieval.service import lookup, search
from shared.runtime import Runtime
from shared.store.evaluation import extractor_versions, named_documents
from shared.store.suggestions import without_profile
from shared.vectors import search as vectors
from shared.vectors.indexes import keep_vector_indexes
from shared.vectors.search import vector_candidates
from tests.store.seeding import Passage, add_base, add_document, section

CHUNKS = 6
QUERY = "how wide is the rear wing"
READ = Limits(scanned_chunks=0, first=100_000, second=100_000)


@dataclass(frozen=True)
class Documents:
    """`coming` is being ingested as a newer version and is not published; `first` the same, without older ones.
    `rejected` was rejected as a whole, of `struck` every passage.
    """

    scope: Scope
    current: UUID
    superseded: UUID
    coming: UUID
    first: UUID
    rejected: UUID
    struck: UUID

    @property
    def base(self) -> UUID:
        return self.scope.knowledge_base_ids[0]


def passages(words: str) -> list[Passage]:
    texts = [f"{words} The rear wing of class {i} is {1000 + i} mm wide." for i in range(CHUNKS)]
    return [Passage(text, page=2, section=0, chunk_type="text") for text in texts]


@pytest.fixture(scope="module")
def stored(runtime: Runtime, identity: Identity, owner_dsn: str) -> Documents:
    scope = add_base(runtime, identity, "served")
    titles = [section(0, "C7.6", "Wings")]
    made: list[UUID] = []
    named = ("Old", "Now", "Next", "First", "Rejected", "Struck")
    for name, words in ((name, "For all classes." if name == "Now" else QUERY) for name in named):
        before = made[0] if name in ("Now", "Next") else None
        made.append(add_document(runtime, scope, name, passages(words), titles, before, runtime.embedder))
    superseded, current, coming, first, rejected, struck = made
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "update documents set chunk_count = %s, extractor_version = name, serving = name not in ('Next', 'First'),"
            " is_current = false, review = case name when 'Rejected' then 'rejected' else 'unreviewed' end",
            (CHUNKS,),
        )
        standing = [current, rejected, struck]
        connection.execute("update documents set is_current = true where id = any (%s)", (standing,))
        connection.execute(
            "insert into reviews (organization_id, knowledge_base_id, document_id, id, decision_id, page, chunk_id,"
            " verdict, author) select organization_id, knowledge_base_id, document_id, id, id, 2, id,"
            " case document_id when %s then 'rejected' else 'accepted' end, 'Ada'"
            " from chunks where document_id = any (%s)",
            (struck, [struck, current]),
        )
        connection.execute(
            "insert into chunk_attributes (organization_id, knowledge_base_id, document_id, chunk_id, name, ordinal,"
            " route, value_number, printed_number, raw, fragment_ids, confidence, extractor_version)"
            " select organization_id, knowledge_base_id, document_id, id, 'width', 0, 'text', 7, 7, '7', '{}', 1, 'x'"
            " from chunks"
        )
    keep_vector_indexes(owner_dsn, make_from=1, drop_below=1)
    return Documents(scope, current, superseded, coming, first, rejected, struck)


Way = Callable[[Runtime, Identity, Documents, Filters], Collection[UUID]]


def by_scanning_words(runtime: Runtime, _identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    return by_words(runtime, stored, filters, QUERY, Limits())


def by_reading_words(runtime: Runtime, _identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    return by_words(runtime, stored, filters, QUERY, READ)


def by_a_phrase(runtime: Runtime, _identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    return by_words(runtime, stored, filters, '"the rear wing"', READ)


def by_words(runtime: Runtime, stored: Documents, filters: Filters, query: str, limits: Limits) -> set[UUID]:
    with runtime.database.transaction(stored.scope) as connection:
        selection = select_chunks(connection, filters)
        found = lexical_candidates(connection, read_query(connection, query), selection, 100, limits)
    return {candidate.document_id for candidate in found.candidates}


def by_scanning_vectors(runtime: Runtime, _identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    """More are wanted than there are: the index gives up and a scan answers."""
    return by_vectors(runtime, stored, filters, 6 * CHUNKS + 1)[0]


def by_the_index_of_vectors(runtime: Runtime, _identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    # As few as there are here: for more a filtered scan gives up, and all that pass are ranked.
    with patch.multiple(vectors, FILTERED_LEAST=0, SPARE=0, EVENLY=100):
        found, plan = by_vectors(runtime, stored, filters, 2)
    with runtime.database.transaction(stored.scope) as connection:
        listed = select_chunks(connection, filters).listed is not None
    assert plan == ("exact over the listed chunks" if listed else "hnsw")
    everything, _ = by_vectors(runtime, stored, filters, 6 * CHUNKS)
    return found | everything


def by_vectors(runtime: Runtime, stored: Documents, filters: Filters, limit: int) -> tuple[set[UUID], str]:
    vector = {runtime.embedder.version: runtime.embedder.embed_query(QUERY)}
    with runtime.database.transaction(stored.scope) as connection:
        found = vector_candidates(connection, vector, select_chunks(connection, filters), limit)
    return {candidate.document_id for candidate in found.candidates}, found.plan


def asked(runtime: Runtime, identity: Identity, stored: Documents, filters: Filters, query: str) -> set[UUID]:
    types: Any = None if filters.types is None else list(filters.types)
    request = SearchRequest(
        query=query,
        knowledge_base_ids=[stored.base],
        k=100,
        types=types,
        documents=None if filters.documents is None else list(filters.documents),
        include_superseded=filters.include_superseded,
        where="width = 7" if filters.where else None,
    )
    return {hit.chunk.document_id for hit in search(runtime, identity, request).hits}


def by_all_indexes(runtime: Runtime, identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    return asked(runtime, identity, stored, filters, QUERY)


def by_a_named_section(runtime: Runtime, identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    return asked(runtime, identity, stored, filters, "what does section C7.6 say on page 2")


def by_the_filter_alone(runtime: Runtime, identity: Identity, stored: Documents, filters: Filters) -> set[UUID]:
    return asked(runtime, identity, stored, filters, "")


WAYS: list[Way] = [
    by_scanning_words,
    by_reading_words,
    by_a_phrase,
    by_scanning_vectors,
    by_the_index_of_vectors,
    by_all_indexes,
    by_a_named_section,
    by_the_filter_alone,
]
# What is asked for besides, and whether what passes is listed or tested; with room for none to list, a sample decides.
KINDS = {"text": ("text",), "any": None}
ROOM = {"listed": selections.LISTED_MAX, "tested": 0}


@pytest.mark.parametrize("room", ROOM)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_only_what_is_published_and_current_is_found_unless_asked_or_pinned(
    runtime: Runtime, identity: Identity, stored: Documents, monkeypatch: pytest.MonkeyPatch, way: Way, kind: str,
    room: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(selections, "LISTED_MAX", ROOM[room])
    types = KINDS[kind]
    never = (stored.coming, stored.first, stored.rejected, stored.struck)
    everything = (stored.current, stored.superseded, *never)

    def found(documents: tuple[UUID, ...] | None = None, *, superseded: bool = False) -> Collection[UUID]:
        if way is by_the_filter_alone and types is documents is None:
            return way(runtime, identity, stored, Filters(("text", "list"), None, superseded))
        return way(runtime, identity, stored, Filters(types, documents, superseded))

    assert found() == {stored.current}
    assert found(superseded=True) == {stored.current, stored.superseded}
    assert found(everything) == {stored.current, stored.superseded}
    assert found((stored.superseded, stored.coming)) == {stored.superseded}
    assert found(never) == set()


@pytest.mark.parametrize("room", ROOM)
@pytest.mark.parametrize("where", ["width = 7", "not width = 8"])
def test_an_attribute_of_what_is_not_published_or_not_current_is_found_no_more_than_its_words(
    runtime: Runtime, identity: Identity, stored: Documents, monkeypatch: pytest.MonkeyPatch, where: str, room: str
) -> None:
    monkeypatch.setattr(selections, "LISTED_MAX", ROOM[room])
    for index in ("hybrid", "fts", "vector"):
        for superseded, expected in ((False, {stored.current}), (True, {stored.current, stored.superseded})):
            request = SearchRequest(
                query=QUERY,
                index=index,
                k=100,
                knowledge_base_ids=[stored.base],
                where=where,
                include_superseded=superseded,
            )
            assert {hit.chunk.document_id for hit in search(runtime, identity, request).hits} == expected


def test_a_sample_is_drawn_of_what_is_served_alone(
    runtime: Runtime, stored: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selections, "LISTED_MAX", 0)
    for superseded, documents in ((False, 1), (True, 2)):
        with runtime.database.transaction(stored.scope) as connection:
            figures = select_chunks(connection, Filters(("text",), None, superseded)).figures
        # What is struck out is drawn, and does not pass.
        drawn = (documents + 1) * CHUNKS
        assert (figures["total"], figures["sample"], figures["passed"]) == (drawn, drawn, documents * CHUNKS)


def test_a_list_that_was_cut_off_is_not_taken_for_all_that_passes(runtime: Runtime, stored: Documents) -> None:
    """Where the sample was wrong: more had to be looked at than was allowed, and what lies behind is unknown."""
    texts, few = Filters(("text",)), {"total": CHUNKS, "sample": CHUNKS, "passed": 0, "read": 0}
    with runtime.database.transaction(stored.scope) as connection:
        cut_off = selections._listed(connection, texts, None, few, 3)  # noqa: SLF001
        whole = selections._listed(connection, texts, None, few, 100)  # noqa: SLF001
    assert (cut_off.listed, cut_off.plan) == (None, "too many to list: each index tests what it finds")
    assert whole.listed is not None
    assert len(whole.listed.split(",")) == CHUNKS


@pytest.mark.parametrize("recursive", [False, True])
def test_a_section_is_looked_up_in_what_is_published_and_current_unless_asked_or_pinned(
    runtime: Runtime, identity: Identity, stored: Documents, recursive: bool
) -> None:
    def found(documents: list[UUID] | None = None, *, superseded: bool = False) -> set[UUID]:
        request = LookupRequest(
            address="C7.6",
            knowledge_base_ids=[stored.base],
            documents=documents,
            include_superseded=superseded,
            recursive=recursive,
        )
        result = lookup(runtime, identity, request)
        sections = {s.document.id for s in result.sections} - {stored.struck}
        assert sections == {h.chunk.document_id for h in result.hits}
        return {hit.chunk.document_id for hit in result.hits}

    assert found() == {stored.current}
    assert found(superseded=True) == {stored.current, stored.superseded}
    assert found([stored.superseded, stored.coming]) == {stored.superseded}
    assert found([stored.coming, stored.first, stored.rejected, stored.struck]) == set()


def test_an_answer_is_made_of_what_is_published_and_current_unless_asked(
    runtime: Runtime, identity: Identity, stored: Documents
) -> None:
    for superseded, expected in ((False, {stored.current}), (True, {stored.current, stored.superseded})):
        request = AskRequest(
            question=f"{QUERY}?", k=50, knowledge_base_ids=[stored.base], include_superseded=superseded
        )
        answer = ask(runtime, identity, request)
        assert {hit.chunk.document_id for hit in answer.hits} == expected
        assert answer.citations
        assert {hit.chunk.document_id for hit in answer.citations} <= expected


def test_what_else_is_told_of_documents_is_told_of_those_that_are_published(
    runtime: Runtime, stored: Documents
) -> None:
    published = {stored.current, stored.superseded, stored.rejected, stored.struck}
    with runtime.database.transaction(stored.scope) as connection:
        assert {row["id"] for row in named_documents(connection, stored.base)} == published
        assert extractor_versions(connection, stored.base) == ["Now", "Old", "Rejected", "Struck"]
        assert {row["id"] for row in without_profile(connection, stored.base, [], 10)} == published
