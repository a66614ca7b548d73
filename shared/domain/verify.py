"""The result of `verify`: how many chunks were verified against the source, and which checks failed."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import BaseModel, computed_field

from shared.domain.geometry import Box, FigureBox
from shared.domain.kept_rows import KeptBlock
from shared.domain.knowledge import TableGrid
from shared.domain.operations import ChunkType, PageOperations, SkipReason
from shared.domain.page import PageFile

Check = Literal[
    "fragment", "verbatim", "box", "second_reader", "unread_text", "unclaimed",
    "claimed_twice", "operations", "table", "section", "figure", "attribute", "ocr", "page", "unread_page",
    "source", "tick", "rows", "older_reader", "formula",
]  # fmt: skip
# What is wrong where a check fails, as the CLI prints it and the inspector shows it.
CHECKS: Final[dict[Check, str]] = {
    "fragment": "A line of the stored page is not in the source as it is stored.",
    "verbatim": "The text is not what its lines say.",
    "box": "A box is not the smallest around its lines.",
    "second_reader": "Another PDF library reads other characters there.",
    "unread_text": "The source has text that no line of the stored page has.",
    "unclaimed": "Lines that no stored chunk holds and that were not left out with a reason.",
    "claimed_twice": "Lines that more than one stored chunk holds.",
    "operations": "What is stored is not what the operations of the page say.",
    "table": "A table and the chunks of its rows do not agree.",
    "section": "A section is not what its heading says.",
    "figure": "A figure is not where the page has a picture, or its caption is not printed.",
    "attribute": "A value does not stand in the lines that it names.",
    "ocr": "Text is said to be recognised in a picture where the source has text or no picture.",
    "page": "The stored page is not the source's page.",
    "unread_page": "The page could not be read, so its text is missing.",
    "tick": "A box to tick is not where and as the page has it, or not beside its words.",
    "rows": "Rows that are kept beside their document are not those of the source.",
    "formula": "A formula is not the one that the source has for its cell.",
    "older_reader": "An older version of the reader divided it otherwise. Its words are proved; reingest it.",
    "source": "The stored source is not the file that was uploaded, so nothing is proved.",
}
ProofState = Literal["proved", "outdated", "failed"]
# What a second PDF library may read differently. `ligature`: compatibility forms; `spacing`: words parted elsewhere;
# `hyphen`: hyphens at line ends; `order`: the same characters in another order; `unmapped`: one of the two has no
# meaning for a character; `invisible`: text that is not drawn; `missing`, `extra`: it has fewer characters there, or
# more; `decoding`: it gives all of a font's characters another meaning; `other`: it reads another character at the
# place of one, which is a failure; `unreadable`: it cannot open the page; `beyond`: on a page it sees letters where no
# line stands (behind a clip, in a note).
Difference = Literal[
    "ligature", "spacing", "hyphen", "order", "unmapped", "invisible", "missing", "extra", "decoding", "other",
    "unreadable", "beyond",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """The part of a chunk that is verified, as it is served; `table` is the grid, on a chunk of type `table`."""

    id: str
    content: str
    chunk_type: ChunkType
    boxes: Sequence[Box]
    ocr: bool = False
    section_id: str | None = None
    table_id: str | None = None
    row: int | None = None
    table: TableGrid | None = None
    attrs: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class StoredSkip:
    """Text that was left out, with its reason."""

    reason: SkipReason
    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class StoredPage:
    """The row of a page. `failed`: it could not be read and nothing of it is stored."""

    page: int
    failed: bool
    route: str | None
    skipped: Sequence[StoredSkip]


@dataclass(frozen=True, slots=True)
class StoredSection:
    """`path` are (id, address, title) from the top down to the section; `keys` are the exact keys it answers to."""

    id: str
    parent_id: str | None
    address: str | None
    title: str
    depth: int
    page: int | None
    captioned: bool
    path: Sequence[tuple[str, str | None, str]]
    keys: Sequence[str]


@dataclass(frozen=True, slots=True)
class StoredFigure:
    chunk_id: str
    page: int
    box: FigureBox
    caption: str


@dataclass(frozen=True, slots=True)
class StoredAttribute:
    """`elsewhere`: it stands in the lines that it names, which need not be of the chunk: in its head."""

    chunk_id: str
    raw: str
    fragment_ids: Sequence[str]
    elsewhere: bool = False


@dataclass(frozen=True)
class Stored:
    """A document as it is stored. `chunks` come in document order. `operations` and `files` of a page are None where
    it has none."""

    chunks: Iterable[StoredChunk]
    operations: Callable[[int], PageOperations | None]
    files: Callable[[int], PageFile | None]
    pages: Mapping[int, StoredPage]
    sections: Sequence[StoredSection]
    figures: Sequence[StoredFigure]
    attributes: Sequence[StoredAttribute]
    table_ids: Collection[str]
    # By part, how many rows its tables are said to have beside it, and what is kept there; None where that is damaged.
    kept_rows: Mapping[int, int] = field(default_factory=dict[int, int])
    kept: Callable[[int], KeptBlock | None] = lambda _page: None


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
    included. `older_reader` counts parts that an older version of the reader divided otherwise: their words are proved,
    their division is not, until the document is reingested. `failures` and `warnings` (the second reader sees less or
    more; an older reader) hold examples, at most 100 each. `checked_at` is when the source was read for it.
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
    older_reader: int = 0
    failures: list[VerifyFailure] = []
    warnings: list[VerifyFailure] = []
    checked_at: datetime | None = None

    @computed_field
    @property
    def ok(self) -> bool:
        """Whether everything is proved; this is the verdict."""
        return self.state == "proved"

    @computed_field
    @property
    def state(self) -> ProofState:
        """`failed` where a check failed or a fragment is unclaimed; else `outdated` where an older version of the
        reader has read something."""
        if self.failures or self.failed or self.unclaimed_fragments:
            return "failed"
        return "outdated" if self.older_reader else "proved"
