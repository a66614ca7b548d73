"""What was computed a short while ago, within a bound."""

import pytest

from shared.lab.remembered import Remembered


def test_the_last_results_that_have_room_are_kept_and_those_asked_for_again_stay() -> None:
    remembered, made = Remembered(most=10), list[str]()

    def get(key: str | None, size: int) -> str:
        def make() -> str:
            made.append(str(key))
            return f"of {key}"

        return remembered.get(key, make, lambda _: size)

    assert [get("a", 4), get("b", 4), get("a", 4)] == ["of a", "of b", "of a"]
    assert made == ["a", "b"]
    get("c", 4)
    assert [get("a", 4), get("b", 4)] == ["of a", "of b"]
    assert made == ["a", "b", "c", "b"]
    get("larger than all", 11)
    get("larger than all", 11)
    assert made[4:] == ["larger than all"] * 2


def test_what_has_no_key_or_fails_is_made_each_time() -> None:
    remembered = Remembered()
    numbers = iter(range(9))
    assert [remembered.get(None, lambda: next(numbers), lambda _: 1) for _ in range(3)] == [0, 1, 2]

    def failing() -> int:
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            remembered.get("a", failing, lambda _: 1)
    assert remembered.get("a", lambda: 7, lambda _: 1) == 7
