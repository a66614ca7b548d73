"""What a question asks and nothing has: each finding against passages that are written here."""

from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

import pytest

from shared.answering.asked import asked_kinds, asked_phrase, demanded_kinds
from shared.answering.composing import insufficiency_of, insufficient_text
from shared.answering.evidence import weigh_sentences
from shared.answering.lacking import Ground, find_lack
from shared.answering.periods import years_in
from shared.answering.question import Question as Asked
from shared.answering.sufficiency import Lack
from shared.domain.knowledge import Hit
from shared.lexical.query import LexicalQuery, Word, query_terms
from shared.lexical.tokenizer import tokenize
from shared.retrieval.codes import written_codes
from shared.retrieval.terms import properties_of
from tests.unit.test_answer_evidence import VECTOR, Reader, hit

PRICES = "The pump TA-37V costs EUR 900 and makes a noise of 67 dB."
RULES = "The minimum mass of a car of class S is 372 kg, its wing is 900 mm wide."


def ground(
    question: str,
    *passages: str | Hit,
    cosine: float = 0.3,
    elsewhere: str = "",
    names: Mapping[str, str] | None = None,
) -> Ground:
    """What was found for a question: these passages of one document each, all of one cosine. `elsewhere`: what further
    passages of the scope say; `names`: by word form the document that it names."""
    hits = [one if isinstance(one, Hit) else hit(one) for one in passages]
    scope = tokenize("\n".join([elsewhere, *(f"{h.document.name}\n{h.chunk.content}" for h in hits)])).counts
    words = [
        Word(form, terms, count, int(any(term in scope for term in terms)), 2.0)
        for form, (count, terms) in query_terms(question, ["en"]).items()
    ]
    query = LexicalQuery(words, {}, {}, text=question)
    asked = Asked(VECTOR, query.rarities(), frozenset(written_codes(question)), asked_kinds(question))
    weighed = weigh_sentences(asked, hits, Reader(cosine), {})
    naming: dict[str, frozenset[UUID]] = {
        form: frozenset(h.document.id for h in hits if h.document.name == name) for form, name in (names or {}).items()
    }
    return Ground(query, 0.0, hits, weighed, {}, {}, naming, properties=properties_of(question), codes=asked.codes)


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("What does the TA-99 cost?", ("TA-99",)),
        ("What does the ta 37 v cost?", None),
        ("What is the minimum mass of a class K car?", ("K",)),
        ("What is the minimum mass of a class S car?", None),
        ("What was the minimum mass of a car in 2019?", ("2019",)),
        ("What is the minimum mass of a car by SP 800-63-5?", ("SP", "800-63-5")),
        ("What is the minimum mass of a car of Contoso or Fabrikam?", ("Contoso", "Fabrikam")),
        ("What is the minimum mass of a car on Monday?", None),
        ("Was ist das Gewicht der Pumpe TA-37V?", None),
    ],
)
def test_a_name_a_code_or_a_year_that_nothing_has_is_told(question: str, missing: tuple[str, ...] | None) -> None:
    assert find_lack(ground(question, PRICES, RULES, cosine=0.7)) == (missing and Lack("not_named", missing))


def test_what_a_document_is_called_by_is_named_and_what_is_written_otherwise_too() -> None:
    question = "What is the minimum mass of a car by Contoso 2019?"
    assert find_lack(ground(question, RULES, names={"contoso": "doc", "2019": "doc"})) is None
    assert find_lack(ground(question, hit(RULES, name="contoso_2019.pdf"))) is None
    assert find_lack(ground("What does the TA37V cost?", PRICES)) is None


def test_chosen_documents_have_what_is_named_themselves() -> None:
    found = ground("What is the minimum mass of a car by Contoso?", RULES, elsewhere="Contoso")
    assert find_lack(found) is None
    assert find_lack(replace(found, pinned=True)) == Lack("not_named", ("Contoso",))
    candidate = {found.hits[0].chunk.id}
    assert find_lack(replace(found, pinned=True, known=lambda form: candidate if form == "contoso" else ())) is None


def test_a_year_of_other_passages_is_not_that_of_what_comes_nearest() -> None:
    question = "What was the minimum mass of a car in 2019?"
    assert find_lack(ground(question, RULES, elsewhere="since 2019")) == Lack("other_period", ("2019",))
    assert find_lack(ground(question, RULES, names={"2019": "doc"})) is None
    assert find_lack(ground(question, f"{RULES} It was so in 2019.")) is None
    assert find_lack(ground(question, hit(RULES, title="Season 2019"))) is None


