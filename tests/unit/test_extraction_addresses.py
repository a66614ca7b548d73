import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.values.addresses import (
    aliases,
    bare_label,
    below_roman,
    components,
    is_below,
    label_depth,
    name_of,
    normalise,
    outline_step,
    printed_address,
)


@pytest.mark.parametrize(
    ("printed", "key"),
    [
        ("C 7.6.2", "c7.6.2"),
        ("§ 7.6.2", "7.6.2"),
        ("c7.6.2.", "c7.6.2"),
        ("V2.1.1", "v2.1.1"),
        ("AC-2(3)", "ac-2(3)"),
        ("AC-2 (3)", "ac-2(3)"),
        ("Table 3", "table3"),
        ("A.5.1", "a.5.1"),
        ("Article 12", "article12"),
        ("Art. 12", "article12"),
        ("Section 4.2", "4.2"),
        ("Rule C7.6.2", "c7.6.2"),
        ("7.6.2)", "7.6.2"),
        ("V\u2011 2.1", "v-2.1"),
        ("", ""),
        ("  ", ""),
        ("§", ""),
        ("¶ 12", "12"),
        ("7.6.2.;:", "7.6.2"),
        ("7.6.2\u3002", "7.6.2"),
        ("7.6.2(a)", "7.6.2(a)"),
        ("(a)", "(a)"),
        ("a)", "a"),
        ("[12]", "[12]"),
        ("12]", "12"),
        ("AC.2", "ac2"),
        ("A.2", "a.2"),
        ("ABCDE.2", "abcde.2"),
        ("Section A", "a"),
        ("section b", "sectionb"),
        ("Sec. 12", "12"),
        ("Para 12", "12"),
        ("Fig. 3", "figure3"),
        ("Eq. 4", "equation4"),
        ("Chapter  IV", "chapteriv"),
        ("Boats 12", "boats12"),
        ("\uff34able 3", "table3"),
        ("C7\u20136", "c7-6"),
    ],
)
def test_printed_and_typed_forms_of_an_address_share_one_key(printed: str, key: str) -> None:
    assert normalise(printed) == key


@given(st.text(max_size=30))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text)
    assert normalise(once.upper()) == normalise(once) or not once.isascii()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("C7.6.2 The wing must", "C7.6.2"),
        ("1.1.1", "1.1.1"),
        ("V1 Architecture", "V1"),
        ("§ 12.3 Scope", "12.3"),
        ("Appendix A Glossary", "Appendix A"),
        ("AC-2(3) Disable accounts", "AC-2(3)"),
        ("AC-2 (3) Disable accounts", "AC-2 (3)"),
        ("AC-2 (2019) Disable accounts", "AC-2"),
        ("4.2 (3) wheels", "4.2"),
        ("4. Scope", "4"),
        ("4) Scope", "4"),
        ("4: Scope", "4"),
        ("4.2.1.3 Scope", "4.2.1.3"),
        ("4.2a Scope", "4.2a"),
        ("TA-15L Scope", "TA-15L"),
        ("A.5.1 Scope", "A.5.1"),
        ("A.5.1.b", None),
        ("1234.5 Scope", "1234.5"),
        ("12345 Scope", None),
        ("ABCDE1 Scope", None),
        ("Part IV", "Part IV"),
        ("Article 12 \u2014 Scope", "Article 12"),
        ("ARTICLE B1: General", "ARTICLE B1"),
        ("Art. 5 Scope", "Art. 5"),
        ("§ 12(3)(b) Notice", "12(3)(b)"),
        ("§ 12a Notice", "12a"),
        ("Appendix A.2 Tests", "Appendix A.2"),
        ("Annex III.2 Tests", "Annex III.2"),
        ("Section 3.2(a) Tests", "Section 3.2(a)"),
        ("Subpart C Tests", "Subpart C"),
        ("Note 3: Boats", "Note 3"),
        ("Chapters 3", None),
        ("ITEM 1A. Risks", "ITEM 1A"),
        ("Exhibit 10.2", "Exhibit 10.2"),
        ("TF 2024 pumps", None),
        ("TF-2024 pumps", None),
        ("202 pumps", "202"),
    ],
)
def test_an_address_at_the_start_of_a_line_is_found(text: str, address: str | None) -> None:
    found = printed_address(text)
    assert (found[0] if found else None) == address


@pytest.mark.parametrize(
    "date",
    ["2014-04-28", "2014.04.28", "2014-04", "2009\u20132014", "28.4.2014", "28-04-2014", "12-31-2014", "01.01.1999"],
)
def test_a_date_is_no_address(date: str) -> None:
    assert printed_address(date) is None
    assert printed_address(f"{date} Seal changed") is None


@pytest.mark.parametrize("address", ["2014-13", "28.14.2014", "12.12.204", "32-12-2014", "3014-04-28"])
def test_numbers_that_are_no_day_stay_an_address(address: str) -> None:
    assert printed_address(f"{address} Scope") == (address, len(address))


@pytest.mark.parametrize("text", ["2022 was a good year", "The wing", "", "1,250 units", "3.5mm bolts", "12kg"])
def test_years_words_and_measures_are_no_addresses(text: str) -> None:
    assert printed_address(text) is None


def test_a_row_number_answers_with_the_letters_of_its_chapter() -> None:
    assert "v5.3.1" in aliases("5.3.1", ["V5", "V5.3"])
    assert "5.3.1" in aliases("V5.3.1")


def test_a_number_below_another_scheme_gets_no_foreign_letters() -> None:
    assert aliases("5.3.1", ["C7"]) == []


