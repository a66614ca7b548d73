"""Rows of gold questions, of what they are resolved against, and of evaluation runs."""

from collections.abc import Collection, Sequence
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import BaseModel

from shared.domain.evaluation import (
    EvalRun,
    Floor,
    GoldInput,
    GoldQuestion,
    Parameters,
    QuestionResult,
    RunVersions,
    Score,
)
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.store.connect import Connection, Row
from shared.store.edits import name_of
from shared.store.named_queries import load_queries

_SQL = load_queries("evaluation")


class Outcome(BaseModel):
    """The results of a finished run."""

    scores: list[Score]
    deltas: list[Score]
    floors: list[Floor]
    left_out: dict[str, int]
    baseline: bool
    baseline_id: UUID | None


def lock_gold(connection: Connection, knowledge_base_id: UUID) -> None:
    """Locks the knowledge base's gold until the transaction ends: a new key has no row yet that could be locked."""
    connection.execute(_SQL["lock_gold"], {"knowledge_base_id": str(knowledge_base_id)})


def put_gold(
    connection: Connection, identity: Identity, knowledge_base_id: UUID, questions: Sequence[GoldInput], source: str
) -> list[GoldQuestion]:
    """Adds questions in their order; a question whose key exists gets the new places and answer."""
    owner = {
        "organization_id": identity.organization_id,
        "knowledge_base_id": knowledge_base_id,
        "author_id": identity.user_id,
        "author": name_of(connection, identity),
        "source": source,
    }
    # Ids created within one millisecond are not in the order of their creation.
    ids = sorted(new_id() for _ in questions)
    return [_put(connection, owner | {"id": i}, question) for i, question in zip(ids, questions, strict=True)]


def _put(connection: Connection, owner: Row, question: GoldInput) -> GoldQuestion:
    values = owner | question.model_dump() | {"key": question.key, "expected": _places(question)}
    return GoldQuestion.model_validate(connection.execute(_SQL["put_gold"], values).fetchone())


def gold_by_key(connection: Connection, knowledge_base_id: UUID, keys: Collection[str]) -> dict[str, GoldInput]:
    """Those of the keys that exist, locked against deletion."""
    values = {"knowledge_base_id": knowledge_base_id, "keys": list(keys)}
    return {row["key"]: _input(row) for row in connection.execute(_SQL["gold_by_key"], values).fetchall()}


def list_gold(connection: Connection, knowledge_base_id: UUID, after: UUID | None, limit: int) -> list[GoldQuestion]:
    """Oldest first, from behind `after`."""
    values = {"knowledge_base_id": knowledge_base_id, "after": after, "limit": limit}
    return [GoldQuestion.model_validate(row) for row in connection.execute(_SQL["list_gold"], values).fetchall()]


def replace_gold(connection: Connection, knowledge_base_id: UUID, gold_id: UUID, question: GoldInput) -> None:
    """Replaces the question's places and pin; does nothing where another question has the key that it would get."""
    values = {"knowledge_base_id": knowledge_base_id, "id": gold_id, "key": question.key}
    connection.execute(_SQL["replace_gold"], values | {"expected": _places(question), "pin": question.pin})


def count_gold(connection: Connection, knowledge_base_id: UUID) -> int:
    row = connection.execute(_SQL["count_gold"], {"knowledge_base_id": knowledge_base_id}).fetchone()
    return int((row or {})["questions"])


def delete_gold(connection: Connection, knowledge_base_id: UUID, gold_id: UUID) -> bool:
    """Returns whether there was one to delete."""
    return (
        connection.execute(_SQL["delete_gold"], {"knowledge_base_id": knowledge_base_id, "id": gold_id}).rowcount == 1
    )


def named_documents(connection: Connection, knowledge_base_id: UUID) -> list[Row]:
    """`id, name, logical_name` of every version that is served."""
    return connection.execute(_SQL["named_documents"], {"knowledge_base_id": knowledge_base_id}).fetchall()


def extractor_versions(connection: Connection, knowledge_base_id: UUID) -> list[str]:
    rows = connection.execute(_SQL["extractor_versions"], {"knowledge_base_id": knowledge_base_id}).fetchall()
    return [row["extractor_version"] for row in rows]


def places_of_chunks(connection: Connection, knowledge_base_id: UUID, ids: Collection[UUID]) -> dict[UUID, Row]:
    """`content, first_page, document_id, name` (of the document) of those chunks that the knowledge base has."""
    values = {"knowledge_base_id": knowledge_base_id, "ids": list(ids)}
    return {row["id"]: row for row in connection.execute(_SQL["places_of_chunks"], values).fetchall()}


