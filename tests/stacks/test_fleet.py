"""A fleet on the emulator's CloudFormation; in the place of the CDK's command line a program that does what it does."""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from functions.cli.main import app
from stacks import fleet as fleets
from stacks.assets import ROOT, build_code
from stacks.fleet import CdkOperator, plan, upgrade_fleet
from stacks.specification import DEPLOYMENTS, DeploymentError
from tests.aws.emulator import ACCOUNT, REGION, Emulator, running_emulator

pytestmark = pytest.mark.aws

HASH = "0A1B2C3D"
# What `cdk deploy` does for this: the stack with its outputs; a deployment whose file says so fails half way.
FAKE_CDK = f"""#!{sys.executable}
import json, os, sys, tomllib, boto3
assert sys.argv[1] == "deploy" and sys.argv[4:] == ["--all", "--require-approval", "never"], sys.argv
name = sys.argv[3].removeprefix("deployment=")
file = open(os.environ["AUTRI_DEPLOYMENTS"] + f"/{{name}}.toml").read()
with open(os.environ["FAKE_CALLS"], "a") as calls:
    calls.write(name + "\\n")
print(f"{{name}}: deploying")
if "# fails" in file:
    sys.exit("MigrationsApplied failed: relation does not exist")
told = {{"FrontUrl{HASH}": os.environ["FAKE_URL"], "ReleaseCode{HASH}": os.environ["FAKE_CODE"],
        "MigrationsSchema{HASH}": os.environ["FAKE_SCHEMA"]}}
template = {{"Resources": {{"Said": {{"Type": "AWS::SSM::Parameter", "Properties": {{
    "Type": "String", "Name": f"/{{name}}/said",
    "Value": os.environ["FAKE_CODE"] + os.environ["FAKE_SCHEMA"] + file}}}}}},
    "Outputs": {{key: {{"Value": value}} for key, value in told.items()}}}}
client, stack = boto3.client("cloudformation"), f"autri-{{name}}"
there = [s for s in client.list_stacks()["StackSummaries"] if s["StackName"] == stack]
act, wait = (client.update_stack, "update") if there else (client.create_stack, "create")
act(StackName=stack, TemplateBody=json.dumps(template))
client.get_waiter(f"stack_{{wait}}_complete").wait(StackName=stack, WaiterConfig={{"Delay": 1}})
"""


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulator]:
    with running_emulator(tmp_path_factory.mktemp("fleet")) as running:
        yield running