@pytest.mark.parametrize(
    ("key", "ancestors", "found"),
    [
        ("a", ["IV"], ["iv.a"]),
        ("a", ["Part IV."], ["iv.a"]),
        ("1", ["IV", "A"], ["iv.a.1"]),
        # I may be a letter, and B no Roman number; a title between them that begins with nothing breaks the outline.
        ("1", ["IV", "I"], ["iv.i.1"]),
        ("1", ["B"], []),
        ("a", ["IV", ""], []),
        ("2.1", ["IV"], []),
        ("", ["IV"], []),
        ("a", [], []),
    ],
)
def test_steps_below_a_roman_number_are_found_with_it(key: str, ancestors: list[str], found: list[str]) -> None:
    assert below_roman(key, ancestors) == found
    assert not key or set(found) <= set(aliases(key, ancestors))


@pytest.mark.parametrize(
    ("title", "step"), [("A. Fees", "A"), ("IV. Rules", "IV"), ("A fee", ""), ("Be. It", ""), ("", "")]
)
def test_a_title_may_begin_with_a_step(title: str, step: str) -> None:
    assert outline_step(title) == step


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("CHAPTER ONE", "chapter1"), ("Chapter One.", "chapter1"), ("part twelve", "part12"), ("Section Two", "2"),
        ("Kapitel Two", "chapter2"), ("Chapter Nobody", "chapternobody"), ("Harbour One", "harbourone"),
    ],
)  # fmt: skip
def test_chapters_may_be_counted_in_words(written: str, key: str) -> None:
    assert normalise(written) == key


@pytest.mark.parametrize(
    ("text", "address"),
    [("CHAPTER ONE The sea", "CHAPTER ONE"), ("Part Sixteen", "Part Sixteen"), ("Part Six: Sea", "Part Six")],
)
def test_a_chapter_counted_in_words_is_printed_as_an_address(text: str, address: str) -> None:
    assert printed_address(text) == (address, len(text.partition(" The")[0].partition(": ")[0]) + (":" in text))
    assert printed_address("Chapter one of the book") is None
    assert printed_address("Notes One two") is None


def test_descent_compares_whole_components() -> None:
    assert is_below("C7.6.2", "C7.6")
    assert not is_below("C7.60", "C7.6")
    assert not is_below("C7.6", "C7.6")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("C7.6.2 The wing", 6),
        ("§ 12.3 Scope", 6),
        ("4. Scope", 2),
        ("Note 3: Boats", 7),
        ("Article 12 \u2014 Scope", 12),
    ],
)
def test_what_was_printed_for_an_address_ends_with_its_mark(text: str, length: int) -> None:
    found = printed_address(text)
    assert found is not None
    assert found[1] == length


@pytest.mark.parametrize(
    ("address", "steps"),
    [("V2.1.10", ("v2", "1", "10")), ("AC-2(3)", ("ac", "2", "3")), ("7.6.2(a)", ("7", "6", "2", "a")), ("", ())],
)
def test_the_steps_of_an_address(address: str, steps: tuple[str, ...]) -> None:
    assert components(address) == steps


@pytest.mark.parametrize(
    ("address", "above", "below"),
    [
        ("7.6.2", "7", True), ("7.6", "7.6.2", False), ("7.6.2", "", False), ("", "", False), ("7.6.2", "7.5", False),
        ("8.6.2", "7.6", False),
    ],
)  # fmt: skip
def test_what_lies_below_what(address: str, above: str, below: bool) -> None:
    assert is_below(address, above) is below


@pytest.mark.parametrize(
    ("address", "ancestors", "expected"),
    [
        ("Part A", [], ["a"]),
        ("Chapter 3", [], ["3"]),
        ("Chapter 3a", [], []),
        ("V5.3.1", [], ["5.3.1"]),
        ("V-5.3", [], ["5.3", "v5.3"]),
        ("Table 3", [], []),
        ("Note 3", [], []),
        ("Item 3", [], []),
        ("5.3.1", [], []),
        ("5.3.1", ["V5"], ["v5.3.1"]),
        ("5.3.1", ["V5", "C5.3"], ["c5.3.1"]),
        ("5.3.1", ["V-5"], ["v5.3.1"]),
        ("5.3.1", ["V5.3.1"], ["v5.3.1"]),
        ("53.1", ["V5"], []),
        ("5-3", ["V5"], ["v5-3"]),
        ("5.3.1", ["Part A"], []),
    ],
)
def test_the_further_keys_of_an_address(address: str, ancestors: list[str], expected: list[str]) -> None:
    assert aliases(address, ancestors) == expected


def test_labels_and_their_depths() -> None:
    assert [bare_label(one) for one in ("Part A", "Chapter 12", "Chapter 1234", "Annex A", "A")] == [
        "a", "12", None, None, None,
    ]  # fmt: skip
    depths = {"PART I": 1, "Item 2": 2, "Note 3": 3, "appendix A": 1, "7.2": None, "": None, "  ": None}
    assert {address: label_depth(address) for address in depths} == depths


def test_a_letter_with_its_number_is_an_address_without_its_label() -> None:
    assert aliases("ARTICLE B1") == ["b1"]
    assert aliases("Appendix A.2") == ["a.2"]
    assert aliases("Article 5") == []


def test_a_number_below_the_letter_of_an_appendix_is_a_step_deeper() -> None:
    assert [label_depth(one) for one in ("Appendix A", "Appendix A.2", "Annex A.2.1", "Article B1")] == [1, 2, 3, 1]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Parser.parse", "Parser.parse"),
        ("Parser::parse()", "Parser.parse"),
        ("Parser#parse", "Parser.parse"),
        ("`Parser->parse()`", "Parser.parse"),
        ("App\\Parser::parse", "App.Parser.parse"),
        ("C7.6.2(a)", "C7.6.2(a)"),
    ],
)
def test_a_name_is_asked_for_in_the_manner_of_any_language(asked: str, name: str) -> None:
    assert name_of(asked) == name
