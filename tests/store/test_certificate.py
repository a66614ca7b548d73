"""What a bounded reading certifies is what BM25 says, written out here once more and scored over every chunk."""

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import pytest

from shared.domain.operations import ChunkType
from shared.domain.scope import Identity, Scope
from shared.filters.selection import Filters, Selection
from shared.lexical.query import read_query
from shared.lexical.search import Limits, lexical_candidates
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.search import Ranking
from tests.store.seeding import Passage, add_base, add_document

# No stemmer changes them and none is left out.
WORDS = ["kalb", "mbok", "pcun", "gdav", "xelk", "qfom"]
DOCUMENTS = 3


@dataclass(frozen=True)
class Stored:
    """A chunk where it lies, and its words."""

    chunk_id: UUID
    document_id: UUID
    ordinal: int
    words: Mapping[str, int]


def kind_of(place: int) -> ChunkType:
    """One in sixteen is a formula, about every third a caption."""
    if place % 16 == 0:
        return "formula"
    return "text" if place % 3 else "caption"


def random_texts(seed: int, count: int) -> list[str]:
    """All lengths alike."""
    choose = random.Random(seed)
    weights = [1 / (n + 1) for n in range(len(WORDS))]
    return [" ".join(choose.choices(WORDS, weights, k=choose.randint(1, 40))) for _ in range(count)]


def staircase(seed: int, count: int) -> list[str]:
    """Two words each, one as much weaker as the other is stronger: what is not read is nearly as good as what is."""
    choose = random.Random(seed)
    made: list[str] = []
    for n in range(count):
        one, two = choose.sample(WORDS, 2)
        made.append(" ".join([one] * (1 + n % 6) + [two] * (6 - n % 6) + ["zzil"] * (n % 11)))
    return made


def alike(seed: int, count: int) -> list[str]:
    """Hardly any two differ: ties at every rank where a ranking can be cut."""
    choose = random.Random(seed)
    return [" ".join(choose.choices(WORDS[:3], k=2)) for _ in range(count)]


def rare_and_common(seed: int, count: int) -> list[str]:
    """A word that all have and words that few have; the lists differ as much as lists can."""
    choose = random.Random(seed)
    return [
        " ".join(["kalb"] * choose.randint(1, 9) + ([choose.choice(WORDS)] if n % 7 == 0 else []) + ["zzil"] * (n % 17))
        for n in range(count)
    ]


CORPORA = {make.__name__: make for make in (random_texts, staircase, alike, rare_and_common)}


