"""The one-machine runtime: embedded Postgres, and the workflow runner and the web server in one process."""

import gc
import socket
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import uvicorn

from functions.background import Webhooks
from functions.cli.server import announced
from functions.ending import Stopped
from functions.http_server import server_config
from functions.maintenance_process import MaintenanceProcess
from functions.samples import build_samples
from shared.access import reading
from shared.adapters.local.cores import THREAD_LIMITS, count_cores, share_cores
from shared.adapters.local.home import prepare_home, private_files
from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.archive.erasing import start_idle
from shared.archive.erasure_run import run_erasure
from shared.bootstrap import local_runtime
from shared.contract import Env
from shared.domain.scope import Identity, Scope
from shared.errors import Unavailable
from shared.ingestion.runner import Runner
from shared.ingestion.worker_pool import WorkerPool
from shared.runtime import Runtime
from shared.settings import LocalSettings
from shared.store.erasure import open_erasures
from shared.store.identities import list_identities
from shared.store.knowledge_bases import opened_knowledge_bases
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from shared.worker import run_stage

# Seconds for which one thread may keep others from running Python. A search waits for the database 17 times, and behind
# each time for whatever other request computes: 5 ms by default.
SWITCH_S = 0.0005


@dataclass(frozen=True)
class System:
    """The running parts on one data folder (`AUTRI_HOME`)."""

    home: Path
    runtime: Runtime
    identity: Identity
    dsn: str
    owner_dsn: str


@contextmanager
def local_store(home: Path) -> Generator[System]:
    """Postgres, migrations and the local identity: enough to read and search, without running queued work.

    Several processes may use one `home` at once. Raises Unavailable with what to do when it cannot start.
    """
    home = home.resolve()
    prepare_home(home)
    with (
        private_files(),
        EmbeddedPostgres(home / "postgres") as postgres,
        WorkerPool(1, dict.fromkeys(THREAD_LIMITS, "1")) as beside,
    ):
        migrate(postgres.dsn(OWNER))
        provision_local(postgres.dsn(OWNER))
        runtime = replace(local_runtime(postgres.dsn(), home), beside=beside if count_cores() > 1 else None)
        with runtime.database:
            yield System(
                home, runtime, _local_identity(runtime, postgres.dsn(OWNER)), postgres.dsn(), postgres.dsn(OWNER)
            )


@contextmanager
def local_system(home: Path, workers: int = 2) -> Generator[System]:
    """The same with the runner, which ingests what is queued, while the context lasts.

    There are never more workers than cores: what takes 5 s on a core takes minutes where ten share it, and a page's
    time is limited.
    """
    workers, threads = share_cores(workers, count_cores())
    with local_store(home) as system:
        environment = {Env.DATABASE_URL: system.dsn, Env.HOME: str(system.home), Env.THREADS: str(threads)}
        environment |= dict.fromkeys(THREAD_LIMITS, str(threads))
        with (
            WorkerPool(workers, environment) as pool,
            Runner(
                system.runtime,
                lambda stage, event: pool.call(run_stage, stage, dict(event)),
                lambda: [_all_knowledge_bases(system.runtime, one) for one in _local_identities(system.runtime)],
                parallel=workers,
            ),
        ):
            yield system


def serve(home: Path, host: str = "127.0.0.1", port: int = 8000, workers: int = 2) -> None:
    """Serve until interrupted; on an empty database the sample knowledge bases are built in the background."""
    from functions.api.app import create_app
    from functions.api.identity import development_identity

    check_port(host, port)
    with local_system(home, workers) as system:
        identify, allowed = development_identity(system.runtime), LocalSettings().cors_origins
        app = create_app(system.runtime, identify, local=True, cors_origins=allowed)
        samples = (system.runtime, system.identity, system.home / "samples-built")
        threading.Thread(target=build_samples, args=samples, daemon=True).start()
        start_idle(system.runtime, system.owner_dsn, idle_s=0)
        print(f"autri: http://{host}:{port}   data: {system.home}   stop: Ctrl-C", flush=True)
        with (
            announced(system.home, host, port),
            MaintenanceProcess(system.runtime, system.home, system.dsn, system.owner_dsn),
            Webhooks(system.runtime),
            suppress(KeyboardInterrupt, Stopped),
        ):
            # What is loaded by now stays. To look for garbage among it stops every request for 70 ms, each few seconds.
            gc.collect()
            gc.freeze()
            sys.setswitchinterval(SWITCH_S)
            uvicorn.Server(server_config(app, host, port)).run()


def check_port(host: str, port: int) -> None:
    """Raises Unavailable when the port is in use, and says whether by Autri."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            return
        except OSError as error:
            reason = error
    if _is_autri(host, port):
        raise Unavailable(f"Autri runs already: open http://{host}:{port}. For a second one: make run PORT={port + 1}")
    raise Unavailable(f"Port {port} is taken ({reason.strerror}). Choose another: make run PORT={port + 1}")


def _is_autri(host: str, port: int) -> bool:
    try:
        answer = httpx.get(f"http://{host}:{port}/v1/health", timeout=2)
        return "autri" in answer.text
    except httpx.HTTPError:
        return False


def _local_identities(runtime: Runtime) -> list[Identity]:
    """The local developer in each organization of this machine that is theirs, `local` first."""
    with runtime.database.alone() as connection:
        return list(list_identities(connection, LOCAL_ISSUER, LOCAL_SUBJECT).values())


def _local_identity(runtime: Runtime, owner_dsn: str) -> Identity:
    """The developer's. An organization whose deletion was stopped is deleted to the end first, and made anew."""
    if not _local_identities(runtime):
        for row in open_erasures(owner_dsn, 0):
            while run_erasure(runtime, row["organization_id"], row["id"]):
                continue
        provision_local(owner_dsn)
    found = _local_identities(runtime)
    if not found:
        raise Unavailable("The organization of this machine is being deleted. Try again in a minute.")
    return found[0]


def _all_knowledge_bases(runtime: Runtime, identity: Identity) -> Scope:
    """The scope of all present knowledge bases of an organization."""
    with reading(runtime, identity) as connection:
        return identity.scope(*opened_knowledge_bases(connection))
