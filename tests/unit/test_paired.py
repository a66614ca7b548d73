"""Things that a question names together."""

import pytest

from shared.answering.paired import named_together


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("What is the limit of class S and class E?", ["S", "E"]),
        ("What are the limits of A, B and C?", ["A", "B", "C"]),
        ("What are the boiling points of bromine and the iodine?", ["bromine", "iodine"]),
        ("What do -c and -n of escputil do?", ["-c", "-n"]),
        ("Who won silver and who won bronze in 2012?", ["silver", "bronze"]),
        ("What do rule 3.2 and rule 3.6 say?", ["3.2", "3.6"]),
        ("What is a land?", []),
        ("What does it do and?", []),
    ],
)
def test_things_are_named_with_and(question: str, things: list[str]) -> None:
    assert named_together(question) == things
