"""Which kind of value a question asks for, and where a text or a cell holds one."""

import pytest

from shared.answering.asked import (
    asked_kinds,
    asked_owner,
    asking_verb,
    asks_for_a_value,
    asks_how_large,
    demanded_kinds,
    valued_phrase,
    words_of_kinds,
)
from shared.answering.held import held, kinds_in
from shared.answering.rows import form_slices, read_cells, read_pair, stated_kinds
from shared.lexical.properties import asked_properties, asking_words
from shared.retrieval.terms import coverage, properties_of, terms_in


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What does the TA-37V cost?", {"money"}),
        ("How much did Apple spend on research?", {"money"}),
        ("When does the entry list close?", {"date"}),
        ("How heavy is a class S car?", {"mass"}),
        ("What is the minimum mass?", {"mass"}),
        ("How wide may the rear wing be?", {"length"}),
        ("How long may a helmet be used?", {"duration"}),
        ("How long does an appeal take?", {"duration"}),
        ("Within which time may a protest be lodged?", {"duration"}),
        ("How much time is there for repairs?", {"duration"}),
        ("Within which time limit must it be lodged?", {"duration"}),
        ("What time is it?", set()),
        ("In what time zone is the office?", set()),
        ("How long is the runway?", {"length", "duration"}),
        ("How long may the car be?", {"length", "duration"}),
        ("How long may the path be before scripts break?", {"length", "duration"}),
        ("How often is it checked?", {"recurrence", "duration", "count"}),
        ("How loud may a car be?", {"level"}),
        ("How much disk space does it need?", {"data"}),
        ("What is the download size of the task?", {"data"}),
        ("How much RAM is there?", {"data"}),
        ("How large is the room?", {"length", "data"}),
        ("How much space is there?", {"data"}),
        ("What is the speed limit in the pit lane?", {"speed"}),
        ("How many elements may the wing have?", {"count"}),
        ("What percentage of sales is it?", {"share", "money"}),
        ("Who may protest?", {"person"}),
        ("Who may charge an electric car?", {"person"}),
        ("Is refuelling allowed?", set()),
        ("Wie schwer ist das Auto?", set()),
        ("What happens if the update fails?", set()),
        ("What is the dividend per share?", {"money"}),
        ("What share of the cost per hour is it?", {"share", "money"}),
    ],
)
def test_a_question_asks_for_kinds_of_values(question: str, kinds: set[str]) -> None:
    assert asked_kinds(question) == kinds


