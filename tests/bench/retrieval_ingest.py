"""Fills the workspace: `python -m tests.bench.retrieval_ingest WORKSPACE [northwind cranfield uda controls …]`."""

import sys
import time
from pathlib import Path

from tests.bench.retrieval_data import cranfield, open_workspace
from tests.bench.retrieval_sets import SETS
from tests.store.seeding import Passage


def main(home: Path, names: list[str]) -> None:
    with open_workspace(home) as workspace:
        for name in names:
            started = time.perf_counter()
            if name not in SETS:
                workspace.seed(name, {key: [Passage(text)] for key, text in cranfield().texts.items()})
            elif (data := SETS[name]()).files:
                workspace.ingest(name, data.files)
            else:
                workspace.seed(name, data.texts)
            print(f"{name}: {time.perf_counter() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or ["northwind", "cranfield"])
