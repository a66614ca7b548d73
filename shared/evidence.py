"""Checks a document's stored source against its registered hash.

Whoever opens the source checks it first, every time: 50 MB take some 30 ms, less than opening them. A difference is
marked on the document, which is then shown as unproved until its bytes are the right ones again.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from shared.domain.scope import Scope
from shared.errors import NotFound, SourceChanged
from shared.runtime import Runtime
from shared.store import documents

Row = Mapping[str, Any]


class Change(NamedTuple):
    """A stored file's expected and actual hash, and the message for people."""

    expected: str
    actual: str
    sentence: str


class _Held(NamedTuple):
    """A stored file with its recorded hash. `opened`: the decrypted copy of a protected source."""

    key: str
    version: str | None
    sha256: str | None
    opened: bool


def readable_path(runtime: Runtime, document: Row) -> Path:
    """The file that everything is read from: the source, or the decrypted copy of a protected one. Raises
    SourceChanged."""
    held = _held(document)[-1]
    if change := _change(runtime, document, held):
        _mark(runtime, document, changed=True)
        raise SourceChanged(change.sentence)
    return runtime.blobs.local_copy(held.key, held.version)


def check_source(runtime: Runtime, document: Row) -> None:
    """Raises SourceChanged where any of the document's stored files differs from its recorded hash."""
    if change := find_change(runtime, document):
        raise SourceChanged(change.sentence)


def find_change(runtime: Runtime, document: Row) -> Change | None:
    """Returns the first of the document's stored files that differs from its recorded hash; sets or clears the
    document's mark."""
    changes = (_change(runtime, document, held) for held in _held(document))
    change = next(filter(None, changes), None)
    _mark(runtime, document, changed=change is not None)
    return change


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal. Raises NotFound where it has just been deleted."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as gone:
        raise NotFound(f"There is no file {path.name} any more.") from gone


def _held(document: Row) -> list[_Held]:
    """The source, then the opened copy where there is one."""
    source = _Held(document["source_key"], document["source_version"], document["source_hash"], opened=False)
    if document["opened_key"] is None:
        return [source]
    return [source, _Held(document["opened_key"], None, document["opened_hash"], opened=True)]


def _change(runtime: Runtime, document: Row, held: _Held) -> Change | None:
    try:
        actual = f"SHA-256 {sha256_of(runtime.blobs.local_copy(held.key, held.version))}"
    except NotFound:
        actual = "no stored file"
    expected = f"SHA-256 {held.sha256}"
    return None if actual == expected else Change(expected, actual, _sentence(document, held))


def _mark(runtime: Runtime, document: Row, *, changed: bool) -> None:
    """Writes the mark only where it differs from the row's."""
    if changed == (document["source_changed_at"] is not None):
        return
    scope = Scope(organization_id=document["organization_id"], knowledge_base_ids=(document["knowledge_base_id"],))
    with runtime.database.transaction(scope) as connection:
        documents.mark_source(connection, document["id"], changed=changed)


def _sentence(document: Row, held: _Held) -> str:
    if held.opened:
        return (
            f"The opened copy of {document['name']} is not the one that was made from the upload."
            " Delete the document, and upload it again with its password."
        )
    return (
        f"The stored source of {document['name']} is not the file that was uploaded."
        " Upload the same file again to put it back, or delete the document."
    )