PAYABLE = "Harbor's accounts payable were EUR 40 in {}."


@pytest.mark.parametrize(
    ("passages", "lacks"),
    [
        # What has the year is of something else.
        ([PAYABLE.format(2023), "The accounts of 2019 are audited."], True),
        ([f"{PAYABLE.format(2023)} The accounts of 2019 are audited."], True),
        ([PAYABLE.format(2023), PAYABLE.format(2019)], False),
        ([PAYABLE.format("2019 and 2023")], False),
        ([PAYABLE.format("FY19")], False),
        ([PAYABLE.format(2023), "Payable were Harbor's accounts. They are those of 2019."], False),
        ([hit(PAYABLE.format("that time"), title="Season 2019"), "The accounts of 2019 are audited."], False),
        ([hit(PAYABLE.format("that time"), title="Season 2023"), "The accounts of 2019 are audited."], True),
        ([hit(PAYABLE.format(2023), name="harbor-2019.pdf")], False),
        # EUR 2,019 is no year, and the nineteenth of a month none either.
        ([PAYABLE.format("March"), "The accounts were audited, 2019 by number.", "EUR 2,019"], True),
        ([PAYABLE.format("2023-04-19"), "The accounts of 2019 are audited."], True),
    ],
)
def test_a_year_is_had_by_what_tells_of_the_question_not_by_what_stands_beside_it(
    passages: list[str | Hit], lacks: bool
) -> None:
    found = find_lack(ground("What were Harbor's accounts payable in FY2019?", *passages, cosine=0.7))
    assert found == (Lack("other_period", ("2019",)) if lacks else None)


def test_what_names_a_passage_or_stands_above_it_is_told_of_its_year() -> None:
    asked, own = "What were Harbor's accounts payable in 2019?", "Accounts payable were EUR 40 in 2019."
    other = hit(PAYABLE.format(2023), name="other")
    assert find_lack(ground(asked, own, other, cosine=0.7)) == Lack("other_period", ("2019",))
    assert find_lack(ground(asked, own, other, cosine=0.7, names={"harbor": "doc"})) is None
    assert find_lack(ground(asked, hit(own, title="Harbor"), other, cosine=0.7)) is None


def test_what_a_plan_came_upon_may_have_the_year_beside_other_words() -> None:
    found = ground(
        "What were Harbor's accounts payable in 2019?", PAYABLE.format(2023), "The accounts of 2019 are audited."
    )
    assert find_lack(found) == Lack("other_period", ("2019",))
    assert find_lack(replace(found, planned=True)) is None


@pytest.mark.parametrize(("label", "lacks"), [("brain", False), ("body", True), ("brain (ms)", True)])
def test_a_value_of_no_stated_unit_is_there_under_a_header_that_is_asked_about(label: str, lacks: bool) -> None:
    row = hit("Owl | 12", "table_row")
    found = ground("How heavy is the brain of an owl?", row, elsewhere="brain", cosine=0.7)
    rows = {row.chunk.id: f"Owl | {label}: 12"}
    told = weigh_sentences(Asked(VECTOR, found.words.rarities()), found.hits, Reader(0.7), rows)
    lack = find_lack(replace(found, rows=rows, weighed=told))
    assert lack == (Lack("no_value", ("mass",)) if lacks else None)


@pytest.mark.parametrize(("value", "lacks"), [("0850 CST", True), ("$ 850", False)])
def test_a_value_of_another_kind_that_is_asked_for_is_none_of_the_kind_that_would_answer(
    value: str, lacks: bool
) -> None:
    row = hit(f"Repair of N12 | {value}", "table_row")
    found = ground("How many dollars did the repair of N12 cost?", row, cosine=0.7)
    asked = Asked(VECTOR, found.words.rarities(), found.codes, kinds=frozenset({"count", "money"}))
    rows = {row.chunk.id: f"Repair: Repair of N12 | Time: {value}"}
    told = weigh_sentences(asked, found.hits, Reader(0.7), rows)
    assert told[0].cells[-1].holds
    lack = find_lack(replace(found, rows=rows, weighed=told))
    assert lack == (Lack("no_value", ("dollars",)) if lacks else None)


