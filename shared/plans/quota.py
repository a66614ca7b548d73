"""Enforcement of plans at the edge of an act: raises PlanExhausted with what to do, before anything is done.

Whoever counts against a limit has the organization's lock until its transaction ends, so that counting and acting are
one; where the plan has no limit, nothing is locked. Days and months are UTC's.
"""

import logging
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date
from uuid import UUID

from shared.domain.listening import HungUp
from shared.domain.plans import PLANS, Plan, PlanSettings
from shared.domain.scope import Identity
from shared.errors import BudgetSpent, PlanExhausted
from shared.runtime import Runtime
from shared.store import plans as rows
from shared.store.connect import Connection
from shared.store.plans import CountedPages

logger = logging.getLogger("autri.plans")

ANOTHER = "ask whoever runs this deployment for a larger plan"


def plan_of(connection: Connection, organization_id: UUID, limits: PlanSettings) -> Plan:
    """The organization's plan, with the pages of its packs."""
    plan = PLANS[rows.given_plan(connection, organization_id) or limits.default_plan]
    return plan if plan.pages is None else replace(plan, pages=plan.pages + rows.pages_of_packs(connection))


def check_new_knowledge_base(connection: Connection, organization_id: UUID, limits: PlanSettings) -> None:
    """Raises PlanExhausted where one that was made in this transaction is one too many."""
    plan = plan_of(connection, organization_id, limits)
    if plan.knowledge_bases is None:
        return
    rows.lock(connection, organization_id)
    held, _ = rows.count_stored(connection)
    if held > plan.knowledge_bases:
        raise PlanExhausted(
            f"The plan {plan.name} includes {_number(plan.knowledge_bases, 'knowledge base')}, and you have"
            f" {held - 1:,}. Delete one, or {ANOTHER}."
        )


def check_room(connection: Connection, organization_id: UUID, limits: PlanSettings) -> None:
    """Raises PlanExhausted where not a single page could be read or kept: for a file whose pages nobody knows yet."""
    plan = plan_of(connection, organization_id, limits)
    if plan.pages is not None and (used := rows.pages_this_month(connection)) >= plan.pages:
        raise PlanExhausted(_no_pages(connection, plan, used, "nothing more is read"))
    _check_chunks(connection, plan)


def count_pages(
    connection: Connection, organization_id: UUID, counted: Sequence[CountedPages], limits: PlanSettings
) -> None:
    """Counts the pages of documents that are about to be read. Raises PlanExhausted, with nothing counted, where they
    are more than the month has left, or their chunks would find no room.

    A document version is counted once, however often it is read; the run that it was counted for gives its pages back
    where it fails.
    """
    plan = plan_of(connection, organization_id, limits)
    if plan.pages is not None:
        rows.lock(connection, organization_id)
    used = rows.pages_this_month(connection)
    pages = rows.count_pages(connection, organization_id, counted)
    if pages is None:
        return
    runs = [one.run_id for one in counted]
    if plan.pages is not None and used + pages > plan.pages:
        rows.uncount_pages(connection, runs)
        raise PlanExhausted(_no_pages(connection, plan, used, f"this file has {_number(pages, 'page')}"))
    try:
        _check_chunks(connection, plan)
    except PlanExhausted:
        rows.uncount_pages(connection, runs)
        raise


def check_chunks(connection: Connection, organization_id: UUID, grown: int, limits: PlanSettings) -> None:
    """Raises PlanExhausted where a document that has `grown` by so many chunks, in this transaction, makes more of them
    than the plan keeps. One that did not grow is always taken."""
    plan = plan_of(connection, organization_id, limits)
    if plan.chunks is None or grown <= 0:
        return
    rows.lock(connection, organization_id)
    _, held = rows.count_stored(connection)
    if held > plan.chunks:
        raise PlanExhausted(
            f"The plan {plan.name} keeps {plan.chunks:,} chunks; with this document there would be {held:,}."
            f" Delete documents that are not needed, or {ANOTHER}."
        )


@contextmanager
def one_question(runtime: Runtime, identity: Identity) -> Generator[None]:
    """Counts a question; one that could not be answered because of an error is not counted, one whose asker went away
    is. Raises PlanExhausted."""
    day = _count_question(runtime, identity)
    try:
        yield
    except HungUp:
        raise
    except BaseException:
        with runtime.database.transaction(identity.scope()) as connection:
            rows.uncount_question(connection, day)
        raise


def check_question(connection: Connection, organization_id: UUID, limits: PlanSettings) -> None:
    """Raises PlanExhausted where the month's answers are used up; counts nothing."""
    _check_questions(connection, plan_of(connection, organization_id, limits))


