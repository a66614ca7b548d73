"""Progress of an ingestion from its stored state: per stage, and the time left."""

from typing import Any, cast

from shared.contract import STAGES, Stage
from shared.domain.inspect import StageProgress, StageStatus


def stage_progress(
    states: dict[str, Any], page_states: dict[str, Any], page_count: int | None, age_s: float
) -> tuple[list[StageProgress], float | None]:
    """All stages in order, and seconds left by the share of work done so far (None before the first page is through).

    The share counts a mapped stage by its pages and any other stage as one. A page that failed in an earlier stage
    never reaches the later ones, so a mapped stage may end below its total.
    """
    total_pages = page_count or 0
    stages = [_progress(stage, states.get(stage.name), page_states.get(stage.name), total_pages) for stage in STAGES]
    shares = [_share(stage) for stage in stages]
    done = sum(shares)
    if not page_count or done < 1.5 or done >= len(shares):
        return stages, None
    return stages, age_s * (len(shares) - done) / done


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
