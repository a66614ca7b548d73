"""From a posted text to a served document: the stages of every other source, one after the other in the request.

No ticket, no queue and no state machine: the sender waits. What is posted is put into custody here, so that nothing has
to be received.
"""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from contextvars import copy_context
from dataclasses import replace
from importlib import import_module
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

from shared.contract import OUTCOME_REFUSED, OUTCOME_RUN, STAGES, incoming_key, source_key
from shared.domain.scope import Identity, Scope
from shared.errors import AutriError, PlanExhausted
from shared.ingestion import mark_failed
from shared.ingestion.event import Event
from shared.ingestion.limits import within_request
from shared.ingestion.posting.announced import Announced
from shared.ingestion.posting.reading import read_in_turn
from shared.ingestion.posting.together import SLICE, schema_of, serve_together, store_together
from shared.runtime import Runtime


class Posted(NamedTuple):
    """The document that it became, or had become before (`duplicate`)."""

    document_id: UUID
    duplicate: bool


class _NoSecrets:
    """What is posted has no password."""

    def put(self, name: UUID, secret: str) -> None:
        return

    def get(self, name: UUID) -> str | None:
        return None

    def forget(self, name: UUID) -> None:
        return


def walk_all(runtime: Runtime, identity: Identity, announced: Sequence[Announced]) -> list[Posted]:
    """Runs the stages over announced postings of one knowledge base, in order: over many set by set, and over what does
    not fit into a set by itself. Raises as `walk`; those behind one that fails are not stored."""
    documents = _together(runtime, identity, announced) if len(announced) > 1 else {}
    return [
        Posted(documents[one.run_id], duplicate=False) if one.run_id in documents else walk(runtime, identity, one)
        for one in announced
    ]


def _together(runtime: Runtime, identity: Identity, announced: Sequence[Announced]) -> dict[UUID, UUID]:
    """The document of each run that fitted into a set. Where there is a process beside this one, a slice is served
    while the next one is stored."""
    scope = Scope(
        organization_id=identity.organization_id, knowledge_base_ids=(announced[0].posting.knowledge_base_id,)
    )
    slices = [announced[start : start + SLICE] for start in range(0, len(announced), SLICE)]
    reading = read_in_turn(runtime, scope.organization_id, slices, lambda: schema_of(runtime, scope))
    documents: dict[UUID, UUID] = {}
    open_slices: list[Sequence[Announced]] = []
    with closing(reading), ThreadPoolExecutor(1) as behind:
        serving = behind.submit(serve_together, runtime, scope, [])
        try:
            for some in slices:
                open_slices.append(some)
                stored = store_together(runtime, scope, next(reading))
                serving.result()
                open_slices = [some]
                documents |= {one.run: one.id for one in stored}
                serving = behind.submit(copy_context().run, serve_together, runtime, scope, stored)
                if runtime.beside is None:
                    serving.result()
            serving.result()
        except Exception as error:
            wait([serving])
            for one in chain.from_iterable(open_slices):
                fail_run(runtime, identity, one, error)
            raise
    return documents


def walk(runtime: Runtime, identity: Identity, one: Announced) -> Posted:
    """Runs the stages over an announced posting. Raises PlanExhausted where the plan has no room; whatever else a stage
    raises ends the run as failed, and is raised."""
    run_id, posting = one
    ids = str(identity.organization_id), str(posting.knowledge_base_id), str(run_id)
    run = replace(runtime, vault=_NoSecrets())
    try:
        run.blobs.put(source_key(*ids), posting.data)
        with within_request():
            answer = _stages(run, {"key": incoming_key(*ids)})
    except Exception as error:
        fail_run(run, identity, one, error)
        raise
    if answer["outcome"] == OUTCOME_REFUSED:
        raise PlanExhausted(answer["error"])
    return Posted(UUID(answer["document_id"]), answer["outcome"] != OUTCOME_RUN)


def fail_run(runtime: Runtime, identity: Identity, one: Announced, error: Exception) -> None:
    """Ends its run as failed, unless it has ended."""
    said = str(error) if isinstance(error, AutriError | ValueError) else type(error).__name__
    run = {
        "organization_id": str(identity.organization_id),
        "knowledge_base_id": str(one.posting.knowledge_base_id),
        "ingestion_id": str(one.run_id),
    }
    mark_failed.run(replace(runtime, vault=_NoSecrets()), {**run, "error": {"Cause": said}})


def _stages(runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    """What `register` answers, after the stages behind it."""
    answer = _run(STAGES[0].name, runtime, event)
    if answer["outcome"] == OUTCOME_RUN:
        for stage in STAGES[1:]:
            for work in (
                json.loads(runtime.blobs.get(Event.model_validate(answer).plan_key)) if stage.mapped else [answer]
            ):
                _run(stage.name, runtime, work)
    return answer


def _run(stage: str, runtime: Runtime, event: Mapping[str, Any]) -> dict[str, Any]:
    return import_module(f"shared.ingestion.{stage}").run(runtime, event)
