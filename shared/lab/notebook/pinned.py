"""Words, notes, passages and answers as cells."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from markupsafe import Markup

from shared.answering.threads.shapes import ShownAnswer, ShownSentence
from shared.domain.knowledge import TableGrid
from shared.domain.notebooks import AnswerCell, ChunkCell, MarkdownCell, NoteCell
from shared.errors import BadInput, NotFound
from shared.ingestion.posting.notes import read_note
from shared.lab.notebook.kinds import CellKind, CellReading, CellSheet, DrawnCell, HeldCell, vanished
from shared.lab.notebook.markup import element, grid_table, join, paragraphs
from shared.lab.notebook.words import cited_chunks, render_words
from shared.store import library, threads
from shared.store.search import load_chunks

NO_ANSWER: Final = "There is no answer {} in a conversation {} of yours. Pin it from the conversation."


def _hold_words(reading: CellReading, wanted: MarkdownCell) -> HeldCell:
    _check_cited(reading, wanted.text)
    return HeldCell({"text": wanted.text})


def _read_words(_: CellReading, body: dict[str, Any]) -> DrawnCell:
    text: str = body["text"]
    return DrawnCell(cites=cited_chunks(text), draw=lambda sheet: render_words(text, sheet.cite))


def _check_cited(reading: CellReading, text: str) -> None:
    named = cited_chunks(text)
    known = load_chunks(reading.connection, named) if named else {}
    for chunk_id in named:
        if chunk_id not in known:
            raise NotFound(f"There is no chunk {chunk_id} to cite. Take a chunk's id of what is found.")


def _hold_note(reading: CellReading, wanted: NoteCell) -> HeldCell:
    if read_note(reading.runtime, reading.connection, wanted.document_id) is None:
        raise NotFound(f"There is no note {wanted.document_id}. List those there are, and take an id of them.")
    return HeldCell({"document_id": str(wanted.document_id)})


def _read_note(reading: CellReading, body: dict[str, Any]) -> DrawnCell:
    found = read_note(reading.runtime, reading.connection, UUID(body["document_id"]))
    if found is None:
        return vanished("note")
    first = [chunk.id for chunk in library.list_chunks(reading.connection, found.id, None, 1)]
    state = f"Note of {found.author}, {found.created_at:%Y-%m-%d}, revision {found.revision}"
    said = state if found.is_current else f"{state}: there is a newer one"

    def draw(sheet: CellSheet) -> Markup:
        return join(
            (
                element("h3", found.title),
                element("p", said, " ", *(sheet.cite(chunk) for chunk in first), class_="cell-note"),
                render_words(found.text, sheet.cite) if found.type != "code" else element("pre", found.text),
            )
        )

    about = {"note": str(found.id), "title": found.title, "revision": found.revision}
    return DrawnCell(draw=draw, cites=[*first, *cited_chunks(found.text)], about=about)


def _hold_chunk(reading: CellReading, wanted: ChunkCell) -> HeldCell:
    if not load_chunks(reading.connection, [wanted.chunk_id]):
        raise NotFound(f"There is no chunk {wanted.chunk_id}. Search again, and take an id of what is found.")
    _check_cited(reading, wanted.remark)
    return HeldCell({"chunk_id": str(wanted.chunk_id), "remark": wanted.remark})


def _read_chunk(reading: CellReading, body: dict[str, Any]) -> DrawnCell:
    chunk_id, remark = UUID(body["chunk_id"]), str(body.get("remark", ""))
    found = load_chunks(reading.connection, [chunk_id]).get(chunk_id)
    if found is None:
        return vanished("passage")
    in_table = found.chunk.chunk_type in ("table", "table_row") and found.chunk.marked is None
    table = library.read_table(reading.connection, chunk_id) if in_table else None

    def draw(sheet: CellSheet) -> Markup:
        grid = _part_of(table.grid, found.chunk.row) if table else None
        quoted = grid_table(grid) if grid else paragraphs(found.chunk.marked or found.chunk.content)
        said = render_words(remark, sheet.cite)
        return join((said, element("blockquote", quoted, element("p", sheet.cite(chunk_id), class_="cell-cites"))))

    return DrawnCell(draw=draw, cites=[chunk_id, *cited_chunks(remark)])


def _part_of(grid: TableGrid, row: int | None) -> TableGrid:
    """A row below its header; all of it for None."""
    if row is None:
        return grid
    rows = [one for at, one in enumerate(grid.rows) if at < grid.header_rows or at == row]
    return grid.model_copy(update={"rows": rows})


def _hold_answer(reading: CellReading, wanted: AnswerCell) -> HeldCell:
    found = threads.get_answer(reading.connection, wanted.thread_id, wanted.answer_id)
    if found is None:
        raise NotFound(NO_ANSWER.format(wanted.answer_id, wanted.thread_id))
    answer = ShownAnswer.model_validate(found["answer"])
    if not answer.sentences:
        raise BadInput("This answer says that nothing was found: there is nothing in it to be pinned.")
    body = {"question": found["question"], "answer": answer.model_dump(mode="json") | {"usd": 0.0}}
    return HeldCell(body, sorted({hit.document.id for hit in answer.citations}))


def _read_answer(_: CellReading, body: dict[str, Any]) -> DrawnCell:
    answer = ShownAnswer.model_validate(body["answer"])
    cited = list(dict.fromkeys(chunk for one in answer.sentences for chunk in one.citations))
    about = {"trace": str(answer.trace_id), "mode": answer.mode, "model": answer.model}
    kept = [hit for hit in answer.citations if hit.kept_row]
    return DrawnCell(lambda sheet: draw_answer(body["question"], answer, sheet), cited, kept, about)


def draw_answer(question: str, answer: ShownAnswer, sheet: CellSheet) -> Markup:
    """A question and its answer, as far as what it cites may be seen."""
    by = f"Answer by {answer.model}" if answer.mode == "answer" else "Quoted word for word"
    return join(
        (
            element("h3", question),
            element("p", by, class_="cell-note"),
            *(_sentence(one, sheet, quoted=answer.mode == "quotations") for one in answer.sentences),
            *_disagreements(answer, sheet),
        )
    )


def _sentence(one: ShownSentence, sheet: CellSheet, *, quoted: bool) -> Markup:
    if not one.text or any(sheet.passage(chunk) is None for chunk in one.citations):
        return element("p", "What was said here stands on something that is gone or no longer visible.", class_="gone")
    pills = [sheet.cite(chunk) for chunk in one.citations]
    if one.cells:
        pairs = (element("p", element("b", f"{cell.label}: " if cell.label else ""), cell.value) for cell in one.cells)
        return element("blockquote", *pairs, element("p", *pills, class_="cell-cites"))
    said = element("p", _without(one.text, one.hidden), " ", *pills)
    return element("blockquote", said) if quoted else said


def _disagreements(answer: ShownAnswer, sheet: CellSheet) -> list[Markup]:
    """Where two statements give different values, and both may be seen."""
    found = list[Markup]()
    for pair in answer.contradictions:
        chunks = [answer.sentences[at].citations[0] for at in pair.sentences if at < len(answer.sentences)]
        if len(chunks) == 2 and all(sheet.passage(chunk) for chunk in chunks):
            pills = [sheet.cite(chunk) for chunk in chunks]
            text = " disagree: compare where they stand, and their versions, before you rely on either."
            found.append(element("p", "Passages ", pills[0], " and ", pills[1], text, class_="cell-warning"))
    return found


def _without(text: str, hidden: Sequence[tuple[int, int]]) -> str:
    left, at = list[str](), 0
    for start, end in sorted(hidden):
        left.append(text[at:start])
        at = max(at, end)
    return "".join([*left, text[at:]])


MARKDOWN: Final = CellKind(_hold_words, _read_words, edited=True)
NOTE: Final = CellKind(_hold_note, _read_note)
CHUNK: Final = CellKind(_hold_chunk, _read_chunk, edited=True)
ANSWER: Final = CellKind(_hold_answer, _read_answer)
