"""The deployment under test, and what a step may say of it."""

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import httpx

Verdict = Literal["ok", "failed", "skipped"]
TIMEOUT_S = 60.0
# How long a document of 30 pages may take, a database that has to wake included.
READY_WITHIN_S = 600.0


class Skipped(Exception):
    """The step does not apply here, or needs one that failed; says why."""


class Failed(Exception):
    """What was found instead of what the step demands."""


@dataclass
class Site:
    """`origin` is what people open. `client` sends nothing of its own: no cookies, no key, no following of redirects.

    `kept` is what earlier steps leave to later ones.
    """

    origin: str
    client: httpx.Client
    token: str | None = None
    ready_within_s: float = READY_WITHIN_S
    kept: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def is_deployed(self) -> bool:
        """Whether it is a deployment on AWS; one machine serves its own people over loopback in clear."""
        return self.origin.startswith("https://")

    def get(self, path: str, **more: Any) -> httpx.Response:
        return self.client.get(path, **more)

    def send(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        """With the operator's key."""
        self.need_sender()
        own = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return self.client.request(method, f"/v1{path}", json=body, headers=own | headers)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """The same, answered by JSON; raises Failed for any other answer."""
        answer = self.send(method, path, body)
        demand(answer.is_success, f"{method} /v1{path}: {described(answer)}")
        return answer.json()

    def need_sender(self) -> None:
        if self.is_deployed and self.token is None:
            raise Skipped("needs TOKEN=…, an admin's API key")

    def of_earlier(self, name: str) -> Any:
        """What an earlier step kept."""
        if name not in self.kept:
            raise Skipped("needs a step that did not succeed")
        return self.kept[name]


@dataclass(frozen=True)
class Step:
    """One promise: what is looked at, and what to do where it does not hold. `look` may answer a remark."""

    name: str
    advice: str
    look: Callable[[Site], str | None]


@dataclass(frozen=True)
class Outcome:
    """What became of a step; `said` is what was found, or why it was skipped."""

    number: int
    name: str
    verdict: Verdict
    milliseconds: float
    said: str
    advice: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def as_line(self) -> str:
        line = f"{self.number:>2}  {self.verdict:<7} {self.milliseconds:>8,.0f} ms  {self.name}"
        if self.said:
            line += f": {self.said}"
        return f"{line}\n{'':22}→ {self.advice}" if self.verdict == "failed" else line


def run_steps(site: Site, steps: Iterable[Step]) -> Iterable[Outcome]:
    """Every step in order; one that fails stops none, those that build on it are skipped."""
    for number, step in enumerate(steps, 1):
        started = time.monotonic()
        verdict, said = _look(site, step)
        yield Outcome(number, step.name, verdict, (time.monotonic() - started) * 1000, said, step.advice)


def _look(site: Site, step: Step) -> tuple[Verdict, str]:
    try:
        return "ok", step.look(site) or ""
    except Skipped as why:
        return "skipped", str(why)
    except Failed as found:
        return "failed", str(found)
    except httpx.TransportError as error:
        return "failed", f"no answer ({type(error).__name__}: {error})"
    except (KeyError, IndexError, TypeError, ValueError) as error:
        return "failed", f"an answer of another form ({type(error).__name__}: {error})"


def demand(holds: object, found: str) -> None:
    """Raises Failed with what was found instead."""
    if not holds:
        raise Failed(found)


def described(answer: httpx.Response) -> str:
    """Status and what the answer says, shortened."""
    return f"{answer.status_code} {answer.text[:200]}"
