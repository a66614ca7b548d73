"""What is read as a statement, how it is weighed, and when anything answers: against figures worked out by hand."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest

from shared.answering.evidence import Sentence, weigh_sentences, with_told_kinds
from shared.answering.found import FoundEvidence
from shared.answering.question import Question
from shared.answering.rows import AnsweringCell
from shared.answering.sufficiency import Lack, judge
from shared.domain.ids import new_id
from shared.domain.knowledge import Chunk, DocumentRef, Hit, IndexRank, Section, SectionStep
from shared.domain.operations import ChunkType
from shared.lexical.query import LexicalQuery, Word
from shared.lexical.tokenizer import tokenize
from shared.ports import Vectors

# A question of two words of which one weighs three times as much.
WEIGHTS = {"wing": 3.0, "wide": 1.0}
VECTOR = np.array([1.0, 0.0], dtype=np.float32)
QUESTION = Question(VECTOR, WEIGHTS)
LONG = "It says that much here."


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


def at(cosine: float) -> Vectors:
    """A unit vector of this cosine to the question."""
    return np.array([cosine, sqrt(1 - cosine**2)], dtype=np.float32)


def sentence(of: Hit, cosine: float, **more: Any) -> Sentence:
    return Sentence("x", of, 0, cosine, 0.0, cosine, at(cosine), **more)


class Reader:
    """Embeds what it is given as vectors of the cosines that it was told, and remembers the texts."""

    def __init__(self, *cosines: float) -> None:
        self.cosines, self.texts = cosines, list[str]()

    def __call__(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return np.stack([at(c) for _, c in zip(texts, self.cosines * 50, strict=False)])


@pytest.mark.parametrize(("kind", "asking", "read"), [("mail", True, 1), ("mail", False, 0), ("pdf", True, 0)])
def test_what_a_message_asks_is_a_statement_where_it_is_asked_who_asked(kind: str, asking: bool, read: int) -> None:
    asked = hit("Is it there at all now?")
    of_kind = asked.model_copy(update={"document": asked.document.model_copy(update={"source_type": kind})})
    question = Question(VECTOR, WEIGHTS, of_asking=asking)
    assert len(weigh_sentences(question, [of_kind], Reader(0.5), {})) == read


def test_who_wrote_a_message_holds_for_all_that_it_says() -> None:
    said = hit("It is as good as new.", title="Re: pump")
    mail = said.model_copy(update={"document": said.document.model_copy(update={"source_type": "mail"})})
    section = mail.chunk.section
    assert section is not None
    attrs = {"from": {"raw": "Ada Wing <a@b.c>"}}
    header = hit("From: Ada Wing <a@b.c> Subject: wide", "list", title="Re: pump")
    header = header.model_copy(update={"chunk": header.chunk.model_copy(update={"attrs": attrs, "section": section})})
    for headers, share in (({}, 0.0), ({section.id: header}, 0.75)):
        (found,) = weigh_sentences(QUESTION, [mail], Reader(0.5), {}, headers=headers)
        assert found.coverage == share
    asking = Question(VECTOR, WEIGHTS | {"subject": 0.0})
    (found,) = weigh_sentences(asking, [mail], Reader(0.5), {}, headers={section.id: header})
    assert found.coverage == 0.0


@pytest.mark.parametrize(
    ("nearest", "text", "rare", "confidence"),
    [
        # 1 / (1 + exp(4.2 - 8.1 nearest - 1.3 rare)), with the cosine of a statement, 0.2, where that is more; "wing"
        # is the rarer half.
        (0.10, "tyres", 0.0, 0.0704367),
        (0.30, "tyres", 0.0, 0.1455423),
        (0.60, "tyres", 0.0, 0.6592604),
        (0.60, "it is wide", 0.0, 0.6592604),
        (0.60, "the wing", 1.0, 0.8765330),
        (0.80, "a wide wing", 1.0, 0.9728803),
    ],
)
def test_confidence_is_the_logistic_of_what_is_nearest_and_of_the_rarer_words(
    nearest: float, text: str, rare: float, confidence: float
) -> None:
    poor, best = hit("something else"), hit(text)
    found = judge(QUESTION, [poor, best], [sentence(poor, 0.1), sentence(best, 0.2)], nearest)
    assert (found.nearest, found.rare) == (nearest, pytest.approx(rare))
    assert found.confidence == pytest.approx(confidence, abs=1e-6)


def test_a_term_that_names_a_passages_document_is_there() -> None:
    of, other = hit("tyres"), hit("tyres")
    named = Question(VECTOR, WEIGHTS, naming={"wing": frozenset({of.document.id})})
    assert judge(named, [other, of], [sentence(of, 0.1)], 0.0).rare == 1
    assert judge(named, [other], [sentence(other, 0.1)], 0.0).rare == 0


def test_the_rarer_half_are_the_heaviest_terms_of_an_odd_number_the_smaller_part() -> None:
    question = Question(VECTOR, {"keel": 1.0, "mast": 4.0, "rudder": 3.0, "sail": 2.0, "boom": 0.5})
    of = hit("rudder sail boom keel")
    assert judge(question, [of], [sentence(of, 0.1)], 0.0).rare == pytest.approx(3 / 7)


@pytest.mark.parametrize(
    ("text", "cosine", "nearest", "enough"),
    [
        ("tyres", 0.59, 0.59, False),
        ("tyres", 0.60, 0.10, True),
        ("tyres", 0.10, 0.60, True),
        ("the wing", 0.10, 0.10, True),
        ("it is wide", 0.10, 0.10, False),
    ],
)
def test_something_answers_where_the_rarer_words_or_the_meaning_are_there(
    text: str, cosine: float, nearest: float, enough: bool
) -> None:
    of = hit(text)
    assert judge(QUESTION, [of], [sentence(of, cosine)], nearest).enough is enough
    assert not judge(QUESTION, [of], [], 0.99).enough, "without a statement there is nothing to quote"


def test_what_is_lacking_takes_the_confidence_and_the_answer() -> None:
    of = hit("the wing")
    found = judge(QUESTION, [of], [sentence(of, 0.1)], 0.6).without(Lack("not_named", ("K",)))
    # 1 / (1 + exp(4.2 - 4.86 - 1.3 + 4.8))
    assert (found.enough, found.confidence) == (False, pytest.approx(0.0552005, abs=1e-6))


def test_a_third_of_the_rarer_words_is_enough_where_the_meaning_is_near_too() -> None:
    weights = {"keel": 2.0, "mast": 2.0, "rudder": 2.0, "sail": 1.0, "boom": 1.0, "hull": 1.0}
    of, less = hit("keel sail boom hull"), hit("sail boom hull")
    # A third and .57 are .9 together.
    assert judge(Question(VECTOR, weights), [of], [sentence(of, 0.57)], 0.0).enough
    assert not judge(Question(VECTOR, weights), [of], [sentence(of, 0.56)], 0.0).enough
    assert not judge(Question(VECTOR, weights), [less], [sentence(less, 0.57)], 0.0).enough
    assert not judge(Question(VECTOR, weights | {"keel": 1.9}), [of], [sentence(of, 0.59)], 0.0).enough


def test_what_asks_for_a_meaning_is_no_word_that_a_definition_has() -> None:
    of = hit("A wing lifts.")
    question = Question(VECTOR, {"meant": 4.0, "wing": 1.0})
    assert judge(question, [of], [sentence(of, 0.1)], 0.0).rare == 1
    assert judge(Question(VECTOR, {"meant": 4.0}), [of], [sentence(of, 0.1)], 0.0).rare == 0


def test_the_verb_that_asks_for_a_kind_of_value_is_no_word_that_a_passage_needs() -> None:
    words = [Word(form, {form: n}, 1, 1, rarity) for n, (form, rarity) in enumerate((("spend", 4.0), ("wing", 1.0)))]
    of = hit("A wing lifts.")
    for text, rare in (("How much did they spend on the wing?", 1.0), ("Who can spend a wing?", 0.0)):
        question = Question.read(LexicalQuery(words, {}, {}, text=text), VECTOR, {})
        assert judge(question, [of], [sentence(of, 0.1)], 0.0).rare == rare


def test_a_statement_with_the_code_that_was_asked_for_answers_whatever_else_is_there() -> None:
    question = Question(VECTOR, {"ta.37v": 1.0, "deliver": 5.0}, frozenset({"ta.37v"}))
    of = hit("TA-37V | 241")
    assert judge(question, [of], [sentence(of, 0.1, terms=frozenset({"ta.37v"}))], 0.1).enough
    assert not judge(question, [of], [sentence(of, 0.1, terms=frozenset({"x"}))], 0.1).enough


def test_names_and_titles_count_as_said_and_the_ninth_chunk_is_not_read() -> None:
    for of in (hit("x", name="Wings"), hit("x", title="The wing")):
        assert judge(QUESTION, [of], [sentence(of, 0.1)], 0.0).rare == 1
    far = [hit("x")] * 8 + [hit("a wide wing")]
    assert judge(QUESTION, far, [sentence(far[0], 0.1)], 0.0).rare == 0


def test_a_statement_is_worth_its_cosine_half_its_coverage_and_a_quarter_of_its_chunks() -> None:
    of = hit("It is quite wide indeed. The wing is not here.")
    first, second = weigh_sentences(QUESTION, [of], Reader(0.5, 0.4), {})
    assert [(s.text, s.place) for s in (first, second)] == [
        ("The wing is not here.", 1),
        ("It is quite wide indeed.", 0),
    ]
    assert (first.cosine, first.coverage, first.score) == pytest.approx((0.4, 0.75, 0.4 + 0.375 + 0.25), abs=1e-6)
    assert (second.cosine, second.coverage, second.score) == pytest.approx((0.5, 0.25, 0.5 + 0.125 + 0.25), abs=1e-6)
    assert (first.terms, second.terms) == ({"wing"}, {"wide"})


def test_a_value_of_the_kind_that_is_asked_for_adds_to_a_statement_and_is_marked() -> None:
    question = Question(VECTOR, {}, kinds=frozenset({"length"}))
    with_it, without = weigh_sentences(
        question, [hit("The wing is 1050 mm wide. The wing has 3 kg in all.")], Reader(0.5, 0.5), {}
    )
    assert with_it.score == pytest.approx(0.65)
    assert without.score == pytest.approx(0.5)
    assert [with_it.text[a:b] for a, b in with_it.values] == ["1050 mm"]
    assert without.values == ()


@pytest.mark.parametrize(
    ("kind", "content", "read"),
    [
        ("text", "One is told here. Two are told there.", ["One is told here.", "Two are told there."]),
        # What is too short ends the sentence before it, where that is a statement and it is no item, page or question.
        ("list", f"{LONG} Too short this.", [f"{LONG} Too short this."]),
        ("text", f"{LONG} Not so. Not so.", [f"{LONG} Not so. Not so."]),
        ("text", f"Too short this. {LONG}", [LONG]),
        ("text", f"Too short. Not so. {LONG}", [LONG]),
        ("list", f"{LONG} - Mind it.", [LONG]),
        ("text", f"{LONG} 11", [LONG]),
        ("list", f"{LONG} Is it? {LONG}", [LONG, LONG]),
        ("list", f"Is it wide, do you think? Not so. {LONG}", [LONG]),
        ("list", f"Is it wide, do you think? {LONG}", [LONG]),
        ("formula", "a = b + c. D follows from e.", ["a = b + c. D follows from e."]),
        ("code", " x = 1. Y = 2 and so ", ["x = 1. Y = 2 and so"]),
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
    found = weigh_sentences(QUESTION, [of], reader, {})
    assert sorted(s.text for s in found) == sorted(read)
    assert reader.texts == [f"Wings\n{text}" for text in read]


ASKED = "Is it wide, do you think?"


@pytest.mark.parametrize(
    ("content", "read"),
    [
        (f"{ASKED} {LONG} {LONG}", [f"{ASKED}\n{LONG}", LONG]),
        (f"{ASKED} Not so. {LONG}", [f"{ASKED}\n{LONG}"]),
        (f"{ASKED} And is it high? {LONG}", [f"{ASKED} And is it high?\n{LONG}"]),
        (f"{LONG} {ASKED} {LONG}", [LONG, f"{LONG} {ASKED}\n{LONG}"]),
        # What comes behind a longer passage asks for itself.
        (f"{LONG} {LONG} {LONG} {ASKED} {LONG}", [LONG] * 4),
        (f"{LONG} {ASKED}", [LONG]),
    ],
)
def test_the_statement_behind_a_question_is_read_with_it(content: str, read: list[str]) -> None:
    for kind, texts in (("text", read), ("list", [one.rpartition("\n")[2] for one in read])):
        reader = Reader(0.5)
        found = weigh_sentences(QUESTION, [hit(content, kind)], reader, {})
        assert reader.texts[: len(texts)] == texts
        assert {s.text for s in found} == {LONG}


def test_a_passage_behind_a_question_is_read_with_it() -> None:
    of, reader = hit(f"{LONG} It says no more."), Reader(0.5)
    first, second = weigh_sentences(QUESTION, [of], reader, {}, questions={of.chunk.id: "How wide is the wing?"})
    assert reader.texts == [f"How wide is the wing?\n{LONG}", "It says no more.", LONG]
    assert (first.coverage, second.coverage) == (1.0, 0.0)


@pytest.mark.parametrize(("asked", "alone"), [(0.7, 0.2), (0.2, 0.7)])
def test_it_is_as_near_as_with_its_question_or_alone(asked: float, alone: float) -> None:
    (found,) = weigh_sentences(QUESTION, [hit(f"{ASKED} {LONG}")], Reader(asked, alone), {})
    assert found.cosine == pytest.approx(0.7)


def test_what_a_section_that_is_asked_for_says_is_read_in_however_few_words() -> None:
    of, found = hit("Obsolete, see below. 11"), IndexRank(name="lookup_section", rank=1, score=None)
    assert weigh_sentences(QUESTION, [of], Reader(0.5), {}) == []
    asked_for = of.model_copy(update={"indexes": [found]})
    assert [s.text for s in weigh_sentences(QUESTION, [asked_for], Reader(0.5), {})] == ["Obsolete, see below."]


def test_a_row_is_read_with_its_columns_and_told_as_it_is_printed() -> None:
    row, titled, reader = hit("S | 372 kg", "table_row"), hit("Wings are here to stay.", title="Wings"), Reader(0.5)
    rows: dict[UUID, str] = {row.chunk.id: "Rules > Mass\nClass: S | Wing: 372 kg"}
    question = Question(VECTOR, {"wing": 3.0, "mass": 1.0}, kinds=frozenset({"mass"}))
    found = weigh_sentences(question, [row, titled], reader, rows)
    assert reader.texts == ["Rules > Mass\nClass: S | Wing: 372 kg", "Wings are here to stay."]
    own = next(s for s in found if s.hit is row)
    assert (own.text, own.coverage, own.terms) == ("S | 372 kg", 1.0, {"wing"})
    assert [(c.label, c.value, c.answers) for c in own.cells] == [("Class", "S", False), ("Wing", "372 kg", True)]


def test_a_row_with_a_sentence_in_a_cell_is_told_whole() -> None:
    row = "A-17 | 768 kg | Leave it at the gate of the yard."
    of = hit(row, "table_row")
    read = {of.chunk.id: "Id: A-17 | Mass: 768 kg | Note: Leave it at the gate of the yard."}
    (found,) = weigh_sentences(QUESTION, [of], Reader(0.5), read)
    assert (found.text, [cell.label for cell in found.cells]) == (row, ["Id", "Mass", "Note"])


def test_a_row_of_a_remark_and_a_value_tells_what_kind_is_asked_for() -> None:
    of = hit("Gross margin | 53.6 % | It is what is left of the net sales.", "table_row")
    read = {of.chunk.id: "| 2024: 53.6 % | Note: It is what is left of the net sales."}
    question = Question(VECTOR, {"gross": 1.0, "margin": 1.0}, asked={"gross": 1.0, "margin": 1.0}, of_value=True)
    assert with_told_kinds(question, [of], {of.chunk.id: f"Gross margin {read[of.chunk.id]}"}).kinds == {"share"}


def test_a_row_tells_also_what_its_values_were_called_and_its_table_the_currency() -> None:
    attrs = {"net_sales_mac": {"raw": "6,318", "unit": None}}
    of = hit("Mac | 6,318", "table_row")
    of = of.model_copy(update={"chunk": of.chunk.model_copy(update={"attrs": attrs})})
    words = dict.fromkeys(tokenize("net sales mac").counts, 1.0)
    question = Question(VECTOR, words, kinds=frozenset({"money"}))
    rows, tables = {of.chunk.id: "Mac | June: 6,318"}, {of.chunk.id: "| June\nPhones | $ 9,000\nMac | 6,318"}
    (found,) = weigh_sentences(question, [of], Reader(0.5), rows, tables)
    # 0.5 + half of all terms + a quarter of one of three + what a held value adds.
    assert (found.told, found.score) == (1.0, pytest.approx(0.5 + 0.5 + 0.25 / 3 + 0.15))
    assert [(cell.value, cell.answers) for cell in found.cells] == [("Mac", False), ("6,318", True)]
    (bare,) = weigh_sentences(question, [of], Reader(0.5), rows, {})
    assert bare.score == pytest.approx(0.5 + 0.5 + 0.25 / 3)


def test_what_the_head_above_a_row_is_called_is_no_word_of_the_row() -> None:
    of = hit("Mac | 6,318", "table_row")
    question = Question(VECTOR, dict.fromkeys(tokenize("net sales mac").counts, 1.0))
    told: list[float] = []
    for attrs in ({"net_sales": {"raw": "6,318"}}, {"net_sales": {"raw": "6,318", "head": True}}):
        row = of.model_copy(update={"chunk": of.chunk.model_copy(update={"attrs": attrs})})
        told += [one.told for one in weigh_sentences(question, [row], Reader(0.5), {of.chunk.id: "Mac | June: 6,318"})]
    assert told == [1.0, pytest.approx(1 / 3)]


@pytest.mark.parametrize(("name", "beyond"), [("Wings", 0), ("Wings (1)", 0), ("Rear wings", 1)])
def test_the_words_of_a_rows_name_that_are_not_asked_for_are_counted(name: str, beyond: int) -> None:
    of = hit(f"{name} | 372", "table_row")
    (found,) = weigh_sentences(QUESTION, [of], Reader(0.5), {of.chunk.id: f"{name} | kg: 372"})
    assert found.beyond == beyond


@pytest.mark.parametrize(
    ("asked", "labelled", "restated"),
    [
        ("torque of an M12 bolt, class 10.9", "Bolt: M12 | Class: 10.9 | N m: 84 | -", ["Bolt M12", "Class 10.9"]),
        ("torque of an M12 bolt, class 10.9", "Bolt: M12 × 1.25 | Class: 10.9 | N m: 92 | -", ["Class 10.9"]),
        ("torque of an M12 bolt, class 10.9", "Bolt: M12 × 1.25 | Class: 12.9 | N m: 92 | -", []),
        ("the price of Plan B", "Plan: Plan B | Price: 5", ["Plan Plan B"]),
        ("the price of Plan B", "Plan: Plan A | Price: 5", []),
        # So many plans there are.
        ("prices of the 3 plans in 2020", "Year: 2020 | Users: 3 | Price: 5", ["Year 2020"]),
        ("prices of 3 users in 2020", "Year: 2020 | Users: 3 | Price: 5", ["Year 2020", "Users 3"]),
        ("prices of plan 3", "3 | 5", [" 3"]),
        # What is more than that is asked for.
        ("prices of at least 3 users in 2020", "Year: 2020 | Users: 3 | Price: 5", ["Year 2020"]),
    ],
)
def test_cells_by_which_the_question_means_a_row_are_told(asked: str, labelled: str, restated: list[str]) -> None:
    content = " | ".join(part.rpartition(": ")[2] for part in labelled.split(" | "))
    of = hit(content, "table_row")
    known = LexicalQuery([Word(form, {form: 1}, 1, 1, 1.0) for form in tokenize(asked).counts], {}, {}, text=asked)
    (found,) = weigh_sentences(Question.read(known, VECTOR, {}), [of], Reader(0.5), {of.chunk.id: labelled})
    assert sorted(f"{label} {value}" for label, value in found.restated) == sorted(restated)


@pytest.mark.parametrize(
    ("question", "letters"),
    [
        ("What is the least mass of a class S car?", "S"),
        ("Is vitamin C or D in it?", "CD"),
        ("A car of class E has I. M. Ayr, R&D and an S-class, has it not?", "E"),
        ("May I enter?", ""),
    ],
)
def test_a_capital_that_stands_alone_is_a_cell_of_that_letter(question: str, letters: str) -> None:
    read = Question.read(LexicalQuery([], {}, {}, text=question), VECTOR, {})
    assert [one for one in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if read.saying.says(f" {one}")] == [*letters]


def test_the_best_eight_chunks_are_read_and_the_rows_beside_them() -> None:
    hits, reader = [hit(f"This is said by number {n}.") for n in range(10)], Reader(0.5)
    found = FoundEvidence(hits[:9], {}, {}, beside=hits[9:]).read()
    assert found == [*hits[:8], hits[9]]
    assert len(weigh_sentences(QUESTION, found, reader, {})) == len(reader.texts) == 9
    assert weigh_sentences(QUESTION, [hit("x", "table")], reader, {}) == []


def test_what_kind_of_value_is_asked_for_is_told_by_the_rows_that_are_named_so() -> None:
    asked = dict.fromkeys(tokenize("gross margin").counts, 1.0)
    question = Question(VECTOR, asked, asked=asked, of_value=True)
    rows = [hit(text, "table_row") for text in ("Margin | $ 3", "Gross margins | 53.6 % | 2 pts", "Costs | 7 kg")]
    as_read = {row.chunk.id: row.chunk.content for row in rows}
    told = with_told_kinds(question, rows, as_read)
    assert (told.kinds, told.told) == ({"share"}, True)
    for other in (replace(question, of_value=False), replace(question, kinds=frozenset({"mass"}))):
        assert with_told_kinds(other, rows, as_read) == other
    assert with_told_kinds(question, [rows[0], rows[2]], as_read) == question
    # What the others of its column are.
    bare = hit("Gross margin | 53.6", "table_row")
    read = {bare.chunk.id: bare.chunk.content}
    told = with_told_kinds(question, [bare], read, {bare.chunk.id: "Revenue | 100 %\nGross margin | 53.6"})
    assert told.kinds == {"share"}
    assert with_told_kinds(question, [bare], read) == question
    prose = hit("Gross margins of 12 kg were told here at length.")
    assert with_told_kinds(question, [prose], {}) == question


def test_what_is_high_is_no_length_where_rows_named_so_are_money_or_shares() -> None:
    query = LexicalQuery(
        [Word(form, {form: n}, 1, 1, 2.0) for n, form in enumerate(("high", "gross", "margin"))], {}, {},
        text="How high was its gross margin?",
    )  # fmt: skip
    question = Question.read(query, VECTOR, {})
    assert (question.kinds, {*question.asked}, {*question.sized}) == ({"length"}, set(), {"gross", "margin"})
    margin, span, size = (hit(f"Gross margin | {value}", "table_row") for value in ("53.6 %", "3 m", "12 kg"))
    as_read = {row.chunk.id: row.chunk.content for row in (margin, span, size)}
    told = with_told_kinds(question, [margin], as_read)
    assert (told.kinds, told.told, {*told.asked}, {*told.weights}) == (
        {"share"}, True, {"gross", "margin"}, {"gross", "margin"},
    )  # fmt: skip
    for rows in ([span], [size], [margin, span], []):
        assert with_told_kinds(question, rows, as_read) == question
    plain = replace(question, sized={}, asked=question.sized, kinds=frozenset())
    assert {*with_told_kinds(plain, [size], as_read).weights} == {"high", "gross", "margin"}


def test_what_names_a_document_is_told_by_all_that_stands_in_it() -> None:
    of = hit("Its wing is said to be wide here.")
    weights = dict.fromkeys(tokenize("wing kestrel").counts, 1.0)
    asked = Question(VECTOR, weights, naming={"kestrel": {of.document.id}})
    (told,) = weigh_sentences(asked, [of], Reader(0.5), {})
    (untold,) = weigh_sentences(replace(asked, naming={"kestrel": {uuid4()}}), [of], Reader(0.5), {})
    assert (told.told, untold.told) == (1.0, 0.5)


def test_whose_value_it_is_is_told_by_the_document_where_no_row_of_the_table_does() -> None:
    rows = [hit(text, "table_row") for text in ("Stock | 7", "Stock | 8", "Acme | 9")]
    prose = hit("The stock is said to be large here.")
    document, table = rows[0].document.id, new_id()
    rows[1:] = [one.model_copy(update={"chunk": one.chunk.model_copy(update={"table_id": table})}) for one in rows[1:]]
    weights = dict.fromkeys(tokenize("stock acme").counts, 1.0)
    named = {document, rows[1].document.id, prose.document.id}
    asked = Question(VECTOR, weights, naming={"acm": named}, owner=frozenset({"acm"}))
    assert weights.keys() >= asked.owner

    def shares(question: Question) -> dict[str, float]:
        read = {row.chunk.id: row.chunk.content for row in rows}
        return {s.text: s.coverage for s in weigh_sentences(question, [*rows, prose], Reader(0.5), read)}

    assert shares(asked) == {"Stock | 7": 1, "Stock | 8": 0.5, "Acme | 9": 0.5, prose.chunk.content: 0.5}
    assert shares(replace(asked, naming={}))["Stock | 7"] == 0.5
    assert shares(replace(asked, owner=frozenset()))["Stock | 7"] == 0.5


def test_a_row_of_another_document_that_says_nothing_of_whose_value_it_is_is_not_theirs() -> None:
    ours, theirs = hit("Hotel | 7", "table_row"), hit("Hotel | 8", "table_row")
    prose, titled = hit("The hotel was in Riga."), hit("Hotel | 9", "table_row", "Ruth Klein")
    hits = [ours, theirs, prose, titled]
    weights = dict.fromkeys(tokenize("hotel ruth klein").counts, 1.0)
    owner = frozenset(tokenize("ruth klein").counts)
    # Theirs mentions somebody of that name.
    naming = {term: frozenset({ours.document.id}) for term in owner} | {"klein": {ours.document.id, theirs.document.id}}
    assert owner == {"ruth", "klein"}

    def read(question: Question) -> set[str]:
        rows = {one.chunk.id: one.chunk.content for one in (ours, theirs, titled)}
        return {s.text for s in weigh_sentences(question, hits, Reader(0.5), rows)}

    asked = Question(VECTOR, weights, naming=naming, owner=owner)
    everything = {one.chunk.content for one in hits}
    assert read(asked) == everything - {"Hotel | 8"}
    assert read(replace(asked, owner=frozenset())) == everything
    # Where no document is theirs, rows are as good as before.
    assert read(replace(asked, naming={"klein": frozenset({theirs.document.id})})) == everything


def test_the_labels_of_a_rows_groups_stand_between_its_titles_and_its_cells() -> None:
    for title, titles in (("", ""), ("Yachts", "Fleet > Yachts\n")):
        row = hit("Wing | 7", "table_row", title)
        (found,) = weigh_sentences(
            QUESTION, [row], Reader(0.5), {row.chunk.id: f"{titles}May\nSecond half\nWing | A: 7"}
        )
        assert found.below == ("May", "Second half")
    (prose,) = weigh_sentences(QUESTION, [hit("A wing\nlifts\nwhat it is told to.")], Reader(0.5), {})
    assert prose.below == ()


def test_a_row_has_the_rarer_words_of_its_column_headers() -> None:
    row = hit("Potions | 7", "table_row")
    rows = {row.chunk.id: "Class: Potions · Wing: 7"}
    assert judge(QUESTION, [row], [sentence(row, 0.1)], 0.0, rows).enough
    assert not judge(QUESTION, [row], [sentence(row, 0.1)], 0.0).enough


def test_of_a_form_each_value_is_weighed_by_its_own_label() -> None:
    form = hit("Wing: | 3 m | Site: | Dock 4 | Hook:", "table_row")
    question = Question(VECTOR, WEIGHTS, kinds=frozenset({"length"}))
    reader = Reader(0.5, 0.4)
    wing, site = weigh_sentences(question, [form], reader, {form.chunk.id: "doc\nWing: 3 m | Site: Dock 4"})
    assert reader.texts == ["Wing: 3 m", "Site: Dock 4"]
    assert (wing.text, wing.name, wing.place, wing.filled) == ("Wing: | 3 m", "Wing", 0, True)
    # Its own words alone count around it; it is worth a value of the kind, and as much again for its label.
    assert wing.score == pytest.approx(0.5 + 0.375 + 0.1875 + 0.15 + 0.15, abs=1e-6)
    assert (site.text, site.filled, site.score) == ("Site: | Dock 4", False, pytest.approx(0.4, abs=1e-6))


FORMS_QUESTION = Question(VECTOR, {"n50ds": 6.0, "wing": 1.0, "wide": 1.0}, frozenset({"n50ds"}), frozenset({"length"}))


def weighed_forms(*contents: str) -> list[Sentence]:
    """Of one document's rows, each a label with its value in a section of its own."""
    first, *others = (
        hit(f"{label}: | {value}", "table_row", "Part") for label, value in (c.split(": ") for c in contents)
    )
    forms = [first, *(replaced(one, first) for one in others)]
    return weigh_sentences(
        FORMS_QUESTION, forms, Reader(0.5), {f.chunk.id: "doc\n" + f.chunk.content.replace(" |", "") for f in forms}
    )


