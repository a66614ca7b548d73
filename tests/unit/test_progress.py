from typing import Any

from shared.store.progress import stage_progress

PAGES = 10


def pages(done: int, failed: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"done": done, "failed": list(failed), "seconds": 1.0}


def test_before_the_pages_are_known_every_stage_waits() -> None:
    stages = stage_progress({"register": {"status": "running", "seconds": None, "at": 0.0}}, {}, None)
    assert [stage.status for stage in stages][:2] == ["running", "queued"]


def test_a_mapped_stage_is_done_when_every_page_is_done_or_failed() -> None:
    stages = stage_progress({}, {"render": pages(9, (4,)), "parse": pages(3)}, PAGES)
    by_name = {stage.name: stage for stage in stages}
    assert (by_name["render"].status, by_name["render"].pages_failed) == ("done", [4])
    assert (by_name["parse"].status, by_name["parse"].pages_done) == ("running", 3)
