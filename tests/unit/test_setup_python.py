"""Which of a machine's interpreters the environment is made with (scripts/setup.sh)."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "setup.sh"
BASH = shutil.which("bash") or "bash"


def chosen(folder: Path, **variables: str) -> str:
    """The name of the interpreter below `folder`, where alone is looked."""
    (folder / "dirname").symlink_to(shutil.which("dirname") or "")
    named = {"PATH": str(folder), **variables}
    done = subprocess.run([BASH, SCRIPT, "python"], env=named, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip()).name


def interpreter(folder: Path, name: str, micros: int | None, fits: bool = True) -> Path:
    """One that takes so long for the same work; None: it makes no virtual environments."""
    answer = "exit 1" if micros is None else f"echo {micros}"
    version = "exit 0" if fits else "exit 1"
    made = folder / name
    made.write_text(f'#!{BASH}\ncase "$2" in *ensurepip*) {answer};; *) {version};; esac\n')
    made.chmod(0o755)
    return made


@pytest.mark.parametrize(("newest", "older", "wanted"), [
    (4600, 3200, "python3.11"),
    (3200, 4600, "python3.13"),
    (3300, 3200, "python3.13"),
    (None, 3200, "python3.11"),
    (3200, None, "python3.13"),
    (None, None, "python3.13"),
])  # fmt: skip
def test_the_newest_is_taken_unless_another_is_faster_by_a_fifth(
    tmp_path: Path, newest: int | None, older: int | None, wanted: str
) -> None:
    interpreter(tmp_path, "python3.13", newest)
    interpreter(tmp_path, "python3.11", older)
    assert chosen(tmp_path) == wanted


def test_one_of_another_version_is_never_taken_and_one_that_is_named_always(tmp_path: Path) -> None:
    interpreter(tmp_path, "python3.13", 100, fits=False)
    interpreter(tmp_path, "python3.12", 3200)
    named = interpreter(tmp_path, "mine", 9000)
    assert chosen(tmp_path, PYTHON=str(named)) == "mine"
    (tmp_path / "dirname").unlink()
    assert chosen(tmp_path) == "python3.12"
