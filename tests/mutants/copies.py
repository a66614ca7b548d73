"""A copy of the checkout in which mutants live. The checkout itself is only read, so that no crash can damage it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from shared.adapters.local.postgres import SUPERUSER, EmbeddedPostgres
from tests.conftest import NOT_DURABLE
from tests.mutants.mutant import Mutant

ROOT = Path(__file__).parents[2]
MIGRATIONS = "shared/store/migrations/"


class Copy:
    """A copied tree, the worker that runs its tests, and a database server that all its mutants share."""

    def __init__(self, folder: Path) -> None:
        self.tree = folder / "tree"
        self.scratch = folder / "t"
        self.scratch.mkdir()
        self._postgres = folder / "pg"
        self._server: EmbeddedPostgres | None = None
        _copy_checkout(self.tree)
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.tree),
            "AUTRI_TEST": str(self.scratch),
        }
        self._worker = subprocess.Popen(
            [sys.executable, str(self.tree / "tests" / "mutants" / "worker.py")],
            cwd=self.tree,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self, tests: list[str], limit: float | None, mutant: Mutant | None = None, *, reach: bool = False
    ) -> dict[str, Any]:
        """Run tests, with a mutant in place while they run. A server of its own sees what migrations do to roles.

        With `reach` the answer says which tests ask for which named query.
        """
        own_server = mutant is not None and mutant.path.startswith(MIGRATIONS)
        environment = {"AUTRI_TEST_POSTGRES": "" if own_server else str(self._postgres / "data")}
        with self._in_place(mutant) if mutant else _nothing():
            answer = self._ask({"tests": tests, "limit": limit, "environment": environment, "reach": reach})
        self._clean()
        return answer

    @contextmanager
    def server(self) -> Generator[None]:
        """A database server for as long as this lasts; tests find it by AUTRI_TEST_POSTGRES."""
        self._postgres.mkdir(exist_ok=True)
        with EmbeddedPostgres(self._postgres / "data", NOT_DURABLE) as server:
            self._server = server
            yield

    def close(self) -> None:
        self._worker.communicate()

    def _ask(self, order: dict[str, Any]) -> dict[str, Any]:
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps(order) + "\n")
        self._worker.stdin.flush()
        return json.loads(self._worker.stdout.readline())

    @contextmanager
    def _in_place(self, mutant: Mutant) -> Generator[None]:
        file = self.tree / mutant.path
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink()
        file.write_text(mutant.text(), encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(mutant.source, encoding="utf-8")

    def _clean(self) -> None:
        """Take away what a run left: databases, servers of tests that were cut off, files."""
        if self._server is not None:
            _drop_databases(self._server)
        for pid_file in self.scratch.glob("*/postgres/postmaster.pid"):
            try:
                os.kill(int(pid_file.read_text().split()[0]), signal.SIGQUIT)
            except ProcessLookupError:
                continue
        for child in self.scratch.iterdir():
            shutil.rmtree(child, ignore_errors=True)


def _drop_databases(server: EmbeddedPostgres) -> None:
    """Drop what modules made for themselves; the template stays."""
    with psycopg.connect(server.dsn(SUPERUSER, "postgres"), autocommit=True) as connection:
        for (name,) in connection.execute(r"select datname from pg_database where datname like 't\_%'").fetchall():
            connection.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@contextmanager
def copies(count: int) -> Generator[list[Copy]]:
    """`count` copies of the checkout, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="autri-mutants-", ignore_cleanup_errors=True) as folder:
        made: list[Copy] = []
        try:
            for number in range(count):
                place = Path(folder) / str(number)
                place.mkdir()
                made.append(Copy(place))
            yield made
        finally:
            for copy in made:
                copy.close()


@contextmanager
def _nothing() -> Generator[None]:
    yield


def _copy_checkout(tree: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    beside = ROOT.parent / "shared"
    if beside.exists():
        (tree.parent / "shared").symlink_to(beside)
