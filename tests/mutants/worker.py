"""Runs tests in a copy of the checkout: imports once what is not ours, then forks for every mutant.

Started as a script with the copy as its working directory, so that nothing of the project is imported here. Reads
`{"tests": [...], "limit": seconds | null, "environment": {...}}` a line from stdin; writes
`{"outcome": "passed" | "failed" | "timeout" | "empty", "seconds": s, "by": test | null, "tail": output}`. With
`"reach": true` in the order the answer's `reach` has, per named query ("documents.list"), the tests that asked for it.
"""

import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

ROOT = Path.cwd()
LOADED = ROOT / ".mutants-loaded"
BY = ROOT / ".mutants-killed-by"
OUTPUT = ROOT / ".mutants-output"
REACH = ROOT / ".mutants-reach"
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


class Reach:
    """Notes which tests ask for which named query; what a shared fixture asks for counts for the whole file."""

    def __init__(self) -> None:
        self._queries: defaultdict[str, set[str]] = defaultdict(set)
        self._seconds: defaultdict[str, float] = defaultdict(float)
        # While tests are collected: what a module asks for on import no test can be named for.
        self._now = ""

    def listen(self) -> None:
        """Before anything of the project is imported: every module takes its queries from here on."""
        from shared.store import named_queries

        load, reached = named_queries.load_queries, self

        class Listening(dict[str, Any]):
            def __init__(self, file: str) -> None:
                super().__init__(load(file))
                self._file = file

            def __getitem__(self, name: str) -> Any:
                reached._queries[f"{self._file}.{name}"].add(reached._now)
                return super().__getitem__(name)

            def items(self) -> Any:
                # A test that goes through a whole file asks for all of it; of those collected for it nothing is told.
                for name in self if reached._now else ():
                    reached._queries[f"{self._file}.{name}"].add(reached._now)
                return super().items()

        vars(named_queries)["load_queries"] = Listening

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
        test = self._now
        if fixturedef.scope != "function":
            self._now = test.partition("::")[0]
        try:
            return (yield)
        finally:
            self._now = test

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._now = nodeid.partition("[")[0]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration

    def pytest_sessionfinish(self) -> None:
        queries = {name: sorted(tests) for name, tests in self._queries.items()}
        REACH.write_text(json.dumps({"queries": queries, "seconds": self._seconds}))


def run_tests(tests: list[str], environment: dict[str, str], reach: bool) -> int:
    """In the child: run the tests, and note what they imported."""
    os.setsid()
    output = os.open(OUTPUT, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.update(environment)
    # The first counter-example kills; making it small or keeping it would only take time.
    phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
    hypothesis.settings.register_profile("mutants", phases=phases, derandomize=True, database=None, deadline=None)
    plugins: list[object] = [FirstFailure()]
    if reach:
        plugins.append(listener := Reach())
        listener.listen()
    code = pytest.main([*OPTIONS, *tests], plugins=plugins)
    if not LOADED.exists():
        ours = ("shared", "functions", "stacks", "tests", "samples", "__main__")
        LOADED.write_text("\n".join(name for name in list(sys.modules) if name.split(".")[0] not in ours))
    sys.stdout.flush()
    return int(code)


def answer(order: dict[str, Any]) -> dict[str, Any]:
    BY.unlink(missing_ok=True)
    REACH.unlink(missing_ok=True)
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 3
        try:
            code = run_tests(order["tests"], order["environment"], order.get("reach", False))
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
    reach = json.loads(REACH.read_text()) if REACH.exists() else None
    tail = OUTPUT.read_text(errors="replace")[-3000:]
    return {"outcome": outcome, "seconds": seconds, "by": by, "tail": tail, "reach": reach}


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
