"""Imports on AWS: an archive that arrives in the bucket → rule → function → rows and files."""

from constructs import Construct

from shared.contract import (
    ARCHIVED_PREFIXES,
    EXPORT_LIMIT_S,
    IMPORT_OUTCOMES,
    IMPORTED_ARCHIVES,
    IMPORTS_PREFIX,
    SOURCES_PREFIX,
)
from stacks.arrivals import start_on_arrival
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
        read, write = (IMPORTS_PREFIX, SOURCES_PREFIX), (*ARCHIVED_PREFIXES, IMPORT_OUTCOMES)
        storage.allow(function, read=read, write=write)
        # What it wrote goes again where an import fails, and an archive once it is read.
        deleted = (*ARCHIVED_PREFIXES, IMPORTED_ARCHIVES)
        storage.allow_deleting(function, deleted)
        storage.allow_listing(function)
        explain_objects(function, storage, (*read, *write, *deleted))
        start_on_arrival(
            self, "OnArchive", storage=storage, key={"wildcard": IMPORTED_ARCHIVES}, function=factory.serve(function)
        )
