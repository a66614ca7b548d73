"""Sources: where files come from again and again, and what is to be done when they are looked through."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

SourceKind = Literal["folder", "mailbox", "bucket", "pages", "sitemap", "feed"]
SentKind = Literal["folder", "mailbox", "bucket"]
# What is done about a file: nothing, its bytes are sent, its document is called otherwise, it stands for a document
# that is there, an older version of it answers again, nothing although it is gone, its document is deleted.
Action = Literal["same", "refused", "running", "new", "changed", "moved", "duplicate", "reverted", "kept", "removed"]
Deletions = Literal["keep", "remove"]
SENT: frozenset[Action] = frozenset({"new", "changed"})
ENDED_WELL = frozenset({"ready", "ready_with_errors"})
SHA256 = r"^[0-9a-f]{64}$"
MAX_FILES = 50_000
# Between a ZIP file and a path in it, as the command tells it.
WAY = " › "


class NewSource(BaseModel):
    """A source that a program sends files of: a folder, a mailbox, a bucket. `name` tells it from others of its kind:
    wherever it is sent from, it is the same one."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    knowledge_base_id: UUID
    kind: SentKind
    name: str = Field(min_length=1, max_length=255)


class ContentSource(BaseModel):
    """A source as it is stored: `result` counts what the last look found, `error` says why it found nothing."""

    id: UUID
    knowledge_base_id: UUID
    kind: SourceKind
    name: str
    settings: dict[str, object]
    created_at: datetime
    looked_at: datetime | None
    due_at: datetime | None
    result: dict[str, int] | None
    error: str | None
    files: int


class SourceItem(BaseModel):
    """One file of a source, as it was when it came last; `mark` is what its source tells it by without sending it."""

    path: str
    sha256: str | None
    mark: str | None
    document_id: UUID | None
    ingestion_id: UUID | None
    status: str | None
    error: str | None
    gone_at: datetime | None
    checked_at: datetime | None


class ListedFile(BaseModel):
    """A file that is there now."""

    path: str = Field(min_length=1, max_length=1000)
    sha256: str = Field(pattern=SHA256)
    mark: str | None = Field(default=None, max_length=255)


class SourceLook(BaseModel):
    """All files that are in a source now. `deletions` says what becomes of documents whose files are gone; with
    `dry_run` nothing is changed."""

    model_config = ConfigDict(extra="forbid")

    files: list[ListedFile] = Field(max_length=MAX_FILES)
    deletions: Deletions = "keep"
    dry_run: bool = False
    # Deletes documents although not one file is left.
    empty: bool = False


class PlannedFile(BaseModel):
    """What is done about one file; `before` is where it stood before it was moved."""

    path: str
    action: Action
    before: str | None = None
    document_id: UUID | None = None
    ingestion_id: UUID | None = None
    error: str | None = None


class SyncPlan(BaseModel):
    """What a look finds. The bytes of what is `new` or `changed` are to be sent, with the source and the path; all else
    is done by now, unless it was a dry run."""

    items: list[PlannedFile]
    counts: dict[str, int]


@dataclass(frozen=True)
class KnownFile:
    """A file as it came last. `run` is how its run stands, `document` the logical document that it became a version
    of. Of one in a ZIP file `parcel` is that file's path, and `within` says that its last bytes have it,
    `turned` that they have another version of it than those before."""

    path: str
    sha256: str | None
    document_id: UUID | None
    document: UUID | None
    ingestion_id: UUID | None
    run: str | None
    error: str | None
    gone: bool
    parcel: str | None = None
    within: bool = False
    turned: bool = False

    @property
    def called(self) -> str:
        """How its document is called by itself: by its path, in a ZIP file by that in it."""
        return self.path if self.parcel is None else self.path.removeprefix(self.parcel + WAY)


@dataclass(frozen=True)
class StoredBytes:
    """A document with these bytes, and what it is a version of."""

    document_id: UUID
    document: UUID


