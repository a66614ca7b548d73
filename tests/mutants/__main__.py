"""`make mutants`: breaks the code in small ways, one at a time, and counts how often the closest tests notice.

Areas, their files and tests are in areas.toml; survivors that do no harm, with the reason, in harmless.toml. Mutants
live in copies of the checkout. A mutant's time limit is three times the clean run; one that exceeds it is killed.
Prints a table and every survivor; writes it all, with diffs, to build/mutants.json. Exits 1 below 90 % in an area.
"""

import argparse
import json
import signal
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from queue import SimpleQueue
from typing import Any

from tests.mutants.areas import ROOT, Area, load_areas, load_harmless
from tests.mutants.copies import Copy, copies
from tests.mutants.mutant import Mutant
from tests.mutants.reach import Reach

TARGET = ROOT / "build" / "mutants.json"
GOAL = 0.9
LIMIT_FACTOR, LEAST_LIMIT_S = 3.0, 5.0


@dataclass
class Result:
    """What became of an area's mutants."""

    area: str
    mutants: int = 0
    killed: int = 0
    timeouts: int = 0
    harmless: int = 0
    survivors: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    killed_by: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def share(self) -> float:
        """Killed among those that could do harm; cut-off ones count as killed."""
        judged = self.mutants - self.harmless
        return (self.killed + self.timeouts) / judged if judged else 1.0


def main() -> None:
    chosen = _arguments()
    areas = load_areas()
    unknown = set(chosen.areas) - set(areas)
    if unknown:
        sys.exit(f"No such area: {', '.join(sorted(unknown))}. There are: {', '.join(areas)}.")
    wanted = [areas[name] for name in chosen.areas or areas]
    if chosen.list:
        for area in wanted:
            print(f"{area.name}: {len(area.mutants())} mutants; {' '.join(area.test_files())}")
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Stopped; the copies are gone."))
    results = [_measure(area, chosen) for area in wanted]
    TARGET.parent.mkdir(exist_ok=True)
    report = {"seed": chosen.seed, "areas": [asdict(r) | {"share": round(r.share, 3)} for r in results]}
    TARGET.write_text(json.dumps(report, indent=1))
    print(_table(results, chosen.seed))
    sys.exit(any(result.share < GOAL for result in results))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("areas", nargs="*", metavar="AREA", help="all when none is named")
    parser.add_argument("--sample", type=int, help="mutants per area instead of the area's own number; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="another seed takes other mutants")
    parser.add_argument("--jobs", type=int, default=1, help="copies of the checkout that work side by side")
    parser.add_argument("--only", help="part of a path: mutants of these files alone")
    parser.add_argument("--list", action="store_true", help="count the mutants and name the tests, run nothing")
    return parser.parse_args()


def _measure(area: Area, chosen: argparse.Namespace) -> Result:
    tests = area.test_files()
    sample = sys.maxsize if chosen.sample == 0 else chosen.sample
    mutants = [m for m in area.sampled(sample, chosen.seed) if not chosen.only or chosen.only in m.path]
    result, harmless = Result(area.name), load_harmless()
    with copies(chosen.jobs) as made, ExitStack() as servers, ThreadPoolExecutor(chosen.jobs) as threads:
        free: SimpleQueue[Copy] = SimpleQueue()
        for copy in made:
            if area.postgres:
                servers.enter_context(copy.server())
        reach, *_ = threads.map(lambda copy: _clean_run(area, copy, tests), made)
        for copy in made:
            free.put(copy)

        def tried(mutant: Mutant) -> tuple[Mutant, dict[str, Any]]:
            copy = free.get()
            try:
                closest, seconds = reach.closest(mutant)
                return mutant, copy.run(closest, max(LEAST_LIMIT_S, LIMIT_FACTOR * seconds), mutant)
            finally:
                free.put(copy)

        for mutant, answer in threads.map(tried, mutants):
            _count(result, mutant, answer, harmless)
    return result


def _clean_run(area: Area, copy: Copy, tests: list[str]) -> Reach:
    """What the tests reach without a mutant, and how long they take; what later runs find loaded they load first."""
    answer = copy.run(tests, None, reach=True)
    if answer["outcome"] != "passed":
        sys.exit(f"Area {area.name}: its tests do not pass without a mutant.\n{answer['tail']}")
    print(f"{area.name}: {answer['seconds']} s a clean run", file=sys.stderr)
    return Reach(tests, answer["seconds"], **answer["reach"])


def _count(result: Result, mutant: Mutant, answer: dict[str, Any], harmless: dict[tuple[str, str, str], str]) -> None:
    result.mutants += 1
    before, after = mutant.changed_lines()
    if answer["outcome"] == "timeout":
        result.timeouts += 1
    elif answer["outcome"] == "failed":
        result.killed += 1
        by = (answer["by"] or "collection").split("::")[0]
        result.killed_by[by] = result.killed_by.get(by, 0) + 1
    elif (mutant.path, before, after) in harmless:
        result.harmless += 1
    else:
        found = {"file": mutant.path, "line": mutant.line, "kind": mutant.kind, "before": before, "after": after}
        result.survivors.append(found | {"diff": mutant.diff()})
        print(f"survived: {mutant.path}:{mutant.line} ({mutant.kind})\n  - {before}\n  + {after}", flush=True)


def _table(results: Iterable[Result], seed: int) -> str:
    heads = f"{'mutants':>8}{'killed':>8}{'timeouts':>9}{'harmless':>9}{'survived':>9}{'share':>8}"
    lines = [f"\nseed {seed}\n{'area':<12}{heads}"]
    for r in results:
        counts = f"{r.mutants:>8}{r.killed:>8}{r.timeouts:>9}{r.harmless:>9}{len(r.survivors):>9}"
        lines.append(f"{r.area:<12}{counts}{r.share:>8.1%}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
