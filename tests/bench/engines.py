"""Our reading of PDFs beside the bare library and other tools: the same pages, the same run, CPU ms a page.

`AUTRI_PEERS_PYTHON=… python -m tests.bench.engines CORPORA [--pages 20]`. Ours is everything from the file to chunks:
reader, sketches and profile, layout, assembly; embedding and page images apart. `dict` is PyMuPDF's own reading of the
text, which is the limit of ours. Prints a row per document and the median of the ratios.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import pymupdf

from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.bench.extraction_gold import NO_IMAGE_BYTES, SPEED_FILES

RUNS = 5


def ours(path: Path, count: int) -> tuple[dict[str, float], int]:
    """The fastest of RUNS, in CPU ms a page: `dict`, `read`, `layout` (profile and assembly included), `all`."""
    best = {"dict": 1e9, "read": 1e9, "layout": 1e9}
    with open_pdf(path) as source:
        numbers = range(1, min(count, source.page_count) + 1)
        for _ in range(RUNS):
            marks = [time.process_time()]
            for number in numbers:
                source.document[number - 1].get_text("dict", flags=NO_IMAGE_BYTES)
            marks.append(time.process_time())
            pages = [source.read_page(number) for number in numbers]
            marks.append(time.process_time())
            profile = build_profile(map(sketch_page, pages), source.outline)
            assemble((page, extract_page(page, profile)) for page in pages)
            marks.append(time.process_time())
            for (name, known), begun, ended in zip(list(best.items()), marks, marks[1:], strict=False):
                best[name] = min(known, 1000 * (ended - begun) / len(numbers))
    return {name: round(value, 2) for name, value in best.items()} | {
        "all": round(best["read"] + best["layout"], 2)
    }, len(numbers)


def peers(path: Path, pages: int) -> dict[str, float]:
    """What `engines_peers` says; empty where no interpreter with other tools is named."""
    interpreter = os.environ.get("AUTRI_PEERS_PYTHON")
    if interpreter is None:
        return {}
    script = str(Path(__file__).with_name("engines_peers.py"))
    done = subprocess.run([interpreter, script, str(path), str(pages)], capture_output=True, text=True, check=True)
    print(done.stderr.strip()[-300:], file=sys.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--pages", type=int, default=20)
    arguments = parser.parse_args()
    rows: list[dict[str, float]] = []
    print(pymupdf.VersionBind)
    for name in SPEED_FILES:
        own, pages = ours(arguments.corpora / name, arguments.pages)
        rows.append(own | peers(arguments.corpora / name, pages))
        print(f"{Path(name).name:42} {pages:3} pages  {rows[-1]}", flush=True)
    own_names = {"dict", "read", "layout", "all"}
    limits = [("read", "dict"), ("layout", "read"), *((p, "all") for p in rows[0] if p not in own_names)]
    for above, below in limits:
        ratios = [row[above] / row[below] for row in rows if above in row]
        print(f"{above}/{below}: median {median(ratios):.2f}, {min(ratios):.2f} to {max(ratios):.2f}")


if __name__ == "__main__":
    main()
