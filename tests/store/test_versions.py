import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest

from shared.domain.scope import Identity, Scope
from shared.domain.version_profile import VersionParts, sketch
from shared.domain.versions import LinkRequest, Versions
from shared.errors import BadInput, Conflict, Forbidden
from shared.library import versions as library
from shared.library.documents import delete_document, list_versions
from shared.library.knowledge_bases import KnowledgeBaseChange, change_knowledge_base
from shared.ports import Embedder, Spent, Vectors, for_nothing
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Embedders, Runtime
from shared.store import documents, suggestions
from tests.store.seeding import Passage, add_base, add_document, section

RULE = "The mainsail of the kestrel has {n} battens."
# Of which none is left out of the hits for repeating the other.
OLD_RULE, NEW_RULE = (
    "Battens in the mainsail are made of wood.",
    "A mainsail that is torn may be raced without battens.",
)


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> Scope:
    return add_base(runtime, identity, "rules")


class Shelf:
    """Documents of one rule each, in a knowledge base."""

    def __init__(self, runtime: Runtime, identity: Identity, scope: Scope) -> None:
        self.runtime, self.identity, self.scope = runtime, identity, scope

    def add(self, name: str, n: int) -> UUID:
        return add_document(self.runtime, self.scope, name, [Passage(RULE.format(n=n))])

    def link(self, document: UUID, to: UUID, label: str | None = None, position: int | None = None) -> Versions:
        return library.link(
            self.runtime, self.identity, document, LinkRequest(version_of=to, label=label, position=position)
        )

    def order(self, document: UUID) -> list[tuple[UUID, int, bool]]:
        found = list_versions(self.runtime, self.identity, document)
        return [(d.id, d.version.index, d.version.is_current) for d in found]


@pytest.fixture
def shelf(runtime: Runtime, identity: Identity, base: Scope) -> Iterator[Shelf]:
    made = Shelf(runtime, identity, base)
    yield made
    with runtime.database.transaction(base) as connection:
        ids = [row["id"] for row in connection.execute("select id from documents").fetchall()]
    for document in ids:
        delete_document(runtime, identity, document)


def test_a_linked_document_becomes_the_newest_version_and_the_current_one(shelf: Shelf) -> None:
    old, new = shelf.add("rules 2025.pdf", 4), shelf.add("rules 2026.pdf", 5)
    done = shelf.link(new, old)
    assert shelf.order(old) == [(old, 1, False), (new, 2, True)]
    assert done.items[1].version.label == "2026"
    assert done.logical_document.versions == 2


def test_a_document_is_compared_by_the_addresses_that_it_prints_and_not_by_their_aliases(
    runtime: Runtime, base: Scope, shelf: Shelf
) -> None:
    rules = [section(0, "Article 3", "Rigging", aliases=["3", "art. 3"]), section(1, "B", "Battens", parent=0)]
    document = add_document(runtime, base, "Addressed", [Passage("A rule.", section=1)], rules)
    with runtime.database.transaction(base) as connection:
        row = documents.find_document(connection, document)
        assert row is not None
        profile = suggestions.read_profile(connection, row)
    assert profile.addresses == sketch(["article 3", "b"])
    assert len(profile.addresses) == 2


def test_suggestions_are_listed_oldest_first_page_by_page(runtime: Runtime, base: Scope, shelf: Shelf) -> None:
    first, second, third, new = (shelf.add(name, n) for n, name in enumerate(("One", "Two", "Three", "New")))
    (knowledge_base,) = base.knowledge_base_ids
    with runtime.database.transaction(base) as connection:
        rows = {one: documents.find_document(connection, one) for one in (first, second, third)}
        parts = VersionParts(name=0.5, title=None, sections=None, content=None)
        found = [
            suggestions.FoundVersion((row or {})["logical_document_id"], one, 0.5, parts) for one, row in rows.items()
        ]
        suggestions.store_suggestions(connection, new, found)
        pages, after = list[list[UUID]](), None
        while page := suggestions.list_suggestions(connection, knowledge_base, None, after, 2):
            pages.append([row["nearest_id"] for row in page])
            after = page[-1]["id"]
    assert pages == [[first, second], [third]]


