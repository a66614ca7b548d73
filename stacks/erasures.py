"""Deletions on AWS: an object in the bucket → rule → function → nothing left but a certificate.

A run that leaves work is followed by another one, as maintenance is.
"""

from constructs import Construct

from shared.contract import DROP_PREFIX, ERASING_PREFIX, STORED_PREFIXES, TRANSFER_PREFIXES
from stacks.admission import make_undelivered
from stacks.arrivals import follow_while_more, start_on_arrival
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.storage import Storage, explain_objects

TIMEOUT_S = 900
MEMORY_MB = 1024
# Each holds a connection to the database; two deletions at once, others wait for their turn.
CONCURRENCY = 2


class Erasures(Construct):
    """One function, started by the objects of deletions alone: it deletes below every prefix, and reads nothing."""

    def __init__(self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage) -> None:
        super().__init__(scope, id_)
        layers = ("core", "vectors", "documents")
        settings = FunctionSettings("erase", layers, TIMEOUT_S, MEMORY_MB, reserved=CONCURRENCY)
        function = factory.create(self, "Function", settings)
        deleted = (*STORED_PREFIXES, *TRANSFER_PREFIXES, DROP_PREFIX, ERASING_PREFIX)
        storage.allow_deleting(function, deleted)
        storage.allow_listing(function)
        storage.allow_passwords(function, "DeleteSecret")
        explain_objects(function, storage, deleted)
        live = factory.serve(function)
        undelivered = make_undelivered(self)
        start_on_arrival(
            self,
            "OnRequest",
            storage=storage,
            key={"prefix": ERASING_PREFIX},
            function=live,
            undelivered=undelivered,
        )
        follow_while_more(self, function=function, live=live, undelivered=undelivered)