@pytest.mark.parametrize(
    ("kind", "text", "label", "found"),
    [
        ("money", "It costs EUR 27,950 and weighs 12 kg.", "", ["EUR 27,950"]),
        ("money", "27,950", "Price (EUR)", ["27,950"]),
        ("money", "27,950", "Mass (kg)", []),
        ("mass", "27.5", "Mass (kg)", ["27.5"]),
        ("mass", "It costs EUR 27,950 and weighs 12 kg.", "", ["12 kg"]),
        ("date", "It was signed on 3 March 2026 in May 2027.", "", ["3 March 2026", "May 2027"]),
        ("date", "Begun in 1998, by 2000 people, since 2003.", "", ["1998", "2000", "2003"]),
        ("date", "page 1998, in 1998.5 or in 19981", "", []),
        ("count", "No more than two of 3 elements of 20 mm.", "", ["two", "3"]),
        ("count", "At most 100 attempts, see 5.2.2. Or 1.234.567 of them.", "", ["100", "1.234.567"]),
        (
            "count",
            "1. We filed Form 10-K on July 1, 2023, see the 10-Q of 3 May 2023, Note 13, COVID-19 and 1-800-555-1212.",
            "",
            [],
        ),
        ("count", "(2) Since May 2019 and March 14 in fiscal 2020 the 2022 plan has 2,019 members.", "", ["2,019"]),
        ("count", "2019", "Persons", ["2019"]),
        ("count", "At most 2⁶⁴ rows and 1,234¹ tables of 5 m².", "", ["2⁶⁴", "1,234¹"]),
        ("count", "2-3 laps or $1950 for 12 of a 5-person crew", "", ["2", "3", "12", "5"]),
        ("number", "C7.4.2 two of 3 elements of 20 mm", "", ["two", "3", "20"]),
        ("count", "iPhone ® (1) and Mac (2), 12 of them", "", ["12"]),
        ("count", "lower sales of iPhone 14 Pro models and of 15 Macs", "", ["15"]),
        ("duration", "within forty-five minutes of it", "", ["forty-five minutes"]),
        ("duration", "one year from it, for a week, or $5 a day", "", ["one year", "for a week"]),
        ("duration", "one full hour, one of two hours, oneyear", "", ["one full hour", "two hours"]),
        ("share", "up 12% to 30 kg", "", ["12%"]),
        ("length", "It is 3 m wide.", "", ["3 m"]),
        ("length", "brief, under 80 characters, of 2 short lines", "", ["80 characters", "2 short lines"]),
        ("length", "in 1.5-page summaries of twelve words", "", ["1.5-page", "twelve words"]),
        ("length", "80 wordings, 12 persons", "", []),
        ("person", "It was written by Ada Lovelace in London.", "", ["Ada Lovelace"]),
        ("person", "it was written by nobody", "", []),
        ("recurrence", "once a month, monthly or every two weeks", "", ["once a month", "monthly", "every two weeks"]),
        ("recurrence", "3 times per day, 4/h, every weekend of a month", "", ["3 times per day"]),
    ],
)
def test_a_text_holds_values_of_a_kind(kind: str, text: str, label: str, found: list[str]) -> None:
    spans = held(frozenset({kind}), text, label)
    assert [text[start:end] for start, end in spans] == found


def test_nothing_is_held_where_nothing_is_asked_for() -> None:
    assert held(frozenset(), "27 kg") == []


ROW = "TF-7 | oil-free | 10 | 11,480 | 2,000"
HEAD = "Price list > Compressors\n"
LABELLED = HEAD + "Model: TF-7 | Type: oil-free | Mass (kg): 10 | Price (EUR): 11,480 | Deposit (EUR): 2,000"


@pytest.mark.parametrize(
    ("kinds", "words", "answering"),
    [
        ({"money"}, ["deposit"], ["2,000"]),
        ({"money"}, ["rent"], ["11,480", "2,000"]),
        ({"duration"}, ["type"], ["oil-free"]),
        (set[str](), ["model"], ["TF-7"]),
        (set[str](), ["rent"], []),
    ],
)
def test_cells_answer_by_their_value_and_their_header(kinds: set[str], words: list[str], answering: list[str]) -> None:
    cells = read_cells(ROW, LABELLED, frozenset(kinds), dict.fromkeys(words, 1.0))
    assert [cell.value for cell in cells if cell.answers] == answering
    assert [cell.label for cell in cells] == ["Model", "Type", "Mass (kg)", "Price (EUR)", "Deposit (EUR)"]
    assert " | ".join(cell.value for cell in cells) == ROW


STATEMENT = "Three Months\nKettles | $ 21,040 | 31\nLanterns | 6,318 | (12)\nTotal | $ 32,260 | $ 5 | 7"


def test_a_bare_number_has_the_currency_that_its_column_prints_in_other_rows() -> None:
    assert stated_kinds("Lanterns | 6,318 | (12)", {}, STATEMENT) == {"6,318": "money"}
    assert stated_kinds("Loss | (6,318) | 2", {}, STATEMENT) == {"(6,318)": "money"}
    # A cell with a unit of its own is not bare, and a row of other columns tells nothing.
    assert stated_kinds("Share | 12 % | 2", {}, STATEMENT) == {}
    assert stated_kinds("6,318 | 1", {}, STATEMENT) == {}


def test_a_bare_number_is_a_share_where_its_column_prints_a_percent_sign_and_no_currency() -> None:
    statement = "Kettles | 100.0 % | $ 9\nLanterns | 32.8 | 7\nBoth | 4 | 12 %"
    assert stated_kinds("Lanterns | 32.8 | 7", {}, statement) == {"32.8": "share", "7": "money"}


