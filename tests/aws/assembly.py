"""Synthesized assemblies, made once per run of the tests by the command that an operator runs."""

import os
import subprocess
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path

from stacks.assets import ROOT
from stacks.specification import DEPLOYMENTS
from tests.once import made_once

# The CDK's own look at the templates only warns, and is most of a synthesis's time; cdk-nag and cfn-lint
# (tests/stacks/test_security.py) are what fails.
QUICK = {"CDK_VALIDATION": "false"}


def synthesize(deployment: str, folder: Path = DEPLOYMENTS) -> Path:
    """The assembly's folder, which nobody writes to. A finding of cdk-nag fails it."""
    return _synthesized(deployment, folder)


@cache
def _synthesized(deployment: str, folder: Path) -> Path:
    files = b"".join(file.read_bytes() for file in sorted(folder.glob("*.toml")))

    def fill(made: Path) -> None:
        done = run_app(deployment, made, folder)
        if done.returncode:
            raise RuntimeError(f"{deployment} does not synthesize:\n{done.stdout}{done.stderr}")

    return made_once(f"{deployment}-{sha256(files).hexdigest()[:16]}", fill)


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
