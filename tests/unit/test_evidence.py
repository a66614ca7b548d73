"""How sentences are weighed and chosen, and when they suffice: against numbers worked out by hand."""

from collections.abc import Sequence
from math import sqrt
from typing import Any

import numpy as np
import pytest

from shared.answering.evidence import Sentence, choose_sentences, judge, weigh_sentences
from shared.answering.sentences import split_sentences
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk, DocumentRef, Hit, Section
from shared.domain.operations import ChunkType
from shared.ports import Vectors

# A question of two words of which one weighs three times as much.
WEIGHTS = {"wing": 3.0, "wide": 1.0}
QUESTION = np.array([1.0, 0.0], dtype=np.float32)


def hit(content: str, kind: ChunkType = "text", title: str = "", name: str = "Doc") -> Hit:
    section = Section(id=new_id(), address=None, title=title, path=[], depth=1) if title else None
    made = Chunk(
        id=new_id(),
        document_id=new_id(),
        knowledge_base_id=new_id(),
        ordinal=0,
        chunk_type=kind,
        content=content,
        section_id=None,
        section=section,
        boxes=[],
        confidence=1,
    )
    reference = DocumentRef(id=made.document_id, name=name, source_type="pdf")
    return Hit.model_construct(chunk=made, document=reference, version=None, score=1.0, indexes=[], boosts=[])


def at(cosine: float) -> Vectors:
    """A unit vector of this cosine to the question."""
    return np.array([cosine, sqrt(1 - cosine**2)], dtype=np.float32)


def sentence(text: str, of: Hit, score: float, place: int = 0, vector: Vectors | None = None) -> Sentence:
    own = np.random.default_rng(abs(hash(text)) % 2**32).normal(size=64) if vector is None else vector
    return Sentence(text, of, place, score, 0.0, score, (own / np.linalg.norm(own)).astype(np.float32))


class Reader:
    """Embeds what it is given as vectors of the cosines that it was told, and remembers the texts."""

    def __init__(self, *cosines: float) -> None:
        self.cosines, self.texts = cosines, list[str]()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.stack([at(c) for _, c in zip(texts, self.cosines * 50, strict=False)])


@pytest.mark.parametrize(
    ("cosine", "text", "share", "confidence"),
    [
        # 1 / (1 + exp(13 - 23.4 cosine - 1.7 share))
        (0.30, "tyres", 0.0, 0.0025224),
        (0.50, "tyres", 0.0, 0.2141650),
        (0.50, "it is wide", 0.25, 0.2942150),
        (0.50, "the wing", 0.75, 0.4937503),
        (0.50, "a wide wing", 1.0, 0.5986877),
        (0.55, "tyres", 0.0, 0.4675457),
        (0.56, "tyres", 0.0, 0.5259766),
        (0.60, "the wing", 0.75, 0.9101117),
        (0.80, "a wide wing", 1.0, 0.9994012),
    ],
)
def test_confidence_is_the_logistic_of_cosine_and_coverage(
    cosine: float, text: str, share: float, confidence: float
) -> None:
    poor, best = hit("something else"), hit(text)
    weighed = [sentence("a", poor, 0.1), sentence("b", best, cosine), sentence("c", poor, -0.5)]
    found = judge(WEIGHTS, [poor, best], weighed)
    assert (found.cosine, found.coverage) == (pytest.approx(cosine), pytest.approx(share))
    assert found.confidence == pytest.approx(confidence, abs=1e-6)


def test_without_a_sentence_there_is_no_confidence_and_names_count_as_covered() -> None:
    assert judge(WEIGHTS, [hit("a wide wing")], []).confidence == 0
    titled = hit("x", name="Wide wings")
    assert judge(WEIGHTS, [titled], [sentence("a", titled, 0.5)]).coverage == 1
    far = [hit("x")] * 8 + [hit("a wide wing")]
    assert judge(WEIGHTS, far, [sentence("a", far[0], 0.5)]).coverage == 0


def test_a_sentence_is_worth_its_cosine_half_its_coverage_and_a_quarter_of_its_chunks() -> None:
    of = hit("It is quite wide indeed. The wing is not here.")
    reader = Reader(0.5, 0.4)
    first, second = weigh_sentences(QUESTION, WEIGHTS, [of], reader, {})
    assert [(s.text, s.place) for s in (first, second)] == [
        ("The wing is not here.", 1),
        ("It is quite wide indeed.", 0),
    ]
    assert (first.cosine, first.coverage, first.score) == pytest.approx((0.4, 0.75, 0.4 + 0.375 + 0.25), abs=1e-6)
    assert (second.cosine, second.coverage, second.score) == pytest.approx((0.5, 0.25, 0.5 + 0.125 + 0.25), abs=1e-6)