@pytest.mark.parametrize(
    ("question", "read", "attrs"),
    [
        ("How many bolts are in crate N12?", "Bolts: 12 | Mass [kg]: 12", {"mass": "kg"}),
        ("How heavy is crate N12?", "Mass [kg]: 12 | Width [mm]: 12", {"mass": "kg", "width": "mm"}),
    ],
)
def test_a_number_that_stands_twice_in_a_row_is_of_either_kind(
    question: str, read: str, attrs: Mapping[str, str]
) -> None:
    row = hit("Crate N12 | 12 | 12", "table_row")
    values = {name: {"raw": "12", "unit": unit} for name, unit in attrs.items()}
    row = row.model_copy(update={"chunk": row.chunk.model_copy(update={"attrs": values})})
    found = ground(question, row, elsewhere="bolts crate", cosine=0.7)
    rows = {row.chunk.id: f"Item: Crate N12 | {read}"}
    told = weigh_sentences(Asked(VECTOR, found.words.rarities(), found.codes), found.hits, Reader(0.7), rows)
    assert find_lack(replace(found, rows=rows, weighed=told)) is None


def test_a_row_is_of_the_years_above_its_cells_and_a_front_page_names_the_undated_alone() -> None:
    asked = "What were accounts payable in 2027?"
    row, dated = hit("Accounts payable | 57", "table_row"), {"2027": "doc"}
    under = hit("Accounts payable | 57", "table_row", title="Plan for 2027")

    def lack(label: str, names: Mapping[str, str], row: Hit = row) -> Lack | None:
        found = ground(asked, row, elsewhere="2027", names=names, cosine=0.7)
        rows = {row.chunk.id: f"Accounts payable | {label}: 57"}
        told = weigh_sentences(Asked(VECTOR, found.words.rarities()), found.hits, Reader(0.7), rows)
        return find_lack(replace(found, rows=rows, weighed=told))

    assert lack("June 2027", {}) is None
    assert lack("June 2023", {}) == lack("June 2023", dated) == Lack("other_period", ("2027",))
    assert lack("Now", dated) is None
    assert (lack("June 2023", {}, under), lack("Now", {}, under)) == (Lack("other_period", ("2027",)), None)


def test_years_are_read_from_periods_and_not_from_amounts_and_days() -> None:
    assert years_in("in 2012-13, 3Q22, FY2024 and 2026/27") == ["2012", "2013", "2022", "2024", "2026", "2027"]
    assert years_in("2023-04-19, EUR 2,019, $2018, 1,2016 and 12019") == ["2023"]


def test_of_years_between_two_one_is_enough() -> None:
    asked = "What were Harbor's accounts payable between 2018 and 2022?"
    passages = [PAYABLE.format(2020), "The accounts of 2018 and 2022 are audited."]
    assert find_lack(ground(asked, *passages, cosine=0.7)) is None
    assert find_lack(ground(asked.replace("between", "for"), *passages, cosine=0.7)) is not None


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("How heavy is the pump TA-37V?", ("mass",)),
        ("What supply voltage does the pump need?", ("supply voltage",)),
        ("How many litres does the pump hold?", ("litres",)),
        ("How loud is the pump TA-37V?", None),
        ("How high is the pump?", ("length",)),
        ("What does the pump TA-37V cost?", None),
        ("How heavy must a class S car be?", None),
        # A car's mass is there, but of no ship.
        ("How heavy must the anchor of a long steel ship be?", ("mass",)),
    ],
)
def test_a_value_of_the_kind_that_is_asked_for_stands_beside_the_questions_words(
    question: str, missing: tuple[str, ...] | None
) -> None:
    scope = "anchor long steel ship supply voltage litres heavy hold need"
    assert find_lack(ground(question, PRICES, RULES, elsewhere=scope)) == (missing and Lack("no_value", missing))


