"""Two embedders side by side, and a knowledge base that moves from one to the other while it is searched."""

from collections.abc import Generator
from dataclasses import replace
from uuid import UUID

import pytest

from shared.adapters.aws.embedders import load_embedder
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, Forbidden, NotFound
from shared.filters.selection import Filters, Selection
from shared.ingestion.embed import embed_missing
from shared.library.embedder_change import EmbedderWish, backfill, embedder_state, finish_change, request_change
from shared.library.traces import get_trace
from shared.maintenance import maintain
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Embedders, Runtime
from shared.store.edits import known_hashes
from shared.vectors.embedders import missing_texts
from shared.vectors.search import vector_candidates
from tests.aws.account import fake_account, forget_account
from tests.aws.bedrock import COHERE, TITAN, FakeBedrock, running_bedrock
from tests.store.seeding import Passage, add_base, add_document

PASSAGES = ["The rear wing is 1050 mm wide.", "Tyres are supplied.", "A pump of 15 kW.", "Tyres are supplied."]
TITAN_512 = f"{TITAN}/512"


@pytest.fixture(scope="module")
def bedrock() -> Generator[FakeBedrock]:
    with (
        running_bedrock() as server,
        pytest.MonkeyPatch.context() as patch,
        fake_account(patch, bedrock_runtime=server.url),
    ):
        yield server


def filled(runtime: Runtime, identity: Identity, name: str) -> Scope:
    scope = add_base(runtime, identity, name)
    embed_missing(runtime, scope, [add_document(runtime, scope, name, [Passage(text) for text in PASSAGES])])
    return scope


def base_of(scope: Scope) -> UUID:
    return scope.knowledge_base_ids[0]


def versions(runtime: Runtime, scope: Scope) -> dict[str, int]:
    query = "select embedder_version as version, count(*) as n from chunk_vectors group by 1"
    with runtime.database.transaction(scope) as connection:
        return {row["version"]: row["n"] for row in connection.execute(query)}


def nearest(runtime: Runtime, identity: Identity, *scopes: Scope) -> list[str]:
    bases = [base_of(scope) for scope in scopes]
    request = SearchRequest(query="the rear wing", knowledge_base_ids=bases, index="vector")
    return [hit.chunk.content for hit in search(runtime, identity, request).hits]


def test_the_first_document_decides_and_later_ones_follow(
    runtime: Runtime, identity: Identity, bedrock: FakeBedrock
) -> None:
    scope = add_base(runtime, identity, "follows")
    first, later = (add_document(runtime, scope, name, [Passage(name)]) for name in ("first", "later"))
    here = replace(runtime, embedders=Embedders(lambda: TITAN_512, load_embedder))
    embed_missing(here, scope, [first])
    embed_missing(runtime, scope, [later])
    assert embedder_state(runtime, identity, base_of(scope)).serving == TITAN_512
    assert versions(runtime, scope) == {TITAN_512: 2}


def test_equal_texts_are_embedded_once(runtime: Runtime, identity: Identity, bedrock: FakeBedrock) -> None:
    scope = filled(runtime, identity, "once")
    request_change(runtime, identity, base_of(scope), EmbedderWish(to=TITAN_512))
    before = bedrock.calls
    document = add_document(runtime, scope, "more", [Passage("Twice."), Passage("Twice."), Passage("Other.")])
    assert embed_missing(runtime, scope, [document]) == 2 * 3
    assert bedrock.calls - before == 2


def test_a_text_is_missing_as_long_as_one_of_its_chunks_has_no_vector(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "of two chunks")
    embed_missing(runtime, scope, [add_document(runtime, scope, "twice", [Passage("Twice."), Passage("Twice.")])])
    version = runtime.embedders.default
    with runtime.database.transaction(scope) as connection:
        assert missing_texts(connection, base_of(scope), version, 10) == {}
        connection.execute(
            "delete from chunk_vectors where chunk_id = (select min(chunk_id::text)::uuid from chunk_vectors)"
        )
        rows = connection.execute("select distinct index_hash, index_text from chunks").fetchall()
        expected = {row["index_hash"]: row["index_text"] for row in rows}
        assert missing_texts(connection, base_of(scope), version, 10) == expected


def test_a_text_that_another_base_has_embedded_is_not_known_here(runtime: Runtime, identity: Identity) -> None:
    ours, theirs = filled(runtime, identity, "known"), add_base(runtime, identity, "unknown")
    both = ours.model_copy(update={"knowledge_base_ids": (base_of(ours), base_of(theirs))})
    with runtime.database.transaction(both) as connection:
        rows = connection.execute("select embedder_version, index_hash from chunk_vectors").fetchall()
        hashes, (version,) = {str(row["index_hash"]) for row in rows}, {str(row["embedder_version"]) for row in rows}
        known = [known_hashes(connection, base_of(scope), version, hashes | {"x"}) for scope in (ours, theirs)]
    assert known == [hashes, set()]