def test_a_bare_number_has_the_unit_that_was_read_with_it() -> None:
    also = [{"raw": "410", "unit": "kg"}, {"raw": "7", "unit": None}]
    attrs = {"mass": {"raw": "372", "unit": "kg", "also": also}, "price": {"raw": "11,480", "unit": "EUR"}}
    assert stated_kinds("S | 372", attrs, "") == {"372": "mass", "410": "mass", "11,480": "money"}


def test_a_cell_holds_what_is_stated_of_it_and_answers_under_a_header_with_the_asked_quarter() -> None:
    row, labelled = (
        "Mac | 6,318 | 20,114",
        "Mac | Three Months Ended June 30: 6,318 | Nine Months Ended June 30: 20,114",
    )
    stated = {"6,318": "money", "20,114": "money"}
    cells = read_cells(row, labelled, frozenset({"money"}), {"quarter": 1.0}, stated=stated)
    assert [(cell.value, cell.holds, cell.answers) for cell in cells] == [
        ("Mac", False, False),
        ("6,318", True, True),
        ("20,114", True, False),
    ]
    assert not any(cell.holds for cell in read_cells(row, labelled, frozenset({"mass"}), {}, stated=stated))
    # Money is no count, though its number is bare.
    assert not any(cell.holds for cell in read_cells(row, row, frozenset({"count"}), {}, stated=stated))


@pytest.mark.parametrize(
    ("row", "labelled", "unstated"),
    [
        ("Owl | 6654 | -5.7", "Owl | body: 6654 | brain: -5.7", ["-5.7"]),
        ("Owl | 12 | (31)", "Owl | brain: 12 | brain size: (31)", ["12", "(31)"]),
        ("Owl | 6654 | 12", "Owl | body: 6654 | size: 12", []),
        ("Owl | 12 | small", "Owl | brain (ms): 12 | brain: small", []),
        ("Owl | 12 kg", "Owl | brain: 12 kg", []),
    ],
)
def test_a_number_under_a_header_that_is_asked_about_may_have_any_unit_that_nothing_states(
    row: str, labelled: str, unstated: list[str]
) -> None:
    cells = read_cells(row, labelled, frozenset({"mass"}), {"brain": 1.0, "owl": 1.0})
    assert [cell.value for cell in cells if cell.unstated] == unstated
    stated = read_cells(row, labelled, frozenset({"mass"}), {"brain": 1.0}, stated={"12": "money", "-5.7": "money"})
    assert not any(cell.unstated for cell in stated if cell.value != "(31)")


def test_cells_without_headers_stay_as_they_are_printed() -> None:
    cells = read_cells("a | b: c", "a | b: c", frozenset(), {})
    assert [(cell.label, cell.value) for cell in cells] == [("", "a"), ("", "b: c")]
    odd = read_cells("a | b", "x: a", frozenset(), {})
    assert [(cell.label, cell.value) for cell in odd] == [("", "a"), ("", "b")]


def test_a_cell_answers_under_the_noun_of_the_property_that_is_asked_for() -> None:
    properties = properties_of("What does the TF-7 cost?")
    cells = read_cells(ROW, LABELLED, frozenset({"money"}), {"cost": 1.0}, properties)
    assert [cell.value for cell in cells if cell.answers] == ["11,480"]