@pytest.mark.parametrize(
    ("passages", "lacks"),
    [
        (["Harbor has 109 workers."], False),
        # A year is no number of workers, nor is what its passage counts elsewhere.
        (["Harbor wrote the 2022 plan for workers."], True),
        (["Harbor has workers. Harbor has 12 trucks there."], True),
        (["Harbor has trucks, 12 of them red."], True),
        # Whose it is need not be said where the document is named so; the title tells what is counted.
        ([hit("There are 109 workers.", name="named")], False),
        ([hit("There are 109 workers.", name="other")], True),
        ([hit("At Harbor there are 109 there.", title="Workers")], False),
    ],
)
def test_a_number_counts_what_stands_beside_it(passages: list[str | Hit], lacks: bool) -> None:
    found = ground("How many workers does Harbor have?", *passages, elsewhere="Harbor workers", cosine=0.7)
    found = replace(found, naming={"harbor": [h.document.id for h in found.hits if h.document.name == "named"]})
    assert find_lack(found) == (Lack("no_value", ("workers",)) if lacks else None)
    assert bool(found.answering) is not lacks


def test_what_is_counted_is_told_by_other_words_but_not_by_names() -> None:
    asked = "How many people work in the old warehouse of Harbor?"
    assert find_lack(ground(asked, "In the old warehouse of Harbor 109 work.", elsewhere="people")) is None
    asked = "How many workers does Harbor Bay have?"
    found = ground(asked, "Harbor Bay has 12 trucks.", elsewhere="workers")
    assert find_lack(found) == Lack("no_value", ("workers",))


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("Workers", False),
        ("Full-time workers at the docks", False),
        ("Worker count", False),
        ("Worker numbers", False),
        ("Worker population", False),
        ("Worker toll", False),
        ("Worker and family registrations", False),
        ("Docks with workers and worker huts", False),
        # These count trains and trousers.
        ("Worker trains", True),
        ("Proceeds related to worker stock plans", True),
    ],
)
def test_a_row_counts_what_its_name_says_and_not_what_qualifies_that(name: str, lacks: bool) -> None:
    row = hit(f"{name} | 246", "table_row", title="Harbor")
    found = ground("How many workers does Harbor have?", row, elsewhere="Harbor workers", cosine=0.7)
    rows = {row.chunk.id: f"{name} | 2026: 246"}
    told = weigh_sentences(Asked(VECTOR, found.words.rarities()), found.hits, Reader(0.7), rows)
    lack = find_lack(replace(found, rows=rows, weighed=told))
    assert lack == (Lack("no_value", ("workers",)) if lacks else None)


def test_where_rows_told_the_kind_of_what_is_asked_for_no_length_is_lacking() -> None:
    found = ground("How high was the margin of a car?", "The margin of a car was 12 % there.", cosine=0.7)
    assert find_lack(found) == Lack("no_value", ("length",))
    assert find_lack(replace(found, told=True)) is None
    assert replace(found, told=True).answering == []


def test_what_answers_is_told_where_a_value_alone_does() -> None:
    passages = [RULES, "Of mass and car nothing is said.", "The minimum mass of a car is low."]
    found = ground("What is the minimum mass of a car?", *passages, elsewhere="mass")
    assert [one.text for one in found.answering] == [RULES, passages[2]]
    assert ground("What is the colour of a car?", RULES).answering == []


def test_what_a_value_says_by_its_unit_is_no_word_that_its_passage_lacks() -> None:
    # Of steel and hull a half is there; of wide, steel and hull a third.
    assert find_lack(ground("How wide is the steel hull?", "The hull is of 20 mm there.", elsewhere="steel")) is None


def test_the_verb_that_asks_for_money_is_no_word_that_its_passage_lacks() -> None:
    told = "The hotel was 260 EUR."
    assert find_lack(ground("How much did they spend on the hotel?", told, elsewhere="spend")) is None
    assert find_lack(ground("How much did they spend on the cabin?", told, elsewhere="spend cabin")) is not None


def test_an_amount_is_no_word() -> None:
    told = "Gold may be earned with a lamp."
    assert find_lack(ground("How much gold does a lamp cost?", told)) == Lack("no_value", ("gold",))
    # What is named so and holds an amount answers, however much else the question says.
    asked = "How much cash did the merchants keep behind the northern harbour?"
    elsewhere = "merchants keep behind northern harbour"
    assert find_lack(ground(asked, "Cash was $ 12 then.", elsewhere=elsewhere)) is None
    for passage in ("Cash was plenty then.", "Goods were $ 12 then."):
        assert find_lack(ground(asked, passage, elsewhere=elsewhere)) == Lack("no_value", ("cash",))


