"""Every policy of a template in one place, and what it means for a request, the use of keys included."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from shared.contract import Env
from tests.aws.iam.policies import Grant, Request, is_allowed, like, read_statements
from tests.aws.iam.resolve import Names

# What the services do with the key of an encrypted thing, in the caller's name. Writing an object in parts reads the
# key again; whether S3 needs the key for HEAD is not documented, so it is asked for.
KEY_USE: dict[str, tuple[str, ...]] = {
    "s3:GetObject": ("kms:Decrypt",),
    "s3:GetObjectVersion": ("kms:Decrypt",),
    "s3:PutObject": ("kms:GenerateDataKey",),
    # The table's own key is kept under ours: each principal that reads or writes has it opened.
    "dynamodb:GetItem": ("kms:Decrypt",),
    "dynamodb:PutItem": ("kms:Decrypt",),
    "dynamodb:DeleteItem": ("kms:Decrypt",),
    "secretsmanager:GetSecretValue": ("kms:Decrypt",),
    "secretsmanager:CreateSecret": ("kms:GenerateDataKey",),
    "secretsmanager:PutSecretValue": ("kms:GenerateDataKey", "kms:Decrypt"),
    "secretsmanager:UpdateSecret": ("kms:GenerateDataKey", "kms:Decrypt"),
    "sqs:SendMessage": ("kms:GenerateDataKey", "kms:Decrypt"),
    "sqs:ReceiveMessage": ("kms:Decrypt",),
    "sns:Publish": ("kms:GenerateDataKey", "kms:Decrypt"),
}
# The context with which Secrets Manager tries a key before it makes a secret.
TRIAL = "RequestToValidateKeyAccess"


def access_key(role: str) -> str:
    """The key with which functions of this role, by its name in the template, sign their calls."""
    return f"AKIA{hashlib.sha256(role.encode()).hexdigest()[:16].upper()}"


def short(name: str) -> str:
    """A name in the template without the hashes that CDK adds: of its place, and of a version's content."""
    return re.sub(r"[0-9A-F]{8}([0-9a-f]{32})?$", "", name)


