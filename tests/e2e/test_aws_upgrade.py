"""Tier 3, deployed from its own file: the journey of tier 1 (test_aws_front_door.py), then one version after another:
what fails leaves the one before serving, with its data."""

import json
import re
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from shared.adapters.local.postgres import DATABASE
from tests.aws.assembly import emulated_files, synthesize
from tests.aws.customer import callback, ok, upload, wait, web_client
from tests.aws.deploy import failures, read_outputs, upgrade
from tests.aws.front import front_of
from tests.aws.login import create_person, sign_in
from tests.aws.system import System, running_system
from tests.aws.versions import Change, synthesize_versions
from tests.e2e.test_aws_front_door import opened_page, walk
from tests.e2e.test_bedrock_engine import pdf_of

pytestmark = pytest.mark.aws

TIER = "customer-acme"
STACK = f"autri-{TIER}"
MIGRATION = "shared/store/migrations/9001_next.sql"
HANDLER = "functions/api/handler.py"
PUBLISH = "functions/publish.py"
HALF = "create table half_made (id integer); select * from nowhere;"
MENDING = "shared/store/migrations/9002_mended.sql"
THIRD = "shared/store/migrations/9003_wider.sql"
OPENED = "alter table chunks no force row level security;"
CLOSED = "alter table chunks force row level security;"
WIDER = "alter table organizations add column motto text;"
VERSIONS: dict[str, dict[str, Change]] = {
    "half": {MIGRATION: lambda _: HALF},
    "not starting": {HANDLER: lambda text: f"{text}\nraise RuntimeError('does not start')\n"},
    "open": {MIGRATION: lambda _: OPENED},
    "not publishing": {
        MIGRATION: lambda _: OPENED,
        MENDING: lambda _: CLOSED,
        THIRD: lambda _: WIDER,
        PUBLISH: lambda text: f"{text}\nraise RuntimeError('of the new version')\n",
    },
}
Serving = dict[str, Any]
# What calls a new version before anybody else does: each function of the API has one, and one of them fails first.
CHECKED = re.compile(r"Release\w*Checked")


@pytest.fixture(scope="module")
def system() -> Generator[System]:
    with running_system(TIER, emulated_files()) as running:
        create_person(running.emulator, running.deployed.only("AWS::Cognito::UserPool"), running.owner)
        yield running


@pytest.fixture(scope="module")
def owner(system: System) -> Iterator[httpx.Client]:
    tokens = sign_in(system.emulator, web_client(system), callback(system), system.owner)
    with system.api as api:
        api.headers["Authorization"] = f"Bearer {tokens.id_token}"
        yield api


@pytest.fixture(scope="module")
def base(owner: httpx.Client) -> str:
    return str(ok(owner.post("/v1/knowledge-bases", json={"name": "Kept", "description": "through upgrades"}))["id"])


@pytest.fixture(scope="module")
def versions() -> Iterator[dict[str, Path]]:
    """Their assemblies."""
    with tempfile.TemporaryDirectory(prefix="autri-versions-") as folder:
        yield synthesize_versions(Path(folder), TIER, emulated_files(), VERSIONS)


def update(system: System, assembly: Path) -> str:
    """The status in which it ends."""
    database = {"host": str(system.postgres.socket_dir), "port": 5432, "dbname": DATABASE}
    return upgrade(system.emulator, assembly, STACK, system.twin, database, system.guard.url)


def serving(system: System, base: str) -> Serving:
    """Everything that calls a function, and what the database holds."""
    machine = system.deployed.only("AWS::StepFunctions::StateMachine")
    definition = system.emulator.client("stepfunctions").describe_state_machine(stateMachineArn=machine)["definition"]
    return {
        "versions": {name: version_of(system, name) for name in ("ApiFunction", "MaintenanceFunction", "SignInLogin")},
        "machine": json.loads(definition),
        "rows": system.rows("select id, content from chunks where knowledge_base_id = %s order by id", base),
        "migrations": system.rows("select name from autri_meta.migrations order by name"),
        "tables": system.rows("select count(*) from pg_class where relname = 'half_made'"),
    }


def outputs(system: System) -> dict[str, str]:
    """`Schema` and `Code`, by the last word of their names."""
    told = read_outputs(system.emulator, STACK)
    return {word: value for name, value in told.items() for word in ("Schema", "Code") if name[:-8].endswith(word)}


def version_of(system: System, function: str) -> str:
    """The number of the version that the alias names."""
    (name,) = (
        p
        for n, p in system.deployed.physical_ids.items()
        if n[:-8] == function and system.deployed.types[n] == "AWS::Lambda::Function"
    )
    return str(system.emulator.client("lambda").get_alias(FunctionName=name, Name="live")["FunctionVersion"])


