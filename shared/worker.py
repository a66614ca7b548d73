"""A process that runs stages on one machine, or one page of a Lambda's range: the local twin of a Lambda function.

`run_stage` is what the worker pool calls; `python -m shared.worker STAGE PARENT` is a child for one page
(`ingestion/child.py`), which a runtime names in `worker`.
"""

import faulthandler
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from shared.bootstrap import process_runtime
from shared.contract import RUN_LIMIT_S
from shared.ingestion.child import be_child

# The runner has given it up by then, and the pool has its place back.
LIMIT_S = RUN_LIMIT_S + 60


def run_stage(stage: str, event: Mapping[str, Any]) -> dict[str, Any]:
    """Run one stage with this process's runtime. One that does not end takes the process with it, even where it holds
    the interpreter."""
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    try:
        module = import_module(f"shared.ingestion.{stage}")
        return dict(module.run(process_runtime(), event))
    finally:
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    be_child(run_stage)
