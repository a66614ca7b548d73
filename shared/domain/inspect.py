"""What the inspector and the ingestion view read: a page with everything on it, and progress per stage."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from shared.domain.cell_formulas import CellFormula
from shared.domain.draft import SkippedDraft
from shared.domain.knowledge import Chunk, DocumentStatus
from shared.domain.page import LeftOut, PartPicture

PageStatus = Literal["queued", "rendered", "parsed", "extracted", "ready", "failed"]
StageStatus = Literal["queued", "running", "done", "failed", "skipped"]


class PageRow(BaseModel):
    """A page in the page strip. `engine` grouped it; `engine_note` says why it was not the one that was asked.

    In a source without pages a part of it, `label` is what people call it; such a part has no size and no image.
    """

    page: int
    label: str | None = None
    width_pt: float | None
    height_pt: float | None
    route: str | None
    status: PageStatus
    confidence: float | None
    flags: list[str]
    chunks: int
    error: str | None = None
    engine: str | None = None
    engine_note: str | None = None


class KeptWindow(BaseModel):
    """Of the rows that are kept beside a part, how many there are, the numbers of the `first` and the `last` in their
    sheet, and those of the rows that are shown."""

    rows: int
    first: int
    last: int
    shown: list[int]


class FoundRow(BaseModel):
    """A row that is kept beside part `page`, by its number in its sheet; `cells` are its texts, "" for none."""

    page: int
    row: int
    cells: list[str]


class InspectedPage(PageRow):
    """One page with its chunks, what was skipped, and where its image is.

    `provisional`: the document is still being read and `items` are drafts; ids, sections and what goes over several
    pages follow with the stored chunks.
    `fragments` (the page file) and `operations` are there when asked for with `?include=fragments,operations`.
    `kept` is there for a part with rows that are no passages, when asked for with `?row=`: those around that row are
    then among the fragments, and below the part's table in the operations, as if they were stored there.
    `formulas` are those of a sheet's cells, and `uncalculated` is how many nobody has calculated, so that they have no
    value; `pictures` are those of a part without pages, and `left_out` how many are left out, by reason: told where
    fragments are asked for.
    """

    document_id: UUID
    image_url: str | None
    thumbnail_url: str | None
    items: list[Chunk]
    provisional: bool = False
    skipped: list[SkippedDraft]
    unclaimed: int
    fragments: list[dict[str, Any]] | None = None
    operations: list[dict[str, Any]] | None = None
    kept: KeptWindow | None = None
    formulas: list[CellFormula] = Field(default=[], exclude_if=lambda formulas: not formulas)
    uncalculated: int = Field(default=0, exclude_if=lambda count: not count)
    pictures: list[PartPicture] = []
    left_out: dict[LeftOut, int] = {}


class StageProgress(BaseModel):
    """One stage of an ingestion; `pages_done` counts only for mapped stages."""

    name: str
    status: StageStatus
    seconds: float | None = None
    pages_done: int = 0
    pages_total: int = 0
    pages_failed: list[int] = []


class ParcelProgress(BaseModel):
    """How far the files of a parcel are: how many there are, are not ended, were refused, failed."""

    files: int
    open: int
    refused: int
    failed: int


class Ingestion(BaseModel):
    """An ingestion with its progress; `status` is the document's. `eta_seconds` is None while unknown.

    `needs_password`: the file is protected, and no password has opened it. `parcel` is there for a ZIP file of files,
    which is no document: it is `ready` when all of them are unpacked. They have ingestions of their own, with its id as
    `parcel_id`.
    """

    id: UUID
    knowledge_base_id: UUID
    document_id: UUID | None
    filename: str
    status: DocumentStatus | Literal["waiting"]
    duplicate: bool = False
    engine: str
    error: str | None = None
    needs_password: bool = False
    stages: list[StageProgress]
    pages: int | None = None
    eta_seconds: float | None = None
    cost_usd: float = 0.0
    parcel_id: UUID | None = None
    parcel: ParcelProgress | None = None
    created_at: datetime
    finished_at: datetime | None = None
