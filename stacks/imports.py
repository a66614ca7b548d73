"""Imports on AWS: an archive that arrives in the bucket → rule → function → rows and files.

A run that leaves work is followed by another one, as maintenance is.
"""

from constructs import Construct

from shared.contract import (
    ARCHIVED_PREFIXES,
    ERASING_PREFIX,
    EXPORT_LIMIT_S,
    IMPORT_OUTCOMES,
    IMPORTED_ARCHIVES,
    IMPORTS_PREFIX,
    SOURCES_PREFIX,
)
from stacks.admission import make_undelivered
from stacks.arrivals import follow_while_more, start_on_arrival
from stacks.exports import CONCURRENCY, DISK_MB, MEMORY_MB
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.storage import Storage, explain_objects


class Imports(Construct):
    """One function, started by archives alone. Beside `register` and what posts notes, it alone writes sources."""

    def __init__(self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage) -> None:
        super().__init__(scope, id_)
        layers = ("core", "vectors", "documents")
        settings = FunctionSettings(
            "import_archive", layers, EXPORT_LIMIT_S, MEMORY_MB, reserved=CONCURRENCY, disk_mb=DISK_MB
        )
        function = factory.create(self, "Function", settings)
        # What is here of an import that fails goes by a deletion as any other.
        read, write = (IMPORTS_PREFIX, SOURCES_PREFIX), (*ARCHIVED_PREFIXES, IMPORT_OUTCOMES, ERASING_PREFIX)
        storage.allow(function, read=read, write=write)
        # An archive goes once it is read.
        deleted = (IMPORTED_ARCHIVES,)
        storage.allow_deleting(function, deleted)
        storage.allow_listing(function)
        explain_objects(function, storage, (*read, *write, *deleted))
        live = factory.serve(function)
        undelivered = make_undelivered(self)
        key = {"wildcard": IMPORTED_ARCHIVES}
        start_on_arrival(self, "OnArchive", storage=storage, key=key, function=live, undelivered=undelivered)
        follow_while_more(self, function=function, live=live, undelivered=undelivered)
