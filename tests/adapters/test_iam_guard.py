"""The policy evaluator of the emulated run: its rules by cases, and its answers to real clients."""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import boto3
import httpx
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

from tests.aws.iam.access import Access, access_key, read_access
from tests.aws.iam.calls import Call, permissions_of, read_call
from tests.aws.iam.guard import Guard, running_guard
from tests.aws.iam.policies import Grant, Request, is_allowed, like, read_statements
from tests.aws.iam.resolve import ACCOUNT, Names
from tests.aws.serving import Silent, serving

REGION = "eu-central-1"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/Reader"
ROOT = {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/Key"
GET = Request(ROLE, "s3:GetObject", "arn:aws:s3:::Docs/work/a")
USE = Request(ROLE, "kms:Decrypt", KEY)


def statements(**statement: Any) -> list[Grant]:
    return list(read_statements("x", {"Statement": {"Effect": "Allow", "Resource": "*", **statement}}))


OWN = statements(Action="s3:*", Resource="arn:aws:s3:::Docs/work/*")
KEYED = statements(Action="kms:Decrypt")
DELEGATED = statements(Action="kms:*", Principal=ROOT)
NAMED = statements(Action="kms:Decrypt", Principal={"AWS": [ROLE]})
DENIED = statements(Effect="Deny", Action="*", Principal="*", Condition={"Bool": {"aws:SecureTransport": "false"}})


@pytest.mark.parametrize(
    ("request_", "identity", "resource", "allowed"),
    [
        (GET, [], [], False),
        (GET, OWN, [], True),
        (Request(ROLE, "s3:GetObject", "arn:aws:s3:::Docs/incoming/a"), OWN, [], False),
        (Request(ROLE, "s3:GetObject", "arn:aws:s3:::Docs2/work/a"), OWN, [], False),
        (Request(ROLE, "S3:getobject", GET.resource), OWN, [], True),
        (GET, [], statements(Action="s3:GetObject", Principal={"AWS": ROLE}), True),
        (GET, [], statements(Action="s3:GetObject", Principal={"AWS": f"{ROLE}2"}), False),
        (GET, [], statements(Action="s3:GetObject", Principal={"Service": ROLE}), False),
        (GET, [*OWN, *statements(Effect="Deny", Action="s3:Get*")], [], False),
        (GET, OWN, statements(Effect="Deny", Action="s3:*", Principal="*"), False),
        (GET, OWN, DENIED, True),
        (replace(GET, context=(("aws:SecureTransport", "false"),)), OWN, DENIED, False),
        (USE, KEYED, [], False),
        (USE, [], DELEGATED, False),
        (USE, KEYED, DELEGATED, True),
        (USE, [], NAMED, True),
        (USE, KEYED, statements(Action="kms:Encrypt", Principal=ROOT), False),
        (Request("logs.amazonaws.com", "kms:Decrypt", KEY), [], DELEGATED, False),
    ],
)
def test_a_request_is_decided_as_an_account_decides_it(
    request_: Request, identity: list[Grant], resource: list[Grant], allowed: bool
) -> None:
    assert is_allowed(request_, identity, resource, ACCOUNT) is allowed


@pytest.mark.parametrize(
    ("condition", "context", "holds"),
    [
        ({"StringEquals": {"k": "a"}}, {"k": "a"}, True),
        ({"StringEquals": {"k": "a*"}}, {"k": "ab"}, False),
        ({"StringEquals": {"k": ["a", "b"]}}, {"k": "b"}, True),
        ({"StringEquals": {"k": "a"}}, {}, False),
        ({"StringEquals": {"k": "a", "l": "b"}}, {"k": "a"}, False),
        ({"StringEquals": {"k": "a"}, "Bool": {"s": "true"}}, {"k": "a", "s": "false"}, False),
        ({"StringLike": {"k": "a*c"}}, {"k": "a/b/c"}, True),
        ({"ArnLike": {"k": "arn:aws:x:*:1:y"}}, {"k": "arn:aws:x:eu:1:y"}, True),
        ({"ArnEquals": {"k": "arn:aws:x"}}, {"k": "arn:aws:y"}, False),
    ],
)
def test_every_condition_has_to_hold(
    condition: dict[str, dict[str, Any]], context: dict[str, str], holds: bool
) -> None:
    request = Request(ROLE, "s3:GetObject", "arn:aws:s3:::Docs/a", tuple(context.items()))
    assert is_allowed(request, statements(Action="s3:GetObject", Condition=condition), [], ACCOUNT) is holds


def test_what_is_not_understood_is_an_error_and_never_a_yes() -> None:
    with pytest.raises(ValueError, match="NotAction"):
        statements(NotAction="s3:PutObject", Action="s3:*")
    with pytest.raises(ValueError, match="StringNotEquals"):
        is_allowed(GET, statements(Action="s3:*", Condition={"StringNotEquals": {"k": "a"}}), [], ACCOUNT)
    with pytest.raises(ValueError, match="Fn::ImportValue"):
        Names({}, REGION).resolve({"Fn::ImportValue": "x"})
    with pytest.raises(ValueError, match="AWS::Events::EventBusPolicy"):
        read_access(Names({"P": {"Type": "AWS::Events::EventBusPolicy", "Properties": {}}}, REGION))


@pytest.mark.parametrize(
    ("pattern", "value", "matches"),
    [("a*", "a/b", True), ("a?c", "abc", True), ("a?c", "ac", False), ("a.c", "abc", False), ("a", "ab", False)],
)
def test_wildcards_are_those_of_iam(pattern: str, value: str, matches: bool) -> None:
    assert like(pattern, value) is matches


DELETE = b"<Delete><Object><Key>a</Key><VersionId>1</VersionId></Object><Object><Key>b</Key></Object></Delete>"


@pytest.mark.parametrize(
    ("method", "target", "headers", "body", "asked"),
    [
        ("GET", "/Docs/a", {}, b"", ["s3:GetObject a"]),
        ("HEAD", "/Docs/a?versionId=1", {}, b"", ["s3:GetObjectVersion a"]),
        ("PUT", "/Docs/a%20b", {}, b"", ["s3:PutObject a b"]),
        (
            "PUT",
            "/Docs/a",
            {"x-amz-copy-source": "Docs/b?versionId=1"},
            b"",
            ["s3:GetObjectVersion b", "s3:PutObject a"],
        ),
        ("PUT", "/Docs/a", {"x-amz-copy-source": "/Docs/b"}, b"", ["s3:GetObject b", "s3:PutObject a"]),
        ("POST", "/Docs/a?uploads", {}, b"", ["s3:PutObject a"]),
        ("DELETE", "/Docs/a?uploadId=1", {}, b"", ["s3:AbortMultipartUpload a"]),
        ("DELETE", "/Docs/a?versionId=1", {}, b"", ["s3:DeleteObject a", "s3:DeleteObjectVersion a"]),
        ("POST", "/Docs?delete", {}, DELETE, ["s3:DeleteObject a", "s3:DeleteObjectVersion a", "s3:DeleteObject b"]),
        ("GET", "/Docs?list-type=2&prefix=a", {}, b"", ["s3:ListBucket"]),
        ("GET", "/Docs?versions&prefix=a", {}, b"", ["s3:ListBucketVersions"]),
        ("GET", "/Docs?policy", {}, b"", ["s3:GET:['policy']"]),
        ("GET", "/Docs/a?acl", {}, b"", ["s3:GET:['acl'] a"]),
    ],
)
def test_calls_of_s3_ask_for_what_its_guide_says(
    method: str, target: str, headers: dict[str, str], body: bytes, asked: list[str]
) -> None:
    found = permissions_of(read_call(method, target, headers, body), "s3", REGION, ACCOUNT)
    bucket = "arn:aws:s3:::Docs"
    assert [f"{one.action} {one.resource.removeprefix(bucket).removeprefix('/')}".strip() for one in found] == asked


def test_a_model_behind_a_profile_asks_for_the_profile_and_for_the_model_wherever_it_runs() -> None:
    call = read_call("POST", "/model/eu.acme.parrot-1%3A0/converse", {}, b"{}")
    first, *others = permissions_of(call, "bedrock", REGION, ACCOUNT)
    profile = f"arn:aws:bedrock:{REGION}:{ACCOUNT}:inference-profile/eu.acme.parrot-1:0"
    assert (first.action, first.resource) == ("bedrock:InvokeModel", profile)
    assert len({one.resource for one in others}) == 3
    assert all(one.context == (("bedrock:InferenceProfileArn", profile),) for one in others)


TEMPLATE: dict[str, Any] = {
    "Key": {"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": {"Statement": []}}},
    "Docs": {
        "Type": "AWS::S3::Bucket",
        "Properties": {
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [
                    {"ServerSideEncryptionByDefault": {"KMSMasterKeyID": {"Fn::GetAtt": ["Key", "Arn"]}}}
                ]
            }
        },
    },
    "Reader": {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {"Statement": []}}},
}