def test_an_older_edition_takes_its_place_before_the_current_one(shelf: Shelf) -> None:
    current, older = shelf.add("rules 5.0.0.pdf", 5), shelf.add("rules 4.0.3.pdf", 4)
    shelf.link(older, current)
    assert shelf.order(current) == [(older, 1, False), (current, 2, True)]
    middle = shelf.add("rules 4.1.0.pdf", 6)
    shelf.link(middle, current)
    assert shelf.order(current) == [(older, 1, False), (middle, 2, False), (current, 3, True)]


def test_label_and_position_can_be_given_and_changed(shelf: Shelf) -> None:
    one, two = shelf.add("a.pdf", 4), shelf.add("b.pdf", 5)
    done = shelf.link(two, one, "first printing", 1)
    assert [(d.id, d.version.label) for d in done.items] == [(two, "first printing"), (one, None)]
    shelf.link(two, one, position=2)
    assert [row[0] for row in shelf.order(one)] == [one, two]


def test_unlinking_gives_a_document_of_its_own_back_and_the_newest_left_becomes_current(shelf: Shelf) -> None:
    old, new = shelf.add("rules 2025.pdf", 4), shelf.add("rules 2026.pdf", 5)
    shelf.link(new, old)
    library.unlink(shelf.runtime, shelf.identity, new)
    assert shelf.order(old) == [(old, 1, True)]
    assert shelf.order(new) == [(new, 1, True)]
    with pytest.raises(Conflict, match="only version"):
        library.unlink(shelf.runtime, shelf.identity, new)


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_deleting_a_version_leaves_the_others_as_unlinking_it_does(shelf: Shelf, gone: int) -> None:
    orders: list[list[tuple[int, int, bool]]] = []
    for name, take_out in (("rules", library.unlink), ("codes", delete_document)):
        versions = [shelf.add(f"{name} {year}.pdf", year) for year in (2024, 2025, 2026)]
        for newer in versions[1:]:
            shelf.link(newer, versions[0])
        take_out(shelf.runtime, shelf.identity, versions[gone])
        left = next(v for v in versions if v != versions[gone])
        orders.append([(versions.index(v), number, current) for v, number, current in shelf.order(left)])
    assert orders[0] == orders[1]
    assert [(number, current) for _, number, current in orders[1]] == [(1, False), (2, True)]


def test_going_back_to_an_older_version_lasts_through_reading_it_again_and_ends_with_a_newer_one(
    shelf: Shelf, runtime: Runtime, base: Scope
) -> None:
    old, new = shelf.add("rules 2025.pdf", 4), shelf.add("rules 2026.pdf", 5)
    shelf.link(new, old)
    library.make_current(runtime, shelf.identity, old)
    assert shelf.order(old) == [(old, 1, True), (new, 2, False)]
    values = {"error": None, "embedder_version": "test", "seconds": 1.0}
    for again in (new, old):
        with runtime.database.transaction(base) as connection:
            documents.publish(connection, again, "ready", values)
        assert shelf.order(old) == [(old, 1, True), (new, 2, False)]
    newest = shelf.add("rules 2027.pdf", 6)
    shelf.link(newest, old)
    assert [row[2] for row in shelf.order(old)] == [False, False, True]


def test_versions_published_out_of_order_end_with_the_newest_current(
    shelf: Shelf, runtime: Runtime, base: Scope
) -> None:
    old, new = shelf.add("rules 2025.pdf", 4), shelf.add("rules 2026.pdf", 5)
    shelf.link(new, old)
    values = {"error": None, "embedder_version": "test", "seconds": 1.0}
    for order in ((new, old), (old, new)):
        with runtime.database.transaction(base) as connection:
            connection.execute("update documents set serving = false, is_current = false")
        for document in order:
            with runtime.database.transaction(base) as connection:
                documents.publish(connection, document, "ready", values)
        assert shelf.order(old) == [(old, 1, False), (new, 2, True)]


def test_versions_of_different_knowledge_bases_are_not_linked(
    shelf: Shelf, runtime: Runtime, identity: Identity
) -> None:
    one = shelf.add("rules 2025.pdf", 4)
    elsewhere = Shelf(runtime, identity, add_base(runtime, identity, "elsewhere")).add("rules 2026.pdf", 5)
    with pytest.raises(BadInput, match="different knowledge bases"):
        shelf.link(elsewhere, one)


def test_a_viewer_may_not_link(shelf: Shelf, viewer: Identity) -> None:
    one, two = shelf.add("a.pdf", 4), shelf.add("b.pdf", 5)
    with pytest.raises(Forbidden):
        library.link(shelf.runtime, viewer, two, LinkRequest(version_of=one))


