"""What a query says about its words: phrases, beginnings, codes as written, and words of several languages."""

from collections.abc import Sequence

import pytest

from shared.domain.scope import Identity, Scope
from shared.filters.selection import Filters, Selection
from shared.lexical import search
from shared.lexical.query import WORDS_MAX, read_query
from shared.lexical.search import LIMITS, Limits, lexical_candidates
from shared.lexical.tokenizer import tokenize
from shared.runtime import Runtime
from tests.store.seeding import Passage, add_base, add_document

READ = Limits(scanned_chunks=0)

ENGLISH = [
    "The ground clearance of the car must be 30 mm when it is measured",
    "Clearance from the ground crew is given by the marshals at the gate",
    "Batteries are recharged in the paddock before they are used again",
    "Recharging of the system is forbidden, and a rechargeable cell is sealed",
    "Requirement C7.6.2 says that the seat is GA-37 and no other one",
    "Requirement C7.6.3 says that the seat is GA-38, which is 31.2 mm wide",
]
GERMAN = [
    "Die Räder des Fahrzeugs müssen mit einer Mutter befestigt werden, und zwar an jeder Achse",
    "Das Haus des Veranstalters ist während der Veranstaltung für alle Fahrer geöffnet",
    "Die Information über das System wird von dem Veranstalter an die Fahrer gegeben",
]
FRENCH = [
    "Les véhicules sont pesés avant le départ de la course par les commissaires dans le parc",
    "La pression des pneus est mesurée lorsque l'aile est montée sur le véhicule",
]


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    made = add_base(runtime, identity, "words")
    for name, texts in (("Rules", ENGLISH), ("Regeln", GERMAN), ("Règlement", FRENCH)):
        add_document(runtime, made, name, [Passage(t) for t in texts])
    return made


def found(runtime: Runtime, scope: Scope, query: str, limits: Limits = LIMITS) -> list[str]:
    with runtime.database.transaction(scope) as connection:
        ranking = lexical_candidates(connection, read_query(connection, query), Selection(Filters()), 10, limits)
        ids = [c.chunk_id for c in ranking.candidates]
        rows = connection.execute("select id, content from chunks where id = any (%s)", (ids,)).fetchall()
    contents = {row["id"]: row["content"] for row in rows}
    return [contents[i] for i in ids]


@pytest.mark.parametrize("limits", [LIMITS, READ])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ('"ground clearance"', ENGLISH[:1]),
        ('how much "Ground  Clearance" is there', ENGLISH[:1]),
        ("\u201cground clearance\u201d", ENGLISH[:1]),
        ('"clearance ground"', []),
        ('"round clearance"', []),
        ('"GA-37"', ENGLISH[4:5]),
        ('"GA-3"', []),
        ('"C7.6.2"', ENGLISH[4:5]),
        ('"31.2 mm"', ENGLISH[5:6]),
        ('"the seat" "GA-38"', ENGLISH[5:6]),
        ('"unknownword here"', []),
    ],
)
def test_a_phrase_must_occur_as_written(
    runtime: Runtime, scope: Scope, query: str, expected: Sequence[str], limits: Limits
) -> None:
    assert found(runtime, scope, query, limits) == expected


@pytest.mark.parametrize(
    ("query", "limits", "counts"),
    [
        ('"ground clearance"', LIMITS, (0, 2, 1)),
        ('"ground clearance"', READ, (2, 2, 1)),
        ('"clearance ground"', LIMITS, (0, 2, 0)),
        ('"the seat" "GA-38"', LIMITS, (0, 1, 1)),
    ],
)
def test_a_phrase_says_how_many_have_its_words_and_how_many_have_it(
    runtime: Runtime, scope: Scope, query: str, limits: Limits, counts: tuple[int, int, int]
) -> None:
    with runtime.database.transaction(scope) as connection:
        ranking = lexical_candidates(connection, read_query(connection, query), Selection(Filters()), 10, limits)
    assert ranking.exact
    assert ranking.figures == dict(zip(("postings", "with_all_words", "with_phrase"), counts, strict=True))


