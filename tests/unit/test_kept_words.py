import random
import string

import pytest

from shared.domain.kept_rows import KeptBlock
from shared.lexical.kept_words import (
    ASKED_MAX,
    FEW_ROWS,
    LINE_BYTES,
    as_common,
    asked_words,
    filter_of,
    make_filter,
    may_stand_in,
    number_of,
    words_in,
)


def line_of(made: bytes, word: str) -> int:
    return number_of(word) % (len(made) // LINE_BYTES)


def may_have(made: bytes, word: str, line: int | None = None) -> bool:
    """As a search asks it: of one line alone."""
    at = (line_of(made, word) if line is None else line) * LINE_BYTES
    return may_stand_in(word, made[at : at + LINE_BYTES])


def drawn(count: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return list({"".join(draw.choices(string.ascii_lowercase + string.digits, k=9)) for _ in range(count)})


def test_a_filter_has_all_its_words_and_hardly_another() -> None:
    words, others = drawn(20_000, 1), set(drawn(200_000, 2))
    made = make_filter(words)
    assert len(made) % LINE_BYTES == 0
    assert len(made) * 8 / len(words) == pytest.approx(24, abs=0.2)
    assert all(may_have(made, word) for word in words)
    # One in 70,000 would be three.
    assert sum(may_have(made, word) for word in others - set(words)) < 20


def test_a_block_without_words_has_a_filter_of_a_line() -> None:
    made = filter_of([["–", ""]])
    assert made == bytes(LINE_BYTES)
    assert not may_have(made, "zug")


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("ORD-0000017", "ord0000017"),
        ("ORD0000017", "ORD-0000017"),
        ("ORD-0000017", "0000017"),
        ("A/4711.B", "a 4711 b"),
        ("Straße nach Lamu", "STRASSE"),
        ("\uff35\uff32\uff2c 7", "url"),
        ("12\u201134", "12-34"),
        ("1,234", "1234"),
        ("1234", "1,234"),
        ("CHF 1'234'500.75", "1234500.75"),
        ("1\u202f234 kg", "1234"),
        ("1.234,50", "1234,50"),
        ("1,234.50", "1234.50"),
        ("0000017", "17"),
        ("ORD-0000017", "17"),
        ("anna.berg@example.org", "anna.berg@example.org"),
    ],
)
def test_a_word_is_found_as_it_is_written_elsewhere(written: str, query: str) -> None:
    made = filter_of([["before"], [written]])
    asked = asked_words(query)
    assert all(may_have(made, word) for word in asked)
    assert words_in(["x", written], asked) == asked


@pytest.mark.parametrize(
    ("written", "query"),
    [
        ("1,23", "123"),
        ("1,2345", "12345"),
        ("12,34,567", "1234567"),
        ("a1,234", "1234"),
        ("1 234", "1234"),
        ("170", "17"),
        ("0000", "0"),
        ("17", "0000017"),
        ("000017", "0000017"),
    ],
)
def test_another_number_is_not_found(written: str, query: str) -> None:
    (asked,) = asked_words(query)
    assert words_in([written], [asked]) == []
    assert not may_have(filter_of([[written], ["other"]]), asked)


def test_what_a_list_of_numbers_has_is_found_one_by_one() -> None:
    assert words_in(["100,200,300"], asked_words("200")) == ["200"]


def test_words_of_neighbouring_cells_are_not_one() -> None:
    assert words_in(["ord", "17"], ["ord17"]) == []
    assert not may_have(filter_of([["ord", "17"]]), "ord17")


def test_what_many_rows_have_is_said_to_be_common() -> None:
    towns = ("bern", "genf", "zug", "chur")
    made = filter_of([*([town] * (FEW_ROWS + 1) for town in towns[:3]), ["Chur"] * FEW_ROWS, drawn(5_000, 1)])
    # A search reads the line of the word itself, and no other.
    said = [may_have(made, as_common(town), line_of(made, town)) for town in towns]
    assert said == [True, True, True, False]


def test_a_question_asks_for_its_codes_first_and_not_for_its_function_words() -> None:
    assert asked_words("What is the total of order ORD-17?") == ["ord17", "total", "order"]
    assert asked_words("to be or not") == ["to", "be", "or", "not"]
    assert asked_words("?!") == []
    long = asked_words(" ".join(f"word{'x' * at}" for at in range(1, 40)) + " A-1")
    assert (len(long), long[0]) == (ASKED_MAX, "a1")


@pytest.mark.parametrize(
    "said", ["plain", 'a","b', '"],["', "\\", '\\","', "two\nlines", "", "é\u2028", '"]]}', ',"texts":[["']
)
def test_a_block_is_read_as_it_was_written(said: str) -> None:
    block = KeptBlock("Sheet 1", [1, 3], [7, 8, 10], [["a", said, ""], ["", "z", said]])
    assert KeptBlock.unpacked(block.packed()) == block
    assert KeptBlock.unpacked(block._replace(sheet=said).packed()) == block._replace(sheet=said)
