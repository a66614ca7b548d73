"""What documents are known by, and the searches that prefer the documents a query names."""

import itertools
from uuid import UUID

import pytest

from shared.domain.scope import Identity, Scope
from shared.domain.versions import DocumentChange
from shared.filters.selection import Filters, select_chunks
from shared.lexical.keys import slot
from shared.lexical.page_scores import match_words
from shared.lexical.profiles import read_profiles
from shared.lexical.query import read_query
from shared.lexical.search import lexical_candidates
from shared.lexical.tokenizer import term_number
from shared.library.traces import get_trace
from shared.library.versions import change_document
from shared.retrieval.requests import SearchRequest
from shared.retrieval.service import search
from shared.runtime import Runtime
from shared.store.search import load_chunks
from tests.store.seeding import Passage, add_base, add_document, index_document, replace_passages

FILLER = [Passage(f"Valve {i} was delivered in crate {i} and tested twice.", page=2 + i) for i in range(80)]
ANSWER = "Total revenue rose by nine per cent over the year before."


def report(company: str) -> list[Passage]:
    return [Passage(f"{company} Incorporated. Quarterly report."), *FILLER, Passage(ANSWER, page=90)]


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return add_base(runtime, identity, "filings")


@pytest.fixture(scope="module")
def filings(runtime: Runtime, scope: Scope) -> dict[str, UUID]:
    """Reports that differ by the company alone, which is on their first page and not in their names."""
    names = {"Acme": "filing-1.pdf", "Kestrel": "filing-2.pdf", "Tarnwick": "filing-3.pdf"}
    return {
        company: add_document(runtime, scope, name, report(company), embedder=runtime.embedder)
        for company, name in names.items()
    }


def number(word: str) -> int:
    return slot(term_number(word))


def test_a_document_is_known_by_its_beginning_and_by_words_that_name_another(
    runtime: Runtime, scope: Scope, filings: dict[str, UUID]
) -> None:
    asked = [number("acm"), number("valv"), number("rose")]
    with runtime.database.transaction(scope) as connection:
        profile = read_profiles(connection, list(filings.values()), asked)[filings["Acme"]]
    assert profile.chunks == len(FILLER) + 2
    assert profile.names == {number("acm"), number("valv")}
    assert profile.frequencies == {number("acm"): 1}


def test_how_often_a_word_occurs_is_known_where_it_names_another_document(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "valves")
    leaks = [*(Passage(f"Gasket {i} leaks.") for i in range(9)), *(Passage(f"Flange {i} leaks.") for i in range(4))]
    memo = add_document(runtime, scope, "memo", [*FILLER, *leaks])
    gaskets = add_document(runtime, scope, "gasket list", [Passage("Numbers and makes.")])
    flanges = add_document(runtime, scope, "flange list", [Passage("Sizes and makes.")])
    with runtime.database.transaction(scope) as connection:
        asked = [number("gasket"), number("leak"), number("flang")]
        profiles = read_profiles(connection, [memo, gaskets, flanges], asked)
    assert number("gasket") not in profiles[memo].names
    assert profiles[memo].frequencies == {number("gasket"): 9, number("flang"): 4}


def test_a_document_is_known_by_its_new_name_at_once(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "renamed")
    document = add_document(runtime, scope, "scan-1.pdf", [*FILLER, Passage("Of the Kestrel nothing is said.")])
    add_document(runtime, scope, "scan-2.pdf", FILLER)
    change_document(runtime, identity, document, DocumentChange(name="kestrel.pdf"))
    with runtime.database.transaction(scope) as connection:
        profile = read_profiles(connection, [document], [number("kestrel"), number("scan")])[document]
    assert profile.names == {number("kestrel")}


def test_words_that_name_a_long_document_are_kept_before_its_frequent_ones(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "long")
    words = ["".join(letters) for letters in itertools.islice(itertools.product("bcdfghklmnprt", repeat=5), 16_000)]
    pages = [Passage(" ".join(words[i : i + 2000])) for i in range(0, len(words), 2000)]
    long = add_document(runtime, scope, "scan.pdf", [Passage("Acme Incorporated."), *pages, *pages])
    other = add_document(runtime, scope, "other.pdf", FILLER)
    with runtime.database.transaction(scope) as connection:
        profile = read_profiles(connection, [long, other], [number("acm")])[long]
    assert profile.frequencies == {number("acm"): 1}


@pytest.mark.parametrize("company", ["Acme", "Kestrel", "Tarnwick"])
def test_the_report_of_the_company_that_is_asked_for_comes_first(
    runtime: Runtime, identity: Identity, scope: Scope, filings: dict[str, UUID], company: str
) -> None:
    request = SearchRequest(
        query=f"how did {company}'s total revenue change?", knowledge_base_ids=list(scope.knowledge_base_ids)
    )
    found = search(runtime, identity, request)
    assert found.hits[0].chunk.content in (ANSWER, f"{company} Incorporated. Quarterly report.")
    answers = [hit.chunk.document_id for hit in found.hits if hit.chunk.content == ANSWER]
    assert answers[0] == filings[company]
    evidence = get_trace(runtime, identity, found.trace_id).notes["documents"]
    assert max(evidence, key=lambda document: evidence[document]) == str(filings[company])


def test_a_profile_follows_its_document(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "memo", [Passage("Osprey memo."), *FILLER])
    replace_passages(runtime, scope, document, "memo", [Passage("Falcon memo."), *FILLER])
    index_document(runtime, scope, document)
    with runtime.database.transaction(scope) as connection:
        profile = read_profiles(connection, [document], [number("osprey"), number("falcon")])[document]
    assert profile.names == {number("falcon")}


def test_profiles_of_other_tenants_are_not_there(
    runtime: Runtime, filings: dict[str, UUID], other_identity: Identity
) -> None:
    other = add_base(runtime, other_identity, "elsewhere")
    with runtime.database.transaction(other) as connection:
        assert read_profiles(connection, list(filings.values()), [number("acm")]) == {}


def test_of_equal_passages_the_one_whose_page_has_the_rest_of_the_query_comes_first(
    runtime: Runtime, identity: Identity
) -> None:
    scope = add_base(runtime, identity, "manuals")
    same = "The limit is forty bar."
    passages = [
        Passage("Gears are oiled weekly.", page=1),
        Passage(same + " Always.", page=1),
        Passage("Compressors of class K are checked weekly.", page=2),
        Passage(same + " Ever.", page=2),
    ]
    add_document(runtime, scope, "manual", passages, embedder=runtime.embedder)
    request = SearchRequest(query="limit of compressors of class K", knowledge_base_ids=list(scope.knowledge_base_ids))
    pages = [
        box.page for hit in search(runtime, identity, request).hits for box in hit.chunk.boxes if box.kind == "page"
    ]
    assert pages[0] == 2
    assert pages.index(2) < pages.index(1)
    with runtime.database.transaction(scope) as connection:
        words = read_query(connection, request.query)
        found = lexical_candidates(connection, words, select_chunks(connection, Filters()), 10).candidates
        ranked = match_words(connection, words, [found]).scores
        texts = [load_chunks(connection, [i])[i].chunk.content for i in ranked]
    assert texts.index(same + " Ever.") < texts.index(same + " Always.")