LONG = "It says that much here."


@pytest.mark.parametrize(
    ("kind", "content", "read"),
    [
        ("text", "One is told here. Two are told there.", ["One is told here.", "Two are told there."]),
        ("list", f"{LONG} Too short this.", [LONG]),
        ("text", f"Is it wide, do you think? {LONG}", [LONG]),
        ("formula", "a = b + c. D follows from e.", ["a = b + c. D follows from e."]),
        ("code", "x = 1. Y = 2 and so", ["x = 1. Y = 2 and so"]),
        ("heading", LONG, []),
        ("figure", LONG, []),
        ("table", LONG, []),
        ("caption", LONG, []),
        ("footnote", LONG, [LONG]),
        ("table_row", "372", ["372"]),
    ],
)
def test_statements_are_read_and_what_states_nothing_is_not(kind: ChunkType, content: str, read: list[str]) -> None:
    of, reader = hit(content, kind, title="Wings"), Reader(0.5)
    found = weigh_sentences(QUESTION, WEIGHTS, [of], reader, {})
    assert sorted(s.text for s in found) == sorted(read)
    assert reader.texts == [f"Wings\n{text}" for text in read]


def test_a_row_is_read_with_its_columns_and_told_as_it_is_printed() -> None:
    row, titled, reader = hit("S | 372 kg", "table_row"), hit("Wings are here to stay.", title="Wings"), Reader(0.5)
    found = weigh_sentences(QUESTION, WEIGHTS, [row, titled], reader, {row.chunk.id: "Class: S | Wing: 372 kg"})
    assert reader.texts == ["Class: S | Wing: 372 kg", "Wings are here to stay."]
    own = next(s for s in found if s.hit is row)
    assert (own.text, own.coverage) == ("S | 372 kg", 0.75)


def test_the_best_eight_chunks_are_read() -> None:
    hits, reader = [hit(f"This is said by number {n}.") for n in range(10)], Reader(0.5)
    assert len(weigh_sentences(QUESTION, WEIGHTS, hits, reader, {})) == len(reader.texts) == 8
    assert weigh_sentences(QUESTION, WEIGHTS, [hit("x", "table")], reader, {}) == []


def texts_of(chosen: Sequence[Sentence]) -> list[str]:
    return [one.text for one in chosen]


def test_the_best_five_are_chosen_that_are_nearly_as_good_as_the_best() -> None:
    of = hit("x")
    scores = [1.0, 0.9, 0.76, 0.75, 0.74]
    assert texts_of(choose_sentences([sentence(str(s), of, s, n) for n, s in enumerate(scores)])) == [
        "1.0",
        "0.9",
        "0.76",
        "0.75",
    ]
    many = [sentence(str(n), of, 1.0, n) for n in range(9)]
    assert texts_of(choose_sentences(many)) == ["0", "1", "2", "3", "4"]
    assert choose_sentences([]) == []


@pytest.mark.parametrize(("cosine", "kept"), [(0.91, True), (0.93, False), (1.0, False)])
def test_a_sentence_that_repeats_one_that_is_in_is_left_out(cosine: float, kept: bool) -> None:
    of = hit("x")
    some: dict[str, Any] = {"one": at(1.0), "same": at(cosine), "other": at(0.0)}
    weighed = [sentence(text, of, 1.0 - n / 100, n, vector) for n, (text, vector) in enumerate(some.items())]
    assert texts_of(choose_sentences(weighed)) == ["one", *(["same"] if kept else []), "other"]


def test_sentences_come_by_their_chunks_best_first_and_in_their_chunks_own_order() -> None:
    one, two = hit("x"), hit("y")
    weighed = [
        sentence("two, later", two, 1.0, 7),
        sentence("one, later", one, 0.99, 3),
        sentence("two, first", two, 0.98, 2),
        sentence("one, first", one, 0.97, 1),
    ]
    assert texts_of(choose_sentences(weighed)) == ["two, first", "two, later", "one, first", "one, later"]


def test_a_run_of_items_is_cut_at_its_marks_when_it_is_longer_than_a_sentence() -> None:
    items = [f"• item {'x' * 95} {n}" for n in range(7)]
    assert split_sentences(" ".join(items)) == items
    assert split_sentences(" ".join(items[:5])) == [" ".join(items[:5])]
