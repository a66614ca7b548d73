"""Verifies a stored document: reads its source again and compares it with what was stored."""

import lzma
import struct
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from shared.access import find_place, find_row, reading
from shared.contract import kept_key
from shared.domain.kept_rows import KeptBlock
from shared.domain.knowledge import Chunk
from shared.domain.page import PageFile
from shared.domain.raw_page import SecondText
from shared.domain.scope import Identity
from shared.domain.verify import Stored, StoredChunk, VerifyFailure, VerifyReport
from shared.errors import Conflict, NotFound, StorageFull
from shared.evidence import Change, find_change, readable_path
from shared.library.operations import applied_edits, load_operations, read_stored
from shared.library.pages import list_chunks
from shared.readers.formats import StructuredFormat
from shared.readers.registry import find_format
from shared.runtime import Runtime
from shared.store import library
from shared.store.library import DocumentPlace
from shared.store.proof import digest, load_rows
from shared.verify.document import verify_document, verify_parts

BATCH = 500
REPORT = "verify-"
# The verifying code, below `shared`: its hash is part of a report's key, so that reports by other rules are not reused.
RULES = ("verify/*.py", "domain/verify.py", "domain/kept_rows.py", "rereading/*.py")
# PDFium is not thread-safe: concurrent calls crash the whole process.
_ONE_PROOF_AT_A_TIME = threading.Lock()
# What the standard library's readers raise for a file that they cannot read (a ParseError is a SyntaxError, and what
# zipfile says of an encrypted member or of a method that it does not know a RuntimeError).
_UNREADABLE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError, LookupError,
    SyntaxError, RuntimeError,
)  # fmt: skip


def verify_stored_document(
    runtime: Runtime, identity: Identity, document_id: UUID, *, refresh: bool = False
) -> VerifyReport:
    """Returns counts and failures of one document: the stored report, or with `refresh` a new one.

    A stored report is returned as long as everything that it depends on is unchanged (rows, stored files, rules). The
    stored source's hash is always checked first: where it differs, nothing is verified. A refused file is no failure.
    Raises NotFound; Conflict while a run is changing what would be verified.
    """
    with reading(runtime, identity) as connection:
        place = find_place(connection, document_id)
        document = find_row(connection, document_id)
    if place.status in ("queued", "running"):
        raise Conflict(f"{place.name} is being ingested. Verify it when it is ready.")
    if change := find_change(runtime, document):
        return _changed_source_report(document, change)
    key = _report_key(runtime, identity, place)
    if not refresh and runtime.blobs.exists(key):
        with suppress(ValidationError):  # an incomplete report is made again
            return VerifyReport.model_validate_json(runtime.blobs.get(key))
    report = _verify(runtime, identity, place, document)
    with reading(runtime, identity) as connection:
        # Deleted, edited or ingested again meanwhile: the report is returned and not stored.
        if library.get_place(connection, document_id) == place:
            runtime.blobs.delete_prefix(place.work + REPORT)
            with suppress(StorageFull):  # the report is then made again the next time
                runtime.blobs.put(key, report.model_dump_json().encode(), "application/json")
    return report


def _report_key(runtime: Runtime, identity: Identity, place: DocumentPlace) -> str:
    """The key of the report on the present rows and files, by the present rules."""
    with reading(runtime, identity) as connection:
        state = sha256(_digest_of(RULES) + digest(connection, place.id).encode())
    for one in runtime.blobs.entries(place.work):
        if not one.key.startswith(place.work + REPORT):
            state.update(f"{one.key} {one.size} {one.changed_at.timestamp()}".encode())
    return f"{place.work}{REPORT}{place.revision}-{state.hexdigest()[:32]}.json"


@cache
def _digest_of(rules: tuple[str, ...]) -> bytes:
    package = Path(__file__).parents[1]
    texts = [path.read_bytes() for pattern in rules for path in sorted(package.glob(pattern))]
    libraries = [version(name).encode() for name in ("pymupdf", "pypdfium2")]
    return sha256(b"\0".join([*texts, *libraries])).digest()


