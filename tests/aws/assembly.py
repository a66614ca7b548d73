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


@cache
def synthesize(deployment: str) -> Path:
    """The assembly's folder. A finding of cdk-nag fails it."""
    folder = Path(tempfile.mkdtemp(prefix=f"autri-{deployment}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    done = subprocess.run(
        [sys.executable, "app.py", deployment],
        cwd=ROOT,
        env={**environment, "CDK_OUTDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{deployment} does not synthesize:\n{done.stdout}{done.stderr}")
    return folder
