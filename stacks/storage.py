"""The deployment's key and its bucket: what people upload and what the stages make of it."""

from typing import cast

from aws_cdk import ArnFormat, Duration, RemovalPolicy, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_s3 as s3
from constructs import Construct

from shared.contract import (
    DIGESTING_PREFIX,
    DROP_PREFIX,
    ERASING_PREFIX,
    FETCHED_PREFIX,
    FETCHING_PREFIX,
    INCOMING_PREFIX,
    OUTBOX_PREFIX,
    SENDING_PREFIX,
    TRANSFER_PREFIXES,
    WORK_PREFIX,
)
from stacks.suppressions import acknowledge, logical_id, region_and_account
from stacks.tiers import Tier

# `register` empties what it takes, and maintenance what nobody takes. Longer than an undelivered event is kept.
LEFT_OVER_DAYS = 15
# For how long somebody may fetch an archive.
EXPORT_DAYS = 7
# What calls of Secrets Manager do with the key of the secret, in the caller's name.
_KEY_ACTIONS = {
    "CreateSecret": ("kms:Decrypt", "kms:GenerateDataKey"),
    "GetSecretValue": ("kms:Decrypt",),
    "DeleteSecret": (),
}


class Storage(Construct):
    """One KMS key for database, secrets and objects; one versioned bucket whose events go to EventBridge."""

    def __init__(self, scope: Construct, id_: str, *, origin: str, tier: Tier) -> None:
        super().__init__(scope, id_)
        self.key = kms.Key(self, "Key", enable_key_rotation=True, removal_policy=RemovalPolicy.RETAIN)
        access_log = s3.Bucket(
            self,
            "AccessLog",
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            enforce_ssl=True,
            lifecycle_rules=[s3.LifecycleRule(expiration=Duration.days(90))],
            removal_policy=RemovalPolicy.RETAIN,
        )
        self.bucket = s3.Bucket(
            self,
            "Documents",
            encryption=s3.BucketEncryption.KMS,
            encryption_key=cast(kms.IKey, self.key),
            bucket_key_enabled=True,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            enforce_ssl=True,
            versioned=True,
            server_access_logs_bucket=access_log,
            lifecycle_rules=_lifecycle(tier),
            cors=[_browser_uploads(origin)],
            removal_policy=RemovalPolicy.RETAIN,
        )
        _send_events(self.bucket)

    def allow(self, role: iam.IGrantable, *, read: tuple[str, ...] = (), write: tuple[str, ...] = ()) -> None:
        """Let `role` read and write objects below these prefixes, and nothing else of the bucket."""
        self._allow_objects(role, "s3:GetObject", read)
        self._allow_objects(role, "s3:PutObject", write)
        if read or write:
            # Writing a large object in parts reads the parts' key again.
            actions = ["kms:Decrypt", *(["kms:GenerateDataKey"] if write else [])]
            role.grant_principal.add_to_principal_policy(self.object_key_statement(*actions))

    def object_key_statement(self, *actions: str) -> iam.PolicyStatement:
        """The key for this bucket's objects, through S3 alone. With a bucket key S3 names the bucket as the context
        of its calls, so the statement cannot tell objects apart: the one for `s3:GetObject` does."""
        context = {"kms:EncryptionContext:aws:s3:arn": self.bucket.bucket_arn}
        return key_statement(self, cast(kms.IKey, self.key), "s3", context, *actions)

    def allow_own_writing(self, role: iam.IGrantable, prefixes: tuple[str, ...]) -> None:
        """Let `role` write objects below these prefixes by a request that it signs and sends itself: no ticket that it
        gives away, a form or an address, has this permission. `allow` gives it the key."""
        resources = [self.bucket.arn_for_objects(f"{prefix}*") for prefix in prefixes]
        own = {"StringEquals": {"s3:authType": "REST-HEADER"}}
        role.grant_principal.add_to_principal_policy(
            iam.PolicyStatement(actions=["s3:PutObject"], resources=resources, conditions=own)
        )

    def allow_versions(self, role: iam.IGrantable, prefixes: tuple[str, ...]) -> None:
        """Let `role` read a certain version of objects below these prefixes; `allow` gives it the key."""
        self._allow_objects(role, "s3:GetObjectVersion", prefixes)

    def allow_listing(self, role: iam.IGrantable) -> None:
        """Let `role` list keys; also makes a missing object a 404 and not a 403."""
        role.grant_principal.add_to_principal_policy(
            iam.PolicyStatement(actions=["s3:ListBucket"], resources=[self.bucket.bucket_arn])
        )

    def allow_deleting(self, role: iam.IGrantable, prefixes: tuple[str, ...]) -> None:
        """Let `role` delete objects below these prefixes, their old versions included."""
        self._allow_objects(role, "s3:DeleteObject", prefixes)
        self._allow_objects(role, "s3:DeleteObjectVersion", prefixes)
        role.grant_principal.add_to_principal_policy(
            iam.PolicyStatement(actions=["s3:ListBucketVersions"], resources=[self.bucket.bucket_arn])
        )

    def allow_passwords(self, role: lambda_.Function, *actions: str) -> None:
        """Let `role` handle the passwords of protected files, which lie in Secrets Manager until they are used."""
        pattern = Stack.of(self).format_arn(
            service="secretsmanager",
            resource="secret",
            resource_name=f"{self.password_prefix}*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        role.grant_principal.add_to_principal_policy(
            iam.PolicyStatement(actions=[f"secretsmanager:{action}" for action in actions], resources=[pattern])
        )
        needed = sorted({key_action for action in actions for key_action in _KEY_ACTIONS[action]})
        if needed:
            statement = key_statement(self, cast(kms.IKey, self.key), "secretsmanager", {}, *needed)
            # Before it makes a secret, the service tries the key with a word in the place of the secret's ARN.
            trial = ["RequestToValidateKeyAccess"] if "CreateSecret" in actions else []
            statement.add_condition("StringLike", {"kms:EncryptionContext:SecretARN": [pattern, *trial]})
            role.grant_principal.add_to_principal_policy(statement)
        acknowledge(
            role,
            "A secret per protected file, named after its upload at run time.",
            f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:secretsmanager:{region_and_account(self)}"
            f":secret:{self.password_prefix}*]",
        )

    @property
    def password_prefix(self) -> str:
        """What the names of the passwords' secrets begin with: another one in each deployment."""
        return f"{Stack.of(self).stack_name}/passwords/"

    def _allow_objects(self, role: iam.IGrantable, action: str, prefixes: tuple[str, ...]) -> None:
        if prefixes:
            resources = [self.bucket.arn_for_objects(f"{prefix}*") for prefix in prefixes]
            role.grant_principal.add_to_principal_policy(iam.PolicyStatement(actions=[action], resources=resources))


