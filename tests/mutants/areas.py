"""Areas: which files are mutated, which tests are closest to them; the mutants that may survive."""

import random
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from tests.mutants import python_mutants, sql_mutants
from tests.mutants.mutant import Mutant

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Area:
    """What is mutated together; `sample` is how many of its mutants a run takes."""

    name: str
    sources: tuple[str, ...]
    tests: tuple[str, ...]
    sample: int
    postgres: bool

    def test_files(self) -> list[str]:
        """The tests that exist, in the order of the area's list."""
        found = [str(f.relative_to(ROOT)) for pattern in self.tests for f in sorted(ROOT.glob(pattern))]
        return list(dict.fromkeys(found))

    def mutants(self) -> list[Mutant]:
        """All mutants, file by file."""
        found: list[Mutant] = []
        for source in self.sources:
            pattern, _, names = source.partition("::")
            files = sorted(ROOT.glob(pattern))
            if not files:
                raise SystemExit(f"Area {self.name}: {pattern} is no file; mend tests/mutants/areas.toml.")
            for file in files:
                make = sql_mutants.mutants_of if file.suffix == ".sql" else python_mutants.mutants_of
                path = str(file.relative_to(ROOT))
                found += make(path, file.read_text(encoding="utf-8"), set(names.split(",")) if names else None)
        return found

    def sampled(self, count: int | None, seed: int) -> list[Mutant]:
        """As many as asked for, spread over files by their size and over lines; the same ones for the same seed."""
        by_file: defaultdict[str, list[Mutant]] = defaultdict(list)
        for mutant in self.mutants():
            by_file[mutant.path].append(mutant)
        wanted = self.sample if count is None else count
        total = sum(map(len, by_file.values()))
        if wanted >= total:
            return [mutant for of_file in by_file.values() for mutant in of_file]
        chooser = random.Random(f"{self.name} {seed}")
        places = [(chooser.random() + n) * total / wanted for n in range(wanted)]
        row = [mutant for of_file in by_file.values() for mutant in _spread(of_file, chooser)]
        return [row[int(place)] for place in places]


def load_areas() -> dict[str, Area]:
    """All areas by name, as areas.toml has them."""
    data = tomllib.loads((HERE / "areas.toml").read_text())
    return {
        name: Area(name, tuple(a["sources"]), tuple(a["tests"]), a["sample"], a.get("postgres", False))
        for name, a in data.items()
    }


def load_harmless() -> dict[tuple[str, str, str], str]:
    """File, line before and line after → why the change does no harm."""
    data = tomllib.loads((HERE / "harmless.toml").read_text())
    return {(m["file"], m["before"], m["after"]): m["reason"] for m in data.get("mutant", [])}


def _spread(mutants: list[Mutant], chooser: random.Random) -> list[Mutant]:
    """In the order of the lines, those of one line shuffled: whoever takes every n-th takes from all over the file."""
    by_line: defaultdict[int, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        by_line[mutant.line].append(mutant)
    for of_line in by_line.values():
        chooser.shuffle(of_line)
    return [mutant for line in sorted(by_line) for mutant in by_line[line]]
