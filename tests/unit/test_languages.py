"""The language of a text, and its stems."""

import pytest

from shared.lexical.languages import LANGUAGES, STOP_WORDS, detect_language, function_word_scores
from shared.lexical.tokenizer import language_of, tokenize

TEXTS = {
    "en": "The vehicle must be at least thirty millimetres above the ground and may not be lowered while it is driven.",
    "de": "Das Fahrzeug muss dreißig Millimeter über dem Boden liegen und darf nicht während der Fahrt sinken.",
    "fr": "La garde au sol du véhicule doit être d'au moins trente millimètres et ne peut pas être réduite.",
    "es": "La distancia al suelo del vehículo debe ser de al menos treinta milímetros y no puede reducirse.",
    "it": "L'altezza da terra del veicolo deve essere di almeno trenta millimetri e non può essere ridotta.",
    "pt": "O vão livre do veículo deve ser de pelo menos trinta milímetros e não pode ser reduzido.",
    "nl": "De bodemvrijheid van het voertuig moet ten minste dertig millimeter bedragen en mag niet worden verlaagd.",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_is_told_by_its_function_words(language: str) -> None:
    assert detect_language([TEXTS[language]] * 2) == language


@pytest.mark.parametrize("text", ["", "12.5 14.7 GA-37", "просвет автомобиля " * 20, "Haus Rad Tür", "離地間隙"])
def test_without_evidence_it_is_english(text: str) -> None:
    assert detect_language([text]) == "en"


def test_a_few_foreign_sentences_do_not_change_the_language() -> None:
    assert detect_language([TEXTS["en"]] * 8 + [TEXTS["de"]] * 2) == "en"


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", ("Haus", "Häuser", "Hauses")),
        ("fr", ("véhicule", "véhicules", "vehicule")),
        ("es", ("vehículo", "vehículos", "vehiculo")),
        ("it", ("veicolo", "veicoli")),
        ("pt", ("veículo", "veículos")),
        ("nl", ("voertuig", "voertuigen")),
    ],
)
def test_forms_of_a_word_have_one_stem(language: str, forms: tuple[str, ...]) -> None:
    stems = {term for form in forms for term in tokenize(form, language).counts}
    assert len(stems) == 1
    assert {language_of(stem) for stem in stems} == {language}


def test_an_elided_article_is_a_word_of_its_own() -> None:
    assert set(tokenize("l'aile", "fr").counts) == set(tokenize("aile", "fr").counts)


def test_codes_and_numbers_are_the_same_in_every_language() -> None:
    for language in LANGUAGES:
        assert {"c7.6.2", "7.6.2", "31.2"} <= set(tokenize("C7.6.2 31.2", language).counts)


def test_stop_words_are_lower_case_words() -> None:
    for words in STOP_WORDS.values():
        assert all(word.isalpha() and word == word.lower() for word in words)


def test_a_function_word_counts_as_often_as_it_is_there() -> None:
    scores = function_word_scores({"the": 3, "zwischen": 1})
    assert (scores["en"], scores["de"]) == (3.0, 1.0)
