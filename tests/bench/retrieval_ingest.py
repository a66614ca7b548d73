"""Fills the workspace: `python -m tests.bench.retrieval_ingest WORKSPACE [northwind cranfield]`."""

import sys
import time
from pathlib import Path

from tests.bench.retrieval_data import cranfield, northwind_files, open_workspace


def main(home: Path, names: list[str]) -> None:
    with open_workspace(home) as workspace:
        for name in names:
            started = time.perf_counter()
            if name == "northwind":
                workspace.ingest(name, northwind_files())
            else:
                workspace.seed(name, cranfield().texts)
            print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or ["northwind", "cranfield"])