def test_a_cell_answers_under_another_name_of_the_measure_that_is_asked_for() -> None:
    row, labelled = "TF-7 | 27 kg | 31 kg", "Model: TF-7 | Mass: 27 kg | Load: 31 kg"
    question = "What is the weight of the TF-7?"
    cells = read_cells(row, labelled, asked_kinds(question), {"weight": 1.0}, properties_of(question))
    assert [cell.value for cell in cells if cell.answers] == ["27 kg"]
    assert words_of_kinds(question) == {"mass", "weight"}
    assert demanded_kinds("What velocity does it reach?") == {"speed"}


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How WIDE may it be?", {"wide": ["width", "span", "breadth"]}),
        ("What does it cost?", {"cost": ["price"]}),
        ("How much do both weigh, and how loud are they?", {"weigh": ["weight", "mass"], "loud": ["sound", "noise"]}),
        ("the wide wing", {}),
        ("When was she born?", {"when": ["date", "time"], "born": ["birth"]}),
        ("On which day did it happen?", {"when": ["date", "time"]}),
        ("At what place was it built?", {"where": ["location", "place", "site", "address"]}),
        ("Who inspects it?", {"inspects": ["inspecter", "inspector"]}),
        ("By whom was it owned?", {"owned": ["owner", "ownor"]}),
        ("Say who made it", {}),
        ("Who made it?", {"made": ["manufacture", "manufacturer", "maker"]}),
        ("What is the weight of both?", {"weight": ["mass"]}),
        ("Which velocities, and at what speeds?", {"speeds": ["velocity"], "velocities": ["speed"]}),
        ("What is the mass of it, and what are the masses of others?", {"mass": ["weight"], "masses": ["weight"]}),
        ("What is the Cost, or how heavy is it?", {"cost": ["price"], "heavy": ["weight", "mass"]}),
        ("cost of sales", {}),
        ("how costly", {}),
    ],
)
def test_a_question_asks_for_a_property(question: str, asked: dict[str, list[str]]) -> None:
    assert asked_properties(question) == asked


def test_a_text_has_an_asked_property_by_its_noun() -> None:
    properties = properties_of("How wide may the wing be?")
    weights = {"wide": 3.0, "wing": 1.0}
    assert terms_in("Its span", weights, properties) == {"wide"}
    assert coverage(weights, "Its span", properties) == 0.75
    assert coverage(weights, "Its span") == 0.0
    assert coverage(weights, "Its span", properties, frozenset({"a part of a name"})) == 0.75
    assert coverage({}, "Its span", properties) == 0.0


def test_words_that_only_ask_for_the_place_or_say_that_something_happens_are_told() -> None:
    assert asking_words("At which place did it take place?") == {"which", "place", "take"}
    assert asking_words("Which place is the best?") == frozenset()
    assert asking_words("What is the lid said to open by?") == {"said"}
    assert asking_words("What is said by the lid to open?") == frozenset()


@pytest.mark.parametrize(
    ("question", "only_ask"),
    [
        ("Wie hoch ist die Kaution?", {"hoch"}),
        ("Wie gro\u00df ist das Zimmer?", {"gro\u00df"}),
        ("Wann beginnt es, und wo liegt es?", {"wann", "liegt"}),
        ("Gibt es einen Keller?", {"gibt"}),
        ("Was steht in Abschnitt 5?", {"steht"}),
        ("Ist die Wand hoch?", set[str]()),
        ("Es gibt einen Keller.", set[str]()),
        ("A lange wall", set[str]()),
    ],
)
def test_german_words_that_only_ask_are_not_looked_for(question: str, only_ask: set[str]) -> None:
    assert asking_words(question) == only_ask


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Wann muss die Miete gezahlt werden?", {"gezahlt": ["zahlen", "zahlt", "zahlet", "zahlung"]}),
        ("Wer hat es geleistet?", {"geleistet": ["leisten", "leistt", "leistet", "leistung"]}),
        ("Is the gestalt of it known?", {}),
        ("Wo liegt die Wohnung?", {}),
    ],
)
def test_german_participles_are_told_by_their_other_forms(question: str, asked: dict[str, list[str]]) -> None:
    assert asked_properties(question) == asked


@pytest.mark.parametrize(
    ("text", "label", "found"),
    [
        ("Belen, NM", "Location", ["Belen, NM"]),
        ("Arlesheim", "Place of manufacture", ["Arlesheim"]),
        ("Visual", "Conditions at Accident Site", []),
        ("It stands in Marrow, near New Elm.", "", ["Marrow", "New Elm"]),
        ("See the rules in Section B and those of July, in March.", "", []),
        ("", "Location", []),
    ],
)
def test_places(text: str, label: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in held(frozenset({"place"}), text, label)] == found


