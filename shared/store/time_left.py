"""The time that an ingestion still takes: from run times of earlier runs, corrected by what this one has shown.

Stages that run once per page are counted in seconds of work, then turned into time by how much work goes on at once.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shared.contract import STAGES

MAPPED = tuple(stage.name for stage in STAGES if stage.mapped)

# Where no run has ended yet: seconds per page, of `embed` per chunk, with the bundled embedder on two cores of an
# ordinary machine (rule books of 26 and 28 pages, a price list of 3, a standard of 120).
FIRST = {"render": 0.05, "parse": 0.03, "extract": 0.02, "finalize": 0.02, "embed": 0.01, "publish": 0.002}
FIRST_CHUNKS = 12.0  # per page
FIRST_SPREAD = 0.5  # seconds per second of work: two workers
# As many pages of former runs the values above count like.
FIRST_PAGES = 3.0
# So many of the former runs are taken: those whose pages have about as many bytes. Scans are slower, and larger.
NEAREST = 5

# What is expected counts like so many pages of this run, like such a part of its work, and of its embedding.
EXPECTED_PAGES = 0.5
EXPECTED_WORK = 0.1
EXPECTED_SHARE = 0.1
# How much of a difference in pace is the machine's (an exponent); the rest is the document's own.
OWN_PACE = 0.75
# A stage that takes longer than expected still takes this part of it.
LATE = 0.2


@dataclass(frozen=True)
class FormerRun:
    """A run that ended well: its pages, chunks and bytes, the seconds of its stages (work, not time), and how long the
    mapped stages took together."""

    pages: int
    chunks: int
    size: int
    seconds: Mapping[str, float]
    mapped_s: float


@dataclass(frozen=True)
class Rates:
    """Expected seconds of work per page, of `embed` per chunk; chunks per page; seconds of time per second of work."""

    seconds: Mapping[str, float]
    chunks: float
    spread: float


@dataclass(frozen=True)
class Progress:
    """What is known of a run: its stages' states and those of its pages as they are stored, its age in seconds, its
    pages and bytes; `chunks` once they are stored."""

    states: Mapping[str, Any]
    page_states: Mapping[str, Any]
    age_s: float
    pages: int
    size: int
    chunks: int


def expected_rates(former: Sequence[FormerRun], bytes_per_page: float) -> Rates:
    """From the runs whose pages are the most like these."""
    near = sorted(former, key=lambda run: abs(math.log((run.size + 1) / run.pages / (bytes_per_page + 1))))[:NEAREST]
    pages = sum(run.pages for run in near) + FIRST_PAGES
    chunks = sum(run.chunks for run in near) + FIRST_PAGES * FIRST_CHUNKS
    work = {name: sum(run.seconds.get(name, 0.0) for run in near) for name in FIRST}
    seconds = {name: (work[name] + FIRST_PAGES * FIRST[name]) / pages for name in FIRST}
    seconds["embed"] = (work["embed"] + FIRST_PAGES * FIRST_CHUNKS * FIRST["embed"]) / chunks
    first = FIRST_PAGES * sum(FIRST[name] for name in MAPPED)
    mapped = sum(work[name] for name in MAPPED) + first
    return Rates(seconds, chunks / pages, (sum(run.mapped_s for run in near) + first * FIRST_SPREAD) / mapped)


def mapped_seconds(states: Mapping[str, Any]) -> float | None:
    """How long the mapped stages of an ended run took together; None where their ends were not noted."""
    registered, finalize = states.get("register", {}).get("at"), states.get("finalize", {})
    if registered is None or finalize.get("at") is None or finalize.get("seconds") is None:
        return None
    return max(0.0, float(finalize["at"]) - float(finalize["seconds"]) - float(registered))


def seconds_left(run: Progress, former: Sequence[FormerRun]) -> float | None:
    """None before the pages are known; never less than a second."""
    if not run.pages or run.states.get("register", {}).get("at") is None:
        return None
    rates = expected_rates(former, run.size / run.pages)
    finalize, embed = (run.states.get(name, {}) for name in ("finalize", "embed"))
    pace = _pace(run, rates)
    chunks = run.chunks if finalize.get("status") == "done" and run.chunks else rates.chunks * run.pages
    left = rates.seconds["publish"]
    if not finalize:
        left += _mapped_left(run, rates)
    left += _stage_left(finalize, pace * rates.seconds["finalize"] * run.pages, run.age_s)
    left += _stage_left(embed, pace * rates.seconds["embed"] * chunks, run.age_s)
    return max(1.0, left)


def _pace(run: Progress, rates: Rates) -> float:
    """How much slower than expected this machine is now, by the stages whose work depends the least on what stands on a
    page."""
    own = expected = EXPECTED_WORK * run.pages * rates.seconds["render"]
    for name in ("render", "extract"):
        state = run.page_states.get(name, {})
        own += float(state.get("seconds") or 0.0)
        expected += int(state.get("done", 0)) * rates.seconds[name]
    return (own / expected) ** OWN_PACE


def _mapped_left(run: Progress, rates: Rates) -> float:
    """In seconds of time."""
    states = [run.page_states.get(name, {}) for name in MAPPED]
    failed = sum(len(state.get("failed", [])) for state in states)
    left = 0.0
    for name, state in zip(MAPPED, states, strict=True):
        done, seconds = int(state.get("done", 0)), float(state.get("seconds") or 0.0)
        tried = done + len(state.get("failed", []))
        rate = (seconds + EXPECTED_PAGES * rates.seconds[name]) / (tried + EXPECTED_PAGES)
        left += max(0, run.pages - done - failed) * rate
    return left * _spread(run, rates)


def _spread(run: Progress, rates: Rates) -> float:
    """Seconds of time per second of work, by this run and by those before. A run has one worker at least: where more
    time passed than work is noted, a long page is under way."""
    work = sum(float(state.get("seconds") or 0.0) for state in run.page_states.values())
    elapsed = max(0.0, run.age_s - float(run.states["register"]["at"])) if work else 0.0
    weight = EXPECTED_WORK * run.pages * sum(rates.seconds[name] for name in MAPPED)
    return min(1.0, (rates.spread * weight + elapsed) / (weight + work))


def _stage_left(state: Mapping[str, Any], expected: float, age_s: float) -> float:
    """Of a stage that counts no pages: by its share where it says one."""
    if not state:
        return expected
    if state["status"] != "running":
        return 0.0
    passed = age_s - float(state["at"])
    if not state.get("share"):
        return max(LATE * expected, expected - passed)
    share, seconds = float(state["share"]), float(state["seconds"])
    whole = (seconds + EXPECTED_SHARE * expected) / (share + EXPECTED_SHARE)
    return max(0.0, whole * (1 - share) - passed)
