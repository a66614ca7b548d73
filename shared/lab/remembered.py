"""What was computed of tables a short while ago, in this process: a notebook's change shows all its cells again, and
each page of a list of tables is cut out of all of them.

It is found by a hash of all that it is made of, as far as whoever asks may see that: columns and steps, the tables with
the hashes of their content, the names of their documents. So nothing has to be forgotten when something changes, and
nobody is shown what they could not have computed.
"""

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

from shared.store import datasets as rows
from shared.store.connect import Connection

BYTES_MAX: Final = 64 * 1024 * 1024

Found = TypeVar("Found")


class Remembered:
    """The last results, of so many bytes in all. May be asked by several threads."""

    def __init__(self, most: int = BYTES_MAX) -> None:
        self._most, self._size = most, 0
        self._found: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str | None, make: Callable[[], Found], size: Callable[[Found], int]) -> Found:
        """What `key` names, else made; with None always made. `size` is in bytes."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key][0]
        made = make()
        if key is not None:
            self._keep(key, made, size(made))
        return made

    def _keep(self, key: str, made: Any, size: int) -> None:
        with self._lock:
            self._size += size - self._found.pop(key, (None, 0))[1]
            self._found[key] = (made, size)
            while self._size > self._most:
                self._size -= self._found.popitem(last=False)[1][1]


RESULTS: Final = Remembered()


def key_of(connection: Connection, dataset_id: UUID, revision: int, *more: Any) -> str | None:
    """Of a revision of a dataset as the open scope shows it, and of what is computed of it. None where its steps take
    other datasets, which change by themselves."""
    stored = rows.get_revision(connection, dataset_id, revision)
    if stored is None or any("dataset_id" in step for step in stored["steps"]):
        return None
    tables = rows.tables_of(connection, dataset_id, stored["tables_of"])
    made_of = [[str(one["id"]), one["content_hash"], one["document"], one["version"]] for one in tables]
    return hash_of([str(dataset_id), stored["sha256"], made_of, *more])


def hash_of(told: Sequence[Any]) -> str:
    """SHA-256 of it as JSON, as hexadecimal digits."""
    return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()
