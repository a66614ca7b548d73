"""What is promised and what this machine keeps of it: `python -m tests.bench.service_levels WORKSPACE [SAMPLE]`.

Writes docs/benchmarks/service-levels.md. Documents of 20 pages are the first 20 pages of the corpora's PDFs that have
as many; the success of the pipeline is counted over SAMPLE files drawn from every PDF of the corpora (seeded), those
that are broken or protected on purpose included: one that is refused with a reason has succeeded. Questions are asked
over HTTP as a stream: without a model, and with one that waits 300 ms (`answer_times`). A stream that ends without
its `final` event is dropped. Plots are of a stored table of 100,000 rows, each read, aggregated and drawn as a PNG.
"""

import os
import platform
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final
from uuid import UUID

import httpx
import pymupdf
from pydantic import SecretStr

from functions.api.app import create_app
from functions.api.identity import development_identity
from shared.adapters.local.answerers import load_answerer
from shared.contract import OUTCOME_DUPLICATE, OUTCOME_REFUSED, OUTCOME_RUN, STAGES
from shared.domain.notebooks import WantedBundle
from shared.errors import BadInput, RefusedFile
from shared.lab.bundles.service import make_bundle
from shared.runtime import Runtime
from shared.settings import LocalSettings
from tests.adapters.chat_server import KEY, MODEL, running_chat
from tests.bench.__main__ import TARGET, table
from tests.bench.answer_times import PAUSE_S, QUESTIONS, WAIT_S, events, slow
from tests.bench.plans import samples
from tests.bench.plots import FORMS, draw_seconds
from tests.bench.retrieval_data import CORPORA, Workspace, open_workspace
from tests.live import serving
from tests.pipeline import run_stage, shards, upload

PAGES: Final = 20
SAMPLE: Final = 60
SEED: Final = 16
STREAMS: Final = 100
ROWS, ROUNDS = 100_000, 10
PARSE_S, BUNDLE_S, PLOT_S, FIRST_S, ANSWER_S = 18.0, 10.0, 2.5, 2.0, 8.0
SUCCESS, DROPPED = 99.0, 0.3


@dataclass(frozen=True)
class Level:
    """One promise: what was promised, what was measured, and whether it was kept; `of` says over what."""

    name: str
    promised: str
    measured: str
    kept: bool
    of: str


class _NotRun(Exception):
    """Registered, and not to be read: its outcome."""


def main(home: Path, sample: int = SAMPLE) -> None:
    with open_workspace(home) as workspace:
        levels = [*_parsing(workspace), _success(workspace, sample), *_asking(workspace), *_plotting()]
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "service-levels.md").write_text(page(levels))
    print(page(levels))


def page(levels: Sequence[Level]) -> str:
    cells = [[one.name, one.promised, one.measured, "yes" if one.kept else "**no**", one.of] for one in levels]
    load = os.getloadavg()[0]
    parts = [
        "# Service levels",
        "`python -m tests.bench.service_levels WORKSPACE` wrote this page; nothing here is typed by hand. What each"
        " figure is of stands in that module.",
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, Python {platform.python_version()}; load"
        f" at the end {load:.1f}: above the number of cores, others had a share of the machine.",
        table(["what", "promised", "measured", "kept", "of"], cells),
        "Not measured here: deployments on AWS, whose spans tell the same (`pdf.parse`, `rag.generate` …; set"
        " `OTEL_EXPORTER_OTLP_ENDPOINT`, or look at X-Ray).",
    ]
    return "\n\n".join(parts) + "\n"


def p95(values: Sequence[float]) -> float:
    """The smallest value that 95 % are not above (nearest rank)."""
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


def _timed(values: Sequence[float]) -> str:
    return f"p95 {p95(values):.2f} s, median {statistics.median(values):.2f} s"


def _parsing(workspace: Workspace) -> Iterator[Level]:
    base, _ = workspace.knowledge_base(f"service levels {time.time():.0f}")
    parsed: list[float] = []
    whole: list[float] = []
    bundled: list[float] = []
    for file in [one for one in _files() if not _is_broken(one) and _pages(one) >= PAGES]:
        with pymupdf.open(file) as source:
            source.select(range(PAGES))
            data = source.tobytes()
        document, stages = _run(workspace, base, data, file.name)
        parsed.append(stages["parse"])
        whole.append(sum(stages.values()))
        started = time.perf_counter()
        make_bundle(workspace.runtime, workspace.identity, WantedBundle(document_id=document))
        bundled.append(time.perf_counter() - started)
    of = f"{len(parsed)} documents of {PAGES} pages, one process"
    promised = f"p95 < {PARSE_S:.0f} s"
    yield Level(f"parse {PAGES} pages", promised, _timed(parsed), p95(parsed) < PARSE_S, of)
    yield Level(f"upload to answers, {PAGES} pages", promised, _timed(whole), p95(whole) < PARSE_S, of)
    paged = f"{of}, every passage with its picture in one page of HTML"
    yield Level(f"bundle of {PAGES} pages", f"≤ {BUNDLE_S:.0f} s", _timed(bundled), p95(bundled) <= BUNDLE_S, paged)


