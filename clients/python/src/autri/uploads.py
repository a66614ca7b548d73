"""Uploads in steps that both clients take: announce, send the bytes, follow what becomes of them."""

import hashlib
import io
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import httpx

from autri import models
from autri.errors import IngestionFailed
from autri.operations import Id, ingestion
from autri.wire import Operation, given, json_of

T = TypeVar("T")

PIECE_BYTES: Final = 1 << 20
# Seconds between looks at an ingestion: a short text is read at once, a book is not.
LOOKS_S: Final = (0.2, 0.5, 1.0, 2.0)
ENDED: Final = frozenset({"ready", "ready_with_errors"})
FAILED: Final = frozenset({"refused", "failed"})
# Called with the bytes that were sent, and how many there are.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Sending:
    """A file on its way to where a ticket says, read in pieces."""

    path: Path
    ticket: models.UploadTicket
    progress: Progress | None

    @property
    def to_autri(self) -> bool:
        """Whether Autri takes it itself. Storage elsewhere never sees the token."""
        return self.ticket.url.startswith("/")

    def open(self) -> "CountedFile":
        """The file, for all tries."""
        return CountedFile(self.path, self.progress)

    def request(self, client: httpx.Client | httpx.AsyncClient, file: "CountedFile") -> httpx.Request:
        """A form with the ticket's fields (S3), or the bytes alone; from the file's beginning."""
        ticket = self.ticket
        file.rewind()
        if ticket.fields:
            form = {"file": (self.path.name, file)}
            return client.build_request(ticket.method, ticket.url, data=ticket.fields, files=form)
        headers = ticket.headers | {"Content-Length": str(file.total)}
        content: Any = file.pieces() if isinstance(client, httpx.Client) else _awaited(file.pieces())
        return client.build_request(ticket.method, ticket.url, content=content, headers=headers)


@dataclass(frozen=True)
class Pause:
    """Nothing for some seconds."""

    seconds: float


@dataclass(frozen=True)
class Work:
    """Something that takes a while on this machine."""

    act: Callable[[], Any]


Step = Operation[Any] | Sending | Pause | Work
# A flow yields steps and is sent what each of them gave.
Flow = Generator[Step, Any, T]


def upload(
    path: Path | str,
    knowledge_base: Id,
    *,
    title: str | None = None,
    version_of: Id | None = None,
    label: str | None = None,
    engine: str | None = None,
    password: str | None = None,
    progress: Progress | None = None,
) -> Flow[models.Ingestion]:
    """Uploads a file and returns its ingestion, which has only begun: see `wait`.

    `version_of`: a document of which this is a newer version, called `label`. `progress` is called with the bytes sent
    and all bytes. Raises InvalidRequest for a format that is not read, and OSError for a file that cannot be.
    """
    file = Path(path)
    size, digest = yield Work(partial(_size_and_digest, file))
    body = given(
        filename=file.name, size=size, sha256=digest, knowledge_base_id=knowledge_base, title=title,
        version_of=version_of, label=label, engine=engine, password=password,
    )  # fmt: skip
    ticket = yield Operation("POST", "/uploads", json_of(models.UploadTicket), body=body)
    yield Sending(file, ticket, progress)
    return (yield ingestion(ticket.upload_id))


def wait(started: models.Ingestion | Id, *, timeout_s: float = 3600.0) -> Flow[models.Ingestion]:
    """Returns an ingestion when it has ended; `document_id` is the document.

    Raises IngestionFailed with the server's reason for a file that was refused or could not be read, TimeoutError when
    the time is over: the ingestion itself goes on.
    """
    asked = started.id if isinstance(started, models.Ingestion) else started
    until = time.monotonic() + timeout_s
    looks = iter(LOOKS_S)
    pause = LOOKS_S[0]
    while True:
        found: models.Ingestion = yield ingestion(asked)
        if found.status in ENDED:
            return found
        if found.status in FAILED:
            raise IngestionFailed(f"{found.filename}: {found.error or found.status}")
        if time.monotonic() >= until:
            raise TimeoutError(f"{found.filename} is still {found.status} after {timeout_s:g} s; it goes on.")
        pause = next(looks, pause)
        yield Pause(pause)


def _size_and_digest(path: Path) -> tuple[int, str]:
    with path.open("rb") as file:
        return path.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()


class CountedFile(io.FileIO):
    """A file that tells how much of it has been read."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        super().__init__(path)
        self.total = path.stat().st_size
        self._progress, self._read = progress, 0

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size) or b""
        self._read += len(piece)
        if piece and self._progress is not None:
            self._progress(self._read, self.total)
        return piece

    def rewind(self) -> None:
        self.seek(0)
        self._read = 0

    def pieces(self) -> Iterator[bytes]:
        while piece := self.read(PIECE_BYTES):
            yield piece


async def _awaited(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece
