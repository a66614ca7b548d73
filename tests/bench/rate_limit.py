"""What counting a request costs: `python -m tests.bench.rate_limit`, a durable Postgres in a temporary folder.

A request without (`unlimited`) and one with the bucket (`free`, filled up so that none is refused), in turn:
milliseconds of the whole request in this process, the median of each of seven runs. Then the bucket alone, and by eight
threads at once, whose requests all want the one row of the organization.
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.local import System, local_store
from shared.domain.plans import PlanSettings
from shared.plans.rates import take_request

RUNS, EACH, THREADS = 7, 200, 8
PLANS = {"without": PlanSettings(), "with": PlanSettings("free")}


def refill(system: System) -> None:
    with system.runtime.database.transaction(system.identity.scope()) as connection:
        connection.execute("update rate_buckets set full_at = now() - interval '1 hour'")


def timed(act: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - started)


async def requests(system: System) -> dict[str, list[float]]:
    """The median of each run."""
    medians: dict[str, list[float]] = {name: [] for name in PLANS}
    app = create_app(system.runtime, development_identity(system.runtime), local=True)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for _ in range(RUNS + 1):
            refill(system)
            took: dict[str, list[float]] = {name: [] for name in PLANS}
            for _ in range(EACH):
                for name, limits in PLANS.items():
                    system.runtime.limits = limits
                    started = time.perf_counter()
                    (await client.get("/v1/me")).raise_for_status()
                    took[name].append(1000 * (time.perf_counter() - started))
            for name, values in took.items():
                medians[name].append(statistics.median(values))
    return {name: values[1:] for name, values in medians.items()}  # the first run warms up


def alone(system: System) -> tuple[float, float]:
    """Median of one after the other, and of eight threads at once."""
    system.runtime.limits = PLANS["with"]

    def take() -> float:
        return timed(lambda: take_request(system.runtime, system.identity))

    refill(system)
    one = statistics.median(take() for _ in range(EACH))
    refill(system)
    with ThreadPoolExecutor(THREADS) as pool:
        many = statistics.median(pool.map(lambda _: take(), range(EACH)))
    return one, many


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="autri-") as folder, local_store(Path(folder)) as system:
        for name, values in asyncio.run(requests(system)).items():
            print(f"GET /v1/me {name}: {statistics.median(values):.2f} ms ({min(values):.2f} to {max(values):.2f})")
        one, many = alone(system)
        print(f"the bucket alone: {one:.2f} ms; by {THREADS} threads over 4 connections: {many:.2f} ms")


if __name__ == "__main__":
    main()
