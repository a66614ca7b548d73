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
BESIDE = ROOT / "tests" / "stacks"
USUAL = (
    *((name, DEPLOYMENTS) for name in ("shared", "tenant-acme", "customer-acme")),
    *((name, BESIDE) for name in ("everything", "bounded", "near")),
)


def synthesize(deployment: str, folder: Path = DEPLOYMENTS) -> Path:
    """The assembly's folder, which nobody writes to. A finding of cdk-nag fails it."""
    if (deployment, folder) in USUAL:
        return made_once("assemblies", _make_usual) / deployment
    return _synthesized(deployment, folder)


def _make_usual(made: Path) -> None:
    """All in one process: to start the CDK takes longer than to synthesize one."""
    arguments = (str(part) for deployment, folder in USUAL for part in (deployment, folder, made / deployment))
    _demand("What tests look at", run_module("tests.aws.synthesis", *arguments))


@cache
def _synthesized(deployment: str, folder: Path) -> Path:
    files = b"".join(file.read_bytes() for file in sorted(folder.glob("*.toml")))
    return made_once(
        f"{deployment}-{sha256(files).hexdigest()[:16]}",
        lambda made: _demand(deployment, run_app(deployment, made, folder)),
    )


def _demand(what: str, done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise RuntimeError(f"{what} does not synthesize:\n{done.stdout}{done.stderr}")


def run_app(deployment: str, assembly: Path, folder: Path = DEPLOYMENTS) -> subprocess.CompletedProcess[str]:
    """`python app.py NAME`, over the deployment files of `folder`."""
    return _run(["app.py", deployment], CDK_OUTDIR=str(assembly), AUTRI_DEPLOYMENTS=str(folder))


def run_module(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python -m MODULE ARGUMENTS`, as what is synthesized here is."""
    return _run(["-m", module, *arguments])


def _run(arguments: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**environment, **QUICK, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
