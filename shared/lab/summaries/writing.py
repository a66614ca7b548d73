"""Where a model answers, it writes each field from the statements that the rules selected, and nothing else."""

import time
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from shared.answering.writing import WrittenSentence, write_answer
from shared.domain.experiments import FIELDS, SummaryBody, SummaryField, SummaryStatement
from shared.domain.knowledge import Chunk, Document, DocumentRef, Hit
from shared.domain.scope import Identity
from shared.errors import BudgetSpent, Unavailable
from shared.lab.summaries.numbers import find_values
from shared.lab.summaries.statements import statement_id
from shared.ports import Answerer
from shared.runtime import Runtime

SECONDS_MAX: Final = 120
QUESTIONS: Final[dict[SummaryField, str]] = {
    "objective": "What is the objective of this experiment?",
    "setup": "How was the experiment set up: method, baselines, settings?",
    "dataset": "Which data or participants does the experiment use, and how many?",
    "metrics": "What is measured in the experiment, and how?",
    "results": "What are the results of the experiment?",
    "stats": "Which statistical tests and figures are reported?",
    "limits": "Which limitations of the experiment are stated?",
    "confounds": "Which confounding influences on the experiment are stated?",
}


def write_fields(
    runtime: Runtime,
    identity: Identity,
    model: Answerer,
    document: Document,
    found: SummaryBody,
    chunks: Sequence[Chunk],
) -> tuple[SummaryBody, float]:
    """The body with each stated field in the model's words, and what that cost in US dollars.

    Sentences that their citations do not bear out are left out by the validator of answers. A field of which the model
    writes nothing that holds keeps its verbatim statements, and so does every field once the model cannot be asked.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    deadline, usd = time.monotonic() + SECONDS_MAX, 0.0
    statements = list[SummaryStatement]()
    asked = True
    for field in FIELDS:
        own = [one for one in found.statements if one.field == field]
        written = list[WrittenSentence]()
        if own and asked:
            cited = dict.fromkeys(chunk_id for one in own for chunk_id in one.chunk_ids)
            hits = [hit_of(by_id[one], document) for one in cited]
            try:
                made = write_answer(
                    runtime, identity, model, QUESTIONS[field], hits, {}, lambda _sentence: None, deadline
                )  # fmt: skip
                written, usd = made.sentences, usd + made.usd
            except (BudgetSpent, Unavailable):
                asked = False
        statements += [_statement(field, one, own, by_id) for one in written] or own
    return found.model_copy(update={"statements": statements}), usd


def hit_of(chunk: Chunk, document: Document) -> Hit:
    reference = DocumentRef(id=document.id, name=document.name, source_type=document.source_type)
    return Hit(chunk=chunk, document=reference, score=0.0, indexes=[], version=document.version)


def _statement(
    field: SummaryField, one: WrittenSentence, own: Sequence[SummaryStatement], chunks: dict[UUID, Chunk]
) -> SummaryStatement:
    """With the evidence of the statements whose passages it cites."""
    evidence = dict.fromkeys(
        sign for other in own if {*other.chunk_ids} & {*one.citations} for sign in other.found_by
    )  # fmt: skip
    cited = [chunks[chunk_id] for chunk_id in one.citations]
    return SummaryStatement(
        id=statement_id(field, one.text),
        field=field,
        text=one.text,
        chunk_ids=[*one.citations],
        page=min((page for chunk in cited if (page := chunk.first_page) is not None), default=None),
        boxes=[box for chunk in cited for box in chunk.boxes],
        origin="written",
        found_by=[*evidence],
        section=cited[0].section.title if cited[0].section else "",
        values=find_values(one.text),
    )
