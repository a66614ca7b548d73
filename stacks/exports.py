"""Exports on AWS: a request in the bucket → rule → function → an archive in the bucket.

A run that leaves work is followed by another one, as maintenance is.
"""

from constructs import Construct

from shared.contract import EXPORT_LIMIT_S, EXPORTS_PREFIX, REQUESTS_PREFIX, SOURCES_PREFIX, WORK_PREFIX
from stacks.admission import make_undelivered
from stacks.arrivals import follow_while_more, start_on_arrival
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.storage import Storage, explain_objects

MEMORY_MB = 2048
# The most that Lambda has: the largest sources lie there while they are copied.
DISK_MB = 10_240
# Each holds a connection to the database for as long as it reads rows.
CONCURRENCY = 2


class Exports(Construct):
    """One function, started by requests alone."""

    def __init__(self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage) -> None:
        super().__init__(scope, id_)
        layers = ("core", "vectors", "documents")
        settings = FunctionSettings("export", layers, EXPORT_LIMIT_S, MEMORY_MB, reserved=CONCURRENCY, disk_mb=DISK_MB)
        function = factory.create(self, "Function", settings)
        read = (WORK_PREFIX, SOURCES_PREFIX, EXPORTS_PREFIX, REQUESTS_PREFIX)
        storage.allow(function, read=read, write=(EXPORTS_PREFIX,))
        storage.allow_versions(function, (SOURCES_PREFIX,))
        storage.allow_listing(function)
        explain_objects(function, storage, read)
        live = factory.serve(function)
        undelivered = make_undelivered(self)
        key = {"prefix": REQUESTS_PREFIX}
        start_on_arrival(self, "OnRequest", storage=storage, key=key, function=live, undelivered=undelivered)
        follow_while_more(self, function=function, live=live, undelivered=undelivered)
