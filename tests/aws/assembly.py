"""Synthesized assemblies, made once per run of the tests by the command that an operator runs."""

import os
import subprocess
import sys
from pathlib import Path

from stacks.assets import ROOT
from stacks.specification import DEPLOYMENTS, load_specification
from tests.aws.emulator import ACCOUNT, REGION
from tests.once import made_once

# The CDK's own look at the templates only warns, and is most of a synthesis's time; cdk-nag and cfn-lint
# (tests/stacks/test_security.py) are what fails.
QUICK = {"CDK_VALIDATION": "false"}
BESIDE = ROOT / "tests" / "stacks"
# Each below a folder of deployment files: the repository's, those beside the tests, and those as the emulator can have
# them.
OF_REPOSITORY = ("shared", "tenant-acme", "customer-acme")
OF_TESTS = ("everything", "bounded", "near")
EMULATED = ("tenant-acme", "customer-acme")


def synthesize(deployment: str, folder: Path = DEPLOYMENTS) -> Path:
    """The assembly's folder, which nobody writes to. A finding of cdk-nag fails it."""
    return made_once("assemblies", _make_all) / folder.name / deployment


def emulated_files() -> Path:
    """Deployment files as they are, in the emulator's region and account; the emulator has no CloudFront, and nothing
    that a firewall could stand before."""
    return made_once("emulated", _write_emulated)


def _write_emulated(folder: Path) -> None:
    for name in EMULATED:
        file = load_specification(name).file
        text = (DEPLOYMENTS / f"{name}.toml").read_text(encoding="utf-8")
        text = text.replace(f'region = "{file.region}"', f'region = "{REGION}"\nwaf = false')
        if file.account:
            text = text.replace(file.account, ACCOUNT)
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def _make_all(made: Path) -> None:
    """All in one process: to start the CDK takes longer than to synthesize one."""
    folders = {DEPLOYMENTS: OF_REPOSITORY, BESIDE: OF_TESTS, emulated_files(): EMULATED}
    every = [(name, folder) for folder, names in folders.items() for name in names]
    arguments = (str(part) for name, folder in every for part in (name, folder, made / folder.name / name))
    _demand("What tests look at", run_module("tests.aws.synthesis", *arguments))


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
