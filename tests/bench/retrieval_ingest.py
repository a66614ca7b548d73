"""Fills the workspace: `python -m tests.bench.retrieval_ingest WORKSPACE [northwind cranfield uda sec10q]`."""

import sys
import time
from pathlib import Path

from tests.bench.retrieval_data import cranfield, open_workspace
from tests.bench.retrieval_sets import SETS


def main(home: Path, names: list[str]) -> None:
    with open_workspace(home) as workspace:
        for name in names:
            started = time.perf_counter()
            if name in SETS:
                workspace.ingest(name, SETS[name]().files)
            else:
                workspace.seed(name, cranfield().texts)
            print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or ["northwind", "cranfield"])