@contextmanager
def answering(owner: httpx.Client, base: str) -> Generator[None]:
    """What the version before serves is the same after."""
    found = owner.get(f"/v1/knowledge-bases/{base}").json()
    yield
    assert ok(owner.get(f"/v1/knowledge-bases/{base}")) == found
    assert ok(owner.post("/v1/search", json={"query": "rules of the part", "knowledge_base_ids": [base]}))["hits"]


@pytest.fixture(scope="module")
def ingested(owner: httpx.Client, base: str) -> dict[str, Any]:
    run = wait(owner, upload(owner, base, pdf_of(2, "kept"), "kept.pdf"))
    assert run["status"] == "ready", run
    return run


@pytest.mark.browser
def test_a_person_of_this_tier_signs_in_uploads_looks_searches_and_signs_out(system: System, tmp_path: Path) -> None:
    with front_of(system) as front, opened_page(front) as page:
        walk(front, page, system.owner, tmp_path)


@pytest.mark.usefixtures("ingested")
def test_a_failing_migration_leaves_the_old_version_serving_and_its_data_as_it_was(
    system: System, owner: httpx.Client, base: str, versions: dict[str, Path]
) -> None:
    before = serving(system, base)
    assert before["rows"]
    with answering(owner, base):
        assert update(system, versions["half"]) == "UPDATE_ROLLBACK_COMPLETE"
    assert [why for name, why in failures(system.emulator, STACK) if name.startswith("MigrationsApplied")] != []
    assert serving(system, base) == before
    assert wait(owner, upload(owner, base, pdf_of(1, "after it"), "after.pdf"))["status"] == "ready"


@pytest.mark.usefixtures("ingested")
def test_a_version_that_does_not_start_is_never_called_by_anybody_but_the_check(
    system: System, owner: httpx.Client, base: str, versions: dict[str, Path]
) -> None:
    before = serving(system, base)
    with answering(owner, base):
        status = update(system, versions["not starting"])
    assert status == "UPDATE_ROLLBACK_COMPLETE"
    assert [why for name, why in failures(system.emulator, STACK) if CHECKED.match(name)] != []
    assert serving(system, base) == before


@pytest.mark.usefixtures("ingested")
def test_a_migration_that_opens_a_table_is_found_before_the_switch(
    system: System, owner: httpx.Client, base: str, versions: dict[str, Path]
) -> None:
    before = serving(system, base)
    with answering(owner, base):
        assert update(system, versions["open"]) == "UPDATE_ROLLBACK_COMPLETE"
    reasons = [why for name, why in failures(system.emulator, STACK) if CHECKED.match(name)]
    assert any("without a forced policy: chunks" in why for why in reasons), reasons
    after = serving(system, base)
    assert after["versions"] == before["versions"]
    # What was applied stays until a migration mends it: the next version's does.
    assert after["migrations"] == [*before["migrations"], ("9001_next.sql",)]


def test_an_execution_under_way_ends_with_the_version_it_began_with_and_the_next_begins_with_the_new_one(
    system: System, owner: httpx.Client, base: str, versions: dict[str, Path]
) -> None:
    """The deployment happens while a model works on the document; the new version mends what the last one has opened,
    and its own last stage fails."""
    old, statuses = version_of(system, "ApiFunction"), list[str]()

    def deploy_meanwhile() -> None:
        system.bedrock.busy_until = time.monotonic() + 600
        statuses.append(update(system, versions["not publishing"]))
        system.bedrock.busy_until = 0

    system.bedrock.meanwhile = deploy_meanwhile
    run = wait(owner, upload(owner, base, pdf_of(2, "under way"), "under-way.pdf"))
    assert statuses == ["UPDATE_COMPLETE"]
    assert run["status"] == "ready", run
    assert int(version_of(system, "ApiFunction")) > int(old)
    assert outputs(system)["Schema"] == "9003_wider.sql"
    next_run = wait(owner, upload(owner, base, pdf_of(2, "the next"), "next.pdf"))
    assert next_run["status"] == "failed", next_run


def test_the_version_before_is_deployed_again_over_the_newer_schema(
    system: System, owner: httpx.Client, base: str
) -> None:
    """By hand, when the new version turns out to be wrong later on."""
    newer = outputs(system)
    with answering(owner, base):
        assert update(system, synthesize(TIER, emulated_files())) == "UPDATE_COMPLETE"
    older = outputs(system)
    assert (older["Code"] != newer["Code"], older["Schema"]) == (True, "9003_wider.sql")
    assert wait(owner, upload(owner, base, pdf_of(1, "back again"), "back.pdf"))["status"] == "ready"
