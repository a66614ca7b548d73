"""Web pages on AWS: a request in the bucket → rule → function outside the VPC → the bucket.

The function has no right to write. A request holds signed addresses of the two objects that it may write
(docs/decisions/0089-the-web-on-aws.md).
"""

from constructs import Construct

from shared.contract import FETCHING_PREFIX
from stacks.arrivals import start_on_arrival
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.storage import Storage, explain_objects

# Longer than all redirects of a page may take (`shared.adapters.web.TOTAL_S`), and what it takes to store 64 MB.
TIMEOUT_S = 75
MEMORY_MB = 512


class Fetching(Construct):
    """One function, started by requests alone."""

    def __init__(self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage) -> None:
        super().__init__(scope, id_)
        settings = FunctionSettings("fetch", (), TIMEOUT_S, MEMORY_MB, outside=True)
        function = factory.create(self, "Function", settings)
        storage.allow(function, read=(FETCHING_PREFIX,))
        explain_objects(function, storage, (FETCHING_PREFIX,))
        start_on_arrival(
            self, "OnRequest", storage=storage, key={"prefix": FETCHING_PREFIX}, function=factory.serve(function)
        )