def _places(question: GoldInput) -> Jsonb:
    return Jsonb([place.model_dump(mode="json", exclude_defaults=True) for place in question.expected])


def _input(row: Row) -> GoldInput:
    return GoldInput.model_validate({name: row[name] for name in GoldInput.model_fields})


def add_run(
    connection: Connection,
    identity: Identity,
    knowledge_base_id: UUID,
    gold: str,
    parameters: Parameters,
    versions: RunVersions,
    questions: Sequence[GoldInput],
) -> UUID:
    """Inserts a run without results, and deletes runs that were left unfinished a day ago."""
    connection.execute(_SQL["remove_stopped_runs"], {"knowledge_base_id": knowledge_base_id})
    run_id = new_id()
    values: Row = {
        "organization_id": identity.organization_id,
        "knowledge_base_id": knowledge_base_id,
        "id": run_id,
        "gold": gold,
        "parameters": Jsonb(parameters.model_dump(mode="json")),
        "versions": Jsonb(versions.model_dump(mode="json")),
        "questions": _json(questions),
        "author_id": identity.user_id,
        "author": name_of(connection, identity),
    }
    connection.execute(_SQL["add_run"], values)
    return run_id


def add_run_questions(
    connection: Connection, knowledge_base_id: UUID, run_id: UUID, questions: Sequence[GoldInput]
) -> bool:
    """Adds questions to a run. Returns False where it has results already and takes no more."""
    values = {"knowledge_base_id": knowledge_base_id, "id": run_id, "questions": _json(questions)}
    return connection.execute(_SQL["add_run_questions"], values).rowcount == 1


def get_run(connection: Connection, knowledge_base_id: UUID, run_id: UUID) -> EvalRun | None:
    values = {"knowledge_base_id": knowledge_base_id, "id": run_id, "before": None, "limit": 1}
    row = connection.execute(_SQL["list_runs"], values).fetchone()
    return _run(row) if row else None


def run_questions(connection: Connection, run: EvalRun) -> list[GoldInput]:
    """All questions of the run, measured or not."""
    row = connection.execute(_SQL["run_questions"], _place(run)).fetchone()
    return [GoldInput.model_validate(q) for q in row["questions"]] if row else []


def run_results(connection: Connection, run: EvalRun) -> list[QuestionResult]:
    """The results so far, in the order of the questions."""
    row = connection.execute(_SQL["run_results"], _place(run)).fetchone()
    return [QuestionResult.model_validate(r) for r in row["results"]] if row else []


def list_runs(connection: Connection, knowledge_base_id: UUID, before: UUID | None, limit: int) -> list[EvalRun]:
    """Runs, newest first, after the one with id `before`."""
    values = {"knowledge_base_id": knowledge_base_id, "id": None, "before": before, "limit": limit}
    return [_run(row) for row in connection.execute(_SQL["list_runs"], values).fetchall()]


def add_results(connection: Connection, run: EvalRun, results: Sequence[QuestionResult], seconds: float) -> bool:
    """Adds results. Returns False where the run has got other results or questions since `run` was read."""
    values = {"results": _json(results), "measured": run.measured, "total": run.total, "seconds": seconds}
    return connection.execute(_SQL["add_results"], _place(run) | values).rowcount == 1


def baseline_of(connection: Connection, run: EvalRun) -> tuple[UUID, list[QuestionResult]] | None:
    """The run that other runs over the same gold are compared with, and its results."""
    values = {"knowledge_base_id": run.knowledge_base_id, "gold": run.gold}
    row = connection.execute(_SQL["baseline_of"], values).fetchone()
    return (row["id"], [QuestionResult.model_validate(r) for r in row["results"]]) if row else None


def finish_run(connection: Connection, run: EvalRun, outcome: Outcome) -> None:
    place = _place(run) | {"gold": run.gold}
    if outcome.baseline:
        connection.execute(_SQL["clear_baseline"], place)
    said = outcome.model_dump(mode="json")
    documents = {name: Jsonb(said[name]) for name in ("scores", "deltas", "floors", "left_out")}
    connection.execute(_SQL["finish_run"], place | said | documents)


def _place(run: EvalRun) -> Row:
    return {"knowledge_base_id": run.knowledge_base_id, "id": run.id}


def _run(row: Row) -> EvalRun:
    return EvalRun.model_validate({name: row[name] for name in EvalRun.model_fields})


def _json(rows: Sequence[BaseModel]) -> Jsonb:
    return Jsonb([row.model_dump(mode="json", exclude_defaults=True) for row in rows])
