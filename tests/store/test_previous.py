"""Questions for an earlier edition read that edition; others read the current one."""

from uuid import UUID

import pytest

from shared.answering.service import ask
from shared.domain.knowledge import Hit
from shared.domain.scope import Identity, Scope
from shared.library.traces import get_trace
from shared.retrieval.requests import AskRequest, LookupRequest, SearchRequest
from shared.retrieval.service import lookup, search
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document, section

SECTIONS = [section(0, "5.3", "Battens")]
GUIDE = "The previous edition of this guide was printed on paper."


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return add_base(runtime, identity, "editions")


@pytest.fixture(scope="module")
def editions(runtime: Runtime, scope: Scope) -> list[UUID]:
    made: list[UUID] = []
    for year, metres in ((2024, "four"), (2025, "five"), (2026, "six")):
        passages = [Passage(f"The mainsail has battens of {metres} metres.", section=0)]
        before = made[-1] if made else None
        made.append(add_document(runtime, scope, f"Rig {year}", passages, SECTIONS, before, runtime.embedder))
    add_document(runtime, scope, "Guide", [Passage(GUIDE)], embedder=runtime.embedder)
    return made


@pytest.fixture(scope="module")
def base(scope: Scope, editions: list[UUID]) -> UUID:
    assert editions
    return scope.knowledge_base_ids[0]


def editions_in(hits: list[Hit]) -> list[int]:
    return sorted({hit.version.index for hit in hits if hit.version and hit.document.name.startswith("Rig")})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How long are battens of the mainsail?", [3]),
        ("How long are battens of the mainsail in the previous edition?", [2]),
        ("How long were battens of the mainsail in earlier editions?", [1, 2]),
        ("What changed in the battens of the mainsail since the previous edition?", [2, 3]),
        ("How long are battens of the mainsail in the last edition?", [3]),
        ("How long are battens of the mainsail in the 2024 edition?", [1]),
        ("How long are battens of the mainsail in the 2024 and 2025 editions?", [1, 2]),
        ("What changed in the battens of the mainsail since the 2024 edition?", [1, 3]),
        ("How long are battens in Rig 2025?", [2]),
        ("How long are battens of the mainsail in the 2019 edition?", [3]),
    ],
)
def test_the_words_choose_which_versions_are_searched(
    runtime: Runtime, identity: Identity, base: UUID, text: str, found: list[int]
) -> None:
    assert editions_in(search(runtime, identity, SearchRequest(query=text, knowledge_base_ids=[base])).hits) == found


def test_an_answer_from_the_previous_edition_cites_it_as_no_longer_current(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    text = "How long are battens according to the previous edition?"
    answer = ask(runtime, identity, AskRequest(question=text, knowledge_base_ids=[base]))
    assert [one.text for one in answer.sentences] == ["The mainsail has battens of five metres."]
    assert [hit.version and (hit.version.index, hit.version.is_current) for hit in answer.citations] == [(2, False)]


def test_the_words_that_name_versions_are_not_looked_for(runtime: Runtime, identity: Identity, base: UUID) -> None:
    query = "battens in the previous edition"
    trace = get_trace(
        runtime, identity, search(runtime, identity, SearchRequest(query=query, knowledge_base_ids=[base])).trace_id
    )
    assert (trace.query, list(trace.notes["words"])) == (query, ["battens"])


def test_the_trace_has_the_versions_that_were_read(
    runtime: Runtime, identity: Identity, base: UUID, editions: list[UUID]
) -> None:
    queries = {"battens in the 2024 edition": [editions[0]], "battens in the 2026 edition": None, "battens": None}
    for query, read in queries.items():
        found = search(runtime, identity, SearchRequest(query=query, knowledge_base_ids=[base]))
        noted = get_trace(runtime, identity, found.trace_id).notes.get("versions")
        assert noted == (read and [str(one) for one in read])


@pytest.mark.parametrize("address", ["5.3 in the previous edition", "5.3 in the 2025 edition"])
def test_a_section_is_looked_up_in_the_edition_that_is_named(
    runtime: Runtime, identity: Identity, base: UUID, editions: list[UUID], address: str
) -> None:
    request = LookupRequest(address=address, knowledge_base_ids=[base])
    found = lookup(runtime, identity, request)
    assert [(one.document.id, one.section.address) for one in found.sections] == [(editions[1], "5.3")]
    assert [hit.chunk.content for hit in found.hits] == ["The mainsail has battens of five metres."]


def test_what_is_chosen_by_hand_stays_chosen(
    runtime: Runtime, identity: Identity, base: UUID, editions: list[UUID]
) -> None:
    wish = SearchRequest(query="battens in the previous edition", knowledge_base_ids=[base])
    pinned = search(runtime, identity, wish.model_copy(update={"documents": [editions[0]]})).hits
    every = search(runtime, identity, wish.model_copy(update={"include_superseded": True})).hits
    assert (editions_in(pinned), editions_in(every)) == ([1], [1, 2, 3])


def test_a_version_that_is_not_served_is_no_previous_one(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "withdrawn editions")
    made: list[UUID] = []
    for year in (2024, 2025, 2026):
        before = made[-1] if made else None
        made.append(add_document(runtime, scope, f"Rig {year}", [Passage(f"Battens of {year}.")], version_of=before))
    with runtime.database.transaction(scope) as connection:
        connection.execute("update documents set serving = false where id = %s", (made[1],))
    bases = list(scope.knowledge_base_ids)
    for query, found in (("the previous edition", "Battens of 2024."), ("the 2025 edition", "Battens of 2026.")):
        wish = SearchRequest(query=f"battens in {query}", knowledge_base_ids=bases, index="fts")
        assert [hit.chunk.content for hit in search(runtime, identity, wish).hits] == [found]


def test_where_nothing_has_versions_the_words_are_looked_for(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "guides")
    add_document(runtime, scope, "Guide", [Passage(GUIDE), Passage("Paper is dear.")], embedder=runtime.embedder)
    wish = SearchRequest(query="previous edition on paper", knowledge_base_ids=list(scope.knowledge_base_ids))
    found = search(runtime, identity, wish)
    assert found.hits[0].chunk.content == GUIDE
    assert {"previous", "edition"} <= set(get_trace(runtime, identity, found.trace_id).notes["words"])
