"""One stage in a process of its own: the local twin of a Lambda function.

`run_stage` is what the worker pool calls. `python -m functions.worker STAGE` reads one event from standard input,
runs it under a memory limit and is used for a single page whose range failed.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from shared.bootstrap import process_runtime
from shared.errors import Unavailable
from shared.ingestion.pages import UNAVAILABLE_EXIT

# All that the process may map, above what a page may take (limits.py): MuPDF and its caches, with room.
ADDRESS_SPACE_BYTES = 3 * 1024**3
PARENT_CHECK_S = 0.5


def run_stage(stage: str, event: Mapping[str, Any]) -> dict[str, Any]:
    """Run one stage with this process's runtime."""
    module = import_module(f"shared.ingestion.{stage}")
    return dict(module.run(process_runtime(), event))


def start_worker(environment: Mapping[str, str]) -> None:
    """Initialise a pool process: its environment, and an end when its parent is gone, however that ended."""
    os.environ.update(environment)
    parent = os.getppid()

    def follow_parent() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_S)
        os._exit(1)

    threading.Thread(target=follow_parent, daemon=True).start()


def main() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES))
    try:
        run_stage(sys.argv[1], json.load(sys.stdin))
    except Unavailable as error:
        print(error, file=sys.stderr)
        sys.exit(UNAVAILABLE_EXIT)


if __name__ == "__main__":
    main()