def test_a_base_is_searched_by_the_old_embedder_until_everything_is_there(
    runtime: Runtime, identity: Identity, owner_dsn: str, bedrock: FakeBedrock
) -> None:
    scope = filled(runtime, identity, "moves")
    old = runtime.embedders.default
    assert request_change(runtime, identity, base_of(scope), EmbedderWish(to=TITAN_512)).target == TITAN_512
    assert not finish_change(runtime, scope)
    assert nearest(runtime, identity, scope)[0] == PASSAGES[0]
    assert [backfill(runtime, scope, 2), backfill(runtime, scope), backfill(runtime, scope)] == [2, 1, 0]
    assert versions(runtime, scope) == {old: len(PASSAGES), TITAN_512: len(PASSAGES)}
    late = add_document(runtime, scope, "late", [Passage("Committed while the change goes on.")])
    assert not finish_change(runtime, scope)
    embed_missing(runtime, scope, [late])
    done = maintain(runtime, owner_dsn)
    assert (done["failed"], done["busy"]) == (0, False)
    state = embedder_state(runtime, identity, base_of(scope))
    assert (state.serving, state.target) == (TITAN_512, None)
    assert versions(runtime, scope) == {TITAN_512: len(PASSAGES) + 1}
    assert nearest(runtime, identity, scope)[0] == PASSAGES[0]


def test_bases_of_two_embedders_are_searched_together(
    runtime: Runtime, identity: Identity, owner_dsn: str, bedrock: FakeBedrock
) -> None:
    ours, theirs = filled(runtime, identity, "minilm"), filled(runtime, identity, "cohere")
    request_change(runtime, identity, base_of(theirs), EmbedderWish(to=f"{COHERE}/256"))
    assert maintain(runtime, owner_dsn)["more"] is False
    request = SearchRequest(
        query="the rear wing", knowledge_base_ids=[base_of(ours), base_of(theirs)], index="vector", k=10
    )
    found = search(runtime, identity, request)
    assert {hit.chunk.knowledge_base_id for hit in found.hits[:2]} == {base_of(ours), base_of(theirs)}
    assert [hit.chunk.content for hit in found.hits[:2]] == [PASSAGES[0]] * 2
    (trace,) = get_trace(runtime, identity, found.trace_id).indexes
    assert {part["embedder_version"] for part in trace.figures["parts"]} == {runtime.embedders.default, f"{COHERE}/256"}
    both = Scope(organization_id=identity.organization_id, knowledge_base_ids=(base_of(ours), base_of(theirs)))
    own = {runtime.embedders.default: runtime.embedder.embed_query("the rear wing")}
    for limit in (1, 2, 3):
        with runtime.database.transaction(both) as connection:
            ranking = vector_candidates(
                connection,
                own,
                Selection(Filters()),
                limit,
                lambda version: runtime.embedders.embed_query(version, "the rear wing"),
            )
        assert len(ranking.candidates) == limit


def test_a_base_whose_embedder_is_not_to_be_had_is_named_as_left_out(runtime: Runtime, identity: Identity) -> None:
    here, lost = filled(runtime, identity, "here"), filled(runtime, identity, "lost")
    with runtime.database.transaction(lost) as connection:
        connection.execute("update knowledge_bases set embedder_version = 'acme/1' where id = %s", (base_of(lost),))
    request = SearchRequest(query="wing", knowledge_base_ids=[base_of(here), base_of(lost)], index="vector")
    found = search(runtime, identity, request)
    assert {hit.chunk.knowledge_base_id for hit in found.hits} == {base_of(here)}
    (trace,) = get_trace(runtime, identity, found.trace_id).indexes
    assert (trace.figures["left_out"], trace.exact) == ([str(base_of(lost))], False)


def test_a_change_is_refused_to_readers_strangers_and_unknown_embedders(
    runtime: Runtime, identity: Identity, viewer: Identity, other_identity: Identity, bedrock: FakeBedrock
) -> None:
    scope = filled(runtime, identity, "refuses")
    wish = EmbedderWish(to=TITAN_512)
    with pytest.raises(Forbidden):
        request_change(runtime, viewer, base_of(scope), wish)
    with pytest.raises(NotFound):
        request_change(runtime, other_identity, base_of(scope), wish)
    with pytest.raises(BadInput, match="no embedder"):
        request_change(runtime, identity, base_of(scope), EmbedderWish(to="acme/1"))
    assert embedder_state(runtime, identity, base_of(scope)).target is None


def test_a_change_to_what_this_machine_cannot_call_is_refused(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_account(monkeypatch)
    scope = filled(runtime, identity, "no account")
    with pytest.raises(BadInput, match="AWS_REGION"):
        request_change(runtime, identity, base_of(scope), EmbedderWish(to=f"{TITAN}/256"))
    assert embedder_state(runtime, identity, base_of(scope)).target is None


def test_the_embedder_that_serves_ends_a_change(runtime: Runtime, identity: Identity, bedrock: FakeBedrock) -> None:
    scope = filled(runtime, identity, "back")
    request_change(runtime, identity, base_of(scope), EmbedderWish(to=TITAN_512))
    assert request_change(runtime, identity, base_of(scope), EmbedderWish()).target is None
