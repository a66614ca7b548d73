"""Two checkouts in turns: `python -m tests.bench.turns HOME BEFORE AFTER [--requests 200] [--kinds lookup …]`.

HOME is loaded by `tests.bench.scale_data`; BEFORE and AFTER are folders of checkouts with equal migrations. Both are
served on it at once, and every request goes to one and then to the other, so that whatever else the machine does meets
both alike. Milliseconds per request: from sending to the whole answer, and CPU of the server and of its database
sessions.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from tests.bench.load import questions
from tests.bench.scale_data import Scale, open_scale, warm
from tests.bench.scale_lexical import superuser

PORT = 8670
START_S = 120
WARM_UP = 20
TICKS = os.sysconf("SC_CLK_TCK")
RUN = "from functions.cli.main import run; run()"


@dataclass
class Served:
    """One checkout that serves, and what its answers took."""

    name: str
    process: int
    port: int
    client: http.client.HTTPConnection
    wall: list[float] = field(default_factory=list[float])

    def ask(self, path: str, body: bytes) -> float:
        """Milliseconds from sending to the last byte."""
        started = time.perf_counter()
        self.client.request("POST", path, body, {"Content-Type": "application/json"})
        answer = self.client.getresponse()
        said = answer.read()
        if answer.status != 200:
            sys.exit(f"{self.name}: {answer.status} {said[:300]!r}")
        return (time.perf_counter() - started) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--kinds", nargs="+", default=["lookup", "search", "filtered"])
    options = parser.parse_args()
    home = options.home.resolve()
    with open_scale(home) as scale, ExitStack() as stack:
        warm(scale)
        (home / "samples-built").touch()
        checkouts = {"before": options.before.resolve(), "after": options.after.resolve()}
        servers = [
            stack.enter_context(serving(name, folder, home, PORT + place))
            for place, (name, folder) in enumerate(checkouts.items())
        ]
        print("| request | | ms p50 / p95 | CPU ms of the server | CPU ms of the database |\n|---|---|---|---|---|")
        for kind in options.kinds:
            compare(scale, servers, kind, bodies(scale, kind, WARM_UP + options.requests))


def bodies(scale: Scale, kind: str, count: int) -> list[bytes]:
    base = str(scale.tenants[0].base)
    if kind == "lookup":
        with superuser(scale) as connection:
            rows = connection.execute(
                "select address from sections where knowledge_base_id = %s order by md5(id::text) limit %s",
                (base, count),
            ).fetchall()
        asked = [{"address": row["address"]} for row in rows]
    else:
        more = {"where": "hp < 100"} if kind == "filtered" else {}
        asked = [{"query": question, **more} for question in questions(count)]
    return [json.dumps({**one, "knowledge_base_ids": [base]}).encode() for one in asked]


def compare(scale: Scale, servers: list[Served], kind: str, asked: list[bytes]) -> None:
    path = "/v1/lookup" if kind == "lookup" else "/v1/search"
    spent: dict[str, tuple[float, float]] = {}
    for number, body in enumerate(asked):
        if number == WARM_UP:
            spent = {one.name: cpu_seconds(scale, one) for one in servers}
            for one in servers:
                one.wall.clear()
        for one in servers if number % 2 else servers[::-1]:
            one.wall.append(one.ask(path, body))
    for one in servers:
        first, last = spent[one.name], cpu_seconds(scale, one)
        server, database = (1000 * (b - a) / len(one.wall) for a, b in zip(first, last, strict=True))
        times = f"{median(one.wall):.1f} / {np.quantile(one.wall, 0.95):.1f}"
        print(f"| {kind} | {one.name} | {times} | {server:.1f} | {database:.1f} |", flush=True)


def cpu_seconds(scale: Scale, one: Served) -> tuple[float, float]:
    """(of the server with all its threads, of its sessions in the database)."""
    fields = Path(f"/proc/{one.process}/stat").read_text().rpartition(")")[2].split()
    with superuser(scale) as connection:
        rows = connection.execute("select pid from pg_stat_activity where application_name = %s", (one.name,))
        sessions = [Path(f"/proc/{row['pid']}/schedstat") for row in rows.fetchall()]
    database = sum(int(file.read_text().split()[0]) for file in sessions) / 1e9
    return (int(fields[11]) + int(fields[12])) / TICKS, database


@contextmanager
def serving(name: str, folder: Path, home: Path, port: int) -> Generator[Served]:
    """`autri serve` of the checkout in `folder`; its database sessions bear `name`."""
    environment = {**os.environ, "AUTRI_HOME": str(home), "PYTHONPATH": str(folder), "PGAPPNAME": name}
    command = [sys.executable, "-c", RUN, "serve", "--port", str(port)]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            yield Served(name, process.pid, port, _connected(port))
        finally:
            process.terminate()


def _connected(port: int) -> http.client.HTTPConnection:
    deadline = time.monotonic() + START_S
    while True:
        client = http.client.HTTPConnection("127.0.0.1", port)
        try:
            client.request("GET", "/v1/health")
            client.getresponse().read()
            return client
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


if __name__ == "__main__":
    main()
