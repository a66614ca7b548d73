"""Evaluation runs: started, measured in slices of time, and finished with a scorecard.

A slice is as long as a request may take, so that the CLI, the page and a function with a time limit can all use the
same calls and show progress.
"""

import time
from collections.abc import Sequence
from uuid import UUID

from shared.access import changing, check_knowledge_base, reading
from shared.domain.evaluation import (
    QUESTIONS_MAX,
    STORED,
    EvalRun,
    GoldInput,
    Parameters,
    QuestionResult,
    RunVersions,
)
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.evaluation.measure import Measurer
from shared.evaluation.scorecard import check_floors, check_measure, compare, score, worst_first
from shared.ingestion.told import telling
from shared.lexical.tokenizer import tokenizer_version
from shared.library.document_names import DocumentNames
from shared.runtime import Runtime
from shared.store import evaluation as rows
from shared.store.audit import note
from shared.store.connect import Connection
from shared.store.evaluation import Outcome
from shared.vectors.embedders import embedded_by

# Well below the 30 s that HTTP API waits for an answer; one question takes under a second.
SLICE_S = 5.0


def start_run(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID,
    name: str,
    parameters: Parameters,
    questions: Sequence[GoldInput] | None,
) -> EvalRun:
    """A run over `questions`, or over those stored in the knowledge base. Raises NotFound, BadInput."""
    for measure in parameters.floors:
        check_measure(measure, parameters.indexes)
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        asked = stored_questions(connection, knowledge_base_id) if questions is None else list(questions)
        embedder = embedded_by(connection, knowledge_base_id).serving or runtime.embedders.default
        extractors = rows.extractor_versions(connection, knowledge_base_id)
        versions = RunVersions(embedder=embedder, tokenizer=tokenizer_version(), extractors=extractors)
        made = rows.add_run(
            connection, identity, knowledge_base_id, STORED if questions is None else name, parameters, versions, asked
        )
        note(connection, identity, "evaluation.run", made, knowledge_base_id, questions=len(asked))
        return _find(connection, knowledge_base_id, made)


def add_questions(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, run_id: UUID, questions: Sequence[GoldInput]
) -> EvalRun:
    """Further questions for a run that has not begun to measure. Raises NotFound, Conflict, BadInput (too many)."""
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        found = _find(connection, knowledge_base_id, run_id)
        if found.total + len(questions) > QUESTIONS_MAX:
            raise BadInput(f"A run takes {QUESTIONS_MAX} questions at most. Divide the gold into several files.")
        if not rows.add_run_questions(connection, knowledge_base_id, run_id, questions):
            raise Conflict("This run measures already. Start another one for other questions.")
        return _find(connection, knowledge_base_id, run_id)


def continue_run(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, run_id: UUID, slice_s: float = SLICE_S
) -> EvalRun:
    """Measures for `slice_s` seconds, but at least one question; the last slice finishes the run.

    Raises NotFound, and Conflict when another process measures the same run or adds questions to it meanwhile.
    """
    started = time.monotonic()
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        run = _find(connection, knowledge_base_id, run_id)
        if run.status == "done":
            return run
        questions = rows.run_questions(connection, run)
        documents = DocumentNames(rows.named_documents(connection, knowledge_base_id))
    results = _measure(runtime, identity, run, questions, documents, started + slice_s)
    with telling(runtime, identity, knowledge_base_id), changing(runtime, identity) as connection:
        if not rows.add_results(connection, run, results, time.monotonic() - started):
            raise Conflict("Somebody else measures this run, or adds questions. Read it again to see how far it is.")
        if run.measured + len(results) == run.total:
            _finish(connection, run)
        return _find(connection, knowledge_base_id, run_id)


def get_run(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, run_id: UUID) -> EvalRun:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return _find(connection, knowledge_base_id, run_id)


def list_runs(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, before: UUID | None, limit: int
) -> list[EvalRun]:
    """Newest first, from behind `before`. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return rows.list_runs(connection, knowledge_base_id, before, limit)


def list_results(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, run_id: UUID) -> list[QuestionResult]:
    """The results of a run, those with the worst ranks first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        run = _find(connection, knowledge_base_id, run_id)
        return worst_first(rows.run_results(connection, run), run.parameters.indexes)


def _find(connection: Connection, knowledge_base_id: UUID, run_id: UUID) -> EvalRun:
    found = rows.get_run(connection, knowledge_base_id, run_id)
    if found is None:
        raise NotFound(f"There is no evaluation {run_id} of this knowledge base. List those there are.")
    return found


def stored_questions(connection: Connection, knowledge_base_id: UUID) -> list[GoldInput]:
    """The gold of the knowledge base. Raises BadInput where there is none, or too much for a run."""
    found = rows.list_gold(connection, knowledge_base_id, None, QUESTIONS_MAX + 1)
    if not found:
        raise BadInput(
            "This knowledge base has no gold questions. Add some (`autri eval gold add`, or in the inspector at a"
            " chunk), or run a file: autri eval run GOLD --kb NAME."
        )
    if len(found) > QUESTIONS_MAX:
        raise BadInput(f"A run takes {QUESTIONS_MAX} questions at most. Export the gold, and run it in several files.")
    return [GoldInput.model_validate(q.model_dump(include=set(GoldInput.model_fields))) for q in found]


def _measure(
    runtime: Runtime,
    identity: Identity,
    run: EvalRun,
    questions: Sequence[GoldInput],
    documents: DocumentNames,
    until: float,
) -> list[QuestionResult]:
    asks = run.parameters.ask
    if asks is None:
        asks = any(question.kind == "negative" for question in questions)
    measurer = Measurer(runtime, identity, run.knowledge_base_id, run.parameters, asks, documents)
    results: list[QuestionResult] = []
    for question in questions[run.measured :]:
        results.append(measurer.measure(question))
        if time.monotonic() >= until:
            break
    return results


def _finish(connection: Connection, run: EvalRun) -> None:
    results = rows.run_results(connection, run)
    counted = [r for r in results if not r.skipped]
    said = {"document_missing": sum(bool(r.missing) for r in results), "left_out": len(results) - len(counted)}
    scores = score(counted)
    before = rows.baseline_of(connection, run)
    outcome = Outcome(
        scores=scores,
        deltas=compare(counted, [r for r in before[1] if not r.skipped]) if before else [],
        floors=check_floors(run.parameters.floors, scores),
        left_out={name: number for name, number in said.items() if number},
        baseline=run.parameters.baseline,
        baseline_id=before[0] if before else None,
    )
    rows.finish_run(connection, run, outcome)
