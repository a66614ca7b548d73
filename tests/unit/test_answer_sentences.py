"""Sentences are verbatim slices, and so are statements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.answering.sentences import split_items, split_row, split_sentences
from shared.answering.statements import slices_of
from shared.domain.geometry import Marker, TextBox
from tests.unit.test_answer_evidence import hit


@pytest.mark.parametrize(
    ("content", "sentences"),
    [
        ("The wing is wide. It must not flex!", ["The wing is wide.", "It must not flex!"]),
        ("See Fig. 3 and No. 12 for e.g. The wing.", ["See Fig. 3 and No. 12 for e.g. The wing."]),
        (
            "Der Keller hat Nr. 7. Siehe Abs. 2 und z. B. Anlage 3.",
            ["Der Keller hat Nr. 7. Siehe Abs. 2 und z. B. Anlage 3."],
        ),
        ("It weighs 1.5 kg. Dr. Ada agrees.", ["It weighs 1.5 kg.", "Dr. Ada agrees."]),
        ("It is of class A12. The wing is wide.", ["It is of class A12.", "The wing is wide."]),
        ("See page 12. The wing is wide.", ["See page 12. The wing is wide."]),
        (
            "Smith et al. (1992) did (Abt et al. 2011; Noll et al., 2012). We follow Smith et al. The rest is ours.",
            [
                "Smith et al. (1992) did (Abt et al. 2011; Noll et al., 2012).",
                "We follow Smith et al.",
                "The rest is ours.",
            ],
        ),
        ("1. First rule. 2. Second rule.", ["1. First rule.", "2. Second rule."]),
        (
            "It is off. * **wait** `ms` - Default: 2. - Mind it.",
            ["It is off.", "* **wait** `ms` - Default: 2. - Mind it."],
        ),
        ("It is off. + Mind it. - Or not!", ["It is off.", "+ Mind it.", "- Or not!"]),
        ("", []),
        ("no stop at all", ["no stop at all"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(content: str, sentences: list[str]) -> None:
    assert split_sentences(content) == sentences


@given(st.text(alphabet="ab A.!?\n•1\"'", max_size=200))
def test_every_sentence_is_a_slice_and_nothing_is_lost(content: str) -> None:
    sentences = split_sentences(content)
    place = 0
    for sentence in sentences:
        place = content.index(sentence, place) + len(sentence)
    assert "".join("".join(sentences).split()) == "".join(content.split())


@pytest.mark.parametrize(
    ("content", "items"),
    [
        (
            "- The wing is wide now - Fix the seat on wet days #61 - Drop it",
            ["- The wing is wide now", "- Fix the seat on wet days #61", "- Drop it"],
        ),
        ("* **wing** - how wide it is * **seat** - where", ["* **wing** - how wide it is", "* **seat** - where"]),
        ("- `wing` - how wide it is", ["- `wing` - how wide it is"]),
        ("9. The wing is wide 3. or so 10. The seat", ["9. The wing is wide 3. or so", "10. The seat"]),
        ("- No mark of numbers is 1. one here", ["- No mark of numbers is 1. one here"]),
        ("+ The wing is as wide - or not", ["+ The wing is as wide - or not"]),
        ("The wing is very wide - and high", ["The wing is very wide - and high"]),
        ("", [""]),
    ],
)
def test_the_items_of_a_list_end_where_the_next_begins(content: str, items: list[str]) -> None:
    assert split_items(content) == items


@given(st.text(alphabet="ab -*.12\n", max_size=200))
def test_every_item_is_a_slice_and_nothing_is_lost(content: str) -> None:
    place = 0
    for item in split_items(content):
        place = content.index(item, place) + len(item)
    assert "".join("".join(split_items(content)).split()) == "".join(content.split())


@pytest.mark.parametrize(
    ("row", "statements"),
    [
        (
            "13.3.1 | Verify that a vault is used. Keys are rotated. | 2",
            ["Verify that a vault is used.", "Keys are rotated."],
        ),
        ("TF-7 | scroll | oil-free | 10 | 7.5 | 3 weeks", ["TF-7 | scroll | oil-free | 10 | 7.5 | 3 weeks"]),
        ("R-270 | Air receiver, 270 litres, galvanised | 780", ["R-270 | Air receiver, 270 litres, galvanised | 780"]),
    ],
)
def test_a_row_that_holds_sentences_is_told_by_them_and_one_of_values_whole(row: str, statements: list[str]) -> None:
    assert split_row(row) == statements
    assert all(statement in row for statement in statements)


@pytest.mark.parametrize(
    ("content", "items", "told"),
    [
        # Marks stand beside the text, at the characters where items begin.
        ("PDF HTML a whole book of mails", ["PDF", "HTML", "a whole book of mails"], ["a whole book of mails"]),
        ("one PDF two HTML a book of mails", ["one PDF", "two HTML", "a book of mails"],
         ["one PDF two HTML", "a book of mails"]),
        ("one PDF a book of mails two", ["one PDF", "a book of mails", "two"], ["a book of mails"]),
        ("of five words the first of five words another", ["of five words the first", "of five words another"],
         ["of five words the first", "of five words another"]),
    ],
)  # fmt: skip
def test_items_are_statements_and_short_ones_that_follow_each_other_one(
    content: str, items: list[str], told: list[str]
) -> None:
    one = hit(content)
    starts = [content.index(item) for item in items]
    box = TextBox(start=0, end=len(content), markers=tuple(Marker(text="\u2022", at=at) for at in starts))
    one = one.model_copy(update={"chunk": one.chunk.model_copy(update={"boxes": [box], "chunk_type": "list"})})
    assert [found.text for found in slices_of(one, "")] == told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("Updated: 2026-06-18", ["Updated: 2026-06-18"]),
        ("QUIT   Exit program", ["QUIT   Exit program"]),
        ("QUIT\tExit", ["QUIT\tExit"]),
        # Nothing stands behind it, or no word, and what is no field says nothing.
        ("Options:", []),
        ("XFOIL  c>", []),
        ("Purchasing Manager", []),
        ("Last updated today", []),
        ("http://example.com", []),
        ("Is it on? Note: off.", []),
        # A field within a passage is no passage.
        ("It is kept here. Note: short.", ["It is kept here. Note: short."]),
    ],
)
def test_a_passage_that_is_a_field_is_a_statement_however_short(content: str, told: list[str]) -> None:
    assert [found.text for found in slices_of(hit(content), "")] == told