def test_a_field_that_is_filled_with_a_name_holds_a_person() -> None:
    assert held(frozenset({"person"}), "Ines Okafor", "Inspector") == [(0, 11)]
    assert held(frozenset({"person"}), "Ines Okafor") == held(frozenset({"person"}), "Passed", "Result") == []


def test_of_a_form_each_label_with_its_value_is_a_statement() -> None:
    content, read = "Year: | Site: | Dock 4 | Load: | 12.5 kg", "doc\nSite: Dock 4 | Load: 12.5 kg"
    assert form_slices(content, read) == [("Site: | Dock 4", "Site: Dock 4"), ("Load: | 12.5 kg", "Load: 12.5 kg")]
    assert form_slices("Model | K 110 | Door | left", "Model: K 110 | Door: left")[1] == ("Door | left", "Door: left")
    assert form_slices("Currency EUR | Carrier", "Currency: EUR") == [("Currency EUR", "Currency: EUR")]
    assert form_slices("Age: | Seat:", "Age: | Seat:") == []
    assert form_slices(ROW, LABELLED) == []


def test_a_value_of_a_form_answers_where_it_is_of_an_asked_kind() -> None:
    (site,), (load,) = (read_pair(one, frozenset({"mass"})) for one in ("Site: Dock 4", "Load: 12.5 kg"))
    assert (site.label, site.value, site.answers, site.holds) == ("Site", "Dock 4", False, False)
    assert (load.label, load.value, load.answers, load.holds) == ("Load", "12.5 kg", True, True)
    assert read_pair("Site: Dock 4", frozenset())[0].answers


@pytest.mark.parametrize(
    ("label", "text", "holds"),
    [
        ("Inspector", "Ann Lee", True),
        ("Inspector", "told by Ann Lee", True),
        ("Archive", "Kept by the Ann Lee Board. It is open. ", False),
        ("", "It is kept by the Ann Lee Board.", True),
    ],
)
def test_what_a_label_has_in_sentences_is_no_person(label: str, text: str, holds: bool) -> None:
    assert bool(held(frozenset({"person"}), text, label)) is holds


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("What was its gross margin?", True),
        ("What are Apple's gross margins in May?", True),
        ("Which were the opening hours?", True),
        ("What is gross margin?", False),
        # Nobody asks what a word meant.
        ("What was gross margin?", True),
        ("How much inventory does Apple have?", True),
        ("How much dried fruit is there?", True),
        ("How much does it weigh?", False),
        ("How many cars have two doors?", False),
        ("What does the margin say?", False),
        ("How high was the gross margin?", True),
        ("How LARGE are Apple's revenues in May?", True),
        ("How much was the fee?", True),
        ("How high may it be?", False),
        ("How heavy is the car?", False),
    ],
)
def test_what_a_thing_is_or_was_is_a_value_and_what_a_word_means_is_none(question: str, asks: bool) -> None:
    assert asks_for_a_value(question) is asks


@pytest.mark.parametrize(
    ("question", "owner"),
    [
        ("What was Apple's gross margin?", "Apple"),
        ("What was the gross margin of Apple in 2022?", "Apple"),
        ("What were the total assets of Analog Devices?", "Analog Devices"),
        ("Which were NVIDIA\u2019s data center revenues?", "NVIDIA"),
        ("What is the company's margin?", ""),
        ("What is the mass of a car?", ""),
        ("What is its price?", ""),
        ("How high was Apple's margin?", "Apple"),
        ("How large were the total assets of Analog Devices?", "Analog Devices"),
        ("How heavy is Apple's car?", ""),
        ("Which Apple's products sold best?", ""),
        ("What is the penalty of Section 5?", ""),
        ("What was FY2024's gross margin?", ""),
        ("What was Q4's revenue?", ""),
        ("What was 3Q22's revenue?", ""),
        ("What is Monday's closing time?", ""),
        ("What is the weight of the Unit?", ""),
        ("What was the profit of The Coca-Cola Company?", "The Coca-Cola Company"),
        ("What was the profit of the Coca-Cola Company?", "Coca-Cola Company"),
        ("How much inventory does Analog Devices have?", "Analog Devices"),
        ("how many plants did the Coca-Cola Company sell?", "Coca-Cola Company"),
        ("How much does a car cost?", ""),
        ("How much did March cost?", ""),
    ],
)
def test_whose_value_is_asked_for_is_a_name(question: str, owner: str) -> None:
    assert asked_owner(question) == owner


