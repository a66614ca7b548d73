"""The digest of a knowledge base: three tiers of Markdown files, each a list of lines that cite what they stand on."""

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, NamedTuple
from uuid import UUID

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from shared.domain.characters import OneLine
from shared.domain.knowledge import Chunk, DocumentRef, VersionEnvelope
from shared.domain.people import StrictBody

Tier = Literal["index", "summary", "description"]
Origin = Literal["agent", "user", "system"]
LineKind = Literal["title", "heading", "entry", "statement"]
SourceKind = Literal["chunk", "document", "event", "run"]
AssetKind = Literal["figure", "table"]
# What holds of a statement now, as it is written behind it.
MARKS: Final = ("stale", "by a person", "uncited")
# Numbers of citations behind a statement.
CITED: Final = re.compile(r" \[(\d{1,4}(?:, ?\d{1,4})*)\]$")
# `changed`: the passage is gone, or says something else now.
Standing = Literal["current", "superseded", "corrected", "changed", "rejected", "deleted"]

INDEX_LINES: Final = 50
CHARACTERS: Final[dict[Tier, int]] = {"summary": 2_000, "description": 50_000}
FOLDERS: Final[dict[Tier, str]] = {"index": "index", "summary": "summaries", "description": "descriptions"}
STATEMENT_MAX: Final = 600
TITLE_MAX: Final = 80
CITATIONS_MAX: Final = 20
VALUES_MAX: Final = 40


class DigestCitation(BaseModel):
    """What a line stands on: a chunk (its id and document), a document, an event or an evaluation run. `standing` is
    how it is now; anything but `current` makes the line stale."""

    kind: SourceKind
    source_id: UUID
    document_id: UUID | None = None
    standing: Standing = "current"


class DigestLine(BaseModel):
    """A line of a file. `stale`: a source of it is not current any more. A person's line (`origin` user) is kept by
    every rebuild; `uncited` marks one that nothing here bears out. `text` is empty where its source was deleted;
    `shown` is the same for people to read, words whole that the source divides at a line's end."""

    statement_id: UUID
    kind: LineKind
    text: str
    shown: str = ""
    origin: Origin
    author: str
    uncited: bool = False
    stale: bool = False
    citations: list[DigestCitation] = []


class DigestEntry(BaseModel):
    """A file as it is listed. `parent_id` is the index that lists it; a topic's summary and description share
    `topic_id`. `stale` and `uncited` count statements, `size` is lines of an index, else characters."""

    id: UUID
    tier: Tier
    path: str
    title: str
    topic_id: UUID | None
    parent_id: UUID | None
    version: str = Field(description="major.minor.patch")
    number: int = Field(description="which version, from 1")
    changed_by: Origin
    updated_at: datetime
    content_hash: str = Field(description="SHA-256 of what was written")
    size: int
    limit: int
    statements: int
    stale: int
    uncited: int
    by_people: int


class DigestFile(DigestEntry):
    """A file whole: its Markdown, and its lines with what they cite."""

    content: str
    lines: list[DigestLine]


class DigestAsset(BaseModel):
    """A figure or table that a file's statements cite, by a row of it or by its number. `path` is where an exported
    folder has it; `caption` is as printed. Of a table `rows` are its first ones, header rows first, of `row_count`."""

    kind: AssetKind
    path: str
    caption: str
    page: int | None
    rows: list[list[str]] = []
    row_count: int = 0
    header_rows: int = 0
    chunk: Chunk
    document: DocumentRef
    version: VersionEnvelope


class DigestVersion(BaseModel):
    """A version of a file, as its history lists it."""

    number: int
    version: str
    changed_by: Origin
    author: str
    change_summary: str
    previous_hash: str | None
    new_hash: str
    created_at: datetime


class DigestPast(DigestVersion):
    """A version with what it said, without what was deleted since."""

    content: str


class DigestDiff(BaseModel):
    """What changed between two versions of a file, as a unified diff of their Markdown."""

    path: str
    from_number: int
    to_number: int
    diff: str
    added: int
    removed: int


class DigestStatus(BaseModel):
    """How a knowledge base's digest is. `behind`: something has changed since that the next update reads. `writes`: a
    model writes its summaries, also when it keeps itself."""

    built: bool
    revision: int = 0
    updated_at: datetime | None = None
    checked_at: datetime | None = None
    topics: int = 0
    files: int = 0
    statements: int = 0
    stale: int = 0
    uncited: int = 0
    by_people: int = 0
    behind: bool = False
    writes: bool = False
    events: int = 0


class DigestUpdate(BaseModel):
    """What an update did. `more`: its time was over before all that changed was read; call again."""

    revision: int
    topics: int
    files: int
    added: list[str] = Field(description="paths of new files")
    changed: list[str] = Field(description="paths of files with a new version")
    removed: list[str] = Field(description="paths of files that are gone")
    units: int = Field(description="sections that were read")
    seconds: float
    written: int = Field(default=0, description="summaries that a model wrote")
    more: bool = False


