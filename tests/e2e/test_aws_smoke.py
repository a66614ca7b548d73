"""The operator's script against the emulated deployment, with an admin's key, as against a real one."""

from collections.abc import Iterator

import httpx
import pytest

from tests.aws.customer import ok
from tests.aws.front import Front
from tests.aws.system import System
from tests.smoke.__main__ import smoke
from tests.smoke.site import Outcome, Site

pytestmark = pytest.mark.aws
# The emulated front has no port without TLS.
# Its S3 answers every origin and compares no checksums (`register` does: tests/e2e/test_custody.py).
EMULATOR_LACKS = {
    "the bucket takes uploads from our own pages alone",
    "other bytes than the announced ones are refused",
}
NO_PLAIN_HTTP = "the emulated distribution serves https alone"


@pytest.fixture(scope="module")
def site(front: Front, owner: httpx.Client) -> Iterator[Site]:
    key = ok(owner.post("/v1/keys", json={"name": "smoke", "scope": "admin", "expires_days": 1}))
    with front.client("application/json") as client:
        yield Site(front.origin, client, key["secret"], kept={"plain_http": NO_PLAIN_HTTP})


@pytest.fixture(scope="module")
def outcomes(site: Site) -> list[Outcome]:
    return list(smoke(site))


def test_every_step_holds_on_the_emulated_deployment(outcomes: list[Outcome]) -> None:
    print("\n" + "\n".join(one.as_line() for one in outcomes))
    failed = {one.name: one.as_line() for one in outcomes if one.verdict == "failed"}
    assert set(failed) == EMULATOR_LACKS, failed
    skipped = {one.name for one in outcomes if one.verdict == "skipped"}
    assert skipped <= {"http leads to https", "limits are told"}


def test_it_leaves_nothing_behind(site: Site, outcomes: list[Outcome], system: System) -> None:
    assert outcomes
    assert site.ask("GET", "/audit?act=knowledge_base.delete")["items"]
    assert system.rows("select id from knowledge_bases where name like 'Smoke test%%'") == []