def replaced(one: Hit, other: Hit) -> Hit:
    """A hit of the other one's document."""
    return one.model_copy(update={"document": other.document})


@pytest.mark.parametrize(
    ("pair", "restates"),
    [
        ("Registration: N50DS", True),
        ("Registration: N50DS (new)", False),
        ("Registration: –", False),
        # The question asks what stands under this label; its own value does not name it.
        ("Wing: N50DS", False),
        ("Wing: wide wing", True),
    ],
)
def test_a_value_that_the_question_has_under_a_label_that_it_does_not_name_restates_it(
    pair: str, restates: bool
) -> None:
    assert [one.restates for one in weighed_forms(pair)] == [restates]


def test_what_tells_which_form_is_meant_holds_for_all_that_stands_in_its_document() -> None:
    scores = {one.text: one.score for one in weighed_forms("Registration: N50DS", "Wing: 3 m", "Hook: left")}
    # 6 of 8 for the registration, in the statement and around it; wing has 1 of 8 more, and is a value under its label.
    assert scores["Hook: | left"] == pytest.approx(0.5 + 0.5 * 0.75 + 0.25 * 0.75, abs=1e-6)
    assert scores["Wing: | 3 m"] == pytest.approx(0.5 + 0.5 * 0.875 + 0.25 * 0.875 + 0.15 + 0.15, abs=1e-6)
    both = weighed_forms("Registration: N50DS", "Colour: wide", "Hook: left")
    assert {one.identified for one in both} == {frozenset({"n50ds", "wide"})}
    alone = weighed_forms("Hook: left", "Wing: 3 m")
    assert [one.identified for one in alone] == [frozenset(), frozenset()]
    other = hit("Hook: | right", "table_row")
    form = hit("Registration: | N50DS", "table_row")
    rows = {other.chunk.id: "doc\nHook: right", form.chunk.id: "doc\nRegistration: N50DS"}
    found = weigh_sentences(FORMS_QUESTION, [form, other], Reader(0.5), rows)
    assert {one.text: set(one.identified) for one in found} == {
        "Registration: | N50DS": {"n50ds"},
        "Hook: | right": set(),
    }


