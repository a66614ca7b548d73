"""Attribute filters over stored values: what each operator means, and what a search does with it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from shared.domain.attributes import Attribute, Quantity, readable
from shared.domain.draft import ChunkDraft, DocumentDraft
from shared.domain.geometry import PageBox
from shared.domain.scope import Identity, Scope
from shared.errors import BadFilter
from shared.filters.declared import list_attributes
from shared.filters.selection import Filters, select_chunks
from shared.filters.text import read_where
from shared.retrieval.codes import CHUNKS_MAX
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store.draft import commit_draft
from shared.values.quantities import NumberReading, find_quantities
from tests.store.seeding import Passage, add_base, add_document, index_document
from tests.store.selected import keep_selected

BOX = PageBox(page=1, x=0, y=0, w=1, h=1, fragment_ids=("p1.f1",))


def attribute(name: str, value: object) -> Attribute:
    """`10 kg` becomes a quantity as the extractor reads it, a number a bare one."""
    fields: dict[str, Any] = {"name": name, "raw": str(value), "fragment_ids": ("p1.f1",), "route": "label"}
    if isinstance(value, bool):
        return Attribute(**fields, boolean=value)
    if isinstance(value, datetime):
        return Attribute(**fields, time=value)
    if isinstance(value, float | int):
        return Attribute(**fields, quantity=Quantity(number=value, canonical_number=value))
    found = list(find_quantities(str(value), NumberReading(), prose=False))
    if len(found) == 1 and (found[0].start, found[0].end) == (0, len(str(value))):
        return Attribute(**fields, quantity=found[0].quantity)
    return Attribute(**fields, text=str(value))


def add_chunks(
    runtime: Runtime, scope: Scope, name: str, chunks: Sequence[tuple[str, Sequence[tuple[str, object]]]]
) -> UUID:
    """A document whose chunks have the values given."""
    document = add_document(
        runtime, scope, name, [Passage(content) for content, _ in chunks], embedder=runtime.embedder
    )
    drafts = [
        ChunkDraft(
            section=None,
            chunk_type="text",
            content=content,
            boxes=[BOX],
            attributes=typed,
            attrs=readable(typed),
        )
        for content, typed in ((content, [attribute(*v) for v in values]) for content, values in chunks)
    ]
    with runtime.database.transaction(scope) as connection:
        commit_draft(connection, scope, document, DocumentDraft(sections=[], chunks=drafts, confidence=1), name, "test")
    index_document(runtime, scope, document, runtime.embedder)
    return document


MACHINES = [
    ("anvil", [("mass", "10 kg"), ("lubrication", "Oil  less"), ("hp", 10), ("price", "USD 200"), ("quiet", True)]),
    ("bellows", [("mass", "10 lb"), ("lubrication", "oil"), ("hp", 20), ("price", "EUR 200"), ("quiet", False)]),
    ("crane", [("mass", "10–20 kg"), ("hp", 30), ("made", datetime(2025, 3, 1, tzinfo=UTC)), ("model", "911")]),
    ("drill", [("mass", "< 5 kg"), ("model", "K-7"), ("made", datetime(2026, 3, 31, tzinfo=UTC))]),
    ("engine", [("mass", "~ 3 kg"), ("mass", "40 kg"), ("model", 911)]),
    ("forge", [("temperature", "68 °F")]),
    ("gauge", [("temperature", "20 °C"), ("price", "USD 2 million"), ("mass", "at least 50 kg")]),
    ("hammer", []),
]


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "machines")
    add_chunks(runtime, scope, "Machines", MACHINES)
    return scope.knowledge_base_ids[0]


def passing(runtime: Runtime, identity: Identity, base: UUID, where: object, **fields: object) -> str:
    """The first letters of the chunks that are listed."""
    request = SearchRequest.model_validate({"knowledge_base_ids": [base], "where": where, "k": 50, **fields})
    return "".join(sorted(hit.chunk.content[0] for hit in search(runtime, identity, request).hits))


def test_a_named_page_is_filtered_before_it_is_cut(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "long pages")
    rows: list[tuple[str, list[tuple[str, object]]]] = [(f"row {i}", []) for i in range(40)]
    add_chunks(runtime, scope, "Delivered", [*rows, ("last row", [("mass", "4 kg")])])
    request = SearchRequest(
        query="what is on page 1", where="mass = 4 kg", knowledge_base_ids=list(scope.knowledge_base_ids)
    )
    (hit,) = search(runtime, identity, request).hits
    assert hit.chunk.content == "last row"
    assert "lookup_section" in {index.name for index in hit.indexes}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("hp>=10 and hp<=20 and lubrication='OIL less'", "a"),
        ("hp >= 10 and hp <= 20", "ab"),
        ("hp = 10", "a"),
        ("hp in (10, 30)", "ac"),
        ("hp != 10", "bc"),
        ("not hp = 10", "bcdefgh"),
        ("hp exists", "abc"),
        ("not hp exists", "defgh"),
        ("hp < 10", ""),
        ("hp between 15 and 25 or quiet = true", "ab"),
        ("quiet = no", "b"),
        ("mass = 10 kg", "ac"),
        ("mass >= 10 kg", "aceg"),
        ("mass > 10 kg", "ceg"),
        ("mass <= 10 lb", "bde"),
        ("mass < 10 lb", "de"),
        ("mass = 10 lb", "b"),
        ("mass = 4535.9237 g", "b"),
        ("mass = 15 kg", "c"),
        ("mass between 12 kg and 30 kg", "c"),
        ("mass between 2 kg and 20 kg and mass < 4 kg", "de"),
        ("mass between 5 kg and 41 kg and mass < 4.6 kg", ""),
        ("(mass >= 5 kg and mass exists) and mass < 4.6 kg", ""),
        ("mass >= 12 kg and mass <= 30 kg", "c"),
        ("mass = 5 kg", ""),
        ("mass = 3 kg", "e"),
        ("mass = 50 kg", "g"),
        ("mass = 60 kg", ""),
        ("mass >= 60 kg", "g"),
        ("mass = 10", "abc"),
        ("mass != 10 kg", "bdeg"),
        ("temperature = 20 °C", "fg"),
        ("temperature >= 68 °F", "fg"),
        ("temperature < 293 K", ""),
        ("price <= USD 200", "a"),
        ("price >= 1 million USD", "g"),
        ("price = 200 EUR", "b"),
        ("made >= 2026-01-01", "d"),
        ("made = 2026-03", "d"),
        ("made < 2026", "c"),
        ('model = "9999-12-31T23:59:59.999999"', ""),
        ("made between 2025-03-01 and 2026-03-31", "cd"),
        ('model = "911"', "ce"),
        ("model = k-7", "d"),
        ('"Model:" in ("K-7", "911")', "cde"),
        ({"not": [{"attr": "hp", "op": "eq", "value": 10}, {"attr": "hp", "op": "eq", "value": 20}]}, "cdefgh"),
        ({"attr": "hp", "op": "exists", "value": False}, "defgh"),
        ('{"attr": "mass", "op": "ge", "value": 12, "unit": "kg"}', "ceg"),
    ],
)
def test_a_filter_lists_what_passes(
    runtime: Runtime, identity: Identity, base: UUID, where: object, expected: str
) -> None:
    assert passing(runtime, identity, base, where) == expected


@pytest.mark.parametrize(
    ("printed", "asked"), [("22.085 lb", "10017.58749145 g"), ("22.185 lb", "10062.94672845 g")], ids=["up", "down"]
)
def test_one_mass_in_two_units_is_equal_though_its_last_digit_was_rounded_otherwise(
    runtime: Runtime, identity: Identity, printed: str, asked: str
) -> None:
    base = add_base(runtime, identity, f"rounded {printed}")
    add_chunks(runtime, base, "Scales", [("a scale", [("mass", printed)]), ("bound", [("mass", f"≥ {printed}")])])
    found = {
        sign: passing(runtime, identity, base.knowledge_base_ids[0], f"mass {sign} {asked}")
        for sign in ("=", "<", "<=", ">", ">=")
    }
    assert found == {"=": "ab", "<": "", "<=": "ab", ">": "b", ">=": "ab"}
    assert passing(runtime, identity, base.knowledge_base_ids[0], f"mass = {float(asked[:-2]) + 0.001} g") == ""


@pytest.mark.parametrize("index", ["hybrid", "fts", "vector"])
def test_a_filter_narrows_every_index(runtime: Runtime, identity: Identity, base: UUID, index: str) -> None:
    query = "anvil bellows crane"
    assert passing(runtime, identity, base, "hp <= 20", query=query, index=index) == "ab"
    assert passing(runtime, identity, base, "not hp = 10", query=query, index="vector") == "bcdefgh"


@pytest.mark.parametrize("index", ["hybrid", "fts", "vector"])
def test_a_filter_that_matches_nothing_finds_nothing(
    runtime: Runtime, identity: Identity, base: UUID, index: str
) -> None:
    assert passing(runtime, identity, base, "hp > 1000", query="anvil", index=index) == ""


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("hpp >= 10", "no attribute `hpp`. Declared are: hp, "),
        ("lubrication >= 10", "`lubrication` holds text, which has no order"),
        ("hp = oil", "`hp` holds numbers .*, and `oil` is not of that type"),
        ("quiet = 3", "`quiet` holds yes or no"),
        ("made >= 2026-02-30", "`made` holds dates, .* a date such as"),
        ("mass >= 10 m", "compared with 10 m, a length: its values are in \\[lb_av\\], kg"),
        ("price >= 10 CHF", "an amount in CHF: its values are in EUR, USD"),
        ("mass >= 10 foo", "`foo` is no unit"),
    ],
)
def test_what_is_not_declared_is_refused(
    runtime: Runtime, identity: Identity, base: UUID, where: object, message: str
) -> None:
    with pytest.raises(BadFilter, match=message):
        passing(runtime, identity, base, where)


def test_a_named_section_is_filtered_too(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "numbered machines")
    add_chunks(runtime, scope, "Numbered", [("C7.6.2 wide wing", [("width", 1050)]), ("narrow wing", [("width", 3)])])
    with runtime.database.transaction(scope) as connection:
        chunks = [row["id"] for row in connection.execute("select id from chunks order by ordinal")]
        selection = select_chunks(connection, Filters(where=read_where("width < 10")))
        assert keep_selected(connection, selection, chunks) == [chunks[1]]
        everything = select_chunks(connection, Filters())
        assert keep_selected(connection, everything, chunks[::-1]) == chunks[::-1]


def test_what_another_organization_declares_is_unknown(runtime: Runtime, other_identity: Identity, base: UUID) -> None:
    own = add_base(runtime, other_identity, "elsewhere")
    scope = own.model_copy(update={"knowledge_base_ids": (*own.knowledge_base_ids, base)})
    with runtime.database.transaction(scope) as connection, pytest.raises(BadFilter, match="declare none"):
        select_chunks(connection, Filters(where=read_where("hp exists")))


def test_attributes_of_a_document_that_is_read_again_are_no_longer_declared(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "changing")
    document = add_chunks(runtime, scope, "Changing", [("one", [("hp", 1), ("mass", "3 kg")])])

    def declared() -> list[tuple[str, int]]:
        with runtime.database.transaction(scope) as connection:
            listed = list_attributes(connection, scope.knowledge_base_ids[0], "", 10)
        return [(attribute.name, attribute.count) for attribute in listed]

    assert declared() == [("hp", 1), ("mass", 1)]
    chunks = [
        ChunkDraft(section=None, chunk_type="text", content="one", boxes=[BOX], attributes=[attribute("hp", n)])
        for n in (1, 2)
    ]
    with runtime.database.transaction(scope) as connection:
        draft = DocumentDraft(sections=[], chunks=chunks, confidence=1)
        commit_draft(connection, scope, document, draft, "Changing", "test")
    assert declared() == [("hp", 2)]
    with runtime.database.transaction(scope) as connection:
        connection.execute("delete from documents where id = %s", (document,))
    assert declared() == []


COMPRESSORS = [
    ("Alba", [("power", "20 hp"), ("flow", "57 m3/h"), ("price", "EUR 20000")]),
    ("Brio", [("power", "20 hp"), ("flow", "74 m3/h"), ("price", "EUR 31000")]),
    ("Coro", [("power", "30 hp"), ("flow", "90 m3/h"), ("price", "EUR 42000")]),
    ("Duo", [("power", "20 hp"), ("flow", "80–95 m3/h"), ("price", "USD 9000")]),
]


@pytest.fixture(scope="module")
def compressors(runtime: Runtime, identity: Identity) -> UUID:
    scope = add_base(runtime, identity, "compressors")
    rows = [(f"{name}, a compressor whose power and flow are stated", values) for name, values in COMPRESSORS]
    prose = ("Which compressor delivers most with 20 hp? One that delivers at least 70 m3/h or costs more.", [])
    add_chunks(runtime, scope, "Compressors", [prose, *rows])
    return scope.knowledge_base_ids[0]


def asked(runtime: Runtime, identity: Identity, base: UUID, query: str, **fields: object) -> list[str]:
    """What each hit begins with, best first."""
    request = SearchRequest.model_validate({"knowledge_base_ids": [base], "query": query, **fields})
    return [hit.chunk.content.split(",")[0].split()[0] for hit in search(runtime, identity, request).hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Which compressor with 20 hp delivers at least 70 m3/h?", ["Brio", "Duo"]),
        ("Which compressor with 20 hp delivers more than 80 m3/h?", ["Duo"]),
        ("Which compressor with 20 hp delivers less than 60 m3/h?", ["Alba"]),
        ("Which compressor with 14914 W delivers 74 m3/h?", []),
        ("Which compressor with 20 to 30 hp costs more than EUR 40000?", ["Coro"]),
        ("Which compressor costs under USD 10000 and has 20 hp?", ["Duo"]),
        ("Which compressor with at least 20 hp and at most 25 hp delivers at least 58 m3/h for EUR 31000?", ["Brio"]),
    ],
)
def test_what_meets_all_conditions_of_a_query_comes_first(
    runtime: Runtime, identity: Identity, compressors: UUID, query: str, first: list[str]
) -> None:
    found = asked(runtime, identity, compressors, query)
    assert set(found[: len(first)]) == set(first)
    assert found[len(first)] == "Which"


@pytest.mark.parametrize(
    "query",
    [
        "Which compressor delivers at least 70 m3/h?",
        "Which compressor has 20 hp or 30 hp?",
        "Which compressor with 20 hp weighs under 300 kg?",
        'Which compressor with 20 hp delivers at least 70 m3/h or "costs more"?',
    ],
)
def test_one_condition_or_one_that_nothing_is_measured_by_lifts_nothing(
    runtime: Runtime, identity: Identity, compressors: UUID, query: str
) -> None:
    assert asked(runtime, identity, compressors, query)[0] == "Which"


def test_what_meets_the_conditions_has_to_be_selected(runtime: Runtime, identity: Identity, compressors: UUID) -> None:
    query = "Which compressor with 20 hp delivers at least 70 m3/h?"
    assert asked(runtime, identity, compressors, query, where="price < 10000 USD") == ["Duo"]
    assert asked(runtime, identity, compressors, query, types=["table_row"]) == []


def test_conditions_that_many_chunks_meet_tell_nothing(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "many alike")
    values: list[tuple[str, object]] = [("power", "20 hp"), ("flow", "74 m3/h")]
    rows = [(f"Pump {number}, stated", values) for number in range(CHUNKS_MAX + 1)]
    prose: list[tuple[str, list[tuple[str, object]]]] = [
        ("Which machine with 20 hp delivers 74 m3/h is told here.", [])
    ]
    query = "Which machine with 20 hp delivers 74 m3/h?"
    add_chunks(runtime, scope, "Alike", [*prose, *rows])
    assert asked(runtime, identity, scope.knowledge_base_ids[0], query)[0] == "Which"
    # Of a chunk without any of the query's words, too.
    add_chunks(runtime, scope, "Apart", [("Fan, stated", [("power", "30 hp"), ("flow", "74 m3/h")])])
    assert asked(runtime, identity, scope.knowledge_base_ids[0], query.replace("20", "30"))[0] == "Fan"
