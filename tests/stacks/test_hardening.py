"""Every property that keeps a deployment safe, in all tiers, against a table that was written by hand."""

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.aws.assembly import synthesize
from tests.aws.iam.access import read_access, short
from tests.aws.iam.policies import Grant
from tests.aws.localize import PYTHON
from tests.stacks.spelling import spell
from tests.stacks.template import Template

pytestmark = pytest.mark.aws

HERE = Path(__file__).parent
TABLE: dict[str, Any] = tomllib.loads((HERE / "hardening.toml").read_text(encoding="utf-8"))
VALUES, IGNORED, EVERY, UNNAMED, INSIDE = (TABLE[part] for part in ("values", "ignored", "every", "unnamed", "inside"))
NAMED: dict[str, dict[str, Any]] = {type_: named for type_, named in TABLE.items() if type_.startswith("AWS::")}
FUNCTION = "AWS::Lambda::Function"
# Where the stage list of the contract does not say it: seconds and megabytes.
LIMITS = {
    "api.handler": (29, 1769),
    "api.streaming": (150, 1769),
    "api.lab": (150, 2560),
    "migrate": (900, 512),
    "maintain": (900, 1024),
    "admit": (60, 512),
    "auth.login": (15, 512),
    "auth.authorize": (15, 512),
    "export": (900, 2048),
    "import_archive": (900, 2048),
    "auth.invite": (15, 256),
    "auth.message": (5, 256),
    "fetch": (75, 512),
    "send": (300, 512),
    "publish_static": (60, 256),
}
# They have neither a place in the network nor the database's secret.
OUTSIDE = {"auth.login", "auth.authorize", "auth.invite", "auth.message", "fetch", "publish_static"}
# `AUTRI_UPDATE_GRANTS=1` writes the file anew; its difference is read like code.
GRANTS = HERE / "grants.txt"
EXECUTION = "arn:aws:iam::aws:policy/service-role/AWSLambda{}ExecutionRole"


