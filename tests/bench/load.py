"""Searches arriving open-loop through HTTP: `python -m tests.bench.load HOME [--minutes 10] [--rate 10] [--ingest PDF]`

HOME is loaded by `tests.bench.scale_data`. The server is `autri serve`, as anyone starts it. Arrivals are Poisson and
do not wait for answers; latency counts from the arrival, so a stall counts for everyone who came during it. `--ingest`
keeps `autri ingest` of copies of that file running beside, one after the other.
"""

import argparse
import asyncio
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import numpy as np
import pymupdf

from tests.bench.scale_data import open_scale, warm, words

AUTRI = Path(__file__).parents[2] / ".venv" / "bin" / "autri"
PORT = 8655
START_S = 120
WARM_UP = 20
TIMEOUT_S = 30
# Where a question's six words stand in the vocabulary: two very common, two middling, two rare.
FREQUENCIES = ((0, 40), (0, 40), (200, 2000), (200, 2000), (5000, 50_000), (5000, 50_000))


@dataclass
class Outcome:
    """Seconds from arrival to answer, in order of arrival, and what went wrong."""

    seconds: list[float] = field(default_factory=list[float])
    errors: list[str] = field(default_factory=list[str])
    memory: list[int] = field(default_factory=list[int])


def questions(count: int, seed: int = 5) -> list[str]:
    random, vocabulary = np.random.default_rng(seed), words()
    return [" ".join(vocabulary[random.integers(*span)] for span in FREQUENCIES) for _ in range(count)]


async def send(client: httpx.AsyncClient, base: str, query: str, arrival: float, outcome: Outcome) -> None:
    body = {"query": query, "knowledge_base_ids": [base], "k": 10}
    try:
        answer = await client.post("/v1/search", json=body)
    except httpx.HTTPError as error:
        outcome.errors.append(repr(error))
        return
    outcome.seconds.append(time.perf_counter() - arrival)
    if not answer.is_success or len(answer.json()["hits"]) != body["k"]:
        outcome.errors.append(f"{answer.status_code}: {answer.text[:200]}")


def memory_of(process: int) -> int:
    """Resident bytes."""
    pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


async def run(base: str, rate: float, seconds: float, server: int) -> Outcome:
    outcome, random = Outcome(), np.random.default_rng(1)
    arrivals = np.cumsum(random.exponential(1 / rate, int(rate * seconds)))
    asked = questions(len(arrivals) + WARM_UP)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{PORT}", timeout=TIMEOUT_S) as client:
        for query in asked[:WARM_UP]:
            await send(client, base, query, time.perf_counter(), Outcome())
        started, tasks = time.perf_counter(), list[asyncio.Task[None]]()
        for place, (due, query) in enumerate(zip(arrivals, asked[WARM_UP:], strict=True)):
            await asyncio.sleep(max(0.0, started + due - time.perf_counter()))
            tasks.append(asyncio.create_task(send(client, base, query, started + due, outcome)))
            if place % 100 == 0:
                outcome.memory.append(memory_of(server))
        await asyncio.gather(*tasks)
    return outcome


@contextmanager
def serving(home: Path) -> Generator[int]:
    """`autri serve` on `home`, until the context ends; its process id."""
    (home / "samples-built").touch()
    environment = {**os.environ, "AUTRI_HOME": str(home)}
    with subprocess.Popen([str(AUTRI), "serve", "--port", str(PORT)], env=environment) as process:
        try:
            _wait_until_healthy()
            yield process.pid
        finally:
            process.terminate()


@contextmanager
def ingesting(home: Path, file: Path) -> Generator[None]:
    """Copies of `file`, each made different by a page of its own, ingested one after the other."""
    stop, environment = threading.Event(), {**os.environ, "AUTRI_HOME": str(home)}
    base = f"beside-{time.time_ns()}"
    _autri(environment, "kb", "create", base, "--description", "Filled while others search")
    done: list[float] = []

    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            while not stop.is_set():
                copy, started = Path(folder) / f"copy-{time.time_ns()}.pdf", time.perf_counter()
                _copy_with_a_page(file, copy)
                _autri(environment, "ingest", str(copy), "--kb", base)
                done.append(time.perf_counter() - started)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        print(f"beside: {len(done)} files ingested, {np.median(done):.1f} s each in the median")


def report(name: str, outcome: Outcome) -> None:
    p50, p95, p99, most = np.percentile(np.array(outcome.seconds) * 1000, [50, 95, 99, 100])
    first, last = (outcome.memory[i] / 2**20 for i in (0, -1))
    print(
        f"{name}: {len(outcome.seconds)} answers, {len(outcome.errors)} errors; ms p50 {p50:.0f} p95 {p95:.0f}"
        f" p99 {p99:.0f} max {most:.0f}; server MB {first:.0f} at first, {max(outcome.memory) / 2**20:.0f} at most,"
        f" {last:.0f} at last"
    )
    for error in outcome.errors[:5]:
        print(" ", error)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--rate", type=float, default=10)
    parser.add_argument("--ingest", type=Path)
    options = parser.parse_args(arguments)
    with open_scale(options.home) as scale, serving(options.home) as server:
        warm(scale)
        base = str(scale.tenants[0].base)
        with ingesting(options.home, options.ingest) if options.ingest else nullcontext():
            outcome = asyncio.run(run(base, options.rate, options.minutes * 60, server))
    name = f"{scale.tenants[0].size} chunks, {options.rate:g}/s for {options.minutes:g} min"
    report(name + (", ingesting beside" if options.ingest else ""), outcome)


def _wait_until_healthy() -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        try:
            httpx.get(f"http://127.0.0.1:{PORT}/v1/health", timeout=2).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise TimeoutError("the server did not start")


def _autri(environment: dict[str, str], *arguments: str) -> None:
    subprocess.run([str(AUTRI), *arguments, "--json"], env=environment, check=True, stdout=subprocess.DEVNULL)


def _copy_with_a_page(file: Path, target: Path) -> None:
    with pymupdf.open(file) as document:
        document.new_page().insert_text((72, 72), f"Copy {time.time_ns()}")
        document.save(target)


if __name__ == "__main__":
    main()