@pytest.mark.parametrize(
    ("question", "kinds", "demanded", "large"),
    [
        ("How high is the wing?", {"length"}, {"length"}, True),
        ("How high was Apple's gross margin?", {"length"}, {"length"}, True),
        ("How high were the revenues?", {"money"}, {"money"}, False),
        ("How high is the cost per metre?", {"money"}, {"money"}, False),
        ("How large is the clearance?", {"length"}, {"length"}, False),
        ("How high is the noise level?", {"level"}, set(), False),
        ("How much was the gross margin?", set(), set(), False),
        ("How much was the fee?", {"money"}, {"money"}, False),
        ("How many prices are there?", {"count", "money"}, {"count", "money"}, False),
        ("How high may the price be?", {"length", "money"}, {"length", "money"}, False),
    ],
)
def test_how_high_something_is_asks_for_its_kind_and_else_for_a_length(
    question: str, kinds: set[str], demanded: set[str], *, large: bool
) -> None:
    assert (asked_kinds(question), demanded_kinds(question), asks_how_large(question)) == (kinds, demanded, large)


@pytest.mark.parametrize(
    ("text", "label", "kinds"),
    [
        ("15.7 %", "", {"share"}),
        ("$ 3,624", "", {"money"}),
        ("3,624", "", set()),
        ("3,624", "Price [EUR]", {"money"}),
        ("3,624", "Mass [kg]", {"mass"}),
        ("on request", "Mass [kg]", set()),
        ("12 kg", "Price [EUR]", {"mass"}),
    ],
)
def test_the_kinds_of_a_text_are_those_of_its_quantities(text: str, label: str, kinds: set[str]) -> None:
    assert kinds_in(text, label) == kinds


@pytest.mark.parametrize(
    ("label", "counts"),
    [
        ("Employees", True),
        ("Employees (in thousands)", True),
        ("Quantity [pcs]", True),
        ("Population (m)", True),
        ("Subscribers [K]", True),
        ("Three Months Ended April 30, 2023 ($ in millions)", False),
        ("Mass [kg]", False),
        ("Share %", False),
    ],
)
def test_a_number_under_a_unit_or_a_currency_counts_nothing(label: str, counts: bool) -> None:
    assert held(frozenset({"count"}), "2,732", label) == ([(0, 5)] if counts else [])


@pytest.mark.parametrize(
    ("question", "verb"),
    [
        ("How much did Apple spend on travel?", "spend"),
        ("How much does a car of class S weigh?", "weigh"),
        ("How long does the race last?", "last"),
        ("How much was the cost of travel?", ""),
        ("What did Apple spend?", ""),
        ("How much fuel is in the last car?", ""),
    ],
)
def test_the_verb_that_tells_the_kind_of_value_is_told(question: str, verb: str) -> None:
    assert asking_verb(question) == verb


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("What was the gross margin?", "gross margin"),
        ("How much did Apple spend on research and development in May?", "research and development"),
        ("How much did they pay for the car during May?", "car"),
        ("How much do members pay per month?", ""),
        ("How much does a car weigh?", ""),
    ],
)
def test_what_money_was_spent_on_names_a_value(question: str, phrase: str) -> None:
    assert valued_phrase(question) == phrase
    assert asks_for_a_value(question) is bool(phrase)


@pytest.mark.parametrize(
    ("text", "values"), [("a nine-day outage", ["nine-day"]), ("a 9-day outage", ["9-day"]), ("a day of nine", [])]
)
def test_a_number_of_days_is_a_duration_in_words_and_in_digits(text: str, values: list[str]) -> None:
    assert [text[start:end] for start, end in held(frozenset({"duration"}), text)] == values
