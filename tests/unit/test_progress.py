from typing import Any

from shared.contract import STAGES
from shared.store.progress import stage_progress

PAGES = 10


def pages(done: int, failed: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"done": done, "failed": list(failed), "seconds": 1.0}


def states(done: tuple[str, ...], running: str | None = None, at: float = 0.0) -> dict[str, Any]:
    found: dict[str, Any] = {name: {"status": "done", "seconds": 1.0, "at": 1.0} for name in done}
    return found | ({running: {"status": "running", "seconds": None, "at": at}} if running else {})


def test_nothing_is_estimated_before_the_first_page() -> None:
    stages, eta = stage_progress(states((), "register"), {}, None, 1.0)
    assert eta is None
    assert [stage.status for stage in stages][:2] == ["running", "queued"]


def test_a_mapped_stage_is_done_when_every_page_is_done_or_failed() -> None:
    stages, _ = stage_progress(states(("register",)), {"render": pages(9, (4,)), "parse": pages(3)}, PAGES, 5.0)
    by_name = {stage.name: stage for stage in stages}
    assert (by_name["render"].status, by_name["render"].pages_failed) == ("done", [4])
    assert (by_name["parse"].status, by_name["parse"].pages_done) == ("running", 3)


def test_while_a_stage_without_pages_runs_the_estimate_counts_down() -> None:
    mapped = {stage.name: pages(PAGES) for stage in STAGES if stage.mapped}
    now = states(("register", "finalize"), "embed", at=11.0)
    estimates = [stage_progress(now, mapped, PAGES, age)[1] or 0.0 for age in (11.0, 13.0, 16.0)]
    assert estimates == sorted(estimates, reverse=True)
    assert estimates[0] - estimates[2] == 5.0


def test_a_stage_that_says_its_share_is_estimated_by_its_own_rate() -> None:
    # Embedding takes far longer than assumed: 2 s before it, 100 s in it.
    mapped = {stage.name: pages(PAGES) for stage in STAGES if stage.mapped}
    for share in (0.1, 0.5, 0.9):
        now = states(("register", "finalize"))
        now["embed"] = {"status": "running", "seconds": 100 * share, "share": share, "at": 2 + 100 * share}
        told = stage_progress(now, mapped, PAGES, 2 + 100 * share)[1] or 0.0
        assert abs(told - 100 * (1 - share)) <= 100 * (1 - share) / 3
        # What has passed since it was told is behind us.
        assert (stage_progress(now, mapped, PAGES, 3 + 100 * share)[1] or 0.0) == max(1.0, told - 1)
