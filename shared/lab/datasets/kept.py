"""Columns in Parquet files: what is exported, and what is kept of long tables beside their document, and goes with it.

What is kept is only faster than the tables: it is named by a hash of these, and made anew where it is missing. Files
are read and written by databases of their own, which see one folder and run no step of anybody.
"""

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

from shared.contract import document_prefix
from shared.domain.datasets import DatasetColumn
from shared.errors import NotFound
from shared.lab.datasets.engine import Sandbox
from shared.ports import BlobStore
from shared.store.connect import Row

KEPT_FROM_ROWS: Final = 20_000
# Of all datasets that are made of a document; what is deleted is made anew.
FILES_MAX: Final = 40
# Changes where cells are read otherwise.
_VERSION: Final = "5"
Arrays = Mapping[str, Any]


def write_parquet(
    names: Sequence[str], types: Sequence[str], arrays: Arrays, labels: Sequence[str], about: str | None = None
) -> bytes:
    """Columns by their names, called `labels` in the file; `about` is kept in its footer, as `autri`."""
    with tempfile.TemporaryDirectory(prefix="autri-parquet-") as folder, Sandbox(Path(folder)) as sandbox:
        sandbox.fill("result", names, types, arrays)
        quoted = [_quoted(label) for label in labels]
        listed = ", ".join(f"{name} as {label}" for name, label in zip(names, quoted, strict=True))
        path = Path(folder) / "result.parquet"
        told = f", kv_metadata {{autri: {_literal(about)}}}" if about is not None else ""
        sandbox.ask(f"copy (select {listed} from result) to {_literal(path)} (format parquet, compression zstd{told})")
        return path.read_bytes()


def read_parquet(path: Path) -> Arrays:
    with ParquetReader() as reader:
        return reader.read(path)


class ParquetReader(ExitStack):
    """Reads files, those of one folder by one database, which takes longer to open than a file to read."""

    def __init__(self) -> None:
        super().__init__()
        self._opened: dict[Path, Sandbox] = {}

    def read(self, path: Path) -> Arrays:
        sandbox = self._opened.get(path.parent)
        if sandbox is None:
            sandbox = self._opened[path.parent] = self.enter_context(Sandbox(path.parent))
        return sandbox.arrays(f"select * from read_parquet({_literal(path)})")


class KeptColumns:
    """The columns of some tables of one document, where they were kept. `beside` are the tables that tell how its
    numbers are written: with others the same text may be another number, as it may with a unit (110M)."""

    def __init__(
        self, blobs: BlobStore, tables: Sequence[Row], columns: Sequence[DatasetColumn], beside: Sequence[Row]
    ) -> None:
        first = tables[0]
        owner = (str(first[name]) for name in ("organization_id", "knowledge_base_id", "document_id"))
        told = [_VERSION, *(f"{one.type} {one.unit or ''}" for one in columns)]
        told += [f"{row['id']} {row['content_hash']}" for row in (*tables, *beside)]
        self._blobs, self._folder = blobs, f"{document_prefix(*owner)}datasets/"
        self._key = f"{self._folder}{hashlib.sha256(chr(10).join(told).encode()).hexdigest()}.parquet"

    def read(self, reader: ParquetReader) -> Arrays | None:
        try:
            return reader.read(self._blobs.local_copy(self._key))
        except NotFound:
            return None

    def keep(self, names: Sequence[str], types: Sequence[str], arrays: Arrays) -> None:
        """Of so many files a document has only the last ones."""
        if sum(1 for _ in self._blobs.list(self._folder)) >= FILES_MAX:
            self._blobs.delete_prefix(self._folder)
        self._blobs.put(self._key, write_parquet(names, types, arrays, names))


def _quoted(label: str) -> str:
    doubled = label.replace("\0", "").replace('"', '""')
    return f'"{doubled}"'


def _literal(text: Path | str) -> str:
    doubled = str(text).replace("\0", "").replace("'", "''")
    return f"'{doubled}'"
