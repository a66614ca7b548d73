"""The REST API that streams, which the emulator lacks: its authorizer is the deployed one, and its functions run under
the Runtime API of `runtime_api.py`, with the deployed functions' own environment, code, role and search path.

What a template says of methods and integrations is not imitated (tests/stacks/test_streams.py reads it).
"""

import json
import os
import re
import subprocess
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from shared.contract import LAB_PATHS, STREAMED_PATHS
from stacks.assets import ROOT, build_code
from tests.aws.deploy import bootstrap_script
from tests.aws.emulator import ACCOUNT, REGION
from tests.aws.runtime_api import FakeRuntimeApi, running_runtime_api
from tests.aws.system import System
from tests.patience import PATIENCE_S

# By what a function's name in the template begins with: the paths that it serves.
FUNCTIONS = {"ApiStream": STREAMED_PATHS, "ApiLab": LAB_PATHS}
STAGE = "live"
RENAME_CHALLENGE = ROOT / "stacks" / "rename_challenge.js"
REMAPPED = "x-amzn-remapped-www-authenticate"


@dataclass
class Answer:
    """Status and headers, and the body as it comes."""

    status: int
    headers: list[tuple[str, str]]
    parts: Iterator[bytes]


@dataclass
class Environment:
    """One of a function, started by its first request: requests wait for each other."""

    paths: re.Pattern[str]
    start: Callable[[], FakeRuntimeApi]
    lock: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def api(self) -> FakeRuntimeApi:
        return self.start()


@dataclass
class Streams:
    """An environment of each function."""

    system: System
    environments: list[Environment]

    def takes(self, target: str) -> bool:
        return self._of(target) is not None

    def _of(self, target: str) -> Environment | None:
        path = urlsplit(target).path
        return next((one for one in self.environments if one.paths.fullmatch(path)), None)

    @contextmanager
    def asked(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Generator[Answer]:
        """The answer to a request; whoever leaves before its end hangs up."""
        event = event_of(method, target, headers, body)
        event["requestContext"]["authorizer"] = self._authorized(event)
        environment = self._of(target)
        assert environment is not None
        with environment.lock:
            delivery = environment.api.invoke(event, PATIENCE_S)
            head = delivery.head()
            named = [(n, v) for n, values in head["multiValueHeaders"].items() for v in values]
            answer = Answer(head["statusCode"], [renamed(*one) for one in named], delivery.read())
            try:
                yield answer
            finally:
                if not delivery.ended.is_set():
                    delivery.hang_up()
                delivery.ended.wait(PATIENCE_S)

    def _authorized(self, event: dict[str, Any]) -> dict[str, Any]:
        """What the deployed authorizer says of it, which has to be a policy that allows this very call."""
        arn = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:streams/{STAGE}/{event['httpMethod']}{event['path']}"
        asked = event | {"type": "REQUEST", "methodArn": arn}
        name = function_of(self.system, "SignInAuthorize")
        answer = self.system.emulator.client("lambda").invoke(FunctionName=name, Payload=json.dumps(asked).encode())
        said = json.loads(answer["Payload"].read())
        (statement,) = said["policyDocument"]["Statement"]
        assert (statement["Effect"], statement["Resource"]) == ("Allow", arn)
        assert all(isinstance(value, (str, int, bool)) for value in said["context"].values())
        return {**said["context"], "principalId": said["principalId"], "integrationLatency": 1}


def renamed(name: str, value: str) -> tuple[str, str]:
    """REST APIs give this header another name; at the distribution a function gives it back."""
    return (REMAPPED, value) if name == "www-authenticate" else (name, value)


def at_the_edge(target: str, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers behind the distribution's function, run by Node as it was synthesized."""
    if urlsplit(target).path != "/mcp" or REMAPPED not in dict(headers):
        return headers
    event = {"response": {"headers": {name: {"value": value} for name, value in headers}}}
    program = f"{RENAME_CHALLENGE.read_text()}\nconsole.log(JSON.stringify(handler({json.dumps(event)})))"
    done = subprocess.run(["node", "-e", program], capture_output=True, text=True, check=True)
    return [(name, one["value"]) for name, one in json.loads(done.stdout)["headers"].items()]


def event_of(method: str, target: str, headers: dict[str, str], body: bytes) -> dict[str, Any]:
    """A REST API's event (payload 1.0)."""
    parts = urlsplit(target)
    query = parse_qs(parts.query, keep_blank_values=True)
    return {
        "resource": parts.path,
        "path": parts.path,
        "httpMethod": method,
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {name: values[-1] for name, values in query.items()} or None,
        "multiValueQueryStringParameters": query or None,
        "requestContext": {
            "requestId": str(uuid4()),
            "stage": STAGE,
            "httpMethod": method,
            "identity": {"sourceIp": "127.0.0.1"},
        },
        "body": body.decode() or None,
        "isBase64Encoded": False,
    }


def function_of(system: System, start: str) -> str:
    """The physical name of the function whose name in the template starts so."""
    (name,) = (
        physical
        for logical, physical in system.deployed.physical_ids.items()
        if logical.startswith(start) and system.deployed.types[logical] == "AWS::Lambda::Function"
    )
    return name


@contextmanager
def running_streams(system: System, folder: Path) -> Generator[Streams]:
    """One environment of each deployed function, until the context ends."""
    bootstrap = folder / "bootstrap"
    bootstrap.write_text(bootstrap_script(system.twin, system.guard.url))
    bootstrap.chmod(0o755)
    with ExitStack() as stack:

        def environment(start: str) -> Environment:
            paths = re.compile("|".join(re.sub(r"\{[^}]+\}", "[^?]+", path) for path in FUNCTIONS[start]))
            return Environment(paths, lambda: stack.enter_context(_running(system, bootstrap, start)))

        yield Streams(system, [environment(start) for start in FUNCTIONS])


@contextmanager
def _running(system: System, bootstrap: Path, start: str) -> Generator[FakeRuntimeApi]:
    name = function_of(system, start)
    deployed = system.emulator.client("lambda").get_function_configuration(FunctionName=name)
    with running_runtime_api() as api:
        environment = {
            "PATH": os.environ["PATH"],
            "AWS_REGION": REGION,
            "AWS_DEFAULT_REGION": REGION,
            **deployed["Environment"]["Variables"],
            "AWS_LAMBDA_RUNTIME_API": api.address,
            "AWS_LAMBDA_FUNCTION_NAME": name,
            "LAMBDA_TASK_ROOT": str(build_code()),
            "_HANDLER": deployed["Handler"],
        }
        with system.log.open("ab") as log:
            process = subprocess.Popen([str(bootstrap)], env=environment, stdout=log, stderr=log)
        try:
            yield api
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
