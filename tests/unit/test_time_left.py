"""The time left is told from earlier runs, and by what a run has shown itself."""

from dataclasses import replace
from typing import Any

import pytest

from shared.store.time_left import FIRST, FIRST_SPREAD, FormerRun, Progress, mapped_seconds, seconds_left

PAGES = 100
# Seconds of work per page, of embed per chunk; two workers at once.
TEXT = {"render": 0.2, "parse": 0.1, "extract": 0.1, "finalize": 0.1, "embed": 0.05, "publish": 0.0}
SCAN = {**TEXT, "parse": 8.0}
CHUNKS = 10
MAPPED = ("render", "parse", "extract")


def former(rates: dict[str, float], bytes_per_page: int, pages: int = 200) -> FormerRun:
    work = {name: rate * pages * (CHUNKS if name == "embed" else 1) for name, rate in rates.items()}
    mapped = sum(work[name] for name in MAPPED) / 2
    return FormerRun(pages, CHUNKS * pages, bytes_per_page * pages, work, mapped)


def running(rates: dict[str, float], bytes_per_page: int, **done: int) -> Progress:
    """So many pages of the mapped stages are done; register took a second."""
    page_states = {n: {"done": d, "failed": [], "seconds": d * rates[n]} for n, d in done.items()}
    age = 1 + sum(state["seconds"] for state in page_states.values()) / 2
    return Progress({"register": {"status": "done", "at": 1.0}}, page_states, age, PAGES, bytes_per_page * PAGES, 0)


def whole(rates: dict[str, float]) -> float:
    """What follows register."""
    return PAGES * (sum(rates[n] for n in MAPPED) / 2 + rates["finalize"] + CHUNKS * rates["embed"])


def told(run: Progress, *runs: FormerRun) -> float:
    left = seconds_left(run, runs)
    assert left is not None
    return left


def test_nothing_is_told_before_the_pages_are_known() -> None:
    assert seconds_left(Progress({}, {}, 1.0, 0, 0, 0), []) is None
    assert seconds_left(Progress({"register": {"status": "running"}}, {}, 1.0, 10, 100, 0), []) is None


def test_before_its_first_page_a_run_is_told_by_former_ones_of_its_kind() -> None:
    runs = (former(TEXT, 5_000), former(SCAN, 300_000))
    for rates, size in ((TEXT, 6_000), (SCAN, 250_000)):
        one = tuple(run for run in runs if (run.size / run.pages > 100_000) == (rates is SCAN)) * 5
        assert told(running(rates, size), *one, *runs) == pytest.approx(whole(rates), rel=0.2)


def test_without_any_former_run_there_is_a_first_guess() -> None:
    guess = PAGES * (FIRST_SPREAD * sum(FIRST[n] for n in MAPPED) + FIRST["finalize"] + 12 * FIRST["embed"])
    assert told(running(TEXT, 5_000)) == pytest.approx(guess, rel=0.01)


@pytest.mark.parametrize(("rates", "done"), [(TEXT, {"render": 60}), (SCAN, {"render": 100, "parse": 10})])
def test_after_a_tenth_it_is_right_within_a_third_though_former_runs_were_of_another_kind(
    rates: dict[str, float], done: dict[str, int]
) -> None:
    run = running(rates, 100_000, **done)
    left = whole(rates) - (run.age_s - 1)
    assert told(run, *[former(TEXT, 5_000)] * 5) == pytest.approx(left, rel=1 / 3)


def test_a_run_that_has_one_worker_of_two_takes_longer() -> None:
    run = running(TEXT, 5_000, render=100, parse=50)
    alone = replace(run, age_s=1 + 2 * (run.age_s - 1))
    runs = [former(TEXT, 5_000)] * 5
    mapped = (50 * 0.1 + 100 * 0.1) / 2
    assert told(alone, *runs) - told(run, *runs) == pytest.approx(mapped, rel=0.25)


def test_a_page_that_takes_long_does_not_make_all_others_long() -> None:
    run = running(TEXT, 5_000, render=100, parse=50)
    runs = [former(TEXT, 5_000)] * 5
    estimates = [told(replace(run, age_s=run.age_s + waited), *runs) for waited in (20, 40, 80)]
    assert max(estimates) < 1.1 * min(estimates)


def test_a_slow_machine_is_known_by_its_pages_before_the_stages_without_pages_begin() -> None:
    slow = {name: 3 * rate for name, rate in TEXT.items()}
    run = running(slow, 5_000, render=100)
    assert told(run, *[former(TEXT, 5_000)] * 5) == pytest.approx(whole(slow) - (run.age_s - 1), rel=1 / 3)


def test_pages_that_failed_are_not_waited_for() -> None:
    run = running(TEXT, 5_000, render=60)
    states: dict[str, Any] = {"render": {**run.page_states["render"], "failed": list(range(61, 101))}}
    runs = [former(TEXT, 5_000)] * 5
    assert told(replace(run, page_states=states), *runs) < told(run, *runs)


def after_pages(**states: Any) -> Progress:
    run = running(TEXT, 5_000, render=PAGES, parse=PAGES, extract=PAGES)
    return replace(run, states={**run.states, **states})


def test_a_stage_without_pages_counts_down_and_never_to_nothing() -> None:
    runs = [former(TEXT, 5_000)] * 5
    embedding = after_pages(finalize={"status": "done", "at": 40.0}, embed={"status": "running", "at": 40.0})
    estimates = [told(replace(embedding, age_s=age, chunks=1000), *runs) for age in (40.0, 50.0, 1000.0)]
    assert estimates[0] == pytest.approx(50, rel=0.1)
    assert estimates[0] - estimates[1] == pytest.approx(10)
    assert estimates[2] > 1


def test_stored_chunks_are_counted_not_guessed() -> None:
    runs = [former(TEXT, 5_000)] * 5
    embedding = after_pages(finalize={"status": "done", "at": 40.0}, embed={"status": "running", "at": 40.0})
    few, many = (told(replace(embedding, age_s=40.0, chunks=chunks), *runs) for chunks in (500, 4000))
    assert many == pytest.approx(8 * few, rel=0.1)


def test_a_stage_that_says_its_share_is_told_by_its_own_rate() -> None:
    runs = [former(TEXT, 5_000)] * 5
    for share in (0.2, 0.5, 0.9):
        embed = {"status": "running", "share": share, "seconds": 200 * share, "at": 40 + 200 * share}
        run = replace(after_pages(finalize={"status": "done", "at": 40.0}, embed=embed), chunks=1000)
        left = told(replace(run, age_s=40 + 200 * share), *runs)
        assert left == pytest.approx(200 * (1 - share), rel=1 / 3)
        assert told(replace(run, age_s=43 + 200 * share), *runs) == pytest.approx(max(1.0, left - 3))


def test_how_long_the_pages_of_an_ended_run_took_together() -> None:
    states = {"register": {"at": 2.0}, "finalize": {"at": 30.0, "seconds": 8.0}}
    assert mapped_seconds(states) == 20.0
    assert mapped_seconds({"register": {"at": 2.0}}) is None
