"""Data folders of one machine, without documents: made once per run, as a new user's first command makes them."""

import subprocess
from pathlib import Path

from functions.local import local_store
from tests.once import made_once


def new_home(home: Path) -> None:
    """`home` is made."""
    copy_home(made_once("home", _begin), home)


def copy_home(made: Path, home: Path) -> None:
    """With owners, as the database's folder belongs to another account where this one is root's."""
    subprocess.run(["cp", "-a", made, home], check=True)


def _begin(home: Path) -> None:
    with local_store(home):
        pass
