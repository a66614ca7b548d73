"""Computes the progress of an ingestion from its stored state: per stage, and the time left."""

from typing import Any, cast

from shared.contract import STAGES, Stage
from shared.domain.inspect import StageProgress, StageStatus

# Share of each stage in the time of an ordinary document on one machine (between a rule book of 28 pages and a standard
# of 71, two workers); used only to estimate the time of stages that have not begun.
SHARES = {"register": 1, "render": 18, "parse": 5, "extract": 4, "finalize": 6, "embed": 48, "publish": 1}


def stage_progress(
    states: dict[str, Any], page_states: dict[str, Any], page_count: int | None, age_s: float
) -> tuple[list[StageProgress], float | None]:
    """Returns (all stages in order, seconds left at the present speed or None before the first pages are done).

    A page that failed in an earlier stage never reaches the later ones, so a mapped stage may end below its total.
    """
    stages = [
        _progress(stage, states.get(stage.name), page_states.get(stage.name), page_count or 0) for stage in STAGES
    ]
    # The rate is that of the pages: how long a file was sent, queued and opened says nothing of them.
    registered = float(states.get("register", {}).get("at") or 0.0)
    done = sum(SHARES[stage.name] * _share(stage) for stage in stages[1:])
    left = sum(SHARES.values()) - SHARES["register"] - done
    if not page_count or done <= 0 or left <= 0:
        return stages, None
    running = next((s.name for s in stages if s.status == "running" and s.name in states), None)
    state = states[running] if running else {}
    # A stage that counts no pages shows no progress until its end, so its time so far is subtracted from the estimate.
    told = float(state["at"]) if state.get("at") is not None else age_s
    if running and state.get("share"):
        own, seconds = float(state["share"]), float(state["seconds"])
        before = max(0.0, told - seconds - registered)
        later = before * (left - SHARES[running]) / done
        return stages, max(1.0, seconds * (1 - own) / own + later - (age_s - told))
    return stages, max(1.0, (told - registered) * left / done - (age_s - told))


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
