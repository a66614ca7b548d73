"""What counting a request costs: `python -m tests.bench.rate_limit [--runs N]`, a durable Postgres in its own folder.

First the whole request in this process, without (`unlimited`) and with the bucket (`free`), in turn. Then the count
alone, milliseconds at the median and the 95th of a hundred, and of the client's processor: as it is made; as it was (a
transaction that waits for its beginning, its scope, the count and its end); and by who is bound by no policy, which is
what row-level security costs. One after the other, and eight threads at once: all on one organization's row, with a key
each of one organization, and on eight organizations. The ways take turns, run by run.

The alternative, a conditional update of an item in DynamoDB (`Buckets`), is asked at the emulator, whose own time says
nothing of DynamoDB's, and at a server that answers at once, which leaves what the client alone takes: signing, HTTP,
JSON. The network and DynamoDB's time come on top, for each bucket once.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from botocore.exceptions import ClientError

from functions.api.app import create_app
from functions.api.identity import development_identity
from functions.local import System, local_store
from shared.domain.ids import new_id
from shared.domain.plans import PlanSettings
from shared.domain.scope import Scope
from shared.plans.rates import RATES, WINDOW_S
from shared.store import plans
from shared.store.connect import Database
from shared.store.named_queries import load_queries
from shared.store.provision import Organization, provision
from tests.aws.emulator import Emulator, running_emulator
from tests.conftest import as_superuser

EACH, THREADS = 200, 8
PLANS = {"without": PlanSettings(), "with": PlanSettings("free")}
TAKE = load_queries("plans")["take"]
# None is refused: what is measured is a request that is served.
ENOUGH = dict.fromkeys(RATES, 10_000_000)
Take = Callable[[Scope], object]
Figures = dict[str, list[float]]


class Buckets:
    """The same bucket in DynamoDB (GCRA): one conditional update while it is in use, another where it was full."""

    def __init__(self, client: Any, table: str) -> None:
        self._client, self._table = client, table

    def take(self, scope: Scope) -> None:
        for subject in (scope.key_id, scope.organization_id):
            if subject is not None:
                self._take(str(subject), 60 / 10_000_000)

    def _take(self, subject: str, each: float) -> None:
        now = time.time()
        values = {":each": each, ":now": now, ":limit": now + WINDOW_S - each}
        try:
            self._update(subject, "set full_at = full_at + :each", "full_at between :now and :limit", values)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") != "ConditionalCheckFailedException":
                raise
            fresh = {":next": now + each, ":now": now}
            self._update(subject, "set full_at = :next", "attribute_not_exists(full_at) or full_at < :now", fresh)

    def _update(self, subject: str, update: str, condition: str, values: dict[str, float]) -> None:
        self._client.update_item(
            TableName=self._table,
            Key={"id": {"S": subject}},
            UpdateExpression=update,
            ConditionExpression=condition,
            ExpressionAttributeValues={name: {"N": f"{value:.6f}"} for name, value in values.items()},
            ReturnValues="UPDATED_NEW",
        )


class AnsweringAtOnce(BaseHTTPRequestHandler):
    """Any request is answered as DynamoDB answers an update."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"Attributes":{"full_at":{"N":"1"}}}'
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 the name that it overrides
        pass


@contextmanager
def answering() -> Generator[Emulator]:
    with ThreadingHTTPServer(("127.0.0.1", 0), AnsweringAtOnce) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Emulator(f"http://127.0.0.1:{server.server_address[1]}")
        server.shutdown()


async def requests(system: System, runs: int) -> Figures:
    """Milliseconds of `GET /v1/me`, the median of each run."""
    medians: Figures = {name: [] for name in PLANS}
    app = create_app(system.runtime, development_identity(system.runtime), local=True)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for _ in range(runs + 1):
            with system.runtime.database.transaction(system.identity.scope()) as connection:
                connection.execute("update rate_buckets set full_at = now() - interval '1 hour'")
            took: Figures = {name: [] for name in PLANS}
            for _ in range(EACH):
                for name, limits in PLANS.items():
                    system.runtime.limits = limits
                    started = time.perf_counter()
                    (await client.get("/v1/me")).raise_for_status()
                    took[name].append(1000 * (time.perf_counter() - started))
            for name, values in took.items():
                medians[name].append(statistics.median(values))
    return {name: values[1:] for name, values in medians.items()}  # the first run warms up