@pytest.fixture(scope="module", params=CORPORA)
def corpus(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> tuple[Scope, list[Stored]]:
    scope = add_base(runtime, identity, request.param)
    texts = CORPORA[request.param](len(request.param), 80 * DOCUMENTS)
    for n in range(DOCUMENTS):
        passages = [Passage(text, chunk_type=kind_of(i)) for i, text in enumerate(texts[n::DOCUMENTS])]
        add_document(runtime, scope, f"{n}", passages)
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute("select id, document_id, ordinal, content from chunks").fetchall()
    return scope, [Stored(r["id"], r["document_id"], r["ordinal"], Counter(r["content"].split())) for r in rows]


def scored(connection: Connection, chunks: Sequence[Stored], query: Sequence[str]) -> dict[UUID, float]:
    """Exhaustive BM25 (k1 1.2, b .75, Lucene's idf) by chunk; the document's name counts one and a half words more."""
    row = connection.execute("select pivot from lexical_bases").fetchone()
    pivot = row["pivot"] if row else 0.0
    rarity = {
        word: math.log(1 + (len(chunks) - n + 0.5) / (n + 0.5))
        for word in query
        if (n := sum(word in chunk.words for chunk in chunks))
    }
    scores: dict[UUID, float] = {}
    for chunk in chunks:
        length = 1.5 + sum(chunk.words.values())
        scores[chunk.chunk_id] = sum(
            rarity[word] * count * 2.2 / (count + 1.2 * (1 - 0.75 + 0.75 * length / pivot))
            for word in query
            if (count := chunk.words.get(word, 0))
        )
    return {chunk: score for chunk, score in scores.items() if score > 0}


def check(found: Ranking, best: Sequence[tuple[float, UUID, int, UUID]], limit: int) -> int:
    """Compare with all that there is, best first; returns how many ranks were certified."""
    exact = len(found.candidates) if found.exact else found.figures["exact_to_rank"]
    if found.exact:
        assert len(found.candidates) == min(limit, len(best))
    expected = [-negative for negative, *_ in best[:exact]]
    assert [c.score for c in found.candidates[:exact]] == pytest.approx(expected, rel=1e-3)
    known = {chunk: -negative for negative, _, _, chunk in best}
    for candidate in found.candidates:
        assert candidate.score == pytest.approx(known[candidate.chunk_id], rel=1e-3)
    return exact


QUERIES = [["kalb"], ["qfom"], ["kalb", "mbok"], ["gdav", "xelk", "qfom"], WORDS[:4], WORDS]


@pytest.mark.parametrize("query", QUERIES, ids=" ".join)
def test_what_is_certified_is_what_bm25_says(
    runtime: Runtime, corpus: tuple[Scope, list[Stored]], query: list[str]
) -> None:
    scope, chunks = corpus
    with runtime.database.transaction(scope) as connection:
        scores = scored(connection, chunks, query)
        best = sorted(
            (-scores[c.chunk_id], c.document_id, c.ordinal, c.chunk_id) for c in chunks if c.chunk_id in scores
        )
        read, whole = read_query(connection, " ".join(query)), 100_000
        for budget in (1, 5, 20, 60, 150, whole):
            for limit in (1, 3, 10, 40):
                for rank in (1, 10):
                    limits = Limits(0, budget, min(whole, 2 * budget), rank)
                    found = lexical_candidates(connection, read, Selection(Filters()), limit, limits)
                    certified = check(found, best, limit)
                    assert found.exact == (budget == whole) or certified <= limit
                    first = lexical_candidates(connection, read, Selection(Filters()), limit, Limits(0, budget, budget))
                    if first.exact or first.figures["exact_to_rank"] >= min(limit, rank):
                        assert found == first, "what is certain enough is not read on"
        scanned = lexical_candidates(connection, read, Selection(Filters()), 40)
    assert check(scanned, best, 40) == min(40, len(best))


@pytest.mark.parametrize("limits", [Limits(), Limits(0, 100_000, 100_000)], ids=["scanned", "read"])
def test_equal_scores_come_in_the_order_of_documents_and_of_chunks_in_them_wherever_they_are_cut(
    runtime: Runtime, corpus: tuple[Scope, list[Stored]], limits: Limits
) -> None:
    scope, chunks = corpus
    places = {chunk.chunk_id: (chunk.document_id, chunk.ordinal) for chunk in chunks}
    with runtime.database.transaction(scope) as connection:
        read = read_query(connection, "kalb mbok")
        whole = lexical_candidates(connection, read, Selection(Filters()), 1000, limits).candidates
        by_score = sorted(whole, key=lambda c: (-c.score, places[c.chunk_id]))
        assert [c.chunk_id for c in whole] == [c.chunk_id for c in by_score]
        for limit in range(1, 30, 4):
            cut = lexical_candidates(connection, read, Selection(Filters()), limit, limits).candidates
            assert [c.chunk_id for c in cut] == [c.chunk_id for c in whole[:limit]]


def passing_best(
    connection: Connection, chunks: Sequence[Stored], kind: str, query: list[str]
) -> list[tuple[float, UUID, int, UUID]]:
    """All chunks of the kind by BM25."""
    rows = connection.execute("select id from chunks where chunk_type = %s", (kind,)).fetchall()
    passing, scores = {row["id"] for row in rows}, scored(connection, chunks, query)
    return sorted((-s, c, 0, c) for c, s in scores.items() if c in passing)


@pytest.mark.parametrize("depth", [15, 45])
def test_what_the_database_cut_off_before_the_filter_is_not_called_complete(
    runtime: Runtime, corpus: tuple[Scope, list[Stored]], monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    """As many as it hands out may have been cut off; what passes among those may lie behind."""
    scope, chunks = corpus
    monkeypatch.setattr("shared.lexical.search.DEPTH_MAX", depth)
    captions, words = Selection(Filters(types=("caption",))), ["kalb", "mbok", "qfom"]
    with runtime.database.transaction(scope) as connection:
        best, read = passing_best(connection, chunks, "caption", words), read_query(connection, " ".join(words))
        for limit in (3, 12, 40):
            for budget in (5, 20, 60, 100_000):
                found = lexical_candidates(connection, read, captions, limit, Limits(0, budget, 2 * budget))
                check(found, best, limit)
                if budget == 100_000:
                    assert found.exact == (len(found.candidates) == min(limit, len(best)))


def test_more_is_handed_out_until_enough_of_what_few_are_has_passed(
    runtime: Runtime, corpus: tuple[Scope, list[Stored]]
) -> None:
    """Formulas are one in sixteen; nothing says so beforehand."""
    scope, chunks = corpus
    formulas = Selection(Filters(types=("formula",)))
    with runtime.database.transaction(scope) as connection:
        best, read = passing_best(connection, chunks, "formula", WORDS), read_query(connection, " ".join(WORDS))
        found = lexical_candidates(connection, read, formulas, 10, Limits(0, 100_000, 100_000))
    assert len(best) > 10
    assert found.exact
    assert check(found, best, 10) == 10
