"""Search, look-up and traces over stored passages."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from shared.adapters.local.postgres import EmbeddedPostgres
from shared.answering.service import ask
from shared.domain.draft import SectionDraft
from shared.domain.ids import REQUEST_ID
from shared.domain.scope import Identity, Scope
from shared.errors import BadInput, NotFound
from shared.library.traces import get_trace
from shared.retrieval import hybrid, vector
from shared.retrieval.fts import fts_search
from shared.retrieval.requests import AskRequest, LookupRequest, SearchRequest
from shared.retrieval.service import lookup, search
from shared.runtime import Runtime
from shared.store import library
from shared.store.connect import Connection, Database
from shared.store.search import Candidate, Ranking, load_chunks
from shared.vectors.search import vector_candidates
from tests.patience import PATIENCE_S
from tests.store.seeding import Passage, add_base, add_document, section

RULES = [
    Passage("C7 Aerodynamics", section=0, chunk_type="heading"),
    Passage("C7.6.2 The rear wing must not be wider than 1050 mm.", page=2, section=1),
    Passage("C7.6.3 The front wing must not be wider than 1800 mm.", page=2, section=2),
    Passage("T1.1 Tyres are supplied by the organiser.", page=3, section=3),
]
SECTIONS = [
    section(0, "C7", "Aerodynamics"),
    section(1, "C7.6.2", "", parent=0, aliases=["7.6.2"]),
    section(2, "C7.6.3", "", parent=0, aliases=["7.6.3"]),
    section(3, "T1.1", "", aliases=["1.1"]),
]
GUIDE = [
    Passage("Fit the rear wing before the floor.", page=1),
    Passage("Width | 1050", page=4, chunk_type="table", table=0),
    Passage("Width | 1050 | millimetres of the rear wing", page=4, chunk_type="table_row", table=0),
    Passage("Fit the rear wing before the floor!", page=9),
]


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return add_base(runtime, identity, "rules")


@pytest.fixture(scope="module")
def rules(runtime: Runtime, scope: Scope) -> UUID:
    old = add_document(runtime, scope, "Rules 2025", RULES[:2], SECTIONS[:2], embedder=runtime.embedder)
    return add_document(runtime, scope, "Rules 2026", RULES, SECTIONS, version_of=old, embedder=runtime.embedder)


@pytest.fixture(scope="module")
def guide(runtime: Runtime, scope: Scope, rules: UUID) -> UUID:
    return add_document(runtime, scope, "Guide", GUIDE, embedder=runtime.embedder)


@pytest.fixture(scope="module")
def base(scope: Scope, guide: UUID) -> UUID:
    return scope.knowledge_base_ids[0]


def ask_for(base: UUID, query: str, **fields: object) -> SearchRequest:
    return SearchRequest.model_validate({"query": query, "knowledge_base_ids": [base], **fields})


def contents(runtime: Runtime, identity: Identity, request: SearchRequest) -> list[str]:
    return [hit.chunk.content for hit in search(runtime, identity, request).hits]


@pytest.mark.parametrize("index", ["hybrid", "fts", "vector"])
def test_every_index_finds_the_passage(runtime: Runtime, identity: Identity, base: UUID, index: str) -> None:
    assert contents(runtime, identity, ask_for(base, "who supplies tyres", index=index))[0] == RULES[3].content


def test_a_hit_names_every_index_that_found_it(runtime: Runtime, identity: Identity, base: UUID) -> None:
    hit = search(runtime, identity, ask_for(base, "tyres supplied by the organiser")).hits[0]
    assert [(i.name, i.rank) for i in hit.indexes] == [("fts_search", 1), ("vector_search", 1)]
    assert all(i.score is not None and i.score > 0.5 for i in hit.indexes)
    assert hit.chunk.section_id == "T1.1"
    assert hit.version is not None
    assert (hit.version.index, hit.version.is_current) == (2, True)


def test_only_current_versions_are_found_unless_asked_or_pinned(
    runtime: Runtime, identity: Identity, base: UUID, rules: UUID
) -> None:
    def versions(**fields: object) -> set[int]:
        hits = search(runtime, identity, ask_for(base, "C7.6.2", index="fts", types=["text"], **fields)).hits
        return {h.version.index for h in hits if h.version and h.document.name.startswith("Rules")}

    everything = search(runtime, identity, ask_for(base, "C7.6.2", include_superseded=True)).hits
    old = next(h.document.id for h in everything if h.document.id != rules and h.document.name == "Rules 2025")
    assert versions() == {2}
    assert versions(include_superseded=True) == {1, 2}
    assert versions(documents=[old]) == {1}


def test_a_row_takes_the_place_of_its_table(runtime: Runtime, identity: Identity, base: UUID) -> None:
    result = search(runtime, identity, ask_for(base, "width 1050 table", index="fts"))
    kinds = [h.chunk.chunk_type for h in result.hits]
    assert "table_row" in kinds
    assert "table" not in kinds
    dropped = get_trace(runtime, identity, result.trace_id).dropped
    assert [d.reason for d in dropped if d.reason == "table_of_row"] == ["table_of_row"]


def test_a_row_has_its_headers_and_each_word_once_where_the_end_of_a_line_divides_it(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "divided words")
    header, row = "Method | With- drawal | Set- up", "Pre- loaded | 2.5 | 3"
    labelled = "Method: Pre- loaded | With- drawal: 2.5 | Set- up: 3"
    passages = [
        Passage(f"{header}\n{row}", chunk_type="table", table=0),
        Passage(row, chunk_type="table_row", table=0, labelled=labelled),
        Passage("Mounted | with- out", chunk_type="table_row", table=0),
        Passage("The setup of the setup set-up.", page=2),
    ]
    document = add_document(runtime, scope, "Methods", passages, embedder=runtime.embedder)
    with runtime.database.transaction(scope) as connection:
        stored = library.list_chunks(connection, document, None, None)
    shown = "Method: Pre- loaded | With- drawal: 2.5 | Setup: 3"
    assert [chunk.labelled for chunk in stored] == [None, shown, None, None]
    base = scope.knowledge_base_ids[0]
    for query in ("preloaded withdrawal", "pre-loaded with-drawal"):
        first = search(runtime, identity, ask_for(base, query, types=["table_row"])).hits[0].chunk
        assert (first.content, first.labelled, first.told) == (row, shown, shown)
    asked = AskRequest(question="What is the withdrawal of the preloaded method?", knowledge_base_ids=[base])
    cells = ask(runtime, identity, asked).sentences[0].cells
    assert [cell.label for cell in cells][1:] == ["With- drawal", "Setup"]


def test_a_passage_repeated_in_one_document_is_one_hit(runtime: Runtime, identity: Identity, base: UUID) -> None:
    result = search(runtime, identity, ask_for(base, "fit the rear wing before the floor"))
    assert len([h for h in result.hits if h.chunk.content in (GUIDE[0].content, GUIDE[3].content)]) == 1
    assert "near_duplicate" in [d.reason for d in get_trace(runtime, identity, result.trace_id).dropped]


def test_a_file_in_two_knowledge_bases_gives_one_hit_that_names_the_other_place(
    runtime: Runtime, identity: Identity
) -> None:
    scopes = [add_base(runtime, identity, name) for name in ("Depot", "Works")]
    texts = ["The gudgeon pin is greased weekly.", "The gudgeon pin costs EUR 9."]
    documents = {
        scope.knowledge_base_ids[0]: add_document(
            runtime, scope, "Pins", [*map(Passage, texts)], embedder=runtime.embedder
        )
        for scope in scopes
    }
    both, (one, _) = list(documents), documents
    request = SearchRequest(query="gudgeon pin", knowledge_base_ids=both, k=2)
    hits = search(runtime, identity, request).hits
    assert sorted(hit.chunk.content for hit in hits) == sorted(texts)
    for hit in hits:
        (other,) = hit.other_places
        assert {hit.chunk.knowledge_base_id, other.knowledge_base_id} == set(both)
        assert other.document.id == documents[other.knowledge_base_id]
        assert other.knowledge_base == {both[0]: "Depot", both[1]: "Works"}[other.knowledge_base_id]
    alone = search(runtime, identity, request.model_copy(update={"knowledge_base_ids": [one]})).hits
    assert [hit.other_places for hit in alone] == [[], []]


def test_nothing_that_matches_is_an_empty_result(runtime: Runtime, identity: Identity, base: UUID) -> None:
    assert contents(runtime, identity, ask_for(base, "zeppelin", index="fts")) == []
    assert contents(runtime, identity, ask_for(base, "wing", types=["formula"])) == []


def test_without_a_query_the_filter_alone_lists_in_document_order(
    runtime: Runtime, identity: Identity, base: UUID, rules: UUID
) -> None:
    listed = contents(runtime, identity, ask_for(base, "", documents=[rules]))
    assert listed == [p.content for p in RULES]


def test_an_empty_query_without_filter_is_refused(runtime: Runtime, identity: Identity, base: UUID) -> None:
    with pytest.raises(BadInput, match="query is empty"):
        search(runtime, identity, ask_for(base, "  "))


def test_an_attribute_filter_is_refused_while_none_is_declared(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    with pytest.raises(BadInput, match="declare none"):
        search(runtime, identity, ask_for(base, "wing", where="hp>=10"))


def test_recency_is_recorded_with_the_ranks_before_and_after(runtime: Runtime, identity: Identity, base: UUID) -> None:
    hits = search(runtime, identity, ask_for(base, "rear wing", index="fts", recency_days=30)).hits
    boosts = [h.boosts[0] for h in hits]
    assert [b.to_rank for b in boosts] == sorted(b.to_rank for b in boosts)
    assert all(0.9 < b.factor <= 1 and b.name == "recency" for b in boosts)


def test_the_order_of_hits_is_the_same_every_time(runtime: Runtime, identity: Identity, base: UUID) -> None:
    runs = {tuple(contents(runtime, identity, ask_for(base, "rear wing width"))) for _ in range(5)}
    assert len(runs) == 1


def test_unknown_and_foreign_ids_are_not_found_alike(
    runtime: Runtime, identity: Identity, other_identity: Identity, base: UUID, rules: UUID
) -> None:
    for who, wish in ((identity, uuid4()), (other_identity, base)):
        with pytest.raises(NotFound, match=str(wish)):
            search(runtime, who, ask_for(wish, "wing"))
    with pytest.raises(NotFound, match="document"):
        search(runtime, identity, ask_for(base, "wing", documents=[uuid4()]))


def test_lookup_finds_a_section_by_any_of_its_names(runtime: Runtime, identity: Identity, base: UUID) -> None:
    for address in ("C7.6.2", "c 7.6.2.", "§ 7.6.2", "rule C7.6.2"):
        found = lookup(runtime, identity, LookupRequest(address=address, knowledge_base_ids=[base]))
        assert [h.chunk.content for h in found.hits] == [RULES[1].content]
        assert [s.section.address for s in found.sections] == ["C7.6.2"]
        assert [(i.name, i.rank, i.score) for i in found.hits[0].indexes] == [("lookup_section", 1, None)]


def test_a_section_that_the_query_names_leads_the_hits(runtime: Runtime, identity: Identity, base: UUID) -> None:
    result = search(runtime, identity, ask_for(base, "what does rule 7.6.3 say about the rear wing of the car"))
    assert result.hits[0].chunk.content == RULES[2].content
    assert "lookup_section" in [i.name for i in result.hits[0].indexes]
    trace = get_trace(runtime, identity, result.trace_id)
    assert trace.notes["named_addresses"] == ["7.6.3"]
    weights = {i.name: i.weight or 0 for i in trace.indexes}
    assert weights["lookup_section"] >= weights["fts_search"] + weights["vector_search"]


def test_a_named_section_obeys_the_chunk_types_that_are_asked(runtime: Runtime, identity: Identity, base: UUID) -> None:
    hits = search(runtime, identity, ask_for(base, "C7.6.3", types=["heading"])).hits
    assert {h.chunk.chunk_type for h in hits} == {"heading"}


def test_no_knowledge_base_named_means_all_of_the_organization(
    runtime: Runtime, identity: Identity, other_identity: Identity, base: UUID
) -> None:
    other = add_base(runtime, identity, "tools")
    add_document(runtime, other, "Tools", [Passage("A torque wrench hangs beside the bench.")])
    request = SearchRequest(query="torque wrench or rear wing")
    result = search(runtime, identity, request)
    assert {h.chunk.knowledge_base_id for h in result.hits} >= {base, other.knowledge_base_ids[0]}
    assert {base, other.knowledge_base_ids[0]} <= set(get_trace(runtime, identity, result.trace_id).knowledge_base_ids)
    found = search(runtime, other_identity, request).hits
    assert not {h.chunk.knowledge_base_id for h in found} & {base, other.knowledge_base_ids[0]}


def test_lookup_of_a_subtree_keeps_document_order(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = lookup(runtime, identity, LookupRequest(address="C7", knowledge_base_ids=[base], recursive=True))
    assert [h.chunk.content for h in found.hits] == [p.content for p in RULES[:3]]
    alone = lookup(runtime, identity, LookupRequest(address="C7", knowledge_base_ids=[base]))
    assert [h.chunk.content for h in alone.hits] == [RULES[0].content]


def test_who_somebody_is_is_told_by_a_name(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "who is who")
    role, name = "The chair of the board is the one who opens its meetings.", "The chair of the board is Ms. Ada Holm."
    add_document(runtime, scope, "Board", [Passage(role), Passage(name)], embedder=runtime.embedder)
    asked = AskRequest(question="Who is the chair of the board?", knowledge_base_ids=scope.knowledge_base_ids)
    assert ask(runtime, identity, asked).sentences[0].text == name
    asked = asked.model_copy(update={"question": "What is the chair of the board?"})
    assert ask(runtime, identity, asked).sentences[0].text == role


def test_lookup_returns_what_below_a_section_no_address_reaches(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "terms of a list")
    unnamed = {"address": None, "address_key": None}
    sections = [
        section(0, "4.9", "Rules"),
        section(1, "", "terse", 0).model_copy(update=unnamed),
        section(2, "", "deeper", 1).model_copy(update=unnamed),
        section(3, "", "Parser", 0, ["parser"]).model_copy(update=unnamed),
        section(4, "4.9.1", "Options", 0),
        section(5, "", "below", 4).model_copy(update=unnamed),
    ]
    passages = [Passage(f"What stands in part {n} of it.", section=n) for n in range(6)]
    add_document(runtime, scope, "Manual", passages, sections)
    for address, recursive, parts in (("4.9", False, [0, 1, 2]), ("4.9", True, [*range(6)]), ("4.9.1", False, [4, 5])):
        request = LookupRequest(address=address, knowledge_base_ids=scope.knowledge_base_ids, recursive=recursive)
        found = lookup(runtime, identity, request)
        assert [h.chunk.content for h in found.hits] == [passages[n].content for n in parts]


def test_lookup_of_what_is_not_there_is_empty(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = lookup(runtime, identity, LookupRequest(address="Z9.9", knowledge_base_ids=[base]))
    assert (found.sections, found.hits) == ([], [])


def test_lookup_of_superseded_versions_when_asked(runtime: Runtime, identity: Identity, base: UUID) -> None:
    request = LookupRequest(address="C7.6.2", knowledge_base_ids=[base], include_superseded=True)
    found = lookup(runtime, identity, request)
    assert [s.version.index for s in found.sections if s.version] == [1, 2]


def test_a_printed_address_wins_over_an_alias(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "addresses")
    sections = [section(0, "1.1", "Printed"), section(1, "T1.1", "Alias", aliases=["1.1"])]
    add_document(runtime, scope, "Plan", [Passage("printed", section=0), Passage("alias", section=1)], sections)
    request = LookupRequest(address="1.1", knowledge_base_ids=list(scope.knowledge_base_ids))
    assert [h.chunk.content for h in lookup(runtime, identity, request).hits] == ["printed"]


def test_one_named_address_does_not_hide_what_another_one_means(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "compared")
    sections = [section(0, "V1.1.6", "Printed"), section(1, "R2.3", "Alias", aliases=["2.3"])]
    sections += [section(2, "T1.1.6", "Other", aliases=["1.1.6", "v1.1.6"])]
    passages = [Passage(text, section=i) for i, text in enumerate(("Of brakes.", "Of tyres.", "Of fuel."))]
    add_document(runtime, scope, "Plan", passages, sections, embedder=runtime.embedder)
    result = search(runtime, identity, ask_for(scope.knowledge_base_ids[0], "compare V1.1.6 and section 2.3"))
    named = {h.chunk.content for h in result.hits if "lookup_section" in {i.name for i in h.indexes}}
    assert named == {"Of brakes.", "Of tyres."}


def test_each_of_several_named_pages_is_looked_up(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "long pages")
    passages = [Passage(f"Row {i} of what was delivered.", page=3) for i in range(70)]
    add_document(runtime, scope, "Plan", [*passages, Passage("Signed.", page=4)], embedder=runtime.embedder)
    result = search(runtime, identity, ask_for(scope.knowledge_base_ids[0], "delivered on page 3 and page 4"))
    trace = get_trace(runtime, identity, result.trace_id)
    (looked_up,) = (index.candidates for index in trace.indexes if index.name == "lookup_section")
    assert len(looked_up) == 31
    with runtime.database.transaction(scope) as connection:
        second = load_chunks(connection, [looked_up[1].chunk_id])
    assert [found.chunk.content for found in second.values()] == ["Signed."]


def test_a_page_that_the_query_names_leads_where_its_document_is_named_too(
    runtime: Runtime, identity: Identity, base: UUID
) -> None:
    found = search(runtime, identity, ask_for(base, "what is on page 4 of the guide"))
    assert found.hits[0].chunk.content.startswith("Width | 1050")
    assert found.hits[0].indexes[0].name in ("lookup_section", "fts_search")
    assert get_trace(runtime, identity, found.trace_id).notes["named_pages"] == [4]


def test_a_page_without_its_document_is_no_address(runtime: Runtime, identity: Identity, base: UUID) -> None:
    found = search(runtime, identity, ask_for(base, "rear wing page 4"))
    assert all(i.name != "lookup_section" for hit in found.hits for i in hit.indexes)


def test_a_figures_title_stands_behind_the_section_that_it_illustrates(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "protests")
    sections = [
        section(0, "B4", "Protest procedure"),
        section(1, "Figure 8", "Course of a protest", parent=0),
    ]
    steps = "The stewards summon the parties of the protest in the course of the day."
    passages = [
        Passage("Figure 8 Course of a protest", section=1, chunk_type="figure"),
        Passage(steps, section=0),
        Passage("Tyres are supplied by the organiser.", page=2),
    ]
    add_document(runtime, scope, "Protests", passages, sections, embedder=runtime.embedder)
    (base,) = scope.knowledge_base_ids

    def first(query: str) -> str:
        return contents(runtime, identity, ask_for(base, query))[0]

    assert first("Course of a protest") == steps
    assert first("Course of a protest (diagram)") == passages[0].content
    assert first("Figure 8") == passages[0].content


def test_a_section_whose_title_is_asked_for_comes_first_with_what_stands_below_it(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "titled")
    sections = [
        section(0, "1", "Spindle: what turns"),
        section(1, "1.1", "Use", parent=0),
        section(2, "2", "Care"),
        *(section(3 + n, f"{n + 3}", "Notes") for n in range(5)),
    ]
    passages = [
        Passage("1 Spindle: what turns", section=0, chunk_type="heading"),
        Passage("A shaft that carries the work and is driven at its rear end.", section=1),
        Passage(
            "Oil the spindle. The spindle is oiled daily, and a spindle that is not oiled is no spindle.", section=2
        ),
        *(Passage(f"Of the spindle some notes are kept: note {n}.", section=3 + n) for n in range(5)),
    ]
    add_document(runtime, scope, "Lathe", passages, sections, embedder=runtime.embedder)

    def first(query: str) -> list[str]:
        wish = SearchRequest(query=query, knowledge_base_ids=list(scope.knowledge_base_ids), k=8)
        return [hit.chunk.content for hit in search(runtime, identity, wish).hits][:2]

    told = [passages[0].content, passages[1].content]
    assert first("What is a spindle?") == told
    assert first("spindles") == told
    # What is quoted is looked for in the words themselves.
    assert passages[1].content not in first('"spindle"')
    assert passages[1].content not in first("How is the spindle oiled?")
    # Five sections of one title are named by none.
    assert passages[2].content in first("Notes of the spindle's oil")
    wish = SearchRequest(query="What are notes?", knowledge_base_ids=list(scope.knowledge_base_ids))
    found = search(runtime, identity, wish)
    assert "named_title" not in get_trace(runtime, identity, found.trace_id).notes
    wish = SearchRequest(query="What is a spindle?", knowledge_base_ids=list(scope.knowledge_base_ids))
    found = search(runtime, identity, wish)
    trace = get_trace(runtime, identity, found.trace_id)
    assert trace.notes["named_title"] == "a spindle"
    assert [one.plan for one in trace.indexes if one.name == "lookup_section"] == ["title"]
    asked = AskRequest(question="What is a spindle?", knowledge_base_ids=list(scope.knowledge_base_ids))
    assert ask(runtime, identity, asked).answer == passages[1].content


def test_what_a_section_defines_is_quoted_from_its_beginning(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "defined")
    sections = [section(0, "A", "Entropy"), section(1, "B", "Passwords"), section(2, "C", "Minimum mass")]
    passages = [
        Passage("Entropy", section=0, chunk_type="heading"),
        Passage("A measure of the uncertainty that an attacker faces. It is stated in bits.", section=0),
        Passage("The entropy of a password is its entropy in bits, and entropy is what entropy means.", section=1),
        Passage("It is checked at the end of a race. A kart has 72 kg at the least.", section=2),
    ]
    add_document(runtime, scope, "Glossary", passages, sections, embedder=runtime.embedder)
    for asked, said in {
        "What is meant by entropy?": ["A measure of the uncertainty that an attacker faces.", "It is stated in bits."],
        "What does entropy mean for a password?": [passages[2].content],
        # A value stands wherever it stands.
        "What is the minimum mass?": ["A kart has 72 kg at the least."],
    }.items():
        answer = ask(runtime, identity, AskRequest(question=asked, knowledge_base_ids=list(scope.knowledge_base_ids)))
        assert [one.text for one in answer.sentences][: len(said)] == said


def test_lookup_finds_a_definition_by_its_name_and_by_those_around_it(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "programs")
    names = ["parser.parse", "parse"]
    parse = SectionDraft(
        index=0, parent=None, address=None, address_key=None, aliases=names, title="parse", depth=1, page=1
    )
    add_document(runtime, scope, "parser.py", [Passage("def parse(self): ...", section=0)], [parse])
    for asked in ("parse", "Parser.parse", "Parser::parse()", "parser#parse"):
        request = LookupRequest(address=asked, knowledge_base_ids=list(scope.knowledge_base_ids))
        found = lookup(runtime, identity, request)
        assert [hit.chunk.content for hit in found.hits] == ["def parse(self): ..."]
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute("select address_key, exact from section_addresses order by address_key").fetchall()
    assert [(row["address_key"], row["exact"]) for row in rows] == [("parse", True), ("parser.parse", True)]


@pytest.fixture
def with_twins(postgres: EmbeddedPostgres, database_name: str, runtime: Runtime) -> Iterator[Runtime]:
    with Database(postgres.dsn(database=database_name), max_size=1, twins=1) as database:
        with database.unscoped(), database.unscoped():
            pass
        yield replace(runtime, database=database)


def test_vectors_are_searched_while_full_text_is(
    with_twins: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, pids = threading.Event(), set[int]()

    def vectors(connection: Connection, *values: Any) -> Ranking:
        pids.add(connection.info.backend_pid)
        try:
            assert REQUEST_ID.get() == "of the search"
            return vector_candidates(connection, *values)
        finally:
            found.set()

    def full_text(connection: Connection, *values: Any) -> list[Candidate]:
        pids.add(connection.info.backend_pid)
        assert found.wait(PATIENCE_S)
        return fts_search(connection, *values)

    monkeypatch.setattr(vector, "vector_candidates", vectors)
    monkeypatch.setattr(hybrid, "fts_search", full_text)
    token = REQUEST_ID.set("of the search")
    assert contents(with_twins, identity, ask_for(base, "who supplies tyres"))[0] == RULES[3].content
    REQUEST_ID.reset(token)
    assert len(pids) == 2


def test_a_search_finds_and_notes_the_same_with_a_twin_and_without(
    runtime: Runtime,
    with_twins: Runtime,
    identity: Identity,
    base: UUID,
    postgres: EmbeddedPostgres,
    database_name: str,
) -> None:
    told: list[tuple[list[Any], Any]] = []
    with Database(postgres.dsn(database=database_name), max_size=1) as alone:
        for one in (with_twins, replace(runtime, database=alone)):
            result = search(one, identity, ask_for(base, "how wide may the rear wing be"))
            trace = get_trace(one, identity, result.trace_id).model_dump(exclude={"id", "latency_ms", "created_at"})
            steps = {step["name"]: step for step in trace.pop("steps")}
            assert 0 < steps["vector_search"]["database_ms"] <= steps["vector_search"]["ms"]
            told.append((result.hits, trace | {"steps": list(steps)}))
    assert told[0] == told[1]


def test_what_fails_in_a_twin_is_raised_and_the_next_search_has_one(
    with_twins: Runtime, identity: Identity, base: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(connection: Connection, *_: Any) -> Ranking:
        connection.execute("select 1 / 0")
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr(vector, "vector_candidates", failing)
        with pytest.raises(psycopg.errors.DivisionByZero):
            search(with_twins, identity, ask_for(base, "who supplies tyres"))
    test_vectors_are_searched_while_full_text_is(with_twins, identity, base, monkeypatch)
