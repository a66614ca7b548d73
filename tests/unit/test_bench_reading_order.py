import pytest

from tests.bench.reading_order import distance, kendall_tau, normalised, score


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [("kitten", "sitting", 3), ("", "abc", 3), ("same", "same", 0), ("flaw", "lawn", 2), ("a", "b", 1)],
)
def test_the_distance_is_levenshteins(a: str, b: str, edits: int) -> None:
    assert distance(a, b) == distance(b, a) == edits


def test_tau_is_one_in_order_and_minus_one_where_every_pair_of_runs_is_reversed() -> None:
    assert kendall_tau(["a", "b", "c", "d", "e", "f"], ["a", "b", "c", "d", "e", "f"]) == 1
    assert kendall_tau(["a", "b", "c", "d", "e", "f"], ["d", "e", "f", "a", "b", "c"]) == -1
    assert kendall_tau(["a"], ["a"]) is None


def test_markdown_and_divided_words_do_not_count_as_differences() -> None:
    assert normalised("## The inter-\nnational **rule**\n| a | b |\n| - | - |") == "The international rule a b"
    assert score("# One\n- two", "One\n\u2022 two") == {"edit": 1, "tokens": 1, "tau": None}
