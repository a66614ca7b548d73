"""Whether hits suffice for an answer and which sentences it is made of; figures worked out by hand."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from shared.answering.evidence import Sentence, choose_sentences, judge, weigh_sentences
from shared.answering.service import CONFIDENCE_MIN
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk, DocumentRef, Hit, Section, SectionStep
from shared.domain.operations import ChunkType
from shared.lexical.tokenizer import tokenize
from shared.ports import Vectors

QUESTION = np.array([1.0, 0.0], dtype=np.float32)


def hit(content: str, kind: ChunkType = "text", title: str = "", name: str = "doc") -> Hit:
    step = SectionStep(id=new_id(), address=None, title=title)
    section = Section(id=step.id, address=None, title=title, path=[step], depth=1) if title else None
    document = new_id()
    chunk = Chunk(
        id=new_id(), document_id=document, knowledge_base_id=document, ordinal=0, chunk_type=kind, content=content,
        section_id=None, section=section, boxes=[], confidence=1,
    )  # fmt: skip
    reference = DocumentRef(id=document, name=name, source_type="pdf")
    return Hit(chunk=chunk, document=reference, score=1.0, indexes=[])


def sentence(text: str, of: Hit, score: float, place: int = 0, cosine: float = 0.5, angle: float = 0.0) -> Sentence:
    vector = np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)
    return Sentence(text, of, place, cosine, 0.0, score, vector)


def term(word: str) -> str:
    (found,) = tokenize(word).counts
    return found


def turned(*cosines: float) -> Vectors:
    return np.array([[c, (1 - c * c) ** 0.5] for c in cosines], dtype=np.float32)


@pytest.mark.parametrize(
    ("cosine", "share", "confidence"),
    [
        (0.5, 0.0, 0.21417),  # -13 + 11.7 = -1.3
        (0.5, 1.0, 0.59869),  # and 1.7: .4
        (0.6, 0.0, 0.73885),  # 1.04
        (0.4, 1.0, 0.12565),  # -1.94
        (1.0, 1.0, 0.999994),
        (0.0, 0.0, 0.0000023),
    ],
)
def test_the_chance_that_hits_answer_a_question(cosine: float, share: float, confidence: float) -> None:
    weights = {term("rudder"): 1.0}
    found = hit("The rudder turns." if share else "The sail fills.")
    judged = judge(weights, [found], [sentence("x", found, 1.0, cosine=cosine)])
    assert (judged.cosine, judged.coverage) == (cosine, share)
    assert judged.confidence == pytest.approx(confidence, abs=6e-6)


def test_an_answer_is_given_from_a_half_on() -> None:
    assert CONFIDENCE_MIN == 0.5
    assert judge({}, [hit("x")], []).confidence == 0.0


def test_the_best_sentence_and_the_best_of_eight_chunks_are_judged() -> None:
    weights = {term("rudder"): 3.0, term("keel"): 1.0}
    hits = [hit("keel"), *[hit("sail") for _ in range(6)], hit("x", title="Rudder"), hit("rudder and keel")]
    weighed = [sentence("a", hits[0], 1.0, cosine=0.2), sentence("b", hits[0], 0.9, cosine=0.6)]
    judged = judge(weights, hits, weighed)
    assert (judged.cosine, judged.coverage) == (0.6, 0.75)


def test_statements_are_weighed_by_likeness_and_by_the_terms_in_and_around_them() -> None:
    weights = {term("rudder"): 1.0, term("keel"): 1.0}
    found = hit("The rudder turns with it. The sail fills at once.", title="Keel")
    read: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        read.extend(texts)
        return turned(0.5, 0.875)

    weighed = weigh_sentences(QUESTION, weights, [found], embed, {})
    assert read == ["Keel\nThe rudder turns with it.", "Keel\nThe sail fills at once."]
    assert [(s.text, s.place) for s in weighed] == [("The sail fills at once.", 1), ("The rudder turns with it.", 0)]
    assert [s.score for s in weighed] == pytest.approx([0.875 + 0.25, 0.5 + 0.25 + 0.25])
    assert [(s.cosine, s.coverage) for s in weighed] == [(0.875, 0.0), (0.5, 0.5)]


def asked(*hits: Hit, rows: dict[UUID, str] | None = None) -> list[str]:
    read: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        read.extend(texts)
        return turned(*[0.5] * len(read))

    weigh_sentences(QUESTION, {}, hits, embed, rows or {})
    return read


@pytest.mark.parametrize(
    ("kind", "content", "statements"),
    [
        ("text", "The wing is wide. It must not flex.", ["The wing is wide.", "It must not flex."]),
        ("text", "The wing flexes. Is the wing very wide?", []),
        ("text", "Wide wings do flex.", ["Wide wings do flex."]),
        ("formula", "E = m c squared. And so on.", ["E = m c squared. And so on."]),
        ("code", " a = b. Then c = d. ", ["a = b. Then c = d."]),
        ("heading", "The wing is very wide", []),
        ("figure", "The wing is very wide", []),
        ("table", "The wing is very wide", []),
        ("caption", "The wing is very wide", []),
        ("table_row", "TF-7 | 10", ["TF-7 | 10"]),
    ],
)
def test_what_of_a_chunk_is_a_statement(kind: ChunkType, content: str, statements: list[str]) -> None:
    assert asked(hit(content, kind)) == statements


def test_rows_are_read_with_their_headers_and_titles_are_not_repeated() -> None:
    row = hit("TF-7 | 10", "table_row")
    assert asked(row, rows={row.chunk.id: "Model: TF-7 | Power: 10"}) == ["Model: TF-7 | Power: 10"]
    assert asked(hit("Wings are very wide.", title="Wings")) == ["Wings are very wide."]
    assert len(asked(*[hit("The wing is wide.") for _ in range(9)])) == 8
    assert weigh_sentences(QUESTION, {}, [hit("x")], lambda _: turned(), {}) == []


def chosen(*weighed: Sentence) -> list[str]:
    return [s.text for s in choose_sentences(weighed)]


def test_an_answer_is_made_of_the_best_few_in_the_order_of_their_chunks() -> None:
    one, two = hit("one"), hit("two")
    spread = [0.0, 0.6, 1.2, 1.8, 2.4, 3.0]
    six = [sentence(str(n), one, 1.0 - 0.01 * n, place=6 - n, angle=spread[n]) for n in range(6)]
    assert chosen(*six) == ["4", "3", "2", "1", "0"]
    assert chosen(sentence("a", one, 1.0), sentence("b", two, 0.75, angle=1.0)) == ["a", "b"]
    assert chosen(sentence("a", one, 1.0), sentence("b", two, 0.74, angle=1.0)) == ["a"]
    assert chosen(
        sentence("a", one, 1.0, place=1), sentence("b", two, 0.9, angle=1.0), sentence("c", one, 0.8, angle=2.0)
    ) == ["c", "a", "b"]
    assert chosen() == []


@pytest.mark.parametrize(("cosine", "kept"), [(0.93, ["a"]), (0.91, ["a", "b"])])
def test_what_repeats_a_sentence_is_left_out(cosine: float, kept: list[str]) -> None:
    assert (
        chosen(sentence("a", hit("one"), 1.0), sentence("b", hit("two"), 0.9, angle=float(np.arccos(cosine)))) == kept
    )
