import threading
from collections.abc import Iterator

import pytest

from shared.archive.transfers import AT_ONCE, in_order


def test_results_are_in_the_order_of_items_whichever_is_done_first() -> None:
    first_may_end = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert first_may_end.wait(60)
        elif item == AT_ONCE - 1:
            first_may_end.set()
        return item * 10

    assert list(in_order(work, range(30))) == [item * 10 for item in range(30)]


def test_no_more_items_are_taken_than_may_be_under_way() -> None:
    taken = list[int]()

    def items() -> Iterator[int]:
        for item in range(100):
            taken.append(item)
            yield item

    done = in_order(lambda item: item, items())
    for received in range(20):
        assert next(done) == received
        assert len(taken) <= received + 1 + AT_ONCE
    done.close()


def test_an_error_is_raised_when_nothing_is_under_way_and_nothing_more_is_begun() -> None:
    begun, ended, others_wait = list[int](), list[int](), threading.Event()

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            others_wait.set()
            raise ValueError("the first one")
        assert others_wait.wait(60)
        ended.append(item)

    with pytest.raises(ValueError, match="the first one"):
        list(in_order(work, range(1000)))
    assert sorted(begun) == sorted([0, *ended])
    assert len(begun) <= 2 * AT_ONCE
