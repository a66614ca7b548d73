"""Notebooks of a knowledge base: ordered cells that people write, and such as show what is kept elsewhere."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from shared.domain.characters import OneLine
from shared.domain.geometry import Box
from shared.domain.knowledge import CorrectingNote, VersionEnvelope
from shared.domain.people import StrictBody

TEXT_MAX: Final = 20_000
CELLS_MAX: Final = 200
GROUP_MAX: Final = 20
NotebookAct = Literal["create", "rename", "add", "edit", "move", "delete", "restore"]
NotebookTitle = Annotated[OneLine, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
BundleForm = Literal["html", "pdf", "crate"]


class NewNotebook(StrictBody):
    """A notebook to begin in a knowledge base."""

    knowledge_base_id: UUID
    title: NotebookTitle


class NotebookChange(StrictBody):
    """A new title."""

    title: NotebookTitle


class MarkdownCell(StrictBody):
    """Words, in Markdown: no HTML, no pictures. A link to `chunk:ID` is a citation of that chunk."""

    kind: Literal["markdown"]
    text: str = Field(max_length=TEXT_MAX)


class NoteCell(StrictBody):
    """A note, by the id of its document."""

    kind: Literal["note"]
    document_id: UUID


class ChunkCell(StrictBody):
    """A passage, by the id of its chunk; `remark` is what is said of it."""

    kind: Literal["chunk"]
    chunk_id: UUID
    remark: str = Field(default="", max_length=TEXT_MAX)


class AnswerCell(StrictBody):
    """An answer of a conversation of one's own, as it was given: a copy, for whoever sees the notebook."""

    kind: Literal["answer"]
    thread_id: UUID
    answer_id: UUID


class DatasetCell(StrictBody):
    """A dataset, in the revision that it has when it is pinned."""

    kind: Literal["dataset"]
    dataset_id: UUID


class PlotCell(StrictBody):
    """A plot, as it is declared when it is pinned, of the revision that its dataset has then."""

    kind: Literal["plot"]
    plot_id: UUID


class SummaryCell(StrictBody):
    """The experiment summary of a document, in the version that it has when it is pinned."""

    kind: Literal["summary"]
    document_id: UUID


class GroupCell(StrictBody):
    """One summary of several documents, of the versions that theirs have when it is pinned."""

    kind: Literal["group"]
    document_ids: list[UUID] = Field(min_length=2, max_length=GROUP_MAX)


CellContent = Annotated[
    MarkdownCell | NoteCell | ChunkCell | AnswerCell | DatasetCell | PlotCell | SummaryCell | GroupCell,
    Field(discriminator="kind"),
]


class NewCell(StrictBody):
    """A cell to add `before` another one; null: at the end."""

    content: CellContent
    before: UUID | None = None


class CellChange(StrictBody):
    """What a cell is to hold."""

    content: CellContent


class CellMove(StrictBody):
    """The cell `before` which it is to stand; null: the end."""

    before: UUID | None = None


class NotebookRestoring(StrictBody):
    """The version whose title and cells it is to have again."""

    revision: int = Field(ge=1, lt=2**31)


class NotebookRow(BaseModel):
    """A notebook as it is listed; `revision` is the number of its latest version."""

    id: UUID
    knowledge_base_id: UUID
    title: str
    revision: int
    cells: int
    author: str
    created_at: datetime
    updated_at: datetime


class NotebookVersion(BaseModel):
    """A version: what was done, to which cell, and by whom; how many cells there were then."""

    revision: int
    title: str
    act: NotebookAct
    cell_id: UUID | None
    restored: int | None = Field(description="the version whose state this one has again")
    cells: int
    author: str
    created_at: datetime


class ShownCell(BaseModel):
    """A cell as whoever reads may see it now. `state` is what a change of it names by `If-Match`. `html` is safe to be
    shown as it is; `sources` are the numbers of those that it cites. `gone`: what it shows is deleted, or hidden from
    whoever reads. `about` says which version of what is shown."""

    id: UUID
    state: UUID
    kind: str
    body: dict[str, Any] = Field(description="what an editor changes, or the ids of what is shown")
    html: str
    sources: list[int]
    gone: bool
    about: dict[str, Any]
    author: str
    created_at: datetime


class NotebookSource(BaseModel):
    """What cells cite: a passage, its document and version, and where it stands there."""

    number: int
    chunk_id: UUID
    chunk_type: str
    document_id: UUID
    document: str
    source_hash: str
    version: VersionEnvelope
    section: str = Field(description="its path, from the top; empty: none")
    page: int | None
    boxes: list[Box]
    text: str
    corrected_by: list[CorrectingNote] = []
    kept_row: int | None = Field(
        default=None, description="its number in its sheet, where it is a row of a long table and no passage"
    )


class WholeNotebook(BaseModel):
    """A version of a notebook, the latest one unless another was asked for; `sources` in the order of their numbers."""

    id: UUID
    knowledge_base_id: UUID
    title: str
    revision: int
    latest: int = Field(description="the number of the latest version")
    may_write: bool
    author: str = Field(description="who made this version")
    created_at: datetime
    updated_at: datetime = Field(description="when this version was made")
    cells: list[ShownCell]
    sources: list[NotebookSource]


class SharedCell(BaseModel):
    """A cell for whoever has the link."""

    kind: str
    html: str
    gone: bool


class SharedSource(BaseModel):
    """Where what a cell cites stands, and what stands there."""

    number: int
    document: str
    version: str | None
    section: str
    page: int | None
    text: str


class SharedNotebook(BaseModel):
    """A notebook as it was when it was shared, as far as who shares it may see it now."""

    title: str
    shared_at: datetime
    expires_at: datetime
    cells: list[SharedCell]
    sources: list[SharedSource]


class WantedBundle(StrictBody):
    """Of what a bundle is to be made, a notebook or a document, and as what: one page of HTML, a PDF, or an RO-Crate (a
    zip file) of the page, its data and its pictures."""

    notebook_id: UUID | None = None
    document_id: UUID | None = None
    revision: int | None = Field(default=None, ge=1, lt=2**31, description="of the notebook; null: the latest")
    form: BundleForm = "html"
    locale: str | None = Field(
        default=None, max_length=20, description="how numbers are written, as `de`; else as Accept-Language says"
    )
