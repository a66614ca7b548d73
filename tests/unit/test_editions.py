"""Which words name an edition, and which version of which document they choose."""

from datetime import date
from uuid import UUID

import pytest

from shared.retrieval.editions import Edition, KnownVersion, choose, may_choose, patterns, read_editions, without

YEARS, NUMBERS, PLAIN, LIST = (UUID(int=n) for n in (100, 200, 300, 400))
NAMES = {YEARS: "Kestrel Cup – Technical & Sporting Regulations", NUMBERS: "asvs", PLAIN: "Guide", LIST: "Price list"}


def known(number: int, document: UUID, mark: str, index: int, current: bool, day: date | None = None) -> KnownVersion:
    names = [f"{NAMES[document]} {mark}".strip()]
    return KnownVersion(UUID(int=number), document, index, current, None, names, day, "day" if day else None)


# Each rule book was issued in the December before its year, so its date says another year than its name.
BOOKS = [
    known(1, YEARS, "2025", 1, False, date(2024, 12, 9)),
    known(2, YEARS, "2026", 2, True, date(2025, 12, 11)),
]
STANDARDS = [
    known(3, NUMBERS, "3.0.1", 1, False),
    known(4, NUMBERS, "4.0.3", 2, False),
    known(5, NUMBERS, "5.0.0", 3, True),
]
GUIDES = [known(6, PLAIN, "", 1, False, date(2023, 5, 4)), known(7, PLAIN, "", 2, True, date(2024, 5, 4))]
PRICES = [known(8, LIST, "2025", 1, True)]
ALL = [*BOOKS, *STANDARDS, *GUIDES, *PRICES]


def chosen(text: str, versions: list[KnownVersion]) -> tuple[list[int], str]:
    """The numbers of the versions, and what is left to look for."""
    found = choose(text, read_editions(text), versions)
    return [one.int for ids in found.values() for one in ids], without(text, list(found))


@pytest.mark.parametrize(
    ("text", "versions", "rest"),
    [
        ("What did the 2025 edition say about 5.3?", [1], "What did say about 5.3?"),
        ("laps in the 2026 edition", [2], "laps"),
        ("laps in the edition of 2025", [1], "laps"),
        ("laps in Kestrel Cup 2025", [1], "laps in Kestrel Cup"),
        ("laps of the 2025 regulations", [1], "laps of the regulations"),
        ("laps in the 2025 and 2026 editions", [1, 2], "laps in the and"),
        ("edition dated 9 December 2024", [], "edition dated 9 December 2024"),
    ],
)
def test_a_year_chooses_the_version_whose_name_has_it(text: str, versions: list[int], rest: str) -> None:
    assert chosen(text, BOOKS) == (versions, rest)


@pytest.mark.parametrize(
    ("text", "versions", "rest"),
    [
        ("passwords in version 4.0.3", [4], "passwords"),
        ("passwords in v4.0.3", [4], "passwords"),
        ("passwords in version 4", [4], "passwords"),
        ("What does ASVS 4 say?", [4], "What does ASVS say?"),
        ("What does ASVS v4 say?", [4], "What does ASVS say?"),
        ("between versions 3.0.1 and 4.0.3", [3, 4], "between and"),
        ("What does V4 say?", [], "What does V4 say?"),
        ("What does V4.0 say?", [], "What does V4.0 say?"),
        ("What does chapter 4 say?", [], "What does chapter 4 say?"),
        ("version 4.1", [], "version 4.1"),
        ("the second edition", [], "the second edition"),
        ("are there 4 versions?", [], "are there 4 versions?"),
    ],
)
def test_a_number_chooses_the_version_that_it_begins(text: str, versions: list[int], rest: str) -> None:
    assert chosen(text, STANDARDS) == (versions, rest)


@pytest.mark.parametrize(
    ("text", "versions"),
    [("the edition of May 2023", [6]), ("the second edition", [7]), ("version 1", [6]), ("the 2022 edition", [])],
)
def test_versions_without_marks_have_their_date_and_their_place(text: str, versions: list[int]) -> None:
    assert chosen(text, GUIDES)[0] == versions


def test_a_mark_that_fits_two_versions_chooses_none() -> None:
    twice = [known(1, NUMBERS, "4.0.2", 1, False), known(2, NUMBERS, "4.0.3", 2, True)]
    assert chosen("passwords in version 4", twice)[0] == []
    whole = [known(1, NUMBERS, "4.0", 1, False), known(2, NUMBERS, "4.0.3", 2, True)]
    assert chosen("passwords in version 4.0", whole)[0] == [1]


def test_the_label_that_people_gave_comes_before_the_name() -> None:
    labelled = [one._replace(label=label) for one, label in zip(BOOKS, ("2019", "2020"), strict=True)]
    assert [chosen(f"the {year} edition", labelled)[0] for year in (2019, 2025)] == [[1], []]


def test_the_document_that_is_named_is_meant() -> None:
    assert chosen("laps in the 2025 edition", ALL)[0] == [1, 8]
    assert chosen("prices in the 2025 edition of the price list", ALL)[0] == [8]
    assert chosen("laps in the 2025 edition of the Kestrel regulations", ALL)[0] == [1]


def test_what_is_asked_of_the_store_is_bounded() -> None:
    text = "prices of 2025 edition"
    assert sorted(patterns(text, read_editions(text))) == ["%2025%", "%prices%"]
    assert not any(may_choose(one, read_editions(one)) for one in ("12 kN", "What is 7 + 5?", "4 of", ""))
    assert may_choose("version 4", read_editions("version 4"))


def test_the_places_of_the_words_are_those_in_the_text() -> None:
    [edition] = read_editions("see v4.0.3")
    assert edition == Edition(edition.mark, 4, 10, "spelled")
