"""What people change in a summary, laid over what the rules find: it survives every rebuild."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from shared.answering.validating import Evidence, check_sentence
from shared.domain.experiments import FIELDS, SummaryBody, SummaryEdit, SummaryStatement
from shared.domain.knowledge import Chunk
from shared.errors import BadInput
from shared.lab.summaries.numbers import find_values
from shared.lab.summaries.statements import statement_id

CITE: Final = "A statement cites its passage: give the ids of chunks of this document."


def as_found(body: SummaryBody, chunks: Mapping[UUID, Chunk]) -> SummaryBody:
    """The body before anybody changed it: fields in their order, statements in the document's."""
    found = [one for one in (*body.statements, *body.taken_out) if one.origin != "person"]

    def place(one: SummaryStatement) -> tuple[int, int, int]:
        chunk = chunks.get(one.chunk_ids[0])
        return FIELDS.index(one.field), chunk.ordinal if chunk else 0, one.start or 0

    return body.model_copy(update={"statements": sorted(found, key=place), "taken_out": []})


def lay_over(found: SummaryBody, edits: Sequence[SummaryEdit], chunks: Mapping[UUID, Chunk]) -> SummaryBody:
    """What was found with `edits`, in the order in which they were made; what replaces a statement takes its place."""
    statements, taken_out = [*found.statements], list[SummaryStatement]()
    for edit in edits:
        at = next((i for i, one in enumerate(statements) if one.id == edit.target), None)
        if at is not None and (gone := statements.pop(at)).origin != "person":
            taken_out.append(gone)
        if edit.text is not None:
            last = max((i + 1 for i, one in enumerate(statements) if one.field == edit.field), default=len(statements))
            statements.insert(last if at is None else at, stated(edit, chunks))
    return found.model_copy(update={"statements": statements, "taken_out": taken_out})


def stated(edit: SummaryEdit, chunks: Mapping[UUID, Chunk]) -> SummaryStatement:
    """The statement of an edit; its characters where one of its chunks has it word for word."""
    text = edit.text or ""
    cited = [chunks[one] for one in edit.chunk_ids if one in chunks]
    start = cited[0].content.find(text) if len(cited) == 1 else -1
    return SummaryStatement(
        id=statement_id(edit.field, text),
        field=edit.field,
        text=text,
        chunk_ids=edit.chunk_ids,
        start=start if start >= 0 else None,
        end=start + len(text) if start >= 0 else None,
        page=min((page for one in cited if (page := one.first_page) is not None), default=None),
        boxes=[box for one in cited for box in one.boxes],
        origin="person",
        section=cited[0].section.title if cited and cited[0].section else "",
        values=find_values(text),
        edit_id=edit.id,
        author=edit.author,
    )


def check_borne_out(text: str, cited: Sequence[Chunk], document: str) -> None:
    """Raises BadInput where the cited passages do not bear the statement out, by what a model's sentence is checked
    with. What a passage says word for word is borne out."""
    if any(text in chunk.content for chunk in cited):
        return
    evidence = {f"p{n}": Evidence(f"{one.section_path}\n{one.content}", document) for n, one in enumerate(cited)}
    if error := check_sentence({"text": text, "evidence": [*evidence]}, evidence):
        raise BadInput(f"The cited passages do not bear this statement out: {error.why}. Quote them, or cite others.")
