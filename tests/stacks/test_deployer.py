"""Whoever deploys may do what the templates' resources take, and nothing by a wildcard."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from functions.cli.main import app
from stacks.boundary import boundary_policy
from stacks.deployer import LIMIT, TYPES, deployer_policies
from stacks.specification import DeploymentError
from tests.aws.iam.policies import listed
from tests.stacks.template import Template

pytestmark = pytest.mark.aws

# Every service has an action that makes the thing, without which no other helps.
MAKES = {
    "AWS::RDS::DBCluster": "rds:CreateDBCluster",
    "AWS::Lambda::Alias": "lambda:UpdateAlias",
    "AWS::Lambda::Version": "lambda:PublishVersion",
    "AWS::S3::Bucket": "s3:CreateBucket",
    "AWS::CloudFront::Distribution": "cloudfront:CreateDistribution",
    "AWS::StepFunctions::StateMachine": "states:UpdateStateMachine",
    "Custom::Migrations": "lambda:InvokeFunction",
}


@pytest.fixture(params=["shared", "dedicated", "customer", "everything"])
def template(request: pytest.FixtureRequest) -> Template:
    return request.getfixturevalue(request.param)


def test_the_policies_cover_every_type_of_the_templates_and_know_no_other(
    shared: Template, dedicated: Template, customer: Template, everything: Template
) -> None:
    assert set(TYPES) == shared.types | dedicated.types | customer.types | everything.types


def test_every_action_of_every_resource_is_granted(template: Template) -> None:
    statements = [s for document in deployer_policies(template.resources) for s in document["Statement"]]
    granted = {action for s in statements for action in listed(s["Action"])}
    for type_ in template.types:
        assert TYPES[type_], type_
        assert granted >= TYPES[type_]
    assert granted >= {action for type_, action in MAKES.items() if type_ in template.types}


def test_nothing_is_granted_by_a_wildcard_and_roles_are_ours_alone(template: Template) -> None:
    for document in deployer_policies(template.resources):
        assert len(json.dumps(document, separators=(",", ":"))) <= LIMIT
        for statement in document["Statement"]:
            assert not [action for action in listed(statement["Action"]) if "*" in action]
            services = {action.partition(":")[0] for action in listed(statement["Action"])}
            assert len(services) == 1
            if services & {"iam", "s3", "dynamodb", "sqs", "sns", "states", "events"}:
                assert "*" not in listed(statement["Resource"])
            if "iam" in services:
                assert all("/autri-" in resource for resource in listed(statement["Resource"]))
            if "iam:PassRole" in listed(statement["Action"]):
                assert "lambda.amazonaws.com" in statement["Condition"]["StringEquals"]["iam:PassedToService"]


def test_roles_policies_and_functions_that_cloudformation_names_carry_the_prefix(template: Template) -> None:
    for type_, key in (("AWS::IAM::Role", "RoleName"), ("AWS::IAM::ManagedPolicy", "ManagedPolicyName")):
        for name, properties in template.of_type(type_).items():
            assert str(properties.get(key, "autri-")).startswith("autri-"), name


def test_what_a_type_takes_that_nobody_has_said_is_asked_for() -> None:
    with pytest.raises(DeploymentError, match="AWS::EC2::NatGateway"):
        deployer_policies({"Gate": {"Type": "AWS::EC2::NatGateway"}})


def test_the_command_writes_the_policies(tmp_path: Path, shared: Template) -> None:
    answer = CliRunner().invoke(app, ["ops", "deployer-policy", "-c", "deployment=shared", "--folder", str(tmp_path)])
    assert answer.exit_code == 0, answer.output
    written = [json.loads(file.read_text()) for file in sorted(tmp_path.glob("deployer-*.json"))]
    assert written == deployer_policies(shared.resources)
    assert json.loads((tmp_path / "boundary.json").read_text()) == boundary_policy(shared.resources)
