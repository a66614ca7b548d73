"""Whoever touches what our key encrypts may use the key: by a policy of its own, and by the key's."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.aws.iam.access import Access, read_access
from tests.aws.iam.keys import find_missing, touches
from tests.aws.iam.policies import Request
from tests.aws.iam.resolve import Names
from tests.aws.iam.services import SOME_ID, service_requests
from tests.stacks.template import Template

pytestmark = pytest.mark.aws

Resources = dict[str, Any]


@pytest.fixture(params=["shared", "dedicated", "customer", "everything"])
def template(request: pytest.FixtureRequest) -> Template:
    return request.getfixturevalue(request.param)


@pytest.fixture
def access(template: Template) -> Access:
    return read_access(template.names)


def test_whoever_touches_what_is_encrypted_may_use_its_key(access: Access) -> None:
    touched = touches(access)
    assert len({touch.principal for touch in touched}) >= 12
    assert {touch.action for touch in touched} >= {
        "s3:GetObject",
        "s3:PutObject",
        "secretsmanager:GetSecretValue",
        "secretsmanager:CreateSecret",
    }
    assert find_missing(access) == []


def test_the_database_is_encrypted_with_a_key_of_ours(access: Access, template: Template) -> None:
    (cluster,) = template.of_type("AWS::RDS::DBCluster")
    assert (cluster, "AWS::RDS::DBCluster") in [(name, type_) for name, type_, _ in access.named_keys()]


def test_without_any_one_use_of_the_key_somebody_is_missing_it(access: Access) -> None:
    uses = [grant for grant in access.grants if grant.action.startswith("kms:")]
    assert len({grant.owner for grant in uses}) >= 13
    assert [str(grant) for grant in uses if not find_missing(access.without(grant))] == []


def test_the_machine_reads_plans_with_the_key_and_nothing_else_of_the_bucket(access: Access) -> None:
    (reading,) = {r for r in service_requests(access.names) if r.action == "s3:GetObject"}
    bucket = reading.resource.partition("/")[0]
    assert reading.resource == f"{bucket}/work/{SOME_ID}/{SOME_ID}/{SOME_ID}/{SOME_ID}/plan.json"
    assert access.denied(access.with_key_use(reading)) == []
    others = ("incoming/o/k/d/source", "work/o/k/d/opened.pdf", "work/o/k/d/i/pages/1.json", "sources/o/plan.json")
    for key in others:
        assert not access.allows(Request(reading.principal, "s3:GetObject", f"{bucket}/{key}"))
    for action in ("s3:PutObject", "s3:DeleteObject", "s3:GetObjectVersion"):
        assert not access.allows(Request(reading.principal, action, reading.resource))
    (use,) = access.with_key_use(reading)[1:]
    for context in ((), use.context[:1], use.context[1:], (("kms:ViaService", "rds.amazonaws.com"), use.context[1])):
        assert not access.allows(Request(use.principal, use.action, use.resource, context))


def test_services_may_do_what_the_deployment_needs_of_them(access: Access) -> None:
    needed = service_requests(access.names)
    assert {r.principal for r in needed if r.is_service} == {
        f"{service}.amazonaws.com"
        for service in ("apigateway", "cloudwatch", "events", "lambda", "logging.s3", "states", "vpc-flow-logs")
    }
    assert access.denied(needed) == []


def _encrypt_log(resources: Resources, key: Any) -> str:
    name = next(n for n, r in resources.items() if r["Type"] == "AWS::Logs::LogGroup")
    resources[name]["Properties"]["KmsKeyId"] = key
    return "logs."


def _encrypt_dead_letters(resources: Resources, key: Any) -> str:
    name = next(n for n, r in resources.items() if r["Type"] == "AWS::SQS::Queue")
    resources[name]["Properties"]["KmsMasterKeyId"] = key
    return "events.amazonaws.com lacks kms:GenerateDataKey"


def _encrypt_access_log(resources: Resources, key: Any) -> str:
    name = next(n for n in resources if "StorageAccessLog" in n and resources[n]["Type"] == "AWS::S3::Bucket")
    rule = {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}}
    resources[name]["Properties"]["BucketEncryption"] = {"ServerSideEncryptionConfiguration": [rule]}
    return "logging.s3.amazonaws.com lacks kms:GenerateDataKey"


def _use_bucket_key_no_more(resources: Resources, _key: Any) -> str:
    name = next(n for n in resources if "StorageDocuments" in n and resources[n]["Type"] == "AWS::S3::Bucket")
    rules = resources[name]["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    rules[0]["BucketKeyEnabled"] = False
    return "IngestionMachineRole"


def _close_the_key(resources: Resources, _key: Any) -> str:
    (name,) = (n for n, r in resources.items() if r["Type"] == "AWS::KMS::Key")
    statement = {"Effect": "Deny", "Principal": "*", "Action": "kms:Decrypt", "Resource": "*"}
    resources[name]["Properties"]["KeyPolicy"]["Statement"].append(statement)
    return "kms:Decrypt"


def _let_only_the_account_manage_the_key(resources: Resources, _key: Any) -> str:
    (name,) = (n for n, r in resources.items() if r["Type"] == "AWS::KMS::Key")
    resources[name]["Properties"]["KeyPolicy"]["Statement"][0]["Action"] = ["kms:Describe*", "kms:Put*"]
    return "deployer lacks kms:CreateGrant"


@pytest.mark.parametrize(
    "change",
    [
        _encrypt_log,
        _encrypt_dead_letters,
        _encrypt_access_log,
        _use_bucket_key_no_more,
        _close_the_key,
        _let_only_the_account_manage_the_key,
    ],
)
def test_what_is_encrypted_anew_or_otherwise_is_noticed(
    shared: Template, change: Callable[[Resources, Any], str]
) -> None:
    resources = deepcopy(shared.resources)
    (key,) = shared.of_type("AWS::KMS::Key")
    missing = change(resources, {"Fn::GetAtt": [key, "Arn"]})
    assert missing in "\n".join(find_missing(read_access(Names(resources, shared.region))))
