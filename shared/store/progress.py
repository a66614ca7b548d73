"""Computes the progress of an ingestion, per stage, from its stored state."""

from typing import Any, cast

from shared.contract import STAGES, Stage
from shared.domain.inspect import StageProgress, StageStatus


def stage_progress(states: dict[str, Any], page_states: dict[str, Any], page_count: int | None) -> list[StageProgress]:
    """Returns all stages in order. A page that failed in an earlier stage never reaches the later ones, so a mapped
    stage may end below its total."""
    return [_progress(stage, states.get(stage.name), page_states.get(stage.name), page_count or 0) for stage in STAGES]


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
