"""Identifiers: of version 7, and in the order in which they were made."""

import time
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from shared.domain.ids import new_id


def made(count: int) -> list[UUID]:
    return [new_id() for _ in range(count)]


def test_ids_sort_by_when_they_were_made_also_within_a_millisecond() -> None:
    ids = made(5000)
    assert ids == sorted(set(ids))


def test_threads_share_no_id_and_each_has_its_own_in_order() -> None:
    with ThreadPoolExecutor(4) as pool:
        lists = list(pool.map(made, [2000] * 4))
    assert all(one == sorted(one) for one in lists)
    assert len({one for ids in lists for one in ids}) == 8000


def test_an_id_says_its_version_and_when_it_was_made() -> None:
    before = time.time_ns() // 1_000_000
    one = new_id()
    assert (one.version, one.variant) == (7, "specified in RFC 4122")
    assert before <= one.int >> 80 <= time.time_ns() // 1_000_000 + 1


def test_ids_stay_in_order_where_the_clock_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    first = new_id()
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    second = new_id()
    assert second > first
    assert second.int >> 80 <= (first.int >> 80) + 1
    assert (second.int ^ new_id().int) & (1 << 62) - 1