def _changed_source_report(document: dict[str, Any], change: Change) -> VerifyReport:
    """The report on a changed source. It is not stored, since the source may be restored."""
    failure = VerifyFailure(
        document_id=str(document["id"]),
        chunk_id=None,
        page=None,
        check="source",
        expected=change.expected,
        actual=change.actual,
    )
    chunks = int(document["chunk_count"])
    return VerifyReport(chunks=chunks, failed=chunks, failures=[failure], checked_at=datetime.now(UTC))


def _verify(runtime: Runtime, identity: Identity, place: DocumentPlace, document: dict[str, Any]) -> VerifyReport:
    now = datetime.now(UTC)
    if place.status == "refused":
        return VerifyReport(checked_at=now)
    path, read = readable_path(runtime, document), find_format(document["source_type"])
    stored = _stored(runtime, identity, place)
    if isinstance(read, StructuredFormat):
        with read.open(path, None) as source:
            report = verify_parts(source, second_text(read, path), stored)
    else:
        with _ONE_PROOF_AT_A_TIME, read.open(path, None) as source, read.reread(path) as second:
            report = verify_document(source, second, stored)
    update = {"document_id": str(place.id)}
    examples = {
        "failures": [failure.model_copy(update=update) for failure in report.failures],
        "warnings": [warning.model_copy(update=update) for warning in report.warnings],
    }
    return report.model_copy(update={**examples, "checked_at": now})


def second_text(form: StructuredFormat, path: Path) -> SecondText:
    """What the second reader has of a file; nothing, so that the proof fails and says so, where it cannot read what
    the first one has read."""
    try:
        return form.second(path)
    except _UNREADABLE:
        return SecondText("", offsets=False)


def _stored(runtime: Runtime, identity: Identity, place: DocumentPlace) -> Stored:
    with reading(runtime, identity) as connection:
        applied = applied_edits(connection, place)
        rows = load_rows(connection, place.id)
    return Stored(
        chunks=map(_served, _chunks(runtime, identity, place.id)),
        operations=lambda page: load_operations(runtime, place, page, applied),
        files=lambda page: _load(runtime, place, page),
        kept=lambda page: _load_kept(runtime, place, page),
        **rows._asdict(),
    )


def _served(chunk: Chunk) -> StoredChunk:
    return StoredChunk(
        id=str(chunk.id),
        content=chunk.content,
        chunk_type=chunk.chunk_type,
        boxes=chunk.boxes,
        ocr=chunk.ocr,
        section_id=str(chunk.section.id) if chunk.section else None,
        table_id=str(chunk.table_id) if chunk.table_id else None,
        row=chunk.row,
        table=chunk.table,
        attrs=chunk.attrs,
    )


def _chunks(runtime: Runtime, identity: Identity, document_id: UUID) -> Iterator[Chunk]:
    """All chunks, read in batches: memory does not grow with the document, and no transaction is open while pages are
    read."""
    batch = list_chunks(runtime, identity, document_id, None, BATCH)
    while batch:
        yield from batch
        batch = list_chunks(runtime, identity, document_id, (batch[-1].ordinal, batch[-1].id), BATCH)


def _load(runtime: Runtime, place: DocumentPlace, page: int) -> PageFile | None:
    """None for a page that failed before its file was written. Raises Damaged."""
    key = f"{place.work}pages/{page}.json"
    return read_stored(runtime, place, key, PageFile) if runtime.blobs.exists(key) else None


def _load_kept(runtime: Runtime, place: DocumentPlace, page: int) -> KeptBlock | None:
    """None where it cannot be read."""
    with suppress(NotFound, ValueError):
        return KeptBlock.unpacked(runtime.blobs.get(kept_key(place.work, page)))
    return None