@pytest.fixture(scope="module")
def healthy_url() -> Iterator[str]:
    class Health(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/v1/health" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 the name that it overrides
            pass

    server = HTTPServer(("127.0.0.1", 0), Health)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def world(emulator: Emulator, healthy_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three deployments of tier 2 called after the test's folder, one of tier 1; a folder with the fake CDK."""
    text = (DEPLOYMENTS / "tenant-acme.toml").read_text(encoding="utf-8").replace("eu-central-1", REGION)
    mark = tmp_path.name.replace("_", "-")[-12:].strip("-").lower()
    for name in ("amber", "birch", "cedar"):
        (tmp_path / f"{name}-{mark}.toml").write_text(text)
    (tmp_path / "shared.toml").write_text((DEPLOYMENTS / "shared.toml").read_text(encoding="utf-8"))
    cdk = tmp_path / "cdk"
    cdk.write_text(FAKE_CDK)
    cdk.chmod(0o755)
    for name, value in {
        "AWS_ENDPOINT_URL": emulator.url,
        "AWS_ACCESS_KEY_ID": ACCOUNT,
        "AWS_SECRET_ACCESS_KEY": "emulated",
        "AWS_DEFAULT_REGION": REGION,
        "FAKE_CALLS": str(tmp_path / "calls"),
        "FAKE_URL": healthy_url,
        "FAKE_CODE": build_code().name,
        "FAKE_SCHEMA": "0008_audit.sql",
        "AUTRI_DEPLOYMENTS": str(tmp_path),
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(fleets, "HEALTH_WAIT_S", 0)
    return tmp_path


def calls(world: Path) -> list[str]:
    file = world / "calls"
    return [name.split("-")[0] for name in file.read_text().split()] if file.exists() else []


def run(world: Path, canary: str | None = None, names: tuple[str, ...] = ()) -> list[fleets.Upgrade]:
    def full(name: str) -> str:
        return next(f.stem for f in world.glob(f"{name}-*.toml"))

    chosen = plan([full(name) for name in names], full(canary) if canary else None, world)
    return upgrade_fleet(chosen, CdkOperator(str(world / "cdk"), world), world / "report.json", world)


def change(world: Path, name: str, how: Callable[[str], str]) -> None:
    (file,) = world.glob(f"{name}-*.toml")
    file.write_text(how(file.read_text()))


def test_a_fleet_goes_one_after_the_other_with_its_canary_first_and_says_from_what_to_what(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_SCHEMA", "0007_erasure.sql")
    monkeypatch.setattr(fleets, "build_code", lambda: Path("code-of-before"))
    monkeypatch.setenv("FAKE_CODE", "code-of-before")
    first = run(world)
    assert calls(world) == ["amber", "birch", "cedar"]
    assert {(one.before, one.after, one.migration) for one in first} == {
        ("–", "code-of-before", "– → 0007_erasure.sql")
    }
    monkeypatch.setattr(fleets, "build_code", build_code)
    monkeypatch.setenv("FAKE_CODE", build_code().name)
    monkeypatch.setenv("FAKE_SCHEMA", "0008_audit.sql")
    second = run(world, canary="cedar")
    assert calls(world)[3:] == ["cedar", "amber", "birch"]
    for one in second:
        assert (one.before, one.after) == ("code-of-before", build_code().name)
        assert (one.migration, one.smoke, one.result) == ("0007_erasure.sql → 0008_audit.sql", "ok", "done")
        assert one.seconds > 0
    written = json.loads((world / "report.json").read_text())["upgrades"]
    assert {one["deployment"].split("-")[0]: one["result"] for one in written} == dict.fromkeys(
        ("cedar", "amber", "birch"), "done"
    )


def test_it_stops_at_the_first_failure_and_goes_on_there_when_it_is_run_again(world: Path) -> None:
    change(world, "birch", lambda text: f"{text}\n# fails\n")
    done = run(world)
    assert [(one.result, one.deployment.split("-")[0]) for one in done] == [("done", "amber"), ("failed", "birch")]
    assert "relation does not exist" in done[1].why
    assert calls(world) == ["amber", "birch"]
    change(world, "birch", lambda text: text.replace("# fails", ""))
    again = run(world)
    assert [one.result for one in again] == ["already", "done", "done"]
    assert calls(world)[2:] == ["birch", "cedar"]
    change(world, "amber", lambda text: text.replace("model_usd_per_day = 20", "model_usd_per_day = 30"))
    assert [one.result for one in run(world)] == ["done", "already", "already"], "another file is another deployment"


@pytest.mark.parametrize(("variable", "value", "why"), [
    ("FAKE_CODE", "code-of-another", "serves code-of-another, and not"),
    ("FAKE_URL", "http://127.0.0.1:1", "does not answer"),
])  # fmt: skip
def test_a_deployment_that_ends_well_and_does_not_serve_this_version_is_a_failure(
    world: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, why: str
) -> None:
    monkeypatch.setenv(variable, value)
    (one,) = run(world)
    assert (one.result, why in one.why) == ("failed", True), one.why
    assert calls(world) == ["amber"]
    run(world)
    assert calls(world) == ["amber", "amber"], "what failed is not left out the next time"


def test_a_mistake_in_any_file_stops_the_fleet_before_it_begins(world: Path) -> None:
    change(world, "cedar", lambda text: text.replace("tier =", "teir ="))
    with pytest.raises(DeploymentError, match=r"cedar.*teir"):
        run(world)
    assert calls(world) == []
    with pytest.raises(DeploymentError, match="no deployment of tier 2"):
        plan([], None, ROOT / "deployments" / "nothing")


def test_the_command_shows_the_report_and_ends_with_1_after_a_failure(world: Path) -> None:
    change(world, "birch", lambda text: f"{text}\n# fails\n")
    options = ["ops", "fleet", "--cdk", str(world / "cdk"), "--report", str(world / "report.json")]
    answer = CliRunner().invoke(app, options, env={**os.environ, "COLUMNS": "200"})
    assert answer.exit_code == 1
    assert "0008_audit.sql" in answer.stdout
    assert "Not begun: cedar-" in answer.stdout
    change(world, "birch", lambda text: text.replace("# fails", ""))
    answer = CliRunner().invoke(app, [*options, "--json"], env={**os.environ, "COLUMNS": "200"})
    assert answer.exit_code == 0, answer.output
    reported = json.loads(answer.stdout)
    assert [one["result"] for one in reported] == ["already", "done", "done"]