@dataclass(frozen=True)
class Access:
    """Grants by the ARN of the role or the resource that holds them."""

    names: Names
    identity: Mapping[str, tuple[Grant, ...]] = field(default_factory=dict[str, tuple[Grant, ...]])
    resource: Mapping[str, tuple[Grant, ...]] = field(default_factory=dict[str, tuple[Grant, ...]])

    @property
    def grants(self) -> list[Grant]:
        """What is allowed, once each."""
        held = (*self.identity.values(), *self.resource.values())
        return list(dict.fromkeys(grant for grants in held for grant in grants if grant.allows))

    def without(self, gone: Grant) -> "Access":
        def rest(held: Mapping[str, tuple[Grant, ...]]) -> dict[str, tuple[Grant, ...]]:
            return {arn: tuple(g for g in grants if g != gone) for arn, grants in held.items()}

        return replace(self, identity=rest(self.identity), resource=rest(self.resource))

    def allows(self, request: Request) -> bool:
        own = self.identity.get(request.principal, ())
        return is_allowed(request, own, self._policy_of(request.resource), self.names.account)

    def denied(self, requests: Iterable[Request]) -> list[Request]:
        return [request for request in requests if not self.allows(request)]

    def with_key_use(self, request: Request, key: str | None = None) -> list[Request]:
        """The request and those to the key of what it touches; `key` where the request itself names one."""
        used = key or self.key_of(request.resource)
        if used is None:
            return [request]
        uses = [(use, request.resource) for use in KEY_USE.get(request.action, ())]
        if request.action == "secretsmanager:CreateSecret":
            # The service tries the key before there is a secret.
            uses += [("kms:GenerateDataKey", TRIAL), ("kms:Decrypt", TRIAL)]
        made = (Request(request.principal, use, used, self._key_context(request, of)) for use, of in uses)
        return [request, *made]

    def key_of(self, resource: str) -> str | None:
        """The customer-managed key that encrypts what the ARN names."""
        return next((key for pattern, key in self.encrypted.items() if _within(resource, pattern)), None)

    @cached_property
    def roles(self) -> dict[str, str]:
        """ARN of each role by the key that its functions sign with."""
        names = self.names
        return {access_key(n): names.arn(n) for n, r in names.resources.items() if r["Type"] == "AWS::IAM::Role"}

    @cached_property
    def encrypted(self) -> dict[str, str]:
        """ARN → key's ARN, of everything that names a key."""
        vaults: dict[str, str] = {}
        for one in self.names.resources.values():
            variables = one.get("Properties", {}).get("Environment", {}).get("Variables", {})
            if Env.VAULT_PREFIX in variables:
                # Made at run time below a prefix, with the key that the function is given.
                prefix, key = (self.names.resolve(variables[v]) for v in (Env.VAULT_PREFIX, Env.VAULT_KEY_ARN))
                vaults[f"arn:aws:secretsmanager:{self.names.region}:{self.names.account}:secret:{prefix}*"] = key
        return {self.names.arn(name): key for name, _, key in self.named_keys()} | vaults

    def named_keys(self) -> Iterator[tuple[str, str, str]]:
        """Name, type and key's ARN of everything in the template that is encrypted with a key of ours."""
        for name, one in self.names.resources.items():
            found = _key_of_properties(one["Type"], one.get("Properties", {}))
            if found is not None:
                yield name, one["Type"], self.names.resolve(found)

    def _policy_of(self, resource: str) -> tuple[Grant, ...]:
        return tuple(g for arn, grants in self.resource.items() if _within(resource, arn) for g in grants)

    def _key_context(self, request: Request, of: str) -> tuple[tuple[str, str], ...]:
        """What KMS is told: the service that asks for the caller, and what the key is used for."""
        service = request.action.partition(":")[0]
        via = [] if request.is_service else [("kms:ViaService", f"{service}.{self.names.region}.amazonaws.com")]
        if service == "s3":
            bucket, _, _ = request.resource.partition("/")
            keyed = self._has_bucket_key(bucket)
            via.append(("kms:EncryptionContext:aws:s3:arn", bucket if keyed else request.resource))
        if service == "dynamodb":
            via.append(("kms:EncryptionContext:aws:dynamodb:tableName", request.resource.rpartition("/")[2]))
        if service == "sns":
            via.append(("kms:EncryptionContext:aws:sns:topicArn", request.resource))
        if service == "secretsmanager":
            via.append(("kms:EncryptionContext:SecretARN", of))
        return tuple(via)

    def _has_bucket_key(self, bucket: str) -> bool:
        for name, one in self.names.resources.items():
            if one["Type"] == "AWS::S3::Bucket" and self.names.arn(name) == bucket:
                rules = one["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
                return bool(rules[0].get("BucketKeyEnabled"))
        return False


def read_access(names: Names) -> Access:
    """All policies of the names' template."""
    identity: dict[str, tuple[Grant, ...]] = {}
    resource: dict[str, tuple[Grant, ...]] = {}
    for name, one in names.resources.items():
        type_, properties = one["Type"], one.get("Properties", {})
        for role, document in _of_roles(name, type_, properties):
            arn = names.arn(role)
            identity[arn] = (*identity.get(arn, ()), *read_statements(short(role), names.resolve(document)))
        for arn, document in _of_resources(names, name, type_, properties):
            resource[arn] = (*resource.get(arn, ()), *read_statements(short(name), names.resolve(document)))
    return Access(names, identity, resource)


def _of_roles(name: str, type_: str, properties: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A role's name and a policy that it holds."""
    if type_ == "AWS::IAM::Policy":
        for role in properties["Roles"]:
            yield role["Ref"], properties["PolicyDocument"]
    if type_ == "AWS::IAM::Role":
        for policy in properties.get("Policies", ()):
            yield name, policy["PolicyDocument"]


def _of_resources(
    names: Names, name: str, type_: str, properties: Mapping[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The ARN of a resource and a policy of its own."""
    if type_ == "AWS::IAM::Role":
        yield names.arn(name), properties["AssumeRolePolicyDocument"]
    elif type_ == "AWS::KMS::Key":
        yield names.arn(name), properties["KeyPolicy"]
    elif type_ == "AWS::S3::BucketPolicy":
        yield names.arn(properties["Bucket"]["Ref"]), properties["PolicyDocument"]
    elif type_ == "AWS::SQS::QueuePolicy":
        for queue in properties["Queues"]:
            yield names.arn(queue["Ref"]), properties["PolicyDocument"]
    elif type_ == "AWS::SNS::TopicPolicy":
        for topic in properties["Topics"]:
            yield names.arn(topic["Ref"]), properties["PolicyDocument"]
    elif type_ == "AWS::Lambda::Permission":
        yield names.resolve(properties["FunctionName"]), _permission(properties)
    elif type_ == "AWS::IAM::ManagedPolicy" and not {"Roles", "Users", "Groups"} & set(properties):
        # For roles outside the deployment; `tests/stacks/hardening.toml` says what it gives them.
        return
    elif type_.endswith("Policy") and type_ != "AWS::IAM::Policy":
        raise ValueError(f"{name}: policies of the type {type_} are not understood")


def _permission(properties: Mapping[str, Any]) -> dict[str, Any]:
    condition = {"ArnLike": {"aws:SourceArn": properties["SourceArn"]}} if "SourceArn" in properties else {}
    statement = {
        "Effect": "Allow",
        "Action": properties["Action"],
        "Principal": {"Service": properties["Principal"]},
        "Resource": properties["FunctionName"],
        "Condition": condition,
    }
    return {"Statement": [statement]}


def _key_of_properties(type_: str, properties: Mapping[str, Any]) -> Any:
    if type_ == "AWS::S3::Bucket":
        rules = properties.get("BucketEncryption", {}).get("ServerSideEncryptionConfiguration", [])
        return next((k for r in rules if (k := r["ServerSideEncryptionByDefault"].get("KMSMasterKeyID"))), None)
    if type_ == "AWS::DynamoDB::Table":
        return properties.get("SSESpecification", {}).get("KMSMasterKeyId")
    return next((properties[n] for n in ("KmsKeyId", "KmsMasterKeyId", "KMSMasterKeyId") if n in properties), None)


def _within(resource: str, arn: str) -> bool:
    """A bucket holds its objects, a prefix its names; a log group's ARN ends in `:*`."""
    return like(arn, resource) or resource.startswith(f"{arn}/") or arn == f"{resource}:*"
