"""Other versions of the program: the same tree with some files changed, each synthesized by its own app.py.

`python -m tests.aws.versions DEPLOYMENT FILES FOLDER …` synthesizes the tree in each folder by the deployment's file in
FILES, in one process: to start the CDK takes longer than to synthesize.
"""

import importlib
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from stacks.assets import BUILD, ROOT
from tests.aws.assembly import run_module

PARTS = ("app.py", "stacks", "functions", "shared", "layers")
# What is imported of a version, and then anew of the next.
OWN = ("app", "stacks", "functions", "shared")
Change = Callable[[str], str]


def synthesize_versions(
    folder: Path, deployment: str, files: Path, versions: Mapping[str, Mapping[str, Change]]
) -> dict[str, Path]:
    """The assembly of each version, below `folder`. A change gets the file's text, or none where there is no such
    file."""
    for name, changes in versions.items():
        _make_tree(folder / name / "tree", changes)
    done = run_module("tests.aws.versions", deployment, str(files), *(str(folder / name) for name in versions))
    if done.returncode:
        raise RuntimeError(f"The changed versions do not synthesize:\n{done.stdout}{done.stderr}")
    return {name: folder / name / "assembly" for name in versions}


def _make_tree(tree: Path, changes: Mapping[str, Change]) -> None:
    tree.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, tree / part)  # with what is compiled: it knows its source by its time
        else:
            shutil.copy(source, tree / part)
    for path, change in changes.items():
        file = tree / path
        file.write_text(change(file.read_text(encoding="utf-8") if file.exists() else ""), encoding="utf-8")
    _share_layers(tree / "build" / "lambda")


def _share_layers(build: Path) -> None:
    """They are named by their content, so what is built already is the same."""
    build.mkdir(parents=True)
    for built in BUILD.iterdir():
        (build / built.name).symlink_to(built)


def _synthesize(deployment: str, files: str, version: Path) -> None:
    """In this process, of whose modules nothing is left that is of another version."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OWN]:
        del sys.modules[name]
    tree = version / "tree"
    sys.path[0] = str(tree)
    os.chdir(tree)
    os.environ["AUTRI_DEPLOYMENTS"] = files
    app = importlib.import_module("app")
    assert Path(app.__file__ or "").parent == tree.resolve(), app.__file__
    app.build_app(deployment, str(version / "assembly")).synth(force=True)


if __name__ == "__main__":
    deployment, files, *folders = sys.argv[1:]
    for folder in folders:
        _synthesize(deployment, files, Path(folder).resolve())