def message(content: str, of: Hit | None = None, sender: str = "") -> Hit:
    """A passage of a mail's message: of `of`'s, or of one of its own. `sender`: it is a header."""
    one = hit(content, title="Wings")
    section = of.chunk.section if of else one.chunk.section
    attrs = {"from": {"raw": sender}} if sender else {}
    chunk = one.chunk.model_copy(update={"section": section, "attrs": attrs})
    document = DocumentRef(id=UUID(int=1), name="box", source_type="mail")
    return one.model_copy(update={"chunk": chunk, "document": document})


@pytest.mark.parametrize(
    ("asked", "restates"), [({"ann": 3.0, "wing": 1.0}, True), ({"ann": 3.0, "address": 1.0}, False)]
)
def test_a_header_tells_which_message_is_meant_and_holds_for_that_message_alone(
    asked: dict[str, float], restates: bool
) -> None:
    header = message("From: Ann Lee Date: 3 May", sender="Ann Lee")
    body, other = message("The wing is too wide here.", header), message("The wing is not wide here.")
    found = weigh_sentences(Question(VECTOR, asked), [header, body, other], Reader(0.5), {})
    known = frozenset({"ann"}) if restates else frozenset[str]()
    told = {one.text: (one.restates, one.identified) for one in found}
    assert told == {
        header.chunk.content: (restates, known), body.chunk.content: (False, known),
        other.chunk.content: (False, frozenset()),
    }  # fmt: skip
    # A page of a PDF that looks like one is none.
    page = header.model_copy(update={"document": hit("x").document})
    assert [one.restates for one in weigh_sentences(Question(VECTOR, asked), [page], Reader(0.5), {})] == [False]