def test_a_value_may_be_a_word_under_the_name_that_is_asked_for() -> None:
    assert find_lack(ground("What was the wind speed?", "It was written: wind speed calm.")) is None


def test_a_section_that_is_named_may_be_asked_of_in_any_words_but_not_for_another_year() -> None:
    assert find_lack(ground("Which colour is the pump TA-37V?", PRICES), named=True) is None
    assert find_lack(ground("Which colour was the pump TA-37V in 2019?", PRICES), named=True) is not None
    assert find_lack(ground("How heavy is the pump TA-37V?", PRICES), named=True) == Lack("no_value", ("mass",))


def test_what_a_plan_came_upon_may_answer_in_any_words_but_not_for_another_year() -> None:
    for question, found in (("How heavy is it?", None), ("How heavy was it in 2019?", Lack("not_named", ("2019",)))):
        assert find_lack(replace(ground(question, PRICES), planned=True)) == found


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Which colour is the pump TA-37V?", ("colour",)),
        ("What is the tread of a car?", ("tread",)),
        ("Who drew the hot air balloon?", ("hot air balloon",)),
        ("What is the approximate mass of a car?", None),
        ("What is the latest mass of a car?", None),
        # What it does is no noun; what "day" or "place" asks for is no word of a passage.
        ("Where does the car rest?", None),
        ("Where does the balloon basket rest?", ("balloon basket",)),
        ("Where did the car take place?", None),
        ("On which day did the car rest?", None),
        # What is done with it is no noun, nor is when or in which respect.
        ("Where is the balloon made?", None),
        ("Where was the balloon painted?", None),
        ("Where is the balloon basket?", ("balloon basket",)),
        ("Where does the car rest at the beginning?", None),
        ("What is the mass of an x wing?", None),
        # Beside the code nothing of the question is there.
        ("Why did people who sailed dislike TA-37V?", ("people", "sailed", "dislike")),
    ],
)
def test_a_noun_that_no_passage_has_is_told(question: str, missing: tuple[str, ...] | None) -> None:
    found = find_lack(ground(question, PRICES, RULES, elsewhere="balloon air"))
    assert found == (missing and Lack("not_spoken_of", missing))


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Why was the wing dismissed?", ("dismissed",)),
        ("Why did people sue and jail a car?", ("people", "sue", "jail")),
        ("Why was the wing painted?", None),
        ("Why is the approximate mass 372 kg?", None),
        # An author or a date may be told in other words.
        ("Who dismissed the wing?", None),
        ("When did the wing explode?", None),
    ],
)
def test_a_word_of_what_is_asked_the_reason_of_is_told_however_near_the_passages_are(
    question: str, missing: tuple[str, ...] | None
) -> None:
    found = ground(question, RULES, elsewhere="painted", cosine=0.8)
    assert find_lack(found) == (missing and Lack("not_spoken_of", missing))
    assert find_lack(found, named=True) is find_lack(replace(found, planned=True)) is None
    # Where chosen documents are asked, a word of any document counts, as "painted" does.
    assert find_lack(replace(found, pinned=True)) == find_lack(found)


@pytest.mark.parametrize(
    ("question", "passage", "lacking"),
    [
        ("Who wrote the rules?", "The rules were written by Ada Lovelace.", False),
        ("Who wrote the rules?", "Ada Lovelace wrote all rules.", False),
        ("Who maintains the rules?", "The rules are kept at Contoso.", False),
        ("Who wrote the rules?", "Lovelace wrote all rules.", False),
        ("Who wrote the rules?", "They are of Čapek and his rules.", False),
        ("Who wrote the rules?", "The author of the rules: Lovelace", False),
        ("Who wrote the rules?", "All rules of them | Lovelace", False),
        ("Who wrote the rules?", "The rules were written by the staff.", False),
        ("In which city are the rules kept?", "The rules were written by the staff.", True),
        ("Who wrote the rules?", "All of them. Many of the rules stand in Rules.", True),
        ("Who wrote the rules?", "The rules are old.", True),
        ("Who wrote the rules of Contoso?", "They are the rules of Contoso.", True),
        ("Who is the author of the rules?", "The rules have no author.", True),
        ("Who wrote the sad, funny, green and blue rules?", "Ada Lovelace went there with rules.", True),
        ("Who may change the rules?", "The rules may be changed by the chair.", False),
        ("In which city are the rules kept?", "The rules are kept in a city.", True),
        ("In which city are the rules kept?", "The rules are kept in the city of Elyria.", False),
        ("Where are the rules kept?", "The rules are kept in a drawer.", False),
    ],
)
def test_who_made_something_and_which_town_it_is_in_is_told_by_a_name(
    question: str, passage: str, lacking: bool
) -> None:
    found = find_lack(ground(question, passage, elsewhere="wrote maintains author paint walls halls city kept"))
    assert found == (Lack("no_value", ("name",)) if lacking else None)


