"""Peak memory of an ingestion as a document grows: the same pages repeated to 125, 250, 500 and 1,000.

`python -m tests.bench.memory FILE.pdf [--pages 125,250,500,1000]` prints per size: outcome, seconds, and the largest
resident set that any process of the ingestion had (see `tests.bench.robustness`). Flat in pages is the goal.
"""

import argparse
import os
import tempfile
from pathlib import Path

import pymupdf

from functions.cli.api import open_api
from shared.contract import Env
from tests.bench.robustness import measure


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--pages", default="125,250,500,1000")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = [repeat(arguments.file, int(n), Path(folder)) for n in arguments.pages.split(",")]
        os.environ[Env.HOME] = folder + "/home"
        with open_api(None, None, 1) as api:
            base = api.call("POST", "/knowledge-bases", {"name": "memory"})["id"]
            for line in measure(api, base, files, {}, verify=False):
                stages = {name: round(seconds or 0, 1) for name, seconds in line["stages"].items()}
                peak = f"{line['peak'] / 1e6:.0f} MB"
                print(
                    line["pages"], line["status"], f"{line['seconds']:.1f} s", peak, line["chunks"], stages, flush=True
                )


def repeat(file: Path, pages: int, folder: Path) -> Path:
    """A PDF of `pages` pages: those of `file`, over and over."""
    target = folder / f"{pages}.pdf"
    with pymupdf.open(file) as source, pymupdf.open() as made:
        while made.page_count < pages:
            made.insert_pdf(source, to_page=min(source.page_count, pages - made.page_count) - 1)
        made.save(target)
    return target


if __name__ == "__main__":
    main()