def milliseconds(take: Take, scopes: Sequence[Scope], threads: int) -> list[tuple[float, float]]:
    """Of each of EACH counts, by the clock and of the processor; each thread has a scope of its own, where there are as
    many."""

    def one(number: int) -> list[tuple[float, float]]:
        took: list[tuple[float, float]] = []
        for _ in range(EACH // threads):
            started, worked = time.perf_counter(), time.thread_time()
            take(scopes[number % len(scopes)])
            took.append((1000 * (time.perf_counter() - started), 1000 * (time.thread_time() - worked)))
        return took

    with ThreadPoolExecutor(threads) as pool:
        return [value for values in pool.map(one, range(threads)) for value in values]


def in_postgres(database: Database, bound_by_none: Database) -> dict[str, Take]:
    def waiting(scope: Scope) -> None:
        values = {"organization_id": scope.organization_id, "key_id": scope.key_id, "default": "free"}
        with database.transaction(scope) as connection:
            connection.execute(TAKE, {**values, "rates": json.dumps(ENOUGH)}).fetchone()

    return {
        "postgres": lambda scope: plans.take_request(database, scope, ENOUGH, "free"),
        "postgres, as it was": waiting,
        "postgres, no policy": lambda scope: plans.take_request(bound_by_none, scope, ENOUGH, "free"),
    }


def organizations(owner_dsn: str) -> list[Scope]:
    for number in range(THREADS):
        provision(owner_dsn, Organization(f"bench-{number}", "Bench", f"owner-{number}@bench.example"))
    with Database(as_superuser(owner_dsn)) as database, database.unscoped() as connection:
        rows = connection.execute("select id from organizations where starts_with(slug, 'bench-')").fetchall()
    return [Scope(organization_id=row["id"]) for row in rows]


def compare(ways: dict[str, Take], loads: dict[str, tuple[list[Scope], int]], runs: int) -> None:
    for load, (scopes, threads) in loads.items():
        took: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
        for run in range(runs + 1):
            for name, take in ways.items():
                values = milliseconds(take, scopes, threads)
                took[name] += values if run else []  # the first run warms up
        for name, values in took.items():
            clock, processor = np.array(values).T
            p50, p95 = np.percentile(clock, (50, 95))
            print(f"{load:42} {name:24} {p50:6.2f} {p95:7.2f} {np.median(processor):6.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="autri-") as name, local_store(Path(name)) as system:
        for plan, values in asyncio.run(requests(system, runs)).items():
            print(f"GET /v1/me {plan}: {statistics.median(values):.2f} ms ({min(values):.2f} to {max(values):.2f})")
        scopes = organizations(system.owner_dsn)
        keys = [scopes[0].model_copy(update={"key_id": new_id()}) for _ in range(THREADS)]
        alone = {"one after the other": (scopes[:1], 1), "one after the other, with a key": (keys[:1], 1)}
        at_once = {
            f"{THREADS} threads, one organization": (scopes[:1], THREADS),
            f"{THREADS} threads, one organization, a key each": (keys, THREADS),
            f"{THREADS} threads, {THREADS} organizations": (scopes, THREADS),
        }
        with (
            Database(system.dsn, THREADS) as database,
            Database(as_superuser(system.dsn), THREADS) as bound_by_none,
            answering() as floor,
            running_emulator(Path(name)) as emulator,
        ):
            table = emulator.client("dynamodb")
            table.create_table(
                TableName="rates",
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                BillingMode="PAY_PER_REQUEST",
            )
            postgres = in_postgres(database, bound_by_none)
            dynamo: dict[str, Take] = {
                "dynamodb, client alone": Buckets(floor.client("dynamodb"), "rates").take,
                "dynamodb, emulated": Buckets(table, "rates").take,
            }
            print("milliseconds of a count: median, 95th of a hundred, median of the client's processor")
            compare(postgres, at_once, runs)
            compare(postgres | dynamo, alone, runs)


if __name__ == "__main__":
    main()
