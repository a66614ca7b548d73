"""Another version of the program: the same tree with some files changed, synthesized by its own app.py."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from stacks.assets import BUILD, ROOT
from tests.aws.assembly import run_app

PARTS = ("app.py", "stacks", "functions", "shared", "layers", "deployments")
Change = Callable[[str], str]


def synthesize_version(folder: Path, deployment: str, changes: Mapping[str, Change]) -> Path:
    """The assembly below `folder`. A change gets the file's text, or none where there is no such file."""
    tree = folder / "tree"
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, tree / part)  # with what is compiled: it knows its source by its time
        else:
            tree.mkdir(exist_ok=True)
            shutil.copy(source, tree / part)
    for path, change in changes.items():
        file = tree / path
        file.write_text(change(file.read_text(encoding="utf-8") if file.exists() else ""), encoding="utf-8")
    _share_layers(tree / "build" / "lambda")
    done = run_app(deployment, folder / "assembly", tree / "deployments", tree)
    if done.returncode:
        raise RuntimeError(f"The changed version does not synthesize:\n{done.stdout}{done.stderr}")
    return folder / "assembly"


def _share_layers(build: Path) -> None:
    """They are named by their content, so what is built already is the same."""
    build.mkdir(parents=True)
    for built in BUILD.iterdir():
        (build / built.name).symlink_to(built)
