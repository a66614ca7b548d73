"""Which tests can notice a mutant: those that asked for the named query in which it stands, quickest files first."""

from collections import defaultdict
from dataclasses import dataclass

from tests.mutants.mutant import Mutant
from tests.mutants.sql_mutants import block_at

QUERIES = "shared/store/queries/"
# A run's own start, and the databases that files make for themselves: not in the seconds of tests.
START_S = 20.0


@dataclass(frozen=True)
class Reach:
    """An area's tests and a clean run's seconds; per query the tests, or whole files, that ask; seconds per test."""

    tests: list[str]
    clean_seconds: float
    queries: dict[str, list[str]]
    seconds: dict[str, float]

    def closest(self, mutant: Mutant) -> tuple[list[str], float]:
        """The tests to run and how long they take without a mutant; all where nothing tells which ones reach it."""
        if not mutant.path.startswith(QUERIES):
            return self.tests, self.clean_seconds
        name = f"{mutant.path.removeprefix(QUERIES).removesuffix('.sql')}.{block_at(mutant.source, mutant.start)}"
        asking = self.queries.get(name, [""])
        if "" in asking:
            return self.tests, self.clean_seconds
        by_file: defaultdict[str, list[str]] = defaultdict(list)
        # A test that goes through all queries has a case for each: only this one's counts.
        cases = {test.partition("[")[0] for test in self.seconds if f"[{name}" in test}
        for test in self.seconds:
            file, function = test.partition("::")[0], test.partition("[")[0]
            if (function in asking or file in asking) and (function not in cases or f"[{name}" in test):
                by_file[file].append(test)
        spent = {file: sum(self.seconds[test] for test in tests) for file, tests in by_file.items()}
        ordered = [test for file in sorted(by_file, key=spent.__getitem__) for test in by_file[file]]
        return ordered, min(START_S + sum(spent.values()), self.clean_seconds)
