"""The operator's script against one machine as people start it, and against answers that are not as they should be."""

import json
from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.patience import PATIENCE_S
from tests.processes import serving
from tests.smoke.__main__ import STEPS, main
from tests.smoke.door import DOOR
from tests.smoke.journey import JOURNEY, SAMPLE
from tests.smoke.site import Outcome, Site, Step, run_steps

# What only a deployment has.
DEPLOYED_ONLY = {
    "http leads to https",
    "a page without a session leads to the login, with PKCE",
    "the bucket takes uploads from our own pages alone",
}
Tamper = Callable[[httpx.Response], None]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("smoke") / "home") as (_, client):
        yield str(client.base_url).partition("/v1")[0]


def test_every_step_holds_on_one_machine_and_leaves_nothing(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = httpx.get(f"{url}/v1/knowledge-bases").json()["items"]
    assert main([url, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    skipped = {step["name"] for step in report["steps"] if step["verdict"] == "skipped"}
    assert skipped - {"limits are told"} == DEPLOYED_ONLY
    assert (report["failed"], len(report["steps"])) == (0, len(STEPS))
    assert all(step["advice"] for step in report["steps"])
    assert httpx.get(f"{url}/v1/knowledge-bases").json()["items"] == before


def test_it_says_what_fails_and_what_to_do_and_deletes_what_it_made(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is ready at once, so what builds on it is skipped."""
    assert main([url, "--ready-within", "0"]) == 1
    lines = capsys.readouterr().out.splitlines()
    (place,) = (n for n, line in enumerate(lines) if "the document becomes ready" in line)
    assert "failed" in lines[place]
    assert "failed-executions.md" in lines[place + 1]
    assert "found by words: needs a step that did not succeed" in "\n".join(lines)
    assert httpx.get(f"{url}/v1/knowledge-bases").json()["items"] == []


def test_the_sample_is_one_of_our_own() -> None:
    assert SAMPLE.read_bytes().startswith(b"%PDF-")


def without(name: str) -> Tamper:
    def tamper(answer: httpx.Response) -> None:
        answer.headers.pop(name, None)

    return tamper


def with_header(name: str, value: str) -> Tamper:
    def tamper(answer: httpx.Response) -> None:
        if name in answer.headers:
            answer.headers[name] = value

    return tamper


def with_status(status: int, *former: int) -> Tamper:
    def tamper(answer: httpx.Response) -> None:
        if answer.status_code in former:
            answer.status_code = status

    return tamper


@pytest.mark.parametrize(
    ("name", "tamper"),
    [
        ("every answer carries the security headers", without("x-frame-options")),
        ("every answer carries the security headers", with_header("content-security-policy", "default-src *")),
        ("the open health route answers", with_status(503, 200)),
        ("pages are compressed", without("content-encoding")),
        ("pages are compressed", without("vary")),
        ("static files may be cached for ever", with_header("cache-control", "max-age=60")),
        ("forged tokens, keys and sessions are refused", with_status(200, 401)),
        ("a foreign page changes nothing", with_status(201, 403)),
        ("errors are problem documents", with_header("content-type", "text/html")),
        ("unknown and foreign ids are 404", with_status(403, 404)),
    ],
    ids=lambda value: value if isinstance(value, str) else "tampered",
)
def test_a_step_fails_where_its_promise_does_not_hold(url: str, name: str, tamper: Tamper) -> None:
    (step,) = (step for step in (*DOOR, *JOURNEY) if step.name == name)
    assert look(url, step, lambda _answer: None).verdict == "ok"
    found = look(url, step, tamper)
    assert (found.verdict, bool(found.said)) == ("failed", True)


def look(url: str, step: Step, tamper: Tamper) -> Outcome:
    """What the step says of a server whose answers are changed on their way."""
    with httpx.Client(timeout=PATIENCE_S) as real:

        def forward(request: httpx.Request) -> httpx.Response:
            sent = real.build_request(
                request.method, request.url, headers=dict(request.headers), content=request.read()
            )
            answer = real.send(sent, stream=True)
            raw = b"".join(answer.iter_raw())
            passed = httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(raw))
            tamper(passed)
            return passed

        with httpx.Client(base_url=url, transport=httpx.MockTransport(forward)) as client:
            (outcome,) = run_steps(Site(url, client), [step])
    return outcome
