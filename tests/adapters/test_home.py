"""Who may look into the data folder, also where the program runs as root."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import psycopg
import pytest

from shared.adapters.local.home import prepare_home
from shared.adapters.local.postgres import BIN, SUPERUSER, EmbeddedPostgres
from shared.adapters.local.postgres_account import public_programs
from tests.processes import start, wait_until, wait_until_gone

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account run Postgres")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_home_and_an_open_one_are_closed_to_others(tmp_path: Path) -> None:
    new = tmp_path / "deep" / "new"
    prepare_home(new)
    used = tmp_path / "used"
    (used / "blobs").mkdir(parents=True, mode=0o755)
    (used / "postgres.use").touch()
    used.chmod(0o755)
    prepare_home(used)
    assert [mode(folder) for folder in (new, used, used / "blobs")] == [0o700] * 3


def test_a_folder_of_other_things_is_not_closed_to_those_who_need_it(tmp_path: Path) -> None:
    shared, sticky = tmp_path / "shared", tmp_path / "sticky"
    for folder, opened in ((shared, 0o755), (sticky, 0o1777)):
        folder.mkdir()
        folder.chmod(opened)
    (shared / "somebody's").touch()
    (shared / "blobs").mkdir(mode=0o755)
    prepare_home(shared)
    prepare_home(sticky)
    assert (mode(shared), mode(sticky), mode(shared / "blobs")) == (0o755, 0o1777, 0o700)


@needs_root
def test_postgres_runs_for_root_in_folders_that_stay_closed(test_home: Path) -> None:
    above = test_home / "closed"
    home = above / "autri"
    above.mkdir(mode=0o700)
    home.mkdir(mode=0o700)
    with EmbeddedPostgres(home / "postgres") as server, psycopg.connect(server.dsn(SUPERUSER)) as connection:
        connection.execute("create table written (n int)")
        owner = Path(f"/proc/{server_pid(home)}").stat().st_uid
        assert [mode(folder) for folder in (above, home, home / "postgres")] == [0o700] * 3
    assert owner not in (0,)


def test_a_data_folder_whose_making_was_killed_is_made_anew(test_home: Path) -> None:
    home = test_home / "half"
    home.mkdir(mode=0o700)
    process = start(home, "serve", "--port", "1")
    wait_until(lambda: any(home.rglob("PG_VERSION")))
    process.kill()
    process.communicate()
    with EmbeddedPostgres(home / "postgres") as server, psycopg.connect(server.dsn(SUPERUSER)) as connection:
        assert connection.execute("select count(*) > 0 from pg_database").fetchone() == (True,)
    wait_until_gone(home)
    with EmbeddedPostgres(home / "postgres"):
        assert [folder.name for folder in home.glob("postgres*") if folder.is_dir()] == ["postgres"]


def server_pid(home: Path) -> int:
    return int((home / "postgres" / "postmaster.pid").read_text().split()[0])


@needs_root
def test_programs_that_only_root_may_read_are_copied_and_not_opened(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    package = BIN.parent.parent
    for folder in (package, *package.parent.glob(f"{package.name}.libs")):
        shutil.copytree(folder, closed / folder.name, copy_function=os.link, symlinks=True)
    public = Path("/var/tmp") / f"autri-test-{tmp_path.name}"
    try:
        programs = public_programs(closed / BIN.relative_to(package.parent), public)
        assert public in programs.parents
        said = subprocess.run(
            [programs / "initdb", "--version"], user="nobody", cwd="/", check=True, capture_output=True, text=True
        )
        assert "PostgreSQL" in said.stdout
        assert mode(closed) == 0o700
    finally:
        shutil.rmtree(public, ignore_errors=True)