@dataclass
class Planner:
    """Compares what is there with what was. `stored` are documents of the knowledge base by their bytes."""

    known: Mapping[str, KnownFile]
    stored: Mapping[str, StoredBytes]
    deletions: Deletions
    _listed: dict[str, str] = field(default_factory=dict[str, str])
    _arrived: set[str] = field(default_factory=set[str])
    _left: dict[str, list[KnownFile]] = field(default_factory=lambda: defaultdict[str, list[KnownFile]](list))
    _first: dict[str, str] = field(default_factory=dict[str, str])
    _files: Counter[UUID] = field(default_factory=Counter[UUID])

    def plan(self, files: Sequence[ListedFile]) -> SyncPlan:
        """In the order of the files, then what is gone."""
        self._listed = {one.path: one.sha256 for one in files}
        self._arrived = {one.sha256 for one in files if one.path not in self.known}
        parcels = {one.parcel for one in self.known.values() if one.within}
        for one in self.known.values():
            if not self._is_here(one):
                if one.sha256 is not None and (one.document_id is not None or one.path in parcels):
                    self._left[one.sha256].append(one)
            elif one.document is not None:
                self._files[one.document] += 1
        items = [self._file(one) for one in files]
        moved = {item.before for item in items if item.action == "moved"}
        items += [
            self._gone(one)
            for one in self.known.values()
            if not self._is_here(one)
            and one.path not in moved
            and (not one.gone or self.deletions == "remove")
            # Of hundreds of files in a ZIP file it is not said that others are the same documents.
            and not (one.parcel and self._shared(one))
        ]
        return SyncPlan(items=items, counts=dict(Counter(str(item.action) for item in items)))

    def _is_here(self, known: KnownFile) -> bool:
        """What is in a ZIP file is there with it: where the ZIP file is as it was, if that one has it; where it is
        another one, until that one has been taken apart; where it seems to have been moved, with it."""
        if known.parcel is None:
            return known.path in self._listed
        parcel = self.known.get(known.parcel)
        if parcel is None:
            return False
        if parcel.path not in self._listed:
            return known.within and parcel.sha256 in self._arrived
        as_it_was = self._listed[parcel.path] == parcel.sha256 and parcel.run in ENDED_WELL
        return known.within or not as_it_was

    def _file(self, file: ListedFile) -> PlannedFile:
        known = self.known.get(file.path)
        first = self._first.setdefault(file.sha256, file.path)
        if known is not None and known.sha256 == file.sha256 and (same := _unchanged(known)):
            return same
        stored = self.stored.get(file.sha256)
        if known is None and (left := self._left.get(file.sha256)):
            before = left.pop(0)
            return PlannedFile(path=file.path, action="moved", before=before.path, document_id=before.document_id)
        if stored is not None:
            reverted = known is not None and known.document == stored.document and not self._shared(known)
            action: Action = "reverted" if reverted else "duplicate"
            return PlannedFile(path=file.path, action=action, document_id=stored.document_id)
        if first != file.path:
            return PlannedFile(path=file.path, action="duplicate", before=first)
        if known is not None and known.document_id is not None and not self._shared(known):
            return PlannedFile(path=file.path, action="changed", document_id=known.document_id)
        return PlannedFile(path=file.path, action="new")

    def _gone(self, known: KnownFile) -> PlannedFile:
        remove = self.deletions == "remove" and not self._shared(known)
        return PlannedFile(path=known.path, action="removed" if remove else "kept", document_id=known.document_id)

    def _shared(self, known: KnownFile) -> bool:
        """Whether another file that is there is the same document."""
        return known.document is not None and self._files[known.document] > self._is_here(known)


def _unchanged(known: KnownFile) -> PlannedFile | None:
    """What is to be said of a file with the bytes that came last; None where they did not arrive, or their run
    failed."""
    said = PlannedFile(
        path=known.path,
        action="same",
        document_id=known.document_id,
        ingestion_id=known.ingestion_id,
        error=known.error,
    )
    if known.run == "refused":
        return said.model_copy(update={"action": "refused"})
    if known.run in ("queued", "running"):
        return said.model_copy(update={"action": "running"})
    # A ZIP file of files becomes no document of its own; the run of a deleted document is gone with it.
    ended = known.run in ENDED_WELL or (known.run is None and known.document_id is not None)
    return said.model_copy(update={"error": None}) if ended else None


FetchOutcome = Literal["new", "changed", "same"]


class NewPage(BaseModel):
    """A web page, or another file behind an address, that is to be a document."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    knowledge_base_id: UUID
    url: str = Field(min_length=1, max_length=2000)


class FetchedPage(BaseModel):
    """What came of fetching a page: `url` is what the page itself calls its address. The `same` bytes as before are not
    read again; else an ingestion has begun."""

    url: str
    outcome: FetchOutcome
    ingestion_id: UUID | None = None
    document_id: UUID | None = None


class WatchSettings(BaseModel):
    """How a site is looked through. `include` and `exclude` are patterns of paths, as `/guide/*`; at most `limit` pages
    are asked for, one every `delay_seconds`, or slower where the site asks for that."""

    model_config = ConfigDict(extra="forbid")

    include: list[str] = Field(default=[], max_length=50)
    exclude: list[str] = Field(default=[], max_length=50)
    every_hours: float = Field(default=24, ge=1, le=24 * 90)
    limit: int = Field(default=200, ge=1, le=5_000)
    delay_seconds: float = Field(default=2, ge=1, le=30)


# A path begins with a slash, so that any other pattern would match none.
PathPattern = Annotated[str, Field(pattern=r"^[/*]", max_length=1000)]


class NewWatch(WatchSettings):
    """A sitemap or a feed (RSS, Atom) whose pages are to be documents, and to stay as they are there."""

    include: list[PathPattern] = Field(default=[], max_length=50)
    exclude: list[PathPattern] = Field(default=[], max_length=50)
    knowledge_base_id: UUID
    url: str = Field(min_length=1, max_length=2000)
    kind: Literal["sitemap", "feed"] = "sitemap"