def key_statement(
    scope: Construct, key: kms.IKey, service: str, context: dict[str, str], *actions: str
) -> iam.PolicyStatement:
    """Use of the key through one service of this region, and only with that encryption context."""
    via = {"kms:ViaService": f"{service}.{Stack.of(scope).region}.amazonaws.com"}
    return iam.PolicyStatement(
        actions=list(actions), resources=[key.key_arn], conditions={"StringEquals": {**via, **context}}
    )


def _send_events(bucket: s3.Bucket) -> None:
    """Events to EventBridge by the bucket's own property; CDK's way adds a function with wide rights to set it."""
    raw = bucket.node.default_child
    if not isinstance(raw, s3.CfnBucket):
        raise TypeError("The bucket's own resource is missing")
    raw.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
        event_bridge_configuration=s3.CfnBucket.EventBridgeConfigurationProperty(event_bridge_enabled=True)
    )


def _lifecycle(tier: Tier) -> list[s3.LifecycleRule]:
    return [
        s3.LifecycleRule(id="unfinished", abort_incomplete_multipart_upload_after=Duration.days(1)),
        # Not of `sources/`: a document names the version that is its evidence, whatever was put beside it since.
        s3.LifecycleRule(
            id="old-versions",
            prefix=WORK_PREFIX,
            noncurrent_version_expiration=Duration.days(tier.backup_days),
        ),
        s3.LifecycleRule(
            id="left-over",
            prefix=INCOMING_PREFIX,
            expiration=Duration.days(LEFT_OVER_DAYS),
            noncurrent_version_expiration=Duration.days(1),
        ),
        # What was refused stays until somebody takes it away or drops another one in its place.
        s3.LifecycleRule(
            id="dropped-before",
            prefix=DROP_PREFIX,
            noncurrent_version_expiration=Duration.days(tier.backup_days),
        ),
        *(
            s3.LifecycleRule(
                id=name,
                prefix=prefix,
                expiration=Duration.days(1),
                noncurrent_version_expiration=Duration.days(1),
            )
            for name, prefix in (
                ("told", OUTBOX_PREFIX),
                ("fetching", FETCHING_PREFIX),
                ("fetched", FETCHED_PREFIX),
                ("sending", SENDING_PREFIX),
                ("digesting", DIGESTING_PREFIX),
            )
        ),
        *(
            s3.LifecycleRule(
                id=prefix.rstrip("/"),
                prefix=prefix,
                expiration=Duration.days(EXPORT_DAYS),
                noncurrent_version_expiration=Duration.days(1),
            )
            for prefix in (*TRANSFER_PREFIXES, ERASING_PREFIX)
        ),
        s3.LifecycleRule(
            id="colder",
            prefix=WORK_PREFIX,
            transitions=[
                s3.Transition(storage_class=s3.StorageClass.INTELLIGENT_TIERING, transition_after=Duration.days(0))
            ],
        ),
    ]


def _browser_uploads(origin: str) -> s3.CorsRule:
    """Forms, and parts of archives, whose `ETag` is read."""
    return s3.CorsRule(
        allowed_methods=[s3.HttpMethods.POST, s3.HttpMethods.PUT],
        allowed_origins=[origin],
        allowed_headers=["*"],
        exposed_headers=["ETag"],
        max_age=3600,
    )


def explain_objects(function: lambda_.Function, storage: Storage, prefixes: tuple[str, ...]) -> None:
    for prefix in sorted(set(prefixes)):
        acknowledge(
            function,
            "Keys below this prefix are made at run time; the database decides who may name which.",
            f"AwsSolutions-IAM5[Resource::<{logical_id(storage.bucket)}.Arn>/{prefix}*]",
        )
