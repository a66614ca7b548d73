"""Synthesized assemblies, made once per process by the command that an operator runs."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from stacks.assets import ROOT
from stacks.specification import DEPLOYMENTS


def synthesize(deployment: str, folder: Path = DEPLOYMENTS) -> Path:
    """The assembly's folder. A finding of cdk-nag fails it."""
    return _synthesized(deployment, folder)


@cache
def _synthesized(deployment: str, folder: Path) -> Path:
    assembly = Path(tempfile.mkdtemp(prefix=f"autri-{deployment}-"))
    atexit.register(shutil.rmtree, assembly, ignore_errors=True)
    done = run_app(deployment, assembly, folder)
    if done.returncode:
        raise RuntimeError(f"{deployment} does not synthesize:\n{done.stdout}{done.stderr}")
    return assembly


def run_app(
    deployment: str, assembly: Path, folder: Path = DEPLOYMENTS, tree: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """`python app.py NAME` of the program in `tree`, over the deployment files of `folder`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return subprocess.run(
        [sys.executable, "app.py", deployment],
        cwd=tree,
        env={**environment, "CDK_OUTDIR": str(assembly), "AUTRI_DEPLOYMENTS": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
