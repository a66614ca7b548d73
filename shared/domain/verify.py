"""The answer of `verify`: how many chunks were proved against the source, and what failed."""

from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from pydantic import BaseModel, computed_field

from shared.domain.geometry import Box
from shared.domain.operations import ChunkType

Check = Literal["fragment", "verbatim", "box", "second_reader", "unread_text", "unclaimed"]


class StoredChunk(Protocol):
    """What verification needs of a chunk."""

    @property
    def id(self) -> UUID | str: ...
    @property
    def content(self) -> str: ...
    @property
    def chunk_type(self) -> ChunkType: ...
    @property
    def boxes(self) -> list[Box]: ...
    @property
    def ocr(self) -> bool: ...


class VerifyFailure(BaseModel):
    """One failed check. `chunk_id` is None where a page itself failed."""

    document_id: str | None = None
    chunk_id: str | None
    page: int | None
    check: Check
    expected: str
    actual: str


class VerifyReport(BaseModel):
    """Counts in chunks, except `unclaimed_fragments`; `verbatim + ocr + failed = chunks`.

    `second_reader` counts chunks whose characters a second reading of the page found under their boxes. `failures`
    holds examples, at most 100. `checked_at` is when the source was read for it.
    """

    documents: int = 1
    chunks: int = 0
    verbatim: int = 0
    boxes_exact: int = 0
    ocr: int = 0
    failed: int = 0
    unclaimed_fragments: int = 0
    second_reader: int = 0
    failures: list[VerifyFailure] = []
    checked_at: datetime | None = None

    @computed_field
    @property
    def ok(self) -> bool:
        """Nothing differs and nothing is left over. What reports a verdict takes this one."""
        return not self.failures and not self.failed and not self.unclaimed_fragments
