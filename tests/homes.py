"""Data folders of one machine, without documents: made once per run, as a new user's first command makes them."""

import subprocess
from pathlib import Path

from functions.local import local_store
from tests.once import made_once


def new_home(home: Path) -> None:
    """`home` is made."""
    copy_home(made_once("home", _begin), home)


def copy_home(made: Path, home: Path) -> None:
    """With owners, as the database's folder belongs to another account where this one is root's. `home` is made."""
    assert not home.exists(), f"{home} is there already: a copy would go into it"
    subprocess.run(["cp", "-a", made, home], check=True)


def share_models(folder: Path, home: Path) -> None:
    """`home` uses the models below `folder`, where the first that needs one builds it."""
    (folder / "models").mkdir(exist_ok=True)
    (home / "models").symlink_to(folder / "models")


def _begin(home: Path) -> None:
    with local_store(home):
        pass
