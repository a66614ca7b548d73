"""Computes the progress of an ingestion from its stored state: per stage, and the time left."""

from typing import Any, cast

from shared.contract import STAGES, Stage
from shared.domain.inspect import StageProgress, StageStatus

# Share of each stage in the time of an ordinary document on one machine (a rule book of 28 pages, two workers); used
# only to estimate the time of stages that have not begun.
SHARES = {"register": 1, "render": 6, "parse": 2, "extract": 2, "finalize": 4, "embed": 45, "publish": 1}


def stage_progress(
    states: dict[str, Any], page_states: dict[str, Any], page_count: int | None, age_s: float
) -> tuple[list[StageProgress], float | None]:
    """Returns (all stages in order, seconds left at the present speed or None before the first pages are done).

    A page that failed in an earlier stage never reaches the later ones, so a mapped stage may end below its total.
    """
    stages = [
        _progress(stage, states.get(stage.name), page_states.get(stage.name), page_count or 0) for stage in STAGES
    ]
    done = sum(SHARES[stage.name] * _share(stage) for stage in stages)
    left = sum(SHARES.values()) - done
    if not page_count or done <= SHARES["register"] or left <= 0:
        return stages, None
    running = next((s.name for s in stages if s.status == "running" and s.name in states), None)
    state = states[running] if running else {}
    # A stage that counts no pages shows no progress until its end, so its time so far is subtracted from the estimate.
    told = float(state["at"]) if state.get("at") is not None else age_s
    if running and state.get("share"):
        own, seconds = float(state["share"]), float(state["seconds"])
        before = told - seconds
        later = before * (left - SHARES[running]) / done
        return stages, max(1.0, seconds * (1 - own) / own + later - (age_s - told))
    return stages, max(1.0, told * left / done - (age_s - told))


def _progress(stage: Stage, state: dict[str, Any] | None, pages: dict[str, Any] | None, total: int) -> StageProgress:
    if stage.mapped:
        return _mapped_progress(stage, pages or {}, total)
    status = cast(StageStatus, (state or {}).get("status", "queued"))
    return StageProgress(name=stage.name, status=status, seconds=(state or {}).get("seconds"))


def _mapped_progress(stage: Stage, pages: dict[str, Any], total: int) -> StageProgress:
    done, failed = int(pages.get("done", 0)), list[int](pages.get("failed", []))
    finished = total > 0 and done + len(failed) >= total
    status: StageStatus = "done" if finished else "running" if done + len(failed) else "queued"
    return StageProgress(
        name=stage.name,
        status=status,
        seconds=pages.get("seconds"),
        pages_done=done,
        pages_total=total,
        pages_failed=failed,
    )


def _share(stage: StageProgress) -> float:
    if stage.status == "done":
        return 1.0
    return stage.pages_done / stage.pages_total if stage.pages_total else 0.0