def test_who_wrote_a_message_is_told_by_its_header() -> None:
    one = ground("Who wrote the rules?", "The rules are old.", elsewhere="wrote")
    assert find_lack(one)
    assert find_lack(replace(one, headers={one.hits[0].document.id: one.hits[0]})) is None


@pytest.mark.parametrize(
    ("question", "passage", "counted"),
    [
        ("How many levels are there in the whole of it?", "It gives 62 levels to play.", True),
        ("How many levels are there in the whole of it?", "It gives 62 secret levels to play.", False),
        ("How many secret levels are there?", "It gives 62 secret levels to play.", True),
        ("How many levels are there?", "Since 1993 levels are made.", False),
        ("How many levels does Contoso have?", "It gives 62 levels to play.", False),
        ("Where are the 62 levels?", "It gives 62 levels to play.", False),
    ],
)
def test_a_number_in_front_of_what_is_counted_answers_whatever_else_is_asked(
    question: str, passage: str, counted: bool
) -> None:
    found = ground(question, passage, elsewhere="Contoso")
    assert found.counted == counted
    lack = find_lack(found)
    assert not counted or lack is None or lack.reason != "no_value"


@pytest.mark.parametrize("question", ["What does the device sr1 stand for?", "What does sr1 mean?"])
def test_what_a_code_stands_for_is_answered_by_what_has_the_code(question: str) -> None:
    assert find_lack(ground(question, "The device sr1: second drive", elsewhere="device")) is None
    assert find_lack(ground("What does sr1 eat and drink?", "The device sr1: second drive", elsewhere="device"))


def test_what_the_head_above_a_passage_is_called_is_no_word_of_the_passage() -> None:
    one = hit(PRICES)
    attrs = {"noise_level": {"raw": "67 dB"}, "buyer": {"raw": "Nordwind", "head": True}}
    one = one.model_copy(update={"chunk": one.chunk.model_copy(update={"attrs": attrs})})
    said = ground("How loud is it?", one).passage(one)
    assert "noise level" in said
    assert "buyer" not in said


def test_what_is_near_may_speak_of_it_in_other_words() -> None:
    found = ground("Who drew the hot balloon?", RULES, cosine=0.59)
    assert find_lack(found) == Lack("not_spoken_of", ("hot balloon",))
    assert find_lack(replace(found, nearest=0.6)) is None
    assert find_lack(ground("Who drew the hot balloon?", RULES, cosine=0.6)) is None


def test_a_fiscal_year_is_the_year_that_it_is_of() -> None:
    asked = "What was the minimum mass of a car in FY2023?"
    assert find_lack(ground(asked, RULES, names={"2023": "doc"})) is None
    assert find_lack(ground(asked, RULES)) == Lack("not_named", ("2023",))


@pytest.mark.parametrize(
    ("question", "phrase", "kinds"),
    [
        ("What supply voltage does the TA-75 need?", "supply voltage", {"voltage"}),
        ("What is the price of the TF-22 in dollars?", "price", {"money"}),
        ("Which airline employed the pilot?", "airline", set()),
        ("At which university did the pilot study?", "university", set()),
        ("How many flying hours did he have?", "flying hours", {"duration"}),
        ("How many laps may a car complete?", "laps", {"count"}),
        ("How much does it cost?", "", {"money"}),
        ("How often is it measured?", "", set()),
        ("How does the cost of care differ?", "", set()),
        ("What are the cost implications of it?", "cost implications", set()),
        ("What is copay for it?", "copay", set()),
        ("When was it built?", "", set()),
        ("Which level does V1.1.6 apply to?", "level", set()),
        ("What kind of landing gear did it have?", "landing gear", set()),
        ("What type of the two kinds is it?", "two kinds", set()),
        ("Which update brought two-factor login?", "update", set()),
        ("Which release renamed it?", "release", set()),
        ("What maximum permitted weight does it have?", "maximum permitted weight", {"mass"}),
        ("What is the maximum permitted weight?", "maximum permitted weight", {"mass"}),
        ("What wind speed was measured?", "wind speed", {"speed"}),
        ("What was NVIDIA's total revenue?", "total revenue", {"money"}),
        ("What is the group\u2019s price?", "price", {"money"}),
        ("What were the two old companies' sales in May?", "sales", {"money"}),
        ("What is its price?", "price", {"money"}),
        ("What is price?", "price", set()),
        ("What is the dividend per share?", "dividend", {"money"}),
    ],
)
def test_what_is_asked_for_is_read_from_how_a_question_begins(question: str, phrase: str, kinds: set[str]) -> None:
    assert (asked_phrase(question), demanded_kinds(question)) == (phrase, kinds)


