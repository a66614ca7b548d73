"""Items of a section by their address: `3.b`."""

from uuid import UUID

import pytest

from shared.domain.scope import Identity
from shared.filters.selection import Filters, Selection
from shared.retrieval.named import named_addresses, named_chunks
from shared.retrieval.requests import LookupRequest, SearchRequest
from shared.retrieval.service import lookup, search
from shared.retrieval.trace import Tracer
from shared.runtime import Runtime
from shared.store.search import load_chunks
from shared.values.addresses import has_items, item_of
from tests.pipeline import make_knowledge_base, run_all, upload

KINDS = "\n\n".join(f"{letter}) Kind {letter}: " + f"tyre of {letter} " * 70 for letter in "abcd")
RULES = f"""# Rules

## 3 Tyres

Tyres are of these kinds:

{KINDS}

## 4 Brakes

Discs may be:

(a) of steel

(b) of carbon:
 (i) short
 (ii) long

## 4.2.1(b) Written so

This rule is printed with its letter.

## 4.2.1 Its parent

b) An item that must not be found.
"""


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    made = make_knowledge_base(runtime, identity, "items")
    run_all(runtime, upload(runtime, identity, made, RULES.encode(), "rules.md"))
    return made


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("3.b", "Kind b"), ("3(b)", "Kind b"), ("Section 3 (c)", "Kind c"), ("3.D", "Kind d"),
        ("4(b)(ii)", "(ii) long"),
        ("4.2.1(b)", "printed with its letter"),
    ],
)  # fmt: skip
def test_an_item_is_looked_up_within_its_section(
    runtime: Runtime, identity: Identity, base: UUID, address: str, says: str
) -> None:
    found = lookup(runtime, identity, LookupRequest(address=address, knowledge_base_ids=[base]))
    said = [hit.chunk.content for hit in found.hits if hit.chunk.chunk_type != "heading"]
    assert len(said) == 1
    assert says in said[0]
    assert not any("must not be found" in one for one in said)


@pytest.mark.parametrize("address", ["3.z", "9.b", "3(b)(i)", "4(i)(b)"])
def test_an_item_that_is_not_there_is_not_found(runtime: Runtime, identity: Identity, base: UUID, address: str) -> None:
    found = lookup(runtime, identity, LookupRequest(address=address, knowledge_base_ids=[base]))
    assert (found.sections, found.hits) == ([], [])


@pytest.mark.parametrize("query", ["what does 3.c say", "what does section 3.c say?", "3(c) of the rules"])
def test_an_item_that_a_question_names_comes_first(
    runtime: Runtime, identity: Identity, base: UUID, query: str
) -> None:
    first = search(runtime, identity, SearchRequest(query=query, knowledge_base_ids=[base])).hits[0]
    assert "Kind c" in first.chunk.content


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("brakes of section 3.z", "3"),  # Without the item, its section.
        ("brakes of section 3.z and 4(b)(ii)", "4"),  # What is there comes before.
        ("brakes of edition 3.z", "4"),  # What does not say that it is an address is none then.
    ],
)
def test_an_address_of_no_item_names_its_section(
    runtime: Runtime, identity: Identity, base: UUID, query: str, address: str
) -> None:
    first = search(runtime, identity, SearchRequest(query=query, knowledge_base_ids=[base])).hits[0]
    assert first.chunk.section
    assert first.chunk.section.address == address


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("compare section 3.b with section 4.b", {"Kind b": True, "of carbon": True}),
        ("compare section 4.b with section 3.b", {"of carbon": True, "Kind b": True}),
        ("section 3.z and section 3.b", {"Kind b": True, "these kinds": False}),
        ("section 3.b and section 3.z", {"Kind b": True, "these kinds": False}),
        ("section 3.z and section 3", {"these kinds": True, "Kind b": True}),
        ("section 4.2.1 and section 3.z", {"An item": True, "these kinds": False}),
        ("section 4.2.1 and section 3.b", {"Kind b": True, "An item": True}),
    ],
)
def test_items_come_in_the_order_of_the_query_then_sections_then_those_without_the_item(
    runtime: Runtime, identity: Identity, base: UUID, query: str, says: dict[str, bool]
) -> None:
    asked = SearchRequest(query=query, knowledge_base_ids=[base])
    scope = identity.scope().model_copy(update={"knowledge_base_ids": (base,)})
    with runtime.database.transaction(scope) as connection:
        found = named_chunks(connection, query, Selection(Filters()), Tracer("search", query, asked))
        texts = {one: chunk.chunk.content for one, chunk in load_chunks(connection, list(found)).items()}
    told = {text: next((one for one in found if text in texts[one]), None) for text in says}
    assert None not in told.values()
    assert {text: found[one] for text, one in told.items() if one} == says
    assert [*told.values()] == [one for one in found if one in told.values()]


