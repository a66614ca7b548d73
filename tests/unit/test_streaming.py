"""Answers of the streaming function as Lambda gets them: by the Runtime API's own protocol, chunk by chunk."""

import asyncio
import base64
import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from functions.api.identity import sent_by
from functions.api.streaming import RESERVE_S, main, serve
from functions.runtime_api import RuntimeApi, RuntimeRefused
from stacks.assets import ROOT
from tests.aws.runtime_api import Delivery, FakeRuntimeApi, running_runtime_api

SECONDS = 30.0


class Work:
    """What the application under test does, step by step as the test says."""

    def __init__(self) -> None:
        self.go_on, self.left = threading.Event(), threading.Event()

    async def steps(self, _request: Request) -> Response:
        async def told() -> AsyncIterator[str]:
            try:
                yield "event: plan\n\n"
                while not self.go_on.is_set():
                    await asyncio.sleep(0.005)
                yield "event: final\n\n"
            finally:
                self.left.set()

        return StreamingResponse(told(), media_type="text/event-stream")

    async def fails_within(self, _request: Request) -> Response:
        async def told() -> AsyncIterator[str]:
            yield "event: plan\n\n"
            raise LookupError("a sentence of a document")

        return StreamingResponse(told(), media_type="text/event-stream")

    async def fails(self, _request: Request) -> Response:
        raise LookupError("a sentence of a document")

    async def echo(self, request: Request) -> Response:
        said = {
            "sender": sent_by(request),
            "body": (await request.body()).decode(),
            "query": request.query_params.multi_items(),
            "cookies": request.cookies,
            "path": request.url.path,
            "client": request.client.host if request.client else None,
        }
        answer = JSONResponse(said, 418, {"X-Own": "1", "Connection": "close"})
        answer.set_cookie("a", "1")
        answer.set_cookie("b", "2")
        return answer


@pytest.fixture
def work() -> Work:
    return Work()


@pytest.fixture
def api(work: Work) -> Generator[FakeRuntimeApi]:
    """The API, at which a function waits for events."""
    routes = [
        Route("/v1/ask", work.steps, methods=["POST"]),
        Route("/within", work.fails_within),
        Route("/fails", work.fails),
        Route("/echo/{rest:path}", work.echo, methods=["GET", "POST"]),
    ]
    application = Starlette(routes=routes)
    with running_runtime_api() as fake:
        client = RuntimeApi(fake.address)

        def function() -> None:
            with asyncio.Runner() as runner:
                try:
                    while True:
                        runner.run(serve(application, client, client.next()))
                except RuntimeRefused:
                    return

        thread = threading.Thread(target=function)
        thread.start()
        yield fake
        fake.closing = True
        work.go_on.set()
        thread.join(SECONDS)


def event_of(method: str, path: str, **more: Any) -> dict[str, Any]:
    """What a REST API sends to a function (payload 1.0)."""
    context: dict[str, Any] = {"requestId": "r" * 12, "identity": {"sourceIp": "192.0.2.7"}, "stage": "live"}
    plain: dict[str, Any] = {"resource": path, "path": path, "httpMethod": method, "requestContext": context}
    plain |= {"headers": {}, "multiValueHeaders": {}, "queryStringParameters": None, "body": None}
    return plain | {"multiValueQueryStringParameters": None, "isBase64Encoded": False} | more


def asked(api: FakeRuntimeApi, seconds: float = SECONDS) -> Delivery:
    return api.invoke(event_of("POST", "/v1/ask"), seconds)


def test_an_event_leaves_before_the_next_is_made(api: FakeRuntimeApi, work: Work) -> None:
    delivery = asked(api)
    head = delivery.head()
    parts = delivery.read()
    assert head["statusCode"] == 200
    assert head["multiValueHeaders"]["content-type"] == ["text/event-stream; charset=utf-8"]
    assert next(parts) == b"event: plan\n\n"
    assert not delivery.ended.is_set()
    work.go_on.set()
    assert b"".join(parts) == b"event: final\n\n"
    assert delivery.broken_off() is None
    assert delivery.headers["content-type"] == "application/vnd.awslambda.http-integration-response"
    assert delivery.headers["lambda-runtime-function-response-mode"] == "streaming"


def test_who_hangs_up_ends_the_work_and_the_next_is_served(api: FakeRuntimeApi, work: Work) -> None:
    delivery = asked(api)
    delivery.head()
    delivery.hang_up()
    assert work.left.wait(SECONDS)
    work.go_on.set()
    assert b"".join(asked(api).read()).endswith(b"event: final\n\n")


def test_an_answer_that_fails_midway_says_so_in_trailers_without_content(api: FakeRuntimeApi) -> None:
    delivery = api.invoke(event_of("GET", "/within"))
    said = delivery.broken_off()
    assert said is not None
    assert said["errorType"] == "LookupError"
    assert "sentence" not in json.dumps(said)