def test_where_as_many_have_the_words_as_are_read_there_may_be_more_with_the_phrase(
    runtime: Runtime, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, exact in ((2, False), (3, True)):
        monkeypatch.setattr(search, "VERIFIED_MAX", most)
        with runtime.database.transaction(scope) as connection:
            query = read_query(connection, '"ground clearance"')
            ranking = lexical_candidates(connection, query, Selection(Filters()), 10, LIMITS)
        assert ranking.exact is exact


def test_of_a_long_query_the_rarest_words_are_used(runtime: Runtime, identity: Identity) -> None:
    made = add_base(runtime, identity, "long")
    words = [f"{one}{two}qx" for one in "bdfgklmnp" for two in "bdfgklmnp"][: WORDS_MAX + 6]
    common = words[:6]
    texts = [" ".join(common), " ".join(common), " ".join(words)]
    add_document(runtime, made, "Words", [Passage(text) for text in texts])
    with runtime.database.transaction(made) as connection:
        used = read_query(connection, " ".join(words)).words
    assert {word.form for word in used} == set(words) - set(common)
    assert {word.frequency for word in used} == {1}


def test_half_a_quote_is_text(runtime: Runtime, scope: Scope) -> None:
    assert set(found(runtime, scope, '"ground clearance')) == set(ENGLISH[:2])


@pytest.mark.parametrize("limits", [LIMITS, READ])
def test_a_star_completes_words(runtime: Runtime, scope: Scope, limits: Limits) -> None:
    assert set(found(runtime, scope, "recharg*", limits)) == set(ENGLISH[2:4])
    assert set(found(runtime, scope, "GA-3*", limits)) == set(ENGLISH[4:])
    assert found(runtime, scope, "xyz*", limits) == []


def test_beginnings_are_completed_from_the_scope_alone(
    runtime: Runtime, scope: Scope, other_identity: Identity
) -> None:
    foreign = add_base(runtime, other_identity, "words of others")
    add_document(runtime, foreign, "Theirs", [Passage("Rechargers")])
    with runtime.database.transaction(foreign) as connection:
        assert len(read_query(connection, "recharg*").words[0].terms) == 1
        assert read_query(connection, "clear*").words == []


@pytest.mark.parametrize("query", ["31.2", "ga 37", "ga37", "7.6.2", "c7.6.2"])
def test_codes_and_numbers_are_found_as_written(runtime: Runtime, scope: Scope, query: str) -> None:
    expected = ENGLISH[5] if query == "31.2" else ENGLISH[4]
    assert found(runtime, scope, query)[0] == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Häuser", GERMAN[1]),
        ("Rad befestigen", GERMAN[0]),
        ("véhicule", FRENCH[0]),
        ("vehicule pesé", FRENCH[0]),
        ("ailes", FRENCH[1]),
        ("recharge battery", ENGLISH[2]),
    ],
)
def test_words_are_found_by_their_stem_in_the_language_of_the_document(
    runtime: Runtime, scope: Scope, query: str, expected: str
) -> None:
    assert found(runtime, scope, query)[0] in ({expected} if query != "véhicule" else set(FRENCH))


def test_the_language_of_a_document_is_stored(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute(
            "select name, language from lexical_documents l join documents d on d.id = l.document_id"
        ).fetchall()
    assert {row["name"]: row["language"] for row in rows} == {"Rules": "en", "Regeln": "de", "Règlement": "fr"}


def test_equal_stems_of_two_languages_do_not_meet(runtime: Runtime, identity: Identity) -> None:
    base = add_base(runtime, identity, "die")
    english = "The die is cast by the machine, and then it is cooled in the water for one hour or for two"
    add_document(runtime, base, "English", [Passage(english)])
    add_document(runtime, base, "Deutsch", [Passage(t) for t in GERMAN])
    assert found(runtime, base, "die") == [english]


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Wie ist die Mutter des Fahrzeugs befestigt?", "mutter fahrzeug befestigt"),
        ("What is the mother of the vehicle?", "mother vehicl"),
        ("Quelle est la pression des pneus sur le véhicule ?", "pression pneus vehicul"),
        ("What does DIE stand for?", "die stand"),
        ("die", "die"),
    ],
)
def test_function_words_of_a_question_are_words_of_no_language(
    runtime: Runtime, scope: Scope, query: str, terms: str
) -> None:
    """Documents in other languages do not have them, so that nothing would be rarer."""
    with runtime.database.transaction(scope) as connection:
        words = read_query(connection, query)
    told = {term for word in words.words for term in word.terms}
    assert {term for term in terms.split() if not any(term in one for one in told)} == set()
    assert len(words.words) == len(terms.split())


def test_a_word_is_as_rare_as_all_its_forms_together(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        (word,) = read_query(connection, "system").words
        assert word.frequency == 2
        assert len(word.terms) == 3


def test_rarities_are_of_terms_that_any_text_is_read_with(runtime: Runtime, identity: Identity) -> None:
    base = add_base(runtime, identity, "nur deutsch")
    add_document(runtime, base, "Regeln", [Passage(t) for t in GERMAN])
    with runtime.database.transaction(base) as connection:
        weights = read_query(connection, "Veranstalters GA-37 veran*").rarities()
    assert set(weights) == set(tokenize("Veranstalters GA-37").counts)
    assert set(weights) & set(tokenize(GERMAN[1]).counts)


@pytest.mark.parametrize("text", ["الخلوص الأرضي للسيارة", "המרווח מהקרקע", "дорожный просвет автомобиля", "离地间隙"])
def test_other_scripts_are_found_as_written(runtime: Runtime, identity: Identity, text: str) -> None:
    base = add_base(runtime, identity, f"script {text[:5]}")
    add_document(runtime, base, "Doc", [Passage(text), Passage("Something else")])
    assert found(runtime, base, text.split()[0]) == [text]
