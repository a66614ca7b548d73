import pytest

from shared.domain.scope import Identity, Scope
from shared.lexical.query import read_query
from shared.lexical.spelling import edit_distance, is_misspelt, replace_words
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document

TEXTS = ("A protest is heard by the stewards", "The gearbox may be replaced", "The load on the wing", "Chassis plates")


@pytest.fixture(scope="module")
def filled(runtime: Runtime, identity: Identity) -> Scope:
    scope = add_base(runtime, identity, "Rules")
    add_document(runtime, scope, "Rules", [Passage(text) for text in TEXTS])
    return scope


def read(runtime: Runtime, scope: Scope, query: str) -> dict[str, str]:
    with runtime.database.transaction(scope) as connection:
        return dict(read_query(connection, query).corrections)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("protets", "protest"),
        ("Protst", "protest"),
        ("gaerbox", "gearbox"),
        ("gearbixx", "gearbox"),
        ("prokext", "protest"),
        ("chassiss", "chassis"),
        ("wht", "what"),
    ],
)
def test_a_misspelt_word_is_read_as_the_word_in_scope(
    runtime: Runtime, filled: Scope, written: str, meant: str
) -> None:
    assert read(runtime, filled, f"{written} of a car") == {written.lower(): meant}


@pytest.mark.parametrize("written", ["loud", "loads", "wingg1", "gearbixxx", "rotest", '"protets"', "wong", "TA-37V"])
def test_other_words_are_left_as_they_are(runtime: Runtime, filled: Scope, written: str) -> None:
    assert read(runtime, filled, f"{written} of a car") == {}


SPELLINGS = {
    "licence": "license", "Colours": "colors", "organize": "organise", "fibre": "fiber",
    "catalog": "catalogue", "gray": "grey", "defence": "defense", "kilometre": "kilometer",
}  # fmt: skip


def test_a_word_is_found_in_its_other_spelling_unless_it_is_there(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "Spellings")
    said = "Licensed by colored fibers; an organised defense in grey catalogues of kilometers"
    add_document(runtime, scope, "Said", [Passage(said)])
    asked = {written: read(runtime, scope, f"The {written} of a cat") for written in SPELLINGS}
    assert asked == {written: {written.lower(): meant} for written, meant in SPELLINGS.items()}
    add_document(runtime, scope, "Both", [Passage(f"The {written}") for written in SPELLINGS])
    assert [read(runtime, scope, f"The {written} of a cat") for written in SPELLINGS] == [{}] * len(SPELLINGS)


def test_no_other_word_is_made_of_a_word(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "Others")
    add_document(runtime, scope, "Said", [Passage("For four hours Alexander filed a rise and flor")])
    for word in ("filled", "flour", "Alexandre", "licence"):
        assert read(runtime, scope, f"The {word} of a cat") == {}


def test_an_abbreviation_is_no_misspelt_word(runtime: Runtime, filled: Scope) -> None:
    assert read(runtime, filled, "WHT of a car") == {}
    assert read(runtime, filled, "WHT OF A PROTETS") == {"wht": "what", "protets": "protest"}


def test_a_corrected_query_scores_as_the_one_that_is_meant(runtime: Runtime, filled: Scope) -> None:
    with runtime.database.transaction(filled) as connection:
        wrong, right = read_query(connection, "Who may protets?"), read_query(connection, "Who may protest?")
    assert wrong.vector() == right.vector()
    assert wrong.text == "Who may protest?"


def test_words_of_another_knowledge_base_or_organization_are_never_offered(
    runtime: Runtime, filled: Scope, identity: Identity, other_identity: Identity
) -> None:
    assert read(runtime, filled, "protets") == {"protets": "protest"}
    for name, who in (("Beside", identity), ("Elsewhere", other_identity)):
        scope = add_base(runtime, who, name)
        add_document(runtime, scope, "Own", [Passage("Nothing of the kind")])
        assert read(runtime, scope, "protets") == {}


def test_the_word_that_most_chunks_have_is_meant_of_equally_near_ones(runtime: Runtime, identity: Identity) -> None:
    scope = add_base(runtime, identity, "Plates")
    add_document(runtime, scope, "Plates", [Passage(t) for t in ("A brackyt", "Another brackyt", "The brackit")])
    assert read(runtime, scope, "brackat") == {"brackat": "brackyt"}


@pytest.mark.parametrize(
    ("one", "other", "edits"),
    [("wing", "wing", 0), ("wing", "wnig", 1), ("wing", "wings", 1), ("wing", "ring", 1), ("abcd", "badc", 2)],
)
def test_edits_are_counted(one: str, other: str, edits: int) -> None:
    assert edit_distance(one, other, 3) == edits
    assert edit_distance(one, other, 0) == min(edits, 1)


def test_inflected_english_words_are_not_misspelt() -> None:
    assert not any(map(is_misspelt, ("looping", "loads", "motorcycles", "spectators")))
    assert is_misspelt("protets")


def test_only_whole_words_are_replaced() -> None:
    assert replace_words("Wht is WHT-5 whtx?", {"wht": "what"}) == "what is what-5 whtx?"


GERMAN = "Der Fahrer muss nach dem Rennen die Wageeen und den Helm bei der Waage zeigen, wenn er nicht ins Ziel kam."


@pytest.fixture(scope="module")
def mixed(runtime: Runtime, identity: Identity) -> Scope:
    scope = add_base(runtime, identity, "Two languages")
    add_document(runtime, scope, "Rules", [Passage("A protest about salt on the track is heard"), *map(Passage, TEXTS)])
    add_document(runtime, scope, "Regeln", [Passage(GERMAN), Passage(GERMAN.replace("Helm", "Schuh"))])
    return scope


@pytest.mark.parametrize(
    "question",
    ["Was sagt die Regel dazu?", "Wie protestet man?", "Sagt Abschnitt 4 etwas?", "Größe protestz", "protets"],
)
def test_a_question_in_another_language_is_not_corrected_into_english(
    runtime: Runtime, mixed: Scope, question: str
) -> None:
    assert read(runtime, mixed, question) == {}


def test_a_german_question_is_left_as_it_is_among_english_documents(runtime: Runtime, filled: Scope) -> None:
    assert read(runtime, filled, "Wie lode ich das Auto?") == {}
    assert read(runtime, filled, "Was lodd Abschnitt?") == {}


def test_an_english_question_is_corrected_beside_german_documents_but_into_no_german_word(
    runtime: Runtime, mixed: Scope
) -> None:
    assert read(runtime, mixed, "Who hears the protets?") == {"protets": "protest"}
    assert read(runtime, mixed, "What is the wageen?") == {}