def check_mcp(runtime: Runtime, identity: Identity) -> None:
    """Raises PlanExhausted where the plan includes no assistants."""
    with runtime.database.transaction(identity.scope()) as connection:
        plan = plan_of(connection, identity.organization_id, runtime.limits)
    if not plan.mcp:
        raise PlanExhausted(f"The plan {plan.name} does not include assistants by MCP: {ANOTHER}.")


def check_webhook(connection: Connection, organization_id: UUID, held: int, limits: PlanSettings) -> None:
    """Raises PlanExhausted where one more is too many beside the `held` ones; other callers wait until this transaction
    ends."""
    plan = plan_of(connection, organization_id, limits)
    if plan.webhooks == 0:
        raise PlanExhausted(f"The plan {plan.name} does not include webhooks: {ANOTHER}.")
    if plan.webhooks is not None and held >= plan.webhooks:
        raise PlanExhausted(
            f"The plan {plan.name} includes {_number(plan.webhooks, 'webhook')}, and you have {held:,}. Remove one, or"
            f" {ANOTHER}."
        )


def check_shares(runtime: Runtime, identity: Identity) -> None:
    """Raises PlanExhausted where the plan includes no links to conversations and notebooks."""
    with runtime.database.transaction(identity.scope()) as connection:
        plan = plan_of(connection, identity.organization_id, runtime.limits)
    if not plan.shares:
        raise PlanExhausted(f"The plan {plan.name} does not include links: {ANOTHER}.")


def count_mcp_call(runtime: Runtime, identity: Identity) -> None:
    """Counts a call of an assistant; there is no limit beside that of the requests."""
    with runtime.database.transaction(identity.scope()) as connection:
        rows.count_call(connection, identity.organization_id)


def check_budget(connection: Connection, limits: PlanSettings) -> None:
    """Raises BudgetSpent where the organization's models cost as much today as it may spend on them.

    Logged as well: the alarm on organizations at their limit counts the lines that name a `limit_usd`.
    """
    _check_spent(
        connection, limits, "Run it again after midnight UTC, or with the engine layout, which calls no model."
    )


def check_model_budget(connection: Connection, limits: PlanSettings) -> None:
    """The same, for whoever asks a model a question."""
    _check_spent(connection, limits, "Ask again after midnight UTC, or search, which calls no model.")


def _check_spent(connection: Connection, limits: PlanSettings, otherwise: str) -> None:
    if limits.model_usd_per_day is None:
        return
    spent = rows.spent_today(connection)
    if spent >= limits.model_usd_per_day:
        logger.warning("budget spent", extra={"usd_today": spent, "limit_usd": limits.model_usd_per_day})
        raise BudgetSpent(
            f"Models have cost ${spent:,.2f} today, of ${limits.model_usd_per_day:,.2f} a day that this organization"
            f" may spend on them. {otherwise}"
        )


def _count_question(runtime: Runtime, identity: Identity) -> date:
    with runtime.database.transaction(identity.scope()) as connection:
        plan = plan_of(connection, identity.organization_id, runtime.limits)
        if plan.questions is not None:
            rows.lock(connection, identity.organization_id)
        _check_questions(connection, plan)
        return rows.count_question(connection, identity.organization_id)


def _check_questions(connection: Connection, plan: Plan) -> None:
    if plan.questions is not None and rows.questions_this_month(connection) >= plan.questions:
        raise PlanExhausted(
            f"The plan {plan.name} includes {_number(plan.questions, 'answer')} a month and all are used."
            f" Search instead, which is not counted, wait until {next_month(connection)} (UTC), or {ANOTHER}."
        )


def next_month(connection: Connection) -> date:
    """The day on which counting begins anew."""
    day, _ = rows.today(connection)
    return first_of_next(day)


def first_of_next(day: date) -> date:
    return date(day.year + day.month // 12, day.month % 12 + 1, 1)


def _check_chunks(connection: Connection, plan: Plan) -> None:
    if plan.chunks is None:
        return
    _, held = rows.count_stored(connection)
    if held >= plan.chunks:
        raise PlanExhausted(
            f"The plan {plan.name} keeps {plan.chunks:,} chunks and {held:,} are stored. Delete documents that are not"
            f" needed, or {ANOTHER}."
        )


def _no_pages(connection: Connection, plan: Plan, used: int, what: str) -> str:
    return (
        f"The plan {plan.name} includes {_number(plan.pages or 0, 'page')} this month and {used:,} are used; {what}."
        f" Wait until {next_month(connection)} (UTC), ask for a page pack, or {ANOTHER}."
    )


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