def test_what_fails_before_it_answers_is_an_error_of_the_function_and_the_next_is_served(
    api: FakeRuntimeApi, work: Work
) -> None:
    """Starlette answers 500 and raises on: what has been answered stays."""
    assert api.invoke(event_of("GET", "/fails")).head()["statusCode"] == 500
    broken = api.invoke({"requestContext": {}, "no": "request"})
    assert broken.ended.wait(SECONDS)
    assert broken.error == {"errorMessage": "KeyError", "errorType": "KeyError", "stackTrace": []}
    assert broken.headers["lambda-runtime-function-error-type"] == "KeyError"
    work.go_on.set()
    assert asked(api).head()["statusCode"] == 200


def test_an_answer_ends_before_the_function_does(api: FakeRuntimeApi, work: Work) -> None:
    delivery = asked(api, RESERVE_S + 1)
    delivery.head()
    said = delivery.broken_off()
    assert said is not None
    assert said["errorType"] == "BrokenOff"
    assert work.left.wait(SECONDS)


def test_a_request_of_a_rest_api_is_the_one_that_was_sent(api: FakeRuntimeApi) -> None:
    event = event_of("POST", "/echo/a%20b")
    event["multiValueHeaders"] = {"Cookie": ["__Host-x=1; y=2"], "Content-Type": ["text/plain"]}
    event["multiValueQueryStringParameters"] = {"q": ["a b", "ü&"]}
    event |= {"body": base64.b64encode("Größe".encode()).decode(), "isBase64Encoded": True}
    event["requestContext"]["authorizer"] = {"via": "key", "principalId": "nobody", "integrationLatency": 3}
    delivery = api.invoke(event)
    head = delivery.head()
    assert head["statusCode"] == 418
    assert head["multiValueHeaders"]["set-cookie"] == ["a=1; Path=/; SameSite=lax", "b=2; Path=/; SameSite=lax"]
    assert head["multiValueHeaders"]["x-own"] == ["1"]
    assert "connection" not in head["multiValueHeaders"]
    assert json.loads(b"".join(delivery.read())) == {
        "sender": {"via": "key"},
        "body": "Größe",
        "query": [["q", "a b"], ["q", "ü&"]],
        "cookies": {"__Host-x": "1", "y": "2"},
        "path": "/echo/a b",
        "client": "192.0.2.7",
    }


@pytest.mark.parametrize("said", [{"lambda": {"via": "token", "sub": "somebody"}}, None, {"principalId": "nobody"}])
def test_nobody_is_who_the_authorizer_does_not_name(api: FakeRuntimeApi, said: dict[str, Any] | None) -> None:
    event = event_of("GET", "/echo/x")
    event["requestContext"]["authorizer"] = said
    answer = json.loads(b"".join(Delivery.read(delivered(api, event))))
    assert not {"via", "sub", "iss"} & answer["sender"].keys()


def delivered(api: FakeRuntimeApi, event: dict[str, Any]) -> Delivery:
    delivery = api.invoke(event)
    delivery.head()
    return delivery


def test_a_program_that_cannot_start_says_so_and_asks_for_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "functions.api.handler", None)
    with running_runtime_api() as api:
        monkeypatch.setenv("AWS_LAMBDA_RUNTIME_API", api.address)
        with pytest.raises(ImportError):
            main()
    assert api.init_error is not None
    assert api.init_error["errorType"] == "ModuleNotFoundError"
    assert not api.asked.is_set()


@pytest.mark.parametrize("program", ["functions.api.streaming", "functions.api.lab"])
@pytest.mark.parametrize(
    ("given", "found"), [({}, "/var/task:/opt/python:/var/runtime"), ({"PYTHONPATH": "/own"}, "/own")]
)
def test_lambdas_interpreter_runs_our_program_instead_of_its_own(
    given: dict[str, str], found: str, program: str, tmp_path: Path
) -> None:
    """As Lambda calls a wrapper: with the interpreter, and the program that it would run."""
    interpreter = tmp_path / "python3.13"
    interpreter.write_text('#!/bin/sh\necho "$PYTHONPATH $*"\n')
    interpreter.chmod(0o755)
    lambdas = {"LAMBDA_TASK_ROOT": "/var/task", "LAMBDA_RUNTIME_DIR": "/var/runtime", "_HANDLER": f"{program}.handler"}
    command = [str(ROOT / "functions/api/stream_start"), str(interpreter), "/var/runtime/bootstrap.py"]
    done = subprocess.run(command, env=lambdas | given, capture_output=True, text=True, check=True)
    assert done.stdout == f"{found} -m {program}\n"
