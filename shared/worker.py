"""A process that runs stages on one machine, or one page of a Lambda function's range.

`run_stage` is called by the worker pool; `python -m shared.worker STAGE PARENT` is a child for one page
(`ingestion/child.py`), named by a runtime's `worker`.
"""

import faulthandler
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from shared import telemetry
from shared.bootstrap import process_runtime
from shared.contract import STEP_LIMIT_S
from shared.ingestion.child import be_child

# By then the runner has given up on it, and the pool can replace the process.
LIMIT_S = STEP_LIMIT_S + 60


def run_stage(stage: str, event: Mapping[str, Any]) -> dict[str, Any]:
    """Runs one stage with this process's runtime. A stage that exceeds its time ends the process, even if it holds the
    interpreter's lock."""
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    try:
        module = import_module(f"shared.ingestion.{stage}")
        with telemetry.request(stage):
            return dict(module.run(process_runtime(), event))
    finally:
        telemetry.flush()
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    be_child(run_stage)