def access_with(*own: dict[str, Any], key: list[dict[str, Any]] | None = None) -> Access:
    policy = {"Roles": [{"Ref": "Reader"}], "PolicyDocument": {"Statement": [{"Effect": "Allow", **s} for s in own]}}
    keyed = {"Type": "AWS::KMS::Key", "Properties": {"KeyPolicy": {"Statement": key or []}}}
    resources = {**TEMPLATE, "Key": keyed, "Policy": {"Type": "AWS::IAM::Policy", "Properties": policy}}
    return read_access(Names(resources, REGION))


READ = {"Action": "s3:GetObject", "Resource": "arn:aws:s3:::Docs/*"}
DECRYPT = {"Action": "kms:Decrypt", "Resource": KEY}
LIST = {"Action": "s3:ListBucket", "Resource": "arn:aws:s3:::Docs"}
TRUST = [{"Effect": "Allow", "Action": "kms:*", "Resource": "*", "Principal": ROOT}]


@contextmanager
def upstream() -> Generator[str]:
    """Has every object but those that are called `missing`."""

    class Handler(Silent):
        def do_GET(self) -> None:  # noqa: N802 a name that http.server looks for
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = b"" if self.command == "PUT" else b"missing" if self.path.endswith("missing") else b"content"
            self.send_response(404 if body == b"missing" else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_PUT = do_GET  # noqa: N815 names that http.server looks for

    with serving(Handler) as url:
        yield url


def client_of(guard: Guard, role: str = "Reader") -> Any:
    return boto3.client(
        "s3",
        endpoint_url=guard.url,
        region_name=REGION,
        aws_access_key_id=access_key(role),
        aws_secret_access_key="emulated",
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
    )


def answer(access: Access, key: str, role: str = "Reader") -> tuple[str, Guard]:
    """What a client of the role is told when it reads an object, and what the guard kept."""
    with upstream() as url, running_guard(Guard(lambda: access, {"": url})) as guard:
        client = client_of(guard, role)
        try:
            return client.get_object(Bucket="Docs", Key=key)["Body"].read().decode(), guard
        except ClientError as error:
            return error.response.get("Error", {}).get("Code", ""), guard


def test_a_client_reads_what_its_role_may_read_and_decrypt() -> None:
    told, guard = answer(access_with(READ, DECRYPT, key=TRUST), "a")
    assert told == "content"
    assert {request.action for request in guard.allowed} == {"s3:GetObject", "kms:Decrypt"}
    assert guard.denied == []


@pytest.mark.parametrize(
    ("access", "role", "lacking"),
    [
        (access_with(DECRYPT, key=TRUST), "Reader", "s3:GetObject"),
        (access_with(READ, key=TRUST), "Reader", "kms:Decrypt"),
        (access_with(READ, DECRYPT), "Reader", "kms:Decrypt"),
        (access_with(READ, DECRYPT, key=TRUST), "Stranger", "s3:GetObject"),
    ],
)
def test_a_client_without_the_permission_or_the_key_is_denied(access: Access, role: str, lacking: str) -> None:
    told, guard = answer(access, "a", role)
    assert told == "AccessDenied"
    assert guard.denied[0].action == lacking


def test_policies_are_read_for_each_role_that_calls_first_before_a_denial_and_no_more_once_they_stand() -> None:
    deployed, read = [access_with(READ, key=TRUST)], list[Access]()
    whole = access_with(READ, DECRYPT, LIST, key=TRUST)

    def access() -> Access:
        read.append(deployed[-1])
        return replace(deployed[-1])

    with upstream() as url, running_guard(Guard(access, {"": url})) as guard:
        told = list[int]()

        def reads(key: str, role: str = "Reader") -> None:
            with suppress(ClientError):
                client_of(guard, role).get_object(Bucket="Docs", Key=key)
            told.append(len(read))

        reads("a")  # of nobody yet, and denied
        deployed.append(whole)
        reads("a")  # no longer denied
        reads("b")
        reads("missing")
        reads("a", "Stranger")
        assert (told, len(guard.denied)) == ([2, 3, 3, 3, 5], 3)
        deployed.append(access_with(key=TRUST))
        guard.settle()
        deployed.append(whole)
        reads("a")
        reads("a", "Stranger")
        assert told[-2:] == [6, 6]
        assert len(guard.denied) == 7


def test_that_an_object_is_missing_is_told_to_those_who_may_list() -> None:
    assert answer(access_with(READ, DECRYPT, LIST, key=TRUST), "missing")[0] == "404"
    told, guard = answer(access_with(READ, DECRYPT, key=TRUST), "missing")
    assert told == "AccessDenied"
    assert [request.action for request in guard.denied] == ["s3:ListBucket"]


@pytest.mark.parametrize("boundary", ["boundary=B", 'boundary="B"; charset=utf-8', "Boundary=B; charset=utf-8"])
@pytest.mark.parametrize("file", [b'filename="a"', b"filename*=UTF-8''a"])
def test_the_fields_of_a_form_stand_around_its_file(boundary: str, file: bytes) -> None:
    heads = [b'name="Key"', b'name="file"; ' + file, b'name="policy"']
    values = ["ä --B".encode(), b'\xff--B\r\nContent-Disposition: form-data; name="key"\r\n\r\nb', b"p\xff"]
    body = b"".join(
        b"--B\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % part for part in zip(heads, values, strict=True)
    )
    call = Call("POST", "/Docs", {}, {"content-type": f"multipart/form-data; {boundary}"}, body + b"--B--\r\n")
    assert call.fields == {"key": "ä --B", "policy": "p\ufffd"}


@pytest.mark.parametrize(
    ("condition", "by_ticket"), [({"StringEquals": {"s3:authType": "REST-HEADER"}}, 403), ({}, 200)]
)
def test_a_right_for_signed_headers_is_no_right_of_a_ticket(condition: dict[str, Any], by_ticket: int) -> None:
    write = {"Action": "s3:PutObject", "Resource": "arn:aws:s3:::Docs/*", "Condition": condition}
    access = access_with(write, {"Action": "kms:GenerateDataKey", "Resource": KEY}, key=TRUST)
    with upstream() as url, running_guard(Guard(lambda: access, {"": url})) as guard:
        client = client_of(guard)
        assert client.put_object(Bucket="Docs", Key="a", Body=b"x")["ResponseMetadata"]["HTTPStatusCode"] == 200
        address = client.generate_presigned_url("put_object", Params={"Bucket": "Docs", "Key": "a"})
        form = client.generate_presigned_post("Docs", "a")
        sent = (
            httpx.put(address, content=b"x"),
            httpx.post(f"{form['url']}/a", data=form["fields"], files={"file": b"x"}),
        )
    assert [one.status_code for one in sent] == [by_ticket, by_ticket]
    assert {request.action for request in guard.denied} == ({"s3:PutObject"} if by_ticket == 403 else set())
