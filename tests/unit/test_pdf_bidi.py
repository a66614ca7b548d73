from typing import Any

import pytest

from shared.readers.pdf.bidi import reading_order_of


def painted(visual: str) -> list[dict[str, Any]]:
    return [{"text": c, "bbox": (10.0 * n, 0.0, 10.0 * n + 10, 10.0)} for n, c in enumerate(visual)]


def read(characters: list[dict[str, Any]], rtl: bool = True) -> str:
    return "".join(one["text"] for one in reading_order_of(characters, rtl))


@pytest.mark.parametrize(
    ("visual", "logical"),
    [
        ("םלוע םולש", "שלום עולם"),
        ("Python 3 השדח", "חדשה Python 3"),
        ("12.5 ןיב", "בין 12.5"),
        ("50% החנה", "הנחה 50%"),
        (".רבד ףוס", "סוף דבר."),
        ("(2024) תנש", "שנת )2024("),
        ("%50 ةبسن", "نسبة 50%"),
        ("2026 - 2024 نيب", "بين 2024 - 2026"),
        ("https://a.b/c האר", "ראה https://a.b/c"),
    ],
)
def test_a_right_to_left_line_is_read_from_the_right_with_numbers_and_latin_words_intact(
    visual: str, logical: str
) -> None:
    assert read(painted(visual)) == logical
    assert read(list(reversed(painted(visual)))) == logical


def test_hebrew_words_inside_an_english_line_are_turned_round_alone() -> None:
    assert read(painted("say םולש twice"), rtl=False) == "say שלום twice"


def test_the_parts_of_a_ligature_keep_the_order_of_the_word_however_the_library_gave_them() -> None:
    lam, alef = {"text": "ل", "bbox": (20.0, 0, 30.0, 10)}, {"text": "أ", "bbox": (30.0, 0, 30.0, 10)}
    first, last = {"text": "ا", "bbox": (29.9, 0, 40.0, 10)}, {"text": "ن", "bbox": (10.0, 0, 20.0, 10)}
    assert read([first, alef, lam, last]) == read([first, lam, alef, last]) == "الأن"


def test_a_mark_stays_on_the_letter_before_it() -> None:
    letters = [{"text": c, "bbox": box} for c, box in (
        ("ض", (20.0, 0, 30.0, 9)), ("\u064b", (20.0, 0, 20.0, 9)), ("ا", (10.0, 0, 20.0, 9)),
    )]  # fmt: skip
    assert read(letters) == "ض\u064bا"


def test_a_stray_blank_at_the_end_of_the_line_does_not_divide_a_word() -> None:
    mem, nun, blank = ({"text": "מ", "bbox": (30.0, 0, 40.0, 9)}, {"text": "ן", "bbox": (20.0, 0, 30.0, 9)},
                       {"text": " ", "bbox": (10.0, 0, 20.0, 9)})  # fmt: skip
    assert read([mem, blank, nun]) == "מן "


def test_a_glyph_that_stands_for_a_whole_phrase_keeps_the_order_of_the_file() -> None:
    phrase = [{"text": c, "bbox": (20.0 - 10 * (n == 0), 0, 20.0, 9)} for n, c in enumerate("abc של")]
    assert read(phrase) == "abc של"