class Meanwhile:
    """An embedder that a search calls between its two indexes, and what happens to the shelf at that moment."""

    version, dimensions = "meanwhile", 384

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.happens: Callable[[], object] = lambda: None

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        return self._embedder.embed_passages(texts, spent)

    def embed_query(self, text: str) -> Vectors:
        self.happens()
        return self._embedder.embed_query(text)


def test_all_of_a_search_sees_one_state_of_the_versions_and_its_trace_is_stored_nevertheless(
    runtime: Runtime, identity: Identity, owner_dsn: str
) -> None:
    scope = add_base(runtime, identity, "changed meanwhile")
    meanwhile = Meanwhile(runtime.embedder)
    both = Embedders(lambda: runtime.embedder.version, lambda v: meanwhile if v == "meanwhile" else runtime.embedder)
    searching = replace(runtime, embedders=both)
    shelf = Shelf(runtime, identity, scope)
    old, new = (
        add_document(runtime, scope, name, [Passage(rule)], embedder=meanwhile)
        for name, rule in (("rules 2025.pdf", OLD_RULE), ("rules 2026.pdf", NEW_RULE))
    )
    shelf.link(new, old)
    (base,) = scope.knowledge_base_ids
    with runtime.database.transaction(scope) as connection:
        connection.execute("update knowledge_bases set embedder_version = 'meanwhile' where id = %s", (base,))
    request = SearchRequest(query="mainsail battens", knowledge_base_ids=[base])

    def go_back() -> None:
        library.make_current(runtime, identity, old)
        change_knowledge_base(runtime, identity, base, KnowledgeBaseChange(name="renamed meanwhile"))
        with psycopg.connect(owner_dsn) as owner:  # the one row that a trace refers to
            scope_of = (str(identity.organization_id),)
            owner.execute("select set_config('app.organization_id', %s, true)", scope_of)
            assert owner.execute("update organizations set name = name where id = %s", scope_of).rowcount == 1

    meanwhile.happens = go_back
    assert {hit.chunk.document_id for hit in search(searching, identity, request).hits} == {new}
    meanwhile.happens = lambda: None
    assert {hit.chunk.document_id for hit in search(searching, identity, request).hits} == {old}


def test_a_search_sees_either_the_old_or_the_new_current_version_while_they_change(
    shelf: Shelf, runtime: Runtime, identity: Identity, base: Scope
) -> None:
    # Hybrid search asks which versions are current in several statements: only one snapshot makes them agree.
    passages = [Passage(OLD_RULE), Passage(NEW_RULE)]
    embedder = runtime.embedder
    old, new = (
        add_document(runtime, base, name, [passage], embedder=embedder)
        for name, passage in zip(("rules 2025.pdf", "rules 2026.pdf"), passages, strict=True)
    )
    shelf.link(new, old)
    request = SearchRequest(query="mainsail battens", knowledge_base_ids=list(base.knowledge_base_ids))
    seen: list[frozenset[UUID]] = []
    done = threading.Event()

    def hammer() -> None:
        while not done.is_set():
            seen.append(frozenset(hit.chunk.document_id for hit in search(runtime, identity, request).hits))

    threads = [threading.Thread(target=hammer) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for turn in range(60):
            library.make_current(runtime, identity, (old, new)[turn % 2])
            if turn % 5 == 0:
                shelf.link(new, old, position=1 + turn % 2)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert set(seen) == {frozenset({old}), frozenset({new})}
    assert len(seen) > 60


def test_linking_and_unlinking_at_once_loses_no_version_and_no_current_one(shelf: Shelf, runtime: Runtime) -> None:
    names = ["rules 2021.pdf", "rules 2022.pdf", "rules 2023.pdf", "rules 2024.pdf"]
    ids = [shelf.add(name, n) for n, name in enumerate(names, 3)]

    def shuffle(document: UUID, others: list[UUID]) -> None:
        for other in others * 3:
            shelf.link(document, other)
            try:
                library.unlink(runtime, shelf.identity, document)
            except Conflict:
                continue  # the others have left it alone meanwhile

    threads = [threading.Thread(target=shuffle, args=(d, [o for o in ids if o != d])) for d in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for document in ids:
        order = shelf.order(document)
        assert [row[1] for row in order] == list(range(1, len(order) + 1))
        assert [row[2] for row in order].count(True) == 1
        assert document in [row[0] for row in order]