@pytest.mark.parametrize(
    ("missing", "names", "said"),
    [
        (
            ["2019"],
            ["2023 Q3.pdf", "rules_2022.pdf", "2023 Q1.pdf"],
            "names 2019. The documents that come nearest are of 2022, 2023.",
        ),
        (["2019"], ["rules.pdf"], "names 2019."),
        (["2019"], ["1912.01214.pdf", "2021.pdf"], "names 2019. The documents that come nearest are of 2021."),
        (["K", "TA-99"], ["rules_2022.pdf"], "names K or TA-99."),
    ],
)
def test_a_year_that_is_missing_is_told_beside_those_of_the_nearest_documents(
    missing: list[str], names: list[str], said: str
) -> None:
    lacking = insufficiency_of(Lack("not_named", tuple(missing)), [], [])
    told = insufficient_text(lacking, [hit("x", name=name) for name in names])
    assert told == f"Found nothing that answers: no passage {said}"


BURST = Lack("not_spoken_of", ("burst pressure",))


@pytest.mark.parametrize(
    ("question", "passage", "lack"),
    [
        ("At which pressure does RV-1 open?", "RV-1 opens at 3.4 bar.", None),
        ("What is the opening pressure of RV-1?", "RV-1 opens at 3.4 bar.", None),
        ("At which pressure does the valve blow?", "The valve gives way at 3.4 bar.", None),
        ("How many kilowatts does RV-1 take?", "RV-1 runs at 3 kW.", None),
        ("How many kilowatts does RV-1 take?", "RV-1 weighs 3 kg.", Lack("no_value", ("kilowatts",))),
        ("Who has the power over RV-1?", "RV-1 takes 3 kW.", Lack("not_spoken_of", ("power",))),
        ("What is the opening voltage of RV-1?", "RV-1 opens at 3.4 bar.", Lack("no_value", ("opening voltage",))),
        ("At which pressure does RV-1 open?", "RV-1 opens by itself.", Lack("no_value", ("pressure",))),
        ("What is the burst pressure of RV-1?", "RV-1 weighs 3 kg; RV-2 holds 3.4 bar.", BURST),
        ("What is the burst pressure of RV-1?", "RV-1 weighs 3 kg.", Lack("no_value", ("burst pressure",))),
    ],
)  # fmt: skip
def test_a_unit_says_what_is_measured(question: str, passage: str, lack: Lack | None) -> None:
    assert find_lack(ground(question, passage)) == lack


def test_a_noun_ends_before_what_it_gets() -> None:
    assert find_lack(ground("The motor gets too hot, what can I do?", "The motor overheats.")) is None
    assert find_lack(ground("The gearbox gets too hot, what can I do?", "The motor overheats.")) == Lack(
        "not_spoken_of", ("gearbox",)
    )


def test_who_wrote_a_message_is_said_by_all_that_stands_in_it() -> None:
    asked = "How many pumps does Brightwater want?"
    found = ground(asked, hit("We take four pumps.", title="Re: offer"), elsewhere="Brightwater")
    section = found.hits[0].chunk.section
    assert section is not None
    header = hit("From: Ann Bell <ann@brightwater.example>")
    header = header.model_copy(
        update={
            "chunk": header.chunk.model_copy(update={"attrs": {"from": {"raw": "Ann Bell <ann@brightwater.example>"}}})
        }
    )
    assert find_lack(found) == Lack("no_value", ("pumps",))
    assert find_lack(replace(found, headers={section.id: header})) is None