class UpdateWish(StrictBody):
    """How an update is made. `write`: a model writes summaries from now on, also when the digest keeps itself; false:
    quotations alone; null: as before, and at first without a model."""

    write: bool | None = None


class Cited(StrictBody):
    """A source that a person cites."""

    kind: SourceKind = "chunk"
    id: UUID


Stated = Annotated[OneLine, StringConstraints(strip_whitespace=True, min_length=1, max_length=STATEMENT_MAX)]


class StatementEdit(StrictBody):
    """A person's edit of a file, one statement: `statement_id` with `text` changes it, with `remove` takes it out;
    `text` alone adds one, behind `after` or at the end. It needs citations, or `uncited: true`. With `if_number` it is
    refused where the file has another version by now."""

    statement_id: UUID | None = None
    text: Stated | None = None
    remove: bool = False
    after: UUID | None = None
    citations: list[Cited] | None = Field(default=None, max_length=CITATIONS_MAX)
    uncited: bool = False
    if_number: int | None = None


class RestoreWish(StrictBody):
    """Which version of the file is to be had again."""

    number: int = Field(ge=1, lt=2**31)


Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Named = Annotated[OneLine, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


def _in_utc(at: datetime) -> datetime:
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError("in UTC it is not in the years 1 to 9999") from None


class NewEvent(StrictBody):
    """Something that another system reports: `kind` (deployment, payment, metric …), what it happened to, when, and
    values: numbers, texts, yes and no. `key` tells it apart; the same again is the same event."""

    knowledge_base_id: UUID
    kind: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_.-]{0,59}$")]
    subject: Named
    at: Annotated[AwareDatetime, AfterValidator(_in_utc)]
    values: dict[Said, bool | int | float | Named | None] = Field(default={}, max_length=VALUES_MAX)
    key: Named | None = None

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, allow_inf_nan=False)


class EventWish(NamedTuple):
    """Which events: of one kind, that happened at `since` or later, before `until`; None for all."""

    kind: str | None = None
    since: datetime | None = None
    until: datetime | None = None


class StatedIn(BaseModel):
    """A file of the digest that states an event."""

    file_id: UUID
    path: str
    title: str
    tier: Tier


class ReportedEvent(BaseModel):
    """An event as it is stored. `duplicate`: it was there before; `files`: those of the digest that state it now."""

    id: UUID
    knowledge_base_id: UUID
    kind: str
    subject: str
    at: datetime
    values: dict[str, Any]
    key: str
    reporter: str
    created_at: datetime
    duplicate: bool = False
    files: list[StatedIn] = []


def limit_of(tier: Tier) -> int:
    """Lines of an index, else characters."""
    return CHARACTERS.get(tier, INDEX_LINES)


def size_of(tier: Tier, content: str) -> int:
    """In lines of an index, else in characters."""
    return len(content) if tier in CHARACTERS else content.count("\n")


def render(version: str, day: str, lines: Sequence[tuple[LineKind, str, Sequence[int]]]) -> str:
    """A file's Markdown of its lines: kind, text, numbers of citations. Every line ends in a line feed; what was
    deleted is a dash."""
    shown = [_shown(kind, text, numbers) for kind, text, numbers in lines]
    if lines and lines[0][0] == "title":
        shown[1:1] = [f"{version} | {day}"]
    return "".join(f"{line}\n" for line in shown)


def marked(file: DigestFile) -> str:
    """A file's Markdown, behind each statement what holds of it now, as `*(stale, by a person, uncited)*`. An index has
    no statements."""
    marks = defaultdict[str, list[str]](list)
    for line in file.lines:
        if line.kind == "statement":
            marks[line.text].append(_marks(line))
    shown: list[str] = []
    for line in file.content.split("\n"):
        text = line.removeprefix("- ")
        # A statement may end in brackets of its own.
        own = (marks[text] or marks[CITED.sub("", text)]) if line.startswith("- ") else []
        shown.append(line + (own.pop(0) if own else ""))
    return "\n".join(shown)


def _marks(line: DigestLine) -> str:
    held = dict(zip(MARKS, (line.stale, line.origin == "user", line.uncited), strict=True))
    found = [mark for mark, holds in held.items() if holds]
    return f" *({', '.join(found)})*" if found else ""


def _shown(kind: LineKind, text: str, numbers: Sequence[int]) -> str:
    if not text:
        return "–"
    prefix = {"title": "# ", "heading": "## ", "statement": "- ", "entry": ""}[kind]
    cited = f" [{', '.join(map(str, numbers))}]" if numbers and kind == "statement" else ""
    return f"{prefix}{text}{cited}"
