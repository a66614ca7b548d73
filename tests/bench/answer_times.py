"""What asking adds to a model's own time: `python -m tests.bench.answer_times WORKSPACE`, medians of 15 questions.

A model behind its wire format waits 300 ms, then sends its sentences with 5 ms before each part. Asked over HTTP as a
stream. First event: from the request to the first event's last byte. Own: the whole less the model's calls as the trace
has them, and less retrieval, which is every other step of the trace. The samples are ingested
as `tests.bench.plans` does where they are missing.
"""

import json
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from pydantic import SecretStr

from functions.api.app import create_app
from functions.api.identity import development_identity
from shared.adapters.local.answerers import load_answerer
from shared.library.traces import get_trace
from shared.settings import LocalSettings
from tests.adapters.chat_server import KEY, MODEL, Said, Told, running_chat
from tests.bench.answers import copying
from tests.bench.plans import samples
from tests.bench.retrieval_data import Workspace, open_workspace
from tests.live import serving

QUESTIONS = [
    "How wide may the rear wing be?", "What is the minimum mass of a class S car?", "How loud may a car be?",
    "What is the speed limit in the pit lane?", "How old must a driver be?",
]  # fmt: skip
ROUNDS = 3
WAIT_S, PAUSE_S = 0.3, 0.005


@dataclass(frozen=True)
class Timed:
    """Milliseconds."""

    first: float
    whole: float
    model: float
    retrieval: float

    @property
    def own(self) -> float:
        return self.whole - self.model - self.retrieval


def slow(told: Told) -> Said:
    time.sleep(WAIT_S)
    return copying(told)


def main(home: Path) -> None:
    with open_workspace(home) as workspace, running_chat() as server:
        base = samples(workspace)
        server.mind, server.pause_s = slow, PAUSE_S
        name = f"openai:{MODEL}@{server.url}/v1"
        model = load_answerer(LocalSettings(model=name, model_key=SecretStr(KEY)))
        runtime = replace(workspace.runtime, load_answerer=lambda: model)
        app = create_app(runtime, development_identity(runtime), local=True)
        with serving(app) as url, httpx.Client(base_url=url, timeout=120) as client:
            _ask(workspace, client, base, QUESTIONS[0])
            timed = [_ask(workspace, client, base, one) for _ in range(ROUNDS) for one in QUESTIONS]
    for line in _lines(timed):
        print(line)


def _ask(workspace: Workspace, client: httpx.Client, base: UUID, question: str) -> Timed:
    body = {"question": question, "knowledge_base_ids": [str(base)]}
    started = time.perf_counter()
    with client.stream("POST", "/v1/ask", json=body, headers={"Accept": "text/event-stream"}) as response:
        response.raise_for_status()
        told = [(time.perf_counter() - started, name, data) for name, data in events(response)]
    whole = time.perf_counter() - started
    trace = get_trace(workspace.runtime, workspace.identity, UUID(told[-1][2]["trace_id"]))
    model = sum(call["seconds"] for call in trace.notes["model"]["calls"])
    retrieval = sum(step.ms for step in trace.steps if step.name != "write_answer")
    return Timed(told[0][0] * 1000, whole * 1000, model * 1000, retrieval)


def events(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def _lines(timed: list[Timed]) -> Iterator[str]:
    def median(*values: float) -> str:
        return f"{statistics.median(values):.0f} ms, of {min(values):.0f} to {max(values):.0f}"

    yield f"first event: {median(*(one.first for one in timed))}"
    yield f"the model's own time: {median(*(one.model for one in timed))}"
    yield f"retrieval and weighing of evidence: {median(*(one.retrieval for one in timed))}"
    yield f"our own overhead: {median(*(one.own for one in timed))}"
    yield f"the whole: {median(*(one.whole for one in timed))}; {len(timed)} questions"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
