"""Things that a question names together."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shared.answering.evidence import Sentence
from shared.answering.paired import named_together, with_each_named
from shared.answering.question import Question
from shared.answering.rows import AnsweringCell
from tests.unit.test_quoting import said


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("What is the limit of class S and class E?", ["S", "E"]),
        ("What are the limits of A, B and C?", ["A", "B", "C"]),
        ("What are the boiling points of bromine and the iodine?", ["bromine", "iodine"]),
        ("What do -c and -n of escputil do?", ["-c", "-n"]),
        ("Who won silver and who won bronze in 2012?", ["silver", "bronze"]),
        ("What do rule 3.2 and rule 3.6 say?", ["3.2", "3.6"]),
        ("What are the limits of A, B, D, and C?", ["A", "B", "D", "C"]),
        ("In the north, who won gold and silver?", ["gold", "silver"]),
        ("What is a land?", []),
        ("What does it do and?", []),
    ],
)
def test_things_are_named_with_and(question: str, things: list[str]) -> None:
    assert named_together(question) == things


QUESTION = Question(np.zeros(64, dtype=np.float32), {"limit": 2.0, "speed": 1.0, "silver": 1.0, "gold": 1.0})


def told(text: str, terms: str, **more: Any) -> Sentence:
    return said(text, terms=frozenset(terms.split()), **more)


def chosen_of(first: Sentence, *others: Sentence) -> list[str]:
    found = with_each_named(QUESTION, ["silver", "gold"], [first, told("second", "limit")], [first, *others])
    return [one.text for one in found]


SILVER = told("first", "limit silver")


@pytest.mark.parametrize(
    ("other", "texts"),
    [
        (told("gold", "limit gold"), ["first", "gold", "second"]),
        # It tells too little of the rest, is a row beside a sentence, or does not meet the limit.
        (told("gold", "speed gold"), ["first", "second"]),
        (told("gold", "limit gold", cells=(AnsweringCell("", "gold", False),)), ["first", "second"]),
        (told("gold", "limit gold", met=False), ["first", "second"]),
    ],
)
def test_the_best_statement_of_the_other_thing_is_quoted_second(other: Sentence, texts: list[str]) -> None:
    assert chosen_of(SILVER, other) == texts


def test_beside_a_statement_with_the_asked_value_only_such_is_quoted() -> None:
    first, other = (replace(one, values=((0, 1),)) for one in (SILVER, told("with", "limit gold")))
    assert chosen_of(first, told("none", "limit gold"), other)[1] == "with"


def test_where_the_first_tells_of_both_or_of_none_nothing_is_added() -> None:
    other = told("gold", "limit gold")
    assert chosen_of(told("first", "limit silver gold"), other) == ["first", "second"]
    assert chosen_of(told("first", "limit"), other) == ["first", "second"]