@pytest.fixture(params=["shared", "dedicated", "customer"])
def tier(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def template(tier: str, request: pytest.FixtureRequest) -> Template:
    return request.getfixturevalue(tier)


def found(template: Template, type_: str) -> dict[str, dict[str, Any]]:
    """Properties and what becomes of the resource with its stack, as the table writes them."""
    unread = {"Tags", "UserPoolTags", *IGNORED.get(type_, ())}
    read = {
        short(name): {**spell(resource.get("Properties", {})), **policies_of(resource)}
        for name, resource in template.resources.items()
        if resource["Type"] == type_
    }
    kept = {name: {k: v for k, v in values.items() if k not in unread} for name, values in read.items()}
    text = json.dumps(kept).replace(template.account, "<account>")
    # CDK names origins after the stack, and so does a hash of it.
    return json.loads(re.sub(r'"autri\w+(Origin\d)\w*[0-9A-F]{8}"', r'"\1"', text))


def policies_of(resource: dict[str, Any]) -> dict[str, Any]:
    """Deletion policies, and documents of statements without their ids."""
    kept = {key: resource[key] for key in ("DeletionPolicy", "UpdateReplacePolicy") if key in resource}
    for name in ("PolicyDocument", "KeyPolicy"):
        if name in resource.get("Properties", {}):
            statements = spell(resource["Properties"][name])["Statement"]
            kept[name] = [{k: v for k, v in s.items() if k != "Sid"} for s in statements]
    return kept


def filled(value: Any, tier: str) -> Any:
    """`@name` as the value of the tier."""
    values: dict[str, Any] = VALUES["all"] | VALUES[tier]
    if isinstance(value, list):
        return [filled(part, tier) for part in value]
    if isinstance(value, dict):
        return {key: filled(part, tier) for key, part in value.items()}
    if not isinstance(value, str) or "@" not in value:
        return value
    if value[1:] in values:
        return values[value[1:]]
    for name, text in values.items():
        value = value.replace(f"@{name}", str(text))
    return value


@pytest.mark.parametrize("type_", sorted(NAMED))
def test_a_resource_is_as_hard_as_the_table_says(template: Template, tier: str, type_: str) -> None:
    expected = {name: {**EVERY.get(type_, {}), **own} for name, own in NAMED[type_].items()}
    assert found(template, type_) == filled(expected, tier)


@pytest.mark.parametrize("type_", sorted(UNNAMED))
def test_what_opens_a_way_is_in_the_table(template: Template, tier: str, type_: str) -> None:
    def known(resource: dict[str, Any]) -> str:
        for target in resource.get("Targets", ()):
            for name in {"Id", "InputTransformer"} & set(target):
                del target[name]
        return json.dumps(resource, sort_keys=True)

    assert sorted(map(known, found(template, type_).values())) == sorted(map(known, filled(UNNAMED[type_], tier)))


def test_every_type_of_the_table_is_there_and_no_other_can_be_reached_or_read(template: Template) -> None:
    checked = set(NAMED) | set(UNNAMED) | {FUNCTION}
    assert checked <= template.types
    wiring = {
        *("AWS::EC2::VPC", "AWS::EC2::Subnet", "AWS::EC2::RouteTable", "AWS::EC2::SubnetRouteTableAssociation"),
        *("AWS::RDS::DBSubnetGroup", "AWS::SecretsManager::SecretTargetAttachment", "AWS::Lambda::LayerVersion"),
        *("AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard", "AWS::Logs::MetricFilter"),
        *("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::Cognito::ManagedLoginBranding", "AWS::Cognito::UserPoolUser"),
        *("AWS::Cognito::UserPoolIdentityProvider", "AWS::ApiGatewayV2::Integration"),
        *("AWS::ApiGateway::Resource", "AWS::ApiGateway::Deployment"),
        *("AWS::Lambda::Version", "AWS::Lambda::Alias"),
        *("Custom::Migrations", "Custom::StaticFiles", "Custom::ReleaseCheck"),
    }
    assert template.types - checked <= wiring, "a new type: say in hardening.toml how it is kept safe"


def test_every_function_is_in_the_network_traced_and_bounded(template: Template) -> None:
    functions = found(template, FUNCTION)
    ours = {short(n): p for n, p in template.of_type(FUNCTION).items() if p["Runtime"] == PYTHON}
    assert len(ours) == len(functions) - 5, "all but the framework of custom resources"
    for name, properties in ours.items():
        inside = properties["Handler"].split(".", 1)[1].removesuffix(".handler") not in OUTSIDE
        archiving = properties["Handler"] in {"functions.export.handler", "functions.import_archive.handler"}
        disk = {"EphemeralStorage": {"Size": 10_240}} if archiving else {}
        assert functions[name] == EVERY[FUNCTION] | (INSIDE if inside else {}) | disk
        assert ("AUTRI_DATABASE_SECRET_ARN" in properties["Environment"]["Variables"]) is inside
    limits = {module: (p["Timeout"], p["MemorySize"]) for module, p in template.functions().items() if module in LIMITS}
    assert limits == LIMITS


def test_a_role_holds_no_managed_policy_but_those_of_its_function(template: Template) -> None:
    in_network = {p["Role"]["Fn::GetAtt"][0] for m, p in template.functions().items() if m not in OUTSIDE}
    held = {n: spell(p.get("ManagedPolicyArns", [])) for n, p in template.of_type("AWS::IAM::Role").items()}
    outside = {p["Role"]["Fn::GetAtt"][0] for m, p in template.functions().items() if m in OUTSIDE}
    framework = {n for n in held if "Providerframework" in n}
    both = [EXECUTION.format("Basic"), EXECUTION.format("VPCAccess")]
    for name, policies in held.items():
        assert policies == (both if name in in_network else both[:1] if name in framework | outside else [])


def test_the_machine_ends_and_its_stack_does_not_go_by_mistake(template: Template, tier: str) -> None:
    assert template.machine()["TimeoutSeconds"] == 7 * 24 * 3600
    deployment = VALUES[tier]["stack"].removeprefix("autri-")
    manifest = json.loads((synthesize(deployment) / "manifest.json").read_text())
    assert manifest["artifacts"][VALUES[tier]["stack"]]["properties"]["terminationProtection"] is True


def test_grants_are_those_of_the_list_and_the_same_in_every_tier(template: Template, tier: str) -> None:
    lines = sorted({line_of(grant, template, tier) for grant in read_access(template.names).grants})
    if os.environ.get("AUTRI_UPDATE_GRANTS") and tier == "shared":
        GRANTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert lines == GRANTS.read_text(encoding="utf-8").splitlines()


def line_of(grant: Grant, template: Template, tier: str) -> str:
    """Holder, action, resource, principals and conditions, without what differs between deployments."""
    who = f" by {', '.join(grant.principals)}" if grant.principals else ""
    when = "".join(f" if {operator} {key} {' or '.join(wanted)}" for operator, key, wanted in grant.conditions)
    line = f"{grant}{who}{when}"
    stack = VALUES[tier]["stack"]
    joined = stack.replace("-", "")
    for value, name in (
        (template.account, "ACCOUNT"),
        (template.region, "REGION"),
        (stack, "STACK"),
        (joined, "STACK"),
    ):
        line = line.replace(value, name)
    for name in template.resources:
        line = line.replace(name, short(name))
    # What CDK names after the stack has a hash of the stack's name.
    line = re.sub(r"(?<=Aliaslive)[0-9A-F]{8}(?=STACK)", "", line)
    return re.sub(r"^(\w*STACK\w*?)[0-9A-F]{8}(Permissions?)?:", r"\1\2:", line)
