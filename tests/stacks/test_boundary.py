"""A deployment whose file names a permissions boundary: on every role, held by who deploys, and wide enough."""

import json
from pathlib import Path
from typing import Any

import pytest

from stacks.boundary import boundary_policy
from stacks.deployer import deployer_policies
from stacks.specification import DEPLOYMENTS, DeploymentError, load_specification
from tests.aws.assembly import BESIDE, synthesize
from tests.aws.iam.access import read_access
from tests.aws.iam.policies import listed
from tests.stacks.template import Template

pytestmark = pytest.mark.aws

BOUNDARY = "arn:aws:iam::111111111111:policy/bounds/WhatApplicationsMay"
# What IAM's documentation lists under the condition key iam:PermissionsBoundary, but for users and for taking one away.
KEYED = {"CreateRole", "AttachRolePolicy", "DetachRolePolicy", "PutRolePolicy", "DeleteRolePolicy"}


def written(folder: Path, changed: str, line: str) -> Path:
    """A folder with the deployment file `customer-acme` as `bounded`, with a line in place of another."""
    text = (DEPLOYMENTS / "customer-acme.toml").read_text(encoding="utf-8")
    assert changed in text
    (folder / "bounded.toml").write_text(text.replace(changed, line, 1), encoding="utf-8")
    return folder


def roles(resources: dict[str, Any]) -> dict[str, str | None]:
    found = {name: r for name, r in resources.items() if r["Type"] == "AWS::IAM::Role"}
    return {name: role["Properties"].get("PermissionsBoundary") for name, role in found.items()}


def test_every_role_has_it_and_without_one_none_has(everything: Template, shared: Template) -> None:
    assert len(roles(everything.resources)) > 20
    assert set(roles(everything.resources).values()) == {BOUNDARY}
    assert set(roles(shared.resources).values()) == {None}


def test_roles_of_the_stack_beside_it_and_those_that_the_cdk_adds_have_it() -> None:
    files = synthesize("bounded", BESIDE).glob("*.template.json")
    templates = [json.loads(file.read_text())["Resources"] for file in files]
    assert len(templates) == 2
    for resources in templates:
        assert set(roles(resources).values()) == {"arn:aws:iam::222222222222:policy/Bounds"}


def test_who_deploys_may_change_only_roles_that_have_it(everything: Template, shared: Template) -> None:
    def keyed(template: Template) -> dict[str, Any]:
        statements = [s for document in deployer_policies(template.resources) for s in document["Statement"]]
        return {
            action: s.get("Condition")
            for s in statements
            for action in listed(s["Action"])
            if action.removeprefix("iam:") in KEYED | {"PutRolePermissionsBoundary", "DeleteRolePermissionsBoundary"}
        }

    condition = {"StringEquals": {"iam:PermissionsBoundary": BOUNDARY}}
    bounded = {f"iam:{name}" for name in KEYED | {"PutRolePermissionsBoundary"}}
    assert keyed(everything) == dict.fromkeys(bounded, condition)
    assert keyed(shared) == dict.fromkeys((f"iam:{name}" for name in KEYED), None)


@pytest.mark.parametrize("deployment", ["shared", "dedicated", "customer", "everything"])
def test_the_boundary_that_is_written_allows_what_roles_hold_and_no_more(
    deployment: str, request: pytest.FixtureRequest
) -> None:
    template: Template = request.getfixturevalue(deployment)
    (statement,) = boundary_policy(template.resources)["Statement"]
    held = {g.action for grants in read_access(template.names).identity.values() for g in grants}
    execution = {action for action in statement["Action"] if action.startswith(("logs:", "ec2:"))}
    assert set(statement["Action"]) == held | execution
    assert {"logs:PutLogEvents", "ec2:CreateNetworkInterface"} <= execution
    assert not [action for action in statement["Action"] if "*" in action]
    assert len(json.dumps(boundary_policy(template.resources))) < 6144


def test_a_managed_policy_that_nobody_has_described_is_asked_for() -> None:
    arn = {"Fn::Join": ["", ["arn:", {"Ref": "AWS::Partition"}, ":iam::aws:policy/AdministratorAccess"]]}
    role = {"Type": "AWS::IAM::Role", "Properties": {"ManagedPolicyArns": [arn]}}
    with pytest.raises(DeploymentError, match="AdministratorAccess"):
        boundary_policy({"Role": role})


@pytest.mark.parametrize(
    ("arn", "told"),
    [
        ("arn:aws:iam::222222222222:policy/autri-bounds", "Give it another name"),
        ("arn:aws:iam::222222222222:policy/autri-x/Bounds", "Give it another name"),
        ("arn:aws:iam::222222222222:policy/team/autri-bounds", "Give it another name"),
        ("arn:aws:iam::333333333333:policy/bounds", "roles take one of their own, 222222222222"),
        ("arn:aws:iam::222222222222:role/bounds", "permissions_boundary"),
    ],
)
def test_one_that_would_not_bound_is_refused(tmp_path: Path, arn: str, told: str) -> None:
    tier = 'tier = "customer"'
    folder = written(tmp_path, tier, f'{tier}\npermissions_boundary = "{arn}"')
    with pytest.raises(DeploymentError, match=told):
        load_specification("bounded", folder)
