"""One stage in a process of its own: the local twin of a Lambda function.

`run_stage` is what the worker pool calls. `python -m functions.worker STAGE PARENT` reads one event from standard
input, runs it under a memory limit and is used for a single page whose range failed.
"""

import faulthandler
import json
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from shared.adapters.local.lifeline import end_with
from shared.bootstrap import process_runtime
from shared.contract import RUN_LIMIT_S
from shared.errors import StoreUnavailable, Unavailable
from shared.ingestion.pages import STORE_UNAVAILABLE_EXIT, UNAVAILABLE_EXIT

# The runner has given it up by then, and the pool has its place back.
LIMIT_S = RUN_LIMIT_S + 60
# All that the process may map, above what a page may take (limits.py): MuPDF and its caches, with room.
ADDRESS_SPACE_BYTES = 3 * 1024**3


def run_stage(stage: str, event: Mapping[str, Any]) -> dict[str, Any]:
    """Run one stage with this process's runtime. One that does not end takes the process with it, even where it holds
    the interpreter."""
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    try:
        module = import_module(f"shared.ingestion.{stage}")
        return dict(module.run(process_runtime(), event))
    finally:
        faulthandler.cancel_dump_traceback_later()


def main() -> None:
    import resource

    end_with(int(sys.argv[2]))
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    try:
        run_stage(sys.argv[1], json.load(sys.stdin))
    except Unavailable as error:
        print(error, file=sys.stderr)
        sys.exit(STORE_UNAVAILABLE_EXIT if isinstance(error, StoreUnavailable) else UNAVAILABLE_EXIT)


if __name__ == "__main__":
    main()