def test_a_form_that_nobody_filled_in_says_nothing() -> None:
    empty = hit("Wing: | Site:", "table_row")
    assert weigh_sentences(QUESTION, [empty], Reader(0.9), {empty.chunk.id: "doc\nWing: | Site:"}) == []


@pytest.mark.parametrize(
    ("label", "asked", "named"),
    [
        ("Wing", {}, True),
        ("Wing", {"keel": 1.0}, False),
        ("Keel", {"keel": 1.0}, True),
        ("Date & Time", {}, True),
        ("Date & Time", {"keel": 1.0}, False),
        ("Date of the exam", {}, False),
    ],
)
def test_a_label_names_what_is_asked(label: str, asked: dict[str, float], named: bool) -> None:
    assert Question(VECTOR, WEIGHTS, asked=asked).is_named_by(label) is named


@pytest.mark.parametrize(("kinds", "named"), [("", True), ("place", True), ("place person", True), ("person", False)])
def test_a_place_or_a_time_is_not_named_where_a_person_alone_is_asked_for(kinds: str, named: bool) -> None:
    assert Question(VECTOR, WEIGHTS, kinds=frozenset(kinds.split())).is_named_by("Location") is named


def test_a_form_answers_under_the_label_that_is_asked_for_however_far_the_rest_is() -> None:
    question = Question(VECTOR, {"blow": 5.0, "keel": 1.0}, asked={"keel": 1.0})
    of = hit("x")
    cells = (AnsweringCell("Keel", "left", answers=True),)
    assert judge(question, [of], [sentence(of, 0.1, cells=cells, filled=True)], 0.1).enough
    assert not judge(question, [of], [sentence(of, 0.1, cells=cells)], 0.1).enough
    other = (AnsweringCell("Mast", "left", answers=True),)
    assert not judge(question, [of], [sentence(of, 0.1, cells=other, filled=True)], 0.1).enough
    assert not judge(replace(question, asked={}), [of], [sentence(of, 0.1, cells=cells, filled=True)], 0.1).enough
