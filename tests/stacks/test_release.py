"""In one deployment: migrations, the check of the new version, the switch; and what a failure leaves as it was."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from stacks.assets import hash_migrations
from tests.aws.iam.services import all_states
from tests.stacks.template import Template

pytestmark = pytest.mark.aws

# They are called by the deployment alone.
OF_THE_DEPLOYMENT = {"functions.migrate.handler", "functions.publish_static.handler"}

# The user pool asks for a mail's words; it knows no schema, and the pool is there before any version.
COGNITO = "cognito-idp.amazonaws.com"
BY_THE_POOL = {"functions.auth.message.handler"}


@pytest.fixture(params=["shared", "dedicated", "customer", "everything"])
def template(request: pytest.FixtureRequest) -> Template:
    return request.getfixturevalue(request.param)


def one(template: Template, type_: str) -> str:
    (name,) = template.of_type(type_)
    return name


def ours(template: Template) -> set[str]:
    functions = template.of_type("AWS::Lambda::Function")
    return {n for n, p in functions.items() if p["Handler"].startswith("functions.")}


def named_in(template: Template, value: Any, type_: str) -> set[str]:
    text = json.dumps(value)
    return {name for name in template.of_type(type_) if f'"{name}"' in text}


def test_nothing_calls_a_function_but_by_its_alias_or_a_version(template: Template) -> None:
    callers = {
        name: resource
        for name, resource in template.resources.items()
        if resource["Type"]
        in {
            *("AWS::ApiGateway::Method", "AWS::ApiGateway::Authorizer"),
            *("AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Authorizer", "AWS::Events::Rule"),
            *("AWS::Lambda::EventSourceMapping", "AWS::Lambda::Permission", "AWS::StepFunctions::StateMachine"),
        }
    }
    reached = set[str]()
    for name, resource in callers.items():
        properties = dict(resource["Properties"])
        if properties.get("Principal") == COGNITO:
            continue
        # A rule may tell a function's own events from others by its ARN.
        properties.pop("EventPattern", None)
        assert named_in(template, properties, "AWS::Lambda::Function") == set(), name
        reached |= named_in(template, properties, "AWS::Lambda::Alias")
        reached |= named_in(template, properties, "AWS::Lambda::Version")
    served = {template.resources[name]["Properties"]["FunctionName"]["Ref"] for name in reached}
    elsewhere = OF_THE_DEPLOYMENT | BY_THE_POOL
    expected = {n for n in ours(template) if template.resources[n]["Properties"]["Handler"] not in elsewhere}
    assert served == expected


def test_migrations_run_before_the_check_of_the_new_version_and_that_before_any_switch(template: Template) -> None:
    migrated, checks = one(template, "Custom::Migrations"), set(template.of_type("Custom::ReleaseCheck"))
    assert len(checks) == 3
    for checked in checks:
        assert migrated in template.needs(checked)
        assert one(template, "Custom::StaticFiles") in template.needs(checked)
        assert not {migrated, checked} & template.needs(migrated)
    switched = [*template.of_type("AWS::Lambda::Alias"), one(template, "AWS::StepFunctions::StateMachine")]
    assert len(switched) >= 6
    for name in switched:
        assert checks <= template.needs(name), name


def test_the_check_asks_the_very_version_that_the_alias_will_name(template: Template) -> None:
    checks = sorted(template.of_type("Custom::ReleaseCheck").items())
    for (_, properties), function in zip(checks, ("ApiFunction", "ApiLab", "ApiStream"), strict=True):
        (version,) = named_in(template, properties["version"], "AWS::Lambda::Version")
        framework = template.resources[properties["ServiceToken"]["Fn::GetAtt"][0]]["Properties"]
        assert framework["Environment"]["Variables"]["USER_ON_EVENT_FUNCTION_ARN"] == {"Ref": version}
        (alias,) = (p for n, p in template.of_type("AWS::Lambda::Alias").items() if n.startswith(function))
        assert alias["FunctionVersion"] == {"Fn::GetAtt": [version, "Version"]}
        assert properties["schema"] == {"Fn::GetAtt": [one(template, "Custom::Migrations"), "Schema"]}


def test_every_state_names_a_version_by_number_and_earlier_ones_stay_for_executions_under_way(
    template: Template,
) -> None:
    versions = template.of_type("AWS::Lambda::Version")
    tasks = [s for s in all_states(template.machine()["States"]) if s["Type"] == "Task"]
    named = {re.sub(r"[<>]", "", task["Parameters"]["FunctionName"]) for task in tasks}
    assert len(named) == 8
    assert named <= set(versions)
    for name in versions:
        kept = template.resources[name]
        # Kept when another takes its place; gone when the deployment that made it fails.
        assert (kept["DeletionPolicy"], kept["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    role = template.only("AWS::StepFunctions::StateMachine")["RoleArn"]["Fn::GetAtt"][0]
    policies = [p for p in template.of_type("AWS::IAM::Policy").values() if {"Ref": role} in p["Roles"]]
    for name in named:
        function = versions[name]["FunctionName"]["Ref"]
        at_any = {"Fn::Join": ["", [{"Fn::GetAtt": [function, "Arn"]}, ":*"]]}
        assert json.dumps(at_any) in json.dumps(policies), "whatever version an execution began with"


def test_other_migrations_are_another_resource_so_that_a_roll_back_asks_for_none(tmp_path: Path) -> None:
    (tmp_path / "0001_one.sql").write_text("select 1")
    first = hash_migrations(tmp_path)
    (tmp_path / "0002_two.sql").write_text("select 2")
    second = hash_migrations(tmp_path)
    (tmp_path / "0002_two.sql").write_text("select 3")
    assert len({first, second, hash_migrations(tmp_path)}) == 3


def test_what_migrate_is_asked_is_in_the_name_of_its_resource(
    shared: Template, dedicated: Template, everything: Template
) -> None:
    names = {re.sub(r"[0-9A-F]{8}$", "", one(t, "Custom::Migrations")) for t in (shared, dedicated, everything)}
    assert len(names) == 3


def test_nothing_is_charged_for_versions_and_aliases_kept(shared: Template) -> None:
    assert not shared.types & {"AWS::CodeDeploy::DeploymentGroup", "AWS::CodeDeploy::Application"}
    assert all("ProvisionedConcurrencyConfig" not in p for p in shared.of_type("AWS::Lambda::Alias").values())
