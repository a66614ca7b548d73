"""What the application needs from outside, as Protocols. Adapters implement them; `bootstrap` chooses.

Postgres is not here: the same SQL runs everywhere, only the connection string differs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from uuid import UUID

import numpy as np
import numpy.typing as npt

from shared.domain.model_calls import Correction, Grouping, GroupingContext, Usage
from shared.domain.page import PageFile

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True)
class StoredObject:
    """What a store says of an object without reading it. `partial`: a write that has not come to its end, perhaps never
    will; nobody can read it."""

    key: str
    size: int
    changed_at: datetime
    partial: bool = False


class BlobStore(Protocol):
    """Objects by key. Keys are relative, `/`-separated, and never contain `..`."""

    def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        """Store `data` whole or not at all, replacing what was there."""
        ...

    def put_file(self, key: str, path: Path) -> None:
        """Store the file at `path` whole or not at all; the file may be gone afterwards."""
        ...

    def get(self, key: str) -> bytes:
        """The object's bytes; raises NotFound."""
        ...

    def size(self, key: str) -> int:
        """The object's size in bytes; raises NotFound."""
        ...

    def exists(self, key: str) -> bool: ...

    def list(self, prefix: str) -> Iterator[str]:
        """Keys under `prefix`, sorted."""
        ...

    def entries(self, prefix: str) -> Iterator[StoredObject]:
        """Everything that takes room under `prefix` (which ends in `/`), by key."""
        ...

    def delete(self, key: str) -> None:
        """Delete this one object for good; nothing happens where there is none."""
        ...

    def delete_prefix(self, prefix: str) -> int:
        """Delete every object under `prefix`; returns how many."""
        ...

    def local_copy(self, key: str, version: str | None = None) -> Path:
        """A file with the object's bytes, for libraries that want a path; raises NotFound. `version` asks for what lay
        there when `latest_version` answered it, whatever was put since; stores without versions know none."""
        ...

    def spool(self) -> Path | None:
        """A folder for what is still arriving, from which `put_file` is a rename; None: the system's own."""
        ...

    def latest_version(self, key: str) -> str | None:
        """What tells the object's bytes of now from later ones; None in a store without versions. Raises NotFound."""
        ...

    def copy(self, key: str, version: str | None, target: str) -> None:
        """Store the bytes of that version under `target` as well, whole or not at all; raises NotFound."""
        ...

    def upload_target(self, key: str, size: int, sha256: str) -> "UploadTarget":
        """Where a client may put the object's bytes: exactly `size` of them, with this SHA-256 (hexadecimal)."""
        ...

    def read_url(self, key: str) -> str | None:
        """A short-lived URL (≤ 5 minutes) for a browser, or None where the application streams it itself."""
        ...


@dataclass(frozen=True)
class UploadTarget:
    """How to send a file: method, URL, headers, and form fields (S3 presigned POST; empty for PUT)."""

    url: str
    method: str
    headers: dict[str, str]
    fields: dict[str, str]


# What model calls used, and US dollars.
Spent = Callable[[Usage, float], None]


def for_nothing(_usage: Usage, _usd: float) -> None:
    """Where nobody asks what a call cost."""


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def version(self) -> str:
        """Model and configuration, stored on every vector it makes."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        """shape (len(texts), dimensions), each row of length 1. `spent` hears what the calls used and cost."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """shape (dimensions,), length 1."""
        ...


@dataclass(frozen=True)
class Reranked:
    """Texts by their place in what was given, best first, with the model's scores (0..1); what the call cost."""

    order: list[tuple[int, float]]
    usd: float = 0.0


class Reranker(Protocol):
    """Reads a query and each text together and says how relevant the text is."""

    @property
    def version(self) -> str | None:
        """The model, for traces; None for the one that changes nothing."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """Every text exactly once. Raises Unavailable, and BadInput where the model refuses the call for good."""
        ...


class IdentityReranker:
    """Keeps the order that it is given: where no model is deployed."""

    version = None

    def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """Scores fall from 1 by place, so that whoever sorts by them gets the same order."""
        del query
        return Reranked([(place, 1 / (1 + place)) for place in range(len(texts))])


class OcrWord(NamedTuple):
    """One word; its box in 0..1 of the picture it was recognised in, origin top left.

    `confidence` is 0..1 as the engine says it; engines are not calibrated against each other. Words of one `line`
    stand side by side on one base line, in the order in which they are read.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float
    line: int


class Ocr(Protocol):
    """Reads the words in a picture."""

    @property
    def version(self) -> str:
        """Engine, its version and languages or models; stored with every page it reads."""
        ...

    def read(self, image: bytes) -> list[OcrWord]:
        """Words of an upright JPEG or PNG, line by line; [] where there are none. Raises Unavailable."""
        ...


class Vault(Protocol):
    """Keeps a file's password from its upload to its first reading; never in clear, never longer."""

    def put(self, name: UUID, secret: str) -> None: ...

    def get(self, name: UUID) -> str | None:
        """None where nothing was put, or where it was forgotten."""
        ...

    def forget(self, name: UUID) -> None:
        """Delete it for good; nothing happens where there is none."""
        ...


class Grouper(Protocol):
    """A model that groups a page's fragments. It answers ids; what it answers is checked by the caller."""

    @property
    def version(self) -> str:
        """Model and prompts, stored with everything that it decides."""
        ...

    def group(
        self,
        page: PageFile,
        image: bytes | None,
        context: GroupingContext,
        deadline: float,
        correction: Correction | None,
    ) -> Grouping:
        """One answer about one page; `image` is a JPEG of it, `deadline` a time of `time.monotonic`.

        Depends on nothing but its arguments. Raises Unavailable where the model does not answer before the deadline
        and BadInput where it never will (no access, no such model).
        """
        ...


class Workflow(Protocol):
    """Runs the stages again for a document that is there already.

    A new object needs no call: in the cloud the bucket's event starts its workflow, locally the runner polls.
    `leases`: a run is held by a lease that somebody takes over. Otherwise it is lost when its time is over.
    """

    @property
    def leases(self) -> bool: ...

    def start(self, event: Mapping[str, Any]) -> None: ...
