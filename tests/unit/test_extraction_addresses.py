import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.extraction.addresses import aliases, is_below, normalise, printed_address


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
    ],
)
def test_an_address_at_the_start_of_a_line_is_found(text: str, address: str) -> None:
    found = printed_address(text)
    assert found is not None
    assert found[0] == address


@pytest.mark.parametrize("text", ["2022 was a good year", "The wing", "", "1,250 units", "3.5mm bolts", "12kg"])
def test_years_words_and_measures_are_no_addresses(text: str) -> None:
    assert printed_address(text) is None


def test_a_row_number_answers_with_the_letters_of_its_chapter() -> None:
    assert "v5.3.1" in aliases("5.3.1", ["V5", "V5.3"])
    assert "5.3.1" in aliases("V5.3.1")


def test_a_number_below_another_scheme_gets_no_foreign_letters() -> None:
    assert aliases("5.3.1", ["C7"]) == []


def test_descent_compares_whole_components() -> None:
    assert is_below("C7.6.2", "C7.6")
    assert not is_below("C7.60", "C7.6")
    assert not is_below("C7.6", "C7.6")
