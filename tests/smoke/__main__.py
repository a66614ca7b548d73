"""`make smoke URL=https://HOST TOKEN=autri_…`: the steps against a deployment, a line each. Exits 1 when one failed."""

import argparse
import json
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager

import httpx

from tests.smoke.door import DOOR
from tests.smoke.journey import JOURNEY, clear_up
from tests.smoke.site import READY_WITHIN_S, TIMEOUT_S, Outcome, Site, run_steps

STEPS = (*DOOR, *JOURNEY)


def main(arguments: list[str] | None = None) -> int:
    """The exit code."""
    wish = _parser().parse_args(arguments)
    origin = str(wish.url).rstrip("/")
    with httpx.Client(base_url=origin, timeout=TIMEOUT_S) as client:
        site = Site(origin, client, wish.token or os.environ.get("AUTRI_TOKEN"), wish.ready_within)
        with _reported(as_json=wish.json) as outcomes:
            outcomes += smoke(site) if wish.json else _printed(smoke(site))
    return 1 if any(one.verdict == "failed" for one in outcomes) else 0


def smoke(site: Site) -> Iterator[Outcome]:
    """Every step; what is left of a failed one is deleted."""
    try:
        yield from run_steps(site, STEPS)
    finally:
        clear_up(site)


def _printed(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    for one in outcomes:
        print(one.as_line(), flush=True)
        yield one


@contextmanager
def _reported(*, as_json: bool) -> Generator[list[Outcome]]:
    """Sums up what was added to the list."""
    outcomes: list[Outcome] = []
    yield outcomes
    counts = {name: sum(one.verdict == name for one in outcomes) for name in ("ok", "failed", "skipped")}
    if as_json:
        print(json.dumps({**counts, "steps": [one.as_json() for one in outcomes]}, indent=2))
    else:
        print(", ".join(f"{count} {name}" for name, count in counts.items()))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("make smoke", description=__doc__)
    parser.add_argument("url", help="https://HOST, or the address of one machine")
    parser.add_argument("--token", help="an API key of scope admin; else AUTRI_TOKEN")
    parser.add_argument("--json", action="store_true", help="one JSON object in the place of lines")
    parser.add_argument("--ready-within", type=float, default=READY_WITHIN_S, metavar="SECONDS")
    return parser


if __name__ == "__main__":
    sys.exit(main())
