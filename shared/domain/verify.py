"""The answer of `verify`: how many chunks were proved against the source, and what failed."""

from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID

from pydantic import BaseModel, computed_field

from shared.domain.geometry import Box
from shared.domain.operations import ChunkType

Check = Literal["fragment", "verbatim", "box", "second_reader", "unread_text", "unclaimed", "source"]
# What a second PDF library may read differently. `ligature`: compatibility forms; `spacing`: words parted elsewhere;
# `hyphen`: hyphens at line ends; `order`: the same characters in another order; `unmapped`: one of the two has no
# meaning for a character; `invisible`: text that is not drawn; `missing`, `extra`: it has fewer or other characters,
# or more; `unreadable`: it cannot open the page.
Difference = Literal[
    "ligature", "spacing", "hyphen", "order", "unmapped", "invisible", "missing", "extra", "unreadable"
]


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

    `ocr` chunks hold recognised text: they were proved against the stored page, not against the source.
    `second_reader` counts chunks under whose boxes another PDF library finds the same characters, but for ligatures,
    spacing, hyphens and order; `second_reader_differences` counts the chunks of each kind of difference, those
    included. `failures` and `warnings` (the second reader alone disagrees) hold examples, at most 100 each.
    `checked_at` is when the source was read for it.
    """

    documents: int = 1
    chunks: int = 0
    verbatim: int = 0
    boxes_exact: int = 0
    ocr: int = 0
    failed: int = 0
    unclaimed_fragments: int = 0
    second_reader: int = 0
    second_reader_differences: dict[Difference, int] = {}
    failures: list[VerifyFailure] = []
    warnings: list[VerifyFailure] = []
    checked_at: datetime | None = None

    @computed_field
    @property
    def ok(self) -> bool:
        """Nothing differs and nothing is left over. What reports a verdict takes this one."""
        return not self.failures and not self.failed and not self.unclaimed_fragments