def _run(workspace: Workspace, base: UUID, data: bytes, name: str) -> tuple[UUID, dict[str, float]]:
    """The document, and the seconds of each stage."""
    seconds: dict[str, float] = {}
    event = upload(workspace.runtime, workspace.identity, base, data, name)
    for stage in STAGES:
        started = time.perf_counter()
        if stage is STAGES[0]:
            event = run_stage(workspace.runtime, stage.name, event)
            if event["outcome"] != OUTCOME_RUN:
                raise _NotRun(event["outcome"])
        else:
            for work in shards(workspace.runtime, event) if stage.mapped else [event]:
                run_stage(workspace.runtime, stage.name, work)
        seconds[stage.name] = time.perf_counter() - started
    return UUID(event["document_id"]), seconds


def _success(workspace: Workspace, sample: int) -> Level:
    base, _ = workspace.knowledge_base(f"service levels, all {time.time():.0f}")
    files = _files()
    random.Random(SEED).shuffle(files)
    failures: list[str] = []
    aside: Counter[str] = Counter()
    for file in files[:sample]:
        try:
            _run(workspace, base, file.read_bytes(), file.name)
        except _NotRun as other:
            aside[str(other)] += 1
        except (RefusedFile, BadInput):
            # An empty file is refused when it is sent.
            aside[OUTCOME_REFUSED] += 1
        except Exception as error:  # noqa: BLE001 whatever it is, the file has failed
            failures.append(f"{file.name} ({type(error).__name__})")
    share = 100 * (1 - len(failures) / min(sample, len(files)))
    listed = f"; failed: {', '.join(failures)}" if failures else ""
    told = f"{aside[OUTCOME_REFUSED]} refused with a reason, {aside[OUTCOME_DUPLICATE]} known already"
    of = f"{min(sample, len(files))} of the corpora's {len(files)} PDFs, {told}{listed}"
    return Level("pipeline success", f"≥ {SUCCESS:.0f} %", f"{share:.1f} %", share >= SUCCESS, of)


def _asking(workspace: Workspace) -> Iterator[Level]:
    base = samples(workspace)
    quoted, quoted_lost = _streams(workspace.runtime, base)
    with running_chat() as server:
        server.mind, server.pause_s = slow, PAUSE_S
        name = f"openai:{MODEL}@{server.url}/v1"
        model = load_answerer(LocalSettings(model=name, model_key=SecretStr(KEY)))
        written, written_lost = _streams(replace(workspace.runtime, load_answerer=lambda: model), base)
    for how, asked in (("quoted", quoted), ("a model that waits 300 ms", written)):
        firsts, wholes = [first for first, _ in asked], [whole for _, whole in asked]
        of = f"{len(asked)} questions over HTTP, {how}"
        yield Level("first sentence", f"< {FIRST_S:.0f} s", _timed(firsts), p95(firsts) < FIRST_S, of)
        yield Level("full answer", f"< {ANSWER_S:.0f} s", _timed(wholes), p95(wholes) < ANSWER_S, of)
    beside = [first - WAIT_S for first, _ in written]
    of = f"the same {len(written)} questions, less the {WAIT_S * 1000:.0f} ms that the model waits"
    yield Level("overhead before the first sentence", f"< {FIRST_S:.0f} s", _timed(beside), p95(beside) < FIRST_S, of)
    lost, all_of_them = quoted_lost + written_lost, 2 * STREAMS
    share = 100 * lost / all_of_them
    yield Level("streams dropped", f"< {DROPPED} %", f"{share:.1f} %", share < DROPPED, f"{all_of_them} streams")


def _streams(runtime: Runtime, base: UUID) -> tuple[list[tuple[float, float]], int]:
    """Seconds to the first sentence (to the end where nothing answers) and to the end; how many streams broke off."""
    app = create_app(runtime, development_identity(runtime), local=True)
    timed: list[tuple[float, float]] = []
    with serving(app) as url, httpx.Client(base_url=url, timeout=120) as client:
        for number in range(STREAMS):
            body = {"question": QUESTIONS[number % len(QUESTIONS)], "knowledge_base_ids": [str(base)]}
            started, told = time.perf_counter(), dict[str, float]()
            with client.stream("POST", "/v1/ask", json=body, headers={"Accept": "text/event-stream"}) as response:
                response.raise_for_status()
                for name, _ in events(response):
                    told.setdefault(name, time.perf_counter() - started)
            if "final" in told:
                timed.append((told.get("sentence", told["final"]), told["final"]))
    return timed, STREAMS - len(timed)


def _plotting() -> Iterator[Level]:
    first, drawn = draw_seconds(ROWS, ROUNDS)
    promised, each = f"p95 < {PLOT_S} s", f"from the stored table to a PNG, {len(FORMS)} forms {ROUNDS} times each"
    yield Level("plot of 10⁵ rows", promised, _timed(drawn), p95(drawn) < PLOT_S, f"{len(drawn)} plots, {each}")
    of = "of a dataset that nobody has read yet: its columns are read and typed first"
    yield Level("first plot of 10⁵ rows", f"< {PLOT_S} s", f"{first:.2f} s", first < PLOT_S, of)


def _files() -> list[Path]:
    return sorted(CORPORA.rglob("*.pdf"))


def _is_broken(file: Path) -> bool:
    return "pdf-robust" in file.parts


def _pages(file: Path) -> int:
    with pymupdf.open(file) as source:
        return len(source)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
