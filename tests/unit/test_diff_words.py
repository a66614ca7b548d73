import pytest

from shared.library.diff_sections import measure
from shared.library.diff_words import flags_of, strip_address, word_runs, words


def flags(before: str, after: str) -> list[str]:
    return list(flags_of(measure(before), measure(after)))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("The crew counts 8 sailors.", "The crew counts 9 sailors.", ["numbers"]),
        ("The crew counts eight sailors.", "The crew counts 8 sailors.", []),
        ("The mast is 5 mm thick.", "The mast is 5 cm thick.", ["numbers", "units"]),
        ("The race lasts 2 h.", "The race lasts 120 min.", []),
        ("Boats must carry a horn.", "Boats should carry a horn.", ["modality"]),
        ("Boats shall carry a horn.", "Boats must carry a horn.", []),
        ("Boats SHALL carry a horn.", "Boats shall carry a horn.", ["modality"]),
        ("Boats may be towed.", "Boats may not be towed.", ["negation"]),
        ("It weighs at least as much.", "It weighs at most as much.", ["limits"]),
        ("See section 4.2 of the rules.", "See section 5.3 of the rules.", []),
        ("The mast is of wood.", "The mast consists of wood.", []),
    ],
)
def test_what_rules_turn_on_is_flagged_and_spelling_is_not(before: str, after: str, expected: list[str]) -> None:
    assert flags(before, after) == expected


def test_line_ends_quotes_and_dashes_are_no_difference() -> None:
    assert words("the “main” sail\nof the cata-\nmaran – red") == words('the "main" sail of the catamaran - red')
    assert words("back-channel") == words("back‑channel")
    assert words("the Boat") != words("the boat")


def test_runs_give_both_passages_back() -> None:
    before, after = "The mast of the boat is at most 9 m long.", "The mast of a boat is at most 10 m long, or 11 m."
    runs = word_runs(before, after)
    assert "".join(r.text for r in runs if r.op != "added").split() == before.split()
    assert "".join(r.text for r in runs if r.op != "removed").split() == after.split()
    assert {r.op for r in runs} == {"equal", "removed", "added"}


def test_a_passage_that_came_or_went_is_one_run() -> None:
    assert [(r.op, r.text) for r in word_runs("", "New rule.")] == [("added", "New rule.")]
    assert [(r.op, r.text) for r in word_runs("Old rule.", "")] == [("removed", "Old rule.")]
    assert word_runs("", "") == []


def test_the_number_of_its_own_section_is_no_part_of_a_passage() -> None:
    assert strip_address("C2.1 The wing is red.", "C2.1") == "The wing is red."
    assert strip_address("2.1.1 | Verify it. | 2", "2.1.1") == "Verify it. | 2"
    assert strip_address("The wing is red.", "C2.1") == "The wing is red."
