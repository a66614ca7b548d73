"""A statement says what something is where that is its subject."""

import pytest

from shared.answering.defining import defines


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("a partial index", "A partial index is an index over a subset of the rows."),
        ("type affinity", "The type affinity of a column is the recommended type."),
        ("SQLite", "SQLite (the library) is a database engine."),
        ("copay", "Copay means the share that a member pays."),
        ("sessions", "Sessions are what a client opens."),
        ("the default page size", "The default page size is 4096 bytes."),
        ("Q", "7. Q is half of the number of voters."),
        ("the foundation documents", "(b) The Foundation Documents are the two works below."),
    ],
)
def test_a_subject_that_is_asked_for_is_defined(term: str, text: str) -> None:
    assert defines(term)(text)


def test_the_name_itself_is_told_from_another_form_of_it() -> None:
    says = defines("the Foundation Documents")
    assert [says(f"{name} are the two below.") for name in ("The foundation documents", "A Foundation Document")] == [
        2,
        1,
    ]


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("the default page size", "The default page size is recommended for most uses."),
        ("the page size", "The default page size is 4096 bytes."),
        ("a partial index", "An index is a copy of a part of a table."),
        ("a session", "It is not known what is called a whole session."),
        ("a wal", "A wal is transient."),
        ("Ada", "Ada was the first to write a program."),
        ("", " is a thing."),
        ("the the", "The is a word."),
    ],
)
def test_another_subject_and_how_something_fares_define_nothing(term: str, text: str) -> None:
    assert not defines(term)(text)
