"""Upgrading many deployments, one after the other: a canary first, the next only when the one before serves.

Nothing is remembered but the report: run again, what it says was done with the same program and the same file is left.
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from stacks.assets import ROOT, build_code
from stacks.specification import DEPLOYMENTS, DeploymentError, Specification, known_deployments, load_specification

# Pinned by its major version, as docs/deploy.md calls it.
CDK: Final = "npx aws-cdk@2"
SERVES: Final = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE"})
# A waking database answers within about 15 s; before that it says 503.
HEALTH_TRIES: Final = 6
HEALTH_WAIT_S: Final = 10
# What of a failed deployment's words goes into the report; all of them were on the terminal.
_SHOWN: Final = 600
Result = Literal["done", "already", "failed"]


@dataclass(frozen=True)
class Stack:
    """What CloudFormation says of a deployment: none of it before the first one."""

    status: str = ""
    outputs: Mapping[str, str] = field(default_factory=dict[str, str])

    def output(self, word: str) -> str:
        """CDK writes a path before an output's name and a hash behind it."""
        return next((value for name, value in self.outputs.items() if name[:-8].endswith(word)), "")


class Operator(Protocol):
    """What the fleet needs of the world."""

    def deploy(self, deployment: str) -> tuple[bool, str]:
        """Runs one deployment to its end: whether it succeeded, and its last words."""
        ...

    def describe(self, specification: Specification) -> Stack: ...

    def healthy(self, url: str) -> str:
        """`ok`, or what is wrong."""
        ...


@dataclass(frozen=True)
class Upgrade:
    """One line of the report. `before` and `after` are versions of the program, `migration` the newest one before and
    after; `file` is the digest of the deployment's file."""

    deployment: str
    before: str
    after: str
    migration: str
    smoke: str
    seconds: float
    result: Result
    why: str
    file: str


def plan(names: Sequence[str], canary: str | None, folder: Path = DEPLOYMENTS) -> list[Specification]:
    """The deployments in their order: the canary, then `names` as they come, or every one of tier 2 by name. Raises
    DeploymentError before anything is deployed when one of the files is wrong."""
    every = [load_specification(name, folder) for name in (names or known_deployments(folder))]
    chosen = every if names else [one for one in every if one.tier.name == "dedicated"]
    first = [load_specification(canary, folder)] if canary else []
    found = {one.name: one for one in (*first, *chosen)}
    if not found:
        raise DeploymentError("There is no deployment of tier 2 here. Name those that you mean.")
    return list(found.values())


def upgrade_fleet(
    specifications: Sequence[Specification],
    operator: Operator,
    report: Path,
    folder: Path = DEPLOYMENTS,
) -> list[Upgrade]:
    """Upgrades until one fails, and keeps `report` after each. What is done already is not done again."""
    code, former = build_code().name, read_report(report)
    done: list[Upgrade] = []
    for specification in specifications:
        digest = _digest(folder / f"{specification.name}.toml")
        same = former.get(specification.name)
        if same and same.result != "failed" and (same.after, same.file) == (code, digest):
            done.append(replace(same, result="already", seconds=0.0))
        else:
            done.append(_upgrade(specification, operator, code, digest))
        former[specification.name] = done[-1]
        _write_report(report, former)
        if done[-1].result == "failed":
            break
    return done


def _upgrade(specification: Specification, operator: Operator, code: str, digest: str) -> Upgrade:
    before, started = operator.describe(specification), time.monotonic()
    succeeded, words = operator.deploy(specification.name)
    after = operator.describe(specification)
    smoke = operator.healthy(after.output("Url")) if succeeded else "–"
    why = "".join(_problems(succeeded, words, after, code, smoke))
    return Upgrade(
        deployment=specification.name,
        before=before.output("Code") or "–",
        after=after.output("Code") or "–",
        migration=f"{before.output('Schema') or '–'} → {after.output('Schema') or '–'}",
        smoke=smoke,
        seconds=round(time.monotonic() - started, 1),
        result="failed" if why else "done",
        why=why,
        file=digest,
    )


def _problems(succeeded: bool, words: str, after: Stack, code: str, smoke: str) -> Iterator[str]:
    """The first thing that is wrong."""
    if not succeeded:
        yield f"The deployment failed; the stack is {after.status or 'not there'}. {words[-_SHOWN:]}"
    elif after.status not in SERVES:
        yield f"The stack is {after.status or 'not there'}."
    elif after.output("Code") != code:
        yield f"The stack serves {after.output('Code') or 'nothing'}, and not {code}."
    elif smoke != "ok":
        yield f"{after.output('Url')} does not answer: {smoke}"


def read_report(report: Path) -> dict[str, Upgrade]:
    """The last line of each deployment; none where there is no report yet."""
    if not report.is_file():
        return {}
    return {one["deployment"]: Upgrade(**one) for one in json.loads(report.read_text(encoding="utf-8"))["upgrades"]}


def _write_report(report: Path, lines: Mapping[str, Upgrade]) -> None:
    """In one piece: whoever ends this program leaves a report that can be read."""
    report.parent.mkdir(parents=True, exist_ok=True)
    fresh = report.with_suffix(".new")
    fresh.write_text(json.dumps({"upgrades": [asdict(one) for one in lines.values()]}, indent=2) + "\n", "utf-8")
    fresh.replace(report)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


class CdkOperator:
    """The CDK's own command line, with the credentials of the shell; the stack is asked by boto3."""

    def __init__(self, command: str = CDK, folder: Path = DEPLOYMENTS) -> None:
        self._command, self._folder = shlex.split(command), folder

    def deploy(self, deployment: str) -> tuple[bool, str]:
        options = ["deploy", "--context", f"deployment={deployment}", "--all", "--require-approval", "never"]
        environment = {**os.environ, "AUTRI_DEPLOYMENTS": str(self._folder)}
        words: list[str] = []
        with subprocess.Popen(
            [*self._command, *options],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        ) as process:
            for line in process.stdout or ():
                print(line, end="", file=sys.stderr, flush=True)
                words.append(line)
        return process.returncode == 0, "".join(words).strip()

    def describe(self, specification: Specification) -> Stack:
        import boto3
        from botocore.exceptions import ClientError

        client: Any = boto3.client("cloudformation", region_name=specification.file.region)
        try:
            (stack,) = client.describe_stacks(StackName=specification.stack_name)["Stacks"]
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") != "ValidationError":
                raise DeploymentError(f"{specification.stack_name} cannot be asked for: {error}") from error
            return Stack()
        return Stack(stack["StackStatus"], {o["OutputKey"]: o["OutputValue"] for o in stack.get("Outputs", ())})

    def healthy(self, url: str) -> str:
        wrong = "it has no address"
        for left in range(HEALTH_TRIES if url else 0, 0, -1):
            try:
                with urllib.request.urlopen(f"{url}/v1/health", timeout=30) as answer:  # noqa: S310 the stack's own address
                    return "ok" if answer.status == 200 else f"status {answer.status}"
            except OSError as error:
                wrong = str(error)
            if left > 1:
                time.sleep(HEALTH_WAIT_S)
        return wrong
