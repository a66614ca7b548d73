"""What the application needs from outside, as Protocols. Adapters implement them; `bootstrap` chooses.

Postgres is not here: the same SQL runs everywhere, only the connection string differs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from shared.domain.operations import PageOperations
from shared.domain.page import OutlineEntry, PageFile
from shared.domain.scope import Identity

Vectors = npt.NDArray[np.float32]


class BlobStore(Protocol):
    """Objects by key. Keys are relative, `/`-separated, and never contain `..`."""

    def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        """Store `data` whole or not at all, replacing what was there."""
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

    def delete_prefix(self, prefix: str) -> int:
        """Delete every object under `prefix`; returns how many."""
        ...

    def local_copy(self, key: str) -> Path:
        """A file with the object's bytes, for libraries that want a path; raises NotFound."""
        ...

    def upload_target(self, key: str, max_bytes: int) -> "UploadTarget":
        """Where a client may put the object's bytes, at most `max_bytes` of them."""
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


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def version(self) -> str:
        """Model and configuration, stored on every vector it makes."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """shape (len(texts), dimensions), each row of length 1."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """shape (dimensions,), length 1."""
        ...


@dataclass(frozen=True)
class DocumentContext:
    """What an engine may know about the whole document while it looks at a range of pages.

    `profile` is the engine's own summary of all pages (fonts, furniture), made once by its `profile` method.
    """

    name: str
    page_count: int
    outline: tuple[OutlineEntry, ...]
    profile: str


class Grouper(Protocol):
    """An extraction engine: fragments in, operations out."""

    @property
    def version(self) -> str: ...

    def extract(self, page: PageFile, context: DocumentContext) -> PageOperations: ...


class IdentitySource(Protocol):
    """Who is asking, from a request's verified claims."""

    def resolve(self, issuer: str, subject: str) -> Identity: ...


class Workflow(Protocol):
    """Starts ingestion of an object that has arrived. In the cloud the bucket's event does it, so this does nothing."""

    def start(self, source_key: str, engine: str) -> None: ...