@pytest.mark.parametrize(("query", "other"), [("compare section 3 with 3.d", "3"), ("4.2.1 and 3.d", "4.2.1")])
def test_an_item_is_found_beside_a_section(
    runtime: Runtime, identity: Identity, base: UUID, query: str, other: str
) -> None:
    hits = search(runtime, identity, SearchRequest(query=query, knowledge_base_ids=[base])).hits[:3]
    assert any("Kind d" in hit.chunk.content for hit in hits)
    assert any(hit.chunk.section.address == other for hit in hits if hit.chunk.section)


@pytest.mark.parametrize(
    ("address", "item"),
    [
        ("3.b", ("3", ["b"])), ("3 (b)", ("3", ["b"])), ("§ 3.2(b)(ii)", ("3.2", ["b", "ii"])),
        ("C7.4.a", ("c7.4", ["a"])),
        ("3(2)", ("3", ["2"])), ("3.2", None), ("3", None), ("b", None), ("parser.parse", None), ("3.bold", None),
        ("12.iv", ("12", ["iv"])),
    ],
)  # fmt: skip
def test_an_address_may_name_an_item(address: str, item: tuple[str, list[str]] | None) -> None:
    assert item_of(address) == item


@pytest.mark.parametrize(
    ("text", "items", "holds"),
    [
        ("a) one b) two", ["b"], True), ("(b) two", ["b"], True), ("b. two", ["b"], True), ("B) two", ["b"], True),
        ("see (ab) two", ["b"], False), ("two b", ["b"], False), ("b) two (i) deep", ["b", "i"], True),
        ("(i) deep b) two", ["b", "i"], False), ("the a.b. of it", ["b"], False),
        ("**b)** two", ["b"], True), ("a - one\nb - two", ["b"], True), ("b: two", ["b"], True),
        ("x; (b)two", ["b"], True),
        ("[b] two", ["b"], True), ("- b) two", ["b"], True), ("The wheel, a) one and b) two", ["b"], True),
        ("one b: two", ["b"], False), ("see (a) and (b) above", ["b"], False), ("Plan B. The", ["b"], False),
        ("(c) 2024 Acme", ["c"], False), ("(a) of it\n**(C)** 1998-2003", ["c"], False), ("(c)2024", ["c"], False),
        ("(c) 2100 rpm", ["c"], True), ("(c) 20245 units", ["c"], True), ("c) 2024 is over", ["c"], True),
        ("(a) 2022\n(b) 2023\n(c) 2024", ["c"], True), ("(d) 2024", ["d"], True), ("see (1)\n(c) Acme", ["c"], True),
        ("vitamin C. In it", ["c"], False), ("(b) where it (i) is, (ii) was", ["b", "ii"], True),
    ],
)  # fmt: skip
def test_a_passage_has_an_item_where_its_mark_begins_something(text: str, items: list[str], holds: bool) -> None:
    assert has_items(text, items) is holds


@pytest.mark.parametrize("query", ["version 3.b2 is out", "3.b.1", "it weighs 3 (b) tons", "a ratio of 3.5", "f(3)"])
def test_what_names_no_item_is_no_address(query: str) -> None:
    assert not any(key.endswith(("b", "b)")) for key in named_addresses(query))
