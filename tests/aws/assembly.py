"""Synthesized assemblies, made once per run of the tests by the command that an operator runs; workers share them."""

import atexit
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path

from stacks.assets import ROOT
from stacks.specification import DEPLOYMENTS

# The folder of this run: its first process names it, and takes it away. Not kept longer, so that it never is of another
# state of the program. What is no test (`make emulated`, a bench) has one of its own.
FOLDER = "AUTRI_TEST_ASSEMBLIES"
# The CDK's own look at the templates only warns, and is most of a synthesis's time; cdk-nag and cfn-lint
# (tests/stacks/test_security.py) are what fails.
QUICK = {"CDK_VALIDATION": "false"}


def open_folder() -> None:
    """For this process and those that it starts from now on."""
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="autri-assemblies-", dir=os.environ.get("AUTRI_TEST"))


def remove_folder() -> None:
    shutil.rmtree(os.environ.pop(FOLDER), ignore_errors=True)


@contextmanager
def building() -> Generator[Path]:
    """The run's folder, while no other worker builds: what one has made the next one finds."""
    if FOLDER not in os.environ:
        open_folder()
        atexit.register(remove_folder)
    folder = Path(os.environ[FOLDER])
    with (folder / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


def synthesize(deployment: str, folder: Path = DEPLOYMENTS) -> Path:
    """The assembly's folder, which nobody writes to. A finding of cdk-nag fails it."""
    return _synthesized(deployment, folder)


@cache
def _synthesized(deployment: str, folder: Path) -> Path:
    files = b"".join(file.read_bytes() for file in sorted(folder.glob("*.toml")))
    with building() as assemblies:
        assembly = assemblies / f"{deployment}-{sha256(files).hexdigest()[:16]}"
        if not assembly.exists():
            made = Path(tempfile.mkdtemp(dir=assemblies))
            done = run_app(deployment, made, folder)
            if done.returncode:
                raise RuntimeError(f"{deployment} does not synthesize:\n{done.stdout}{done.stderr}")
            made.rename(assembly)
    return assembly


def run_app(
    deployment: str, assembly: Path, folder: Path = DEPLOYMENTS, tree: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """`python app.py NAME` of the program in `tree`, over the deployment files of `folder`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return subprocess.run(
        [sys.executable, "app.py", deployment],
        cwd=tree,
        env={**environment, **QUICK, "CDK_OUTDIR": str(assembly), "AUTRI_DEPLOYMENTS": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
