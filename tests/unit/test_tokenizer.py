"""Index terms: identifiers are found however they are written, words by their stem."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.lexical.tokenizer import TERM_LENGTH_MAX, TERM_SPACE, is_identifier, term_number, tokenize


def terms(text: str) -> set[str]:
    return set(tokenize(text).counts)


@pytest.mark.parametrize(
    ("written", "asked", "shared_term"),
    [
        ("C7.6.2", "c7.6.2", "c7.6.2"),
        ("C7.6.2", "7.6.2", "7.6.2"),
        ("V1.1.6 Verify that", "what does V1.1.6 say", "v1.1.6"),
        ("GA-37", "GA 37", "ga.37"),
        ("GA-37", "ga37", "ga.37"),
        ("SP 800-63B", "sp800-63b", "sp.800.63b"),
        ("NIST SP 800-63B", "800-63B", "800.63b"),
        ("AC-2(3)", "ac-2(3)", "ac.2.3"),
        ("see Table 3", "table 3", "table.3"),
        ("31.2 mm", "31.2", "31.2"),
        ("$1,250,000", "1250000", "1250000"),
        ("ISO/IEC 27001:2022", "ISO 27001", "27001"),
        ("CVE-2021-44228", "cve 2021-44228", "2021"),
        ("M12 \u00d7 1.25", "M12x1.25", "m12"),
        ("M12 \u00d7 1.25", "M12x1.25", "1.25"),
        ("1920x1080 dots", "1920 \u00d7 1080", "1920"),
        ("at 0x10", "0x10", "0x10"),
        ("at 0X10", "0x10", "0x10"),
        ("1.0x2.0 mm", "1.0 \u00d7 2.0", "2.0"),
        ("10X20X30", "10x20 \u00d7 30", "20"),
        ("AX12X34", "ax12x34", "ax12x34"),
        ("STM32F103X8", "stm32f103x8", "stm32f103x8"),
    ],
)
def test_an_identifier_is_found_however_it_is_written(written: str, asked: str, shared_term: str) -> None:
    assert shared_term in terms(written)
    assert shared_term in terms(asked)


@pytest.mark.parametrize(("one", "other"), [("C7.6.2", "C7.6.3"), ("GA-37", "GA-38"), ("AC-2(3)", "AC-2(4)")])
def test_the_whole_of_an_identifier_tells_it_from_its_neighbour(one: str, other: str) -> None:
    assert {t for t in terms(one) - terms(other) if is_identifier(t)}


def test_words_are_stemmed_and_stop_words_left_out() -> None:
    assert terms("The wings of the organisers' cars") == {"wing", "organis", "car"}


def test_a_word_with_the_number_of_a_note_is_found_by_the_word() -> None:
    assert terms("employees") < terms("Employees1")
    assert terms("employees") <= terms("employees\u00b9, of whom 12")
    assert terms("sales") <= terms("sales12")
    assert not terms("hash employees") & terms("hash1 sha256 employees2024 x86")
    assert len(terms("which1")) == 1
    assert tokenize("employees1").length == 1


def test_accents_width_and_case_do_not_count() -> None:
    assert terms("ＷＩＮＧ") == terms("wing")


def test_ideographs_give_overlapping_pairs() -> None:
    assert terms("幼學瓊林") == {"幼學", "學瓊", "瓊林"}


def test_length_counts_words_and_not_the_other_forms_of_an_identifier() -> None:
    assert tokenize("wing C7.6.2 width").length == 3


@given(st.text(max_size=300))
def test_any_text_gives_bounded_terms_the_same_every_time(text: str) -> None:
    found = tokenize(text)
    assert found == tokenize(text)
    assert all(0 < len(t) <= TERM_LENGTH_MAX and 0 <= term_number(t) < TERM_SPACE for t in found.counts)
    assert found.length <= sum(found.counts.values())
