"""How much a run of a function may begin before it leaves the rest to the next one."""

from typing import Any

from shared.archive.outcomes import RESERVE_S, RunBudget


def budget_of(context: Any) -> RunBudget:
    """What the time that Lambda leaves this run suffices for; the usual time where nobody says."""
    return RunBudget() if context is None else RunBudget(context.get_remaining_time_in_millis() / 1000 - RESERVE_S)
