import pytest

from shared.values.hyphenation import Rejoiner, printed_once


@pytest.mark.parametrize(
    ("elsewhere", "divided", "indexed"),
    [
        ("An international body.", "an inter- national rule", "an international rule"),
        ("Work on-site only.", "visits on- site are", "visits on-site are"),
        ("", "a cross- country race", "a crosscountry cross-country race"),
        ("", "pre- and post-tax profit", "pre- and post-tax profit"),
        ("", "under SP 800- 63 and Non- GAAP", "under SP 800-63 and Non-GAAP"),
        ("", "co\u00adoperate inter\u00ad national", "cooperate international"),
        ("State-of-the-art work.", "a state-of-the- art wing", "a state-of-the-art wing"),
        ("", "call 1- 800-555-1212 or 1-800- 555-1212", "call 1-800-555-1212 or 1-800-555-1212"),
        ("", "part B- 12 of TA- 37V, vitamin B- complex", "part B-12 of TA-37V, vitamin B- complex"),
        ("", "10 - 12 pages, wings - of ash", "10 - 12 pages, wings - of ash"),
    ],
)
def test_divided_words_are_indexed_as_the_document_writes_them_elsewhere(
    elsewhere: str, divided: str, indexed: str
) -> None:
    assert Rejoiner([elsewhere, divided]).rejoin(divided) == indexed


def test_a_divided_word_is_no_evidence_for_itself() -> None:
    text = "the wind- mill and the wind- mill"
    assert Rejoiner([text]).rejoin(text).startswith("the windmill wind-mill and")


@pytest.mark.parametrize(
    ("elsewhere", "divided", "shown"),
    [
        ("", "we investi- gate it", "we investigate it"),
        ("an inter-national prize", "an inter- national one", "an inter-national one"),
        ("the international prize", "an inter- national one", "an international one"),
        ("its self, supervised", "a self- supervised net", "a self-supervised net"),
        ("", "pre- and post-test", "pre- and post-test"),
        ("", "up to -5 or 3 - 4", "up to -5 or 3 - 4"),
        ("", "soft\u00ad ly", "softly"),
    ],
)
def test_a_divided_word_is_shown_as_one_word(elsewhere: str, divided: str, shown: str) -> None:
    assert Rejoiner([elsewhere, divided]).show(divided) == shown


@pytest.mark.parametrize(
    "printed",
    [
        "Pre- loaded | With- drawal: 2.5",
        'authentication (so- called "secret questions"), max- age=15724800;',
        "a state-of-the- art wing and the uni- versity, again",
        "An anti- dilutive effect, anti- dilutive",
        "Größen- angabe | naïve- té",
        "The band bandage, to-do and so so-so",
    ],
)
def test_words_of_which_an_index_has_two_forms_are_told_as_printed(printed: str) -> None:
    indexed = Rejoiner([]).rejoin(printed)
    assert printed_once(indexed) == printed
    assert printed_once(indexed, indexed) == indexed


def test_two_forms_that_are_printed_side_by_side_stay() -> None:
    assert printed_once("Spelling: setup set-up", "setup set-up") == "Spelling: setup set-up"
