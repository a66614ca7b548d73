"""Runs tests in a copy of the checkout: imports once what is not ours, then forks for every mutant.

Started as a script with the copy as its working directory, so that nothing of the project is imported here. Reads
`{"tests": [...], "limit": seconds | null, "environment": {...}}` a line from stdin; writes
`{"outcome": "passed" | "failed" | "timeout" | "empty", "seconds": s, "by": test | null, "tail": output}`.
"""

import importlib
import json
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

import hypothesis
import pytest

ROOT = Path.cwd()
LOADED = ROOT / ".mutants-loaded"
BY = ROOT / ".mutants-killed-by"
OUTPUT = ROOT / ".mutants-output"
# They start a process at import.
NOT_SHARED = ("jsii", "aws_cdk", "constructs", "cdk_nag")
# Assertions need no rewriting: whether they fail is all that counts, and plugins may have been imported before.
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--hypothesis-profile=mutants", "--assert=plain")
OUTCOMES = {0: "passed", 5: "empty"}


class FirstFailure:
    """Writes down which test failed first."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not BY.exists():
            BY.write_text(report.nodeid)


def run_tests(tests: list[str], environment: dict[str, str]) -> int:
    """In the child: run the tests, and note what they imported."""
    os.setsid()
    output = os.open(OUTPUT, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.update(environment)
    # The first counter-example kills; making it small or keeping it would only take time.
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", phases=phases, derandomize=True, database=None, deadline=None)
    code = pytest.main([*OPTIONS, *tests], plugins=[FirstFailure()])
    if not LOADED.exists():
        ours = ("shared", "functions", "stacks", "tests", "samples", "__main__")
        LOADED.write_text("\n".join(name for name in list(sys.modules) if name.split(".")[0] not in ours))
    sys.stdout.flush()
    return int(code)


def answer(order: dict[str, Any]) -> dict[str, Any]:
    BY.unlink(missing_ok=True)
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 3
        try:
            code = run_tests(order["tests"], order["environment"])
        except BaseException:
            traceback.print_exc()
            raise
        finally:
            os._exit(code)
    status = wait(child, order["limit"])
    seconds = round(time.monotonic() - begun, 2)
    if status is None:
        return {"outcome": "timeout", "seconds": seconds, "by": None, "tail": ""}
    outcome = OUTCOMES.get(os.waitstatus_to_exitcode(status), "failed")
    by = BY.read_text() if BY.exists() else None
    return {"outcome": outcome, "seconds": seconds, "by": by, "tail": OUTPUT.read_text(errors="replace")[-3000:]}


def wait(child: int, limit: float | None) -> int | None:
    """The child's status, or nothing when it had to be ended with all that it started."""
    until = None if limit is None else time.monotonic() + limit
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        if until is not None and time.monotonic() > until:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return None
        time.sleep(0.01)


def share_imports() -> None:
    """Import here what the first run imported and is not ours: every later child finds it loaded."""
    for name in LOADED.read_text().splitlines():
        if not name.startswith(NOT_SHARED) and name not in sys.modules:
            try:
                importlib.import_module(name)
            except ImportError:
                continue
    sys.dont_write_bytecode = True


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    for line in sys.stdin:
        first = not LOADED.exists()
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        if first and LOADED.exists():
            share_imports()


if __name__ == "__main__":
    sys.path[0] = str(ROOT)
    main()
