"""Aurora PostgreSQL that pauses when idle, and its two secrets: the owner's and the application's."""

from typing import cast

from aws_cdk import Duration, RemovalPolicy, Stack, Token
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secrets
from constructs import Construct

from stacks.network import Network
from stacks.storage import key_statement
from stacks.suppressions import acknowledge
from stacks.tiers import Tier

DATABASE_NAME = "autri"
OWNER = "autri_owner"
APPLICATION_ROLE = "autri_app"


class AuroraDatabase(Construct):
    """One Serverless v2 writer. The owner role is for migrations and maintenance only; functions log in as a role that
    owns nothing.

    There is no proxy: it would keep the cluster from pausing.
    """

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        network: Network,
        key: kms.IKey,
        tier: Tier,
        generation: int,
        snapshot: str | None,
    ) -> None:
        super().__init__(scope, id_)
        self._key = key
        group = ec2.SecurityGroup(self, "Access", vpc=network.vpc, allow_all_outbound=False, description="Database")
        self.cluster = self._make_cluster(network, group, tier, generation)
        self._restore(snapshot)
        self.cluster.connections.allow_from(
            network.functions, ec2.Port.tcp(self.cluster.cluster_endpoint.port), "Functions"
        )
        endpoint = self.cluster.cluster_endpoint
        login = {
            "host": endpoint.hostname,
            "port": Token.as_string(endpoint.port),
            "dbname": DATABASE_NAME,
            "username": APPLICATION_ROLE,
        }
        # The first password is generated here; the migrate function gives it to the role, and later ones to both.
        self.application_secret = cast(secrets.ISecret, self._secret("Application", login))
        _explain(self)

    def _make_cluster(
        self, network: Network, group: ec2.SecurityGroup, tier: Tier, generation: int
    ) -> rds.DatabaseCluster:
        return rds.DatabaseCluster(
            self,
            "Cluster",
            engine=rds.DatabaseClusterEngine.aurora_postgres(version=rds.AuroraPostgresEngineVersion.VER_17_7),
            credentials=rds.Credentials.from_secret(
                cast(secrets.ISecret, self._secret("Owner", {"username": OWNER}, generation)), OWNER
            ),
            default_database_name=DATABASE_NAME,
            writer=rds.ClusterInstance.serverless_v2("Writer", publicly_accessible=False),
            serverless_v2_min_capacity=0,
            serverless_v2_max_capacity=tier.max_capacity,
            serverless_v2_auto_pause_duration=Duration.minutes(tier.auto_pause_minutes),
            vpc=network.vpc,
            vpc_subnets=network.subnets,
            security_groups=[group],
            storage_encrypted=True,
            storage_encryption_key=self._key,
            iam_authentication=True,
            parameters={"rds.force_ssl": "1"},
            backup=rds.BackupProps(retention=Duration.days(tier.backup_days)),
            copy_tags_to_snapshot=True,
            deletion_protection=True,
            removal_policy=RemovalPolicy.SNAPSHOT,
        )

    @property
    def owner_secret(self) -> secrets.ISecret:
        """Made and kept by the cluster: host, port, dbname, username, password."""
        secret = self.cluster.secret
        if secret is None:
            raise RuntimeError("The cluster was made without generated credentials")
        return secret

    def allow_login(self, role: iam.IGrantable, secret: secrets.ISecret) -> None:
        """Let `role` read one of the two logins, and use the key for that secret alone."""
        principal = role.grant_principal
        principal.add_to_principal_policy(
            iam.PolicyStatement(actions=["secretsmanager:GetSecretValue"], resources=[secret.secret_arn])
        )
        context = {"kms:EncryptionContext:SecretARN": secret.secret_arn}
        principal.add_to_principal_policy(key_statement(self, self._key, "secretsmanager", context, "kms:Decrypt"))

    def allow_new_password(self, role: iam.IGrantable) -> None:
        """Let `role` give the application's secret another password, and read the one before."""
        secret = self.application_secret
        role.grant_principal.add_to_principal_policy(
            iam.PolicyStatement(actions=["secretsmanager:PutSecretValue"], resources=[secret.secret_arn])
        )
        context = {"kms:EncryptionContext:SecretARN": secret.secret_arn}
        statement = key_statement(self, self._key, "secretsmanager", context, "kms:Decrypt", "kms:GenerateDataKey")
        role.grant_principal.add_to_principal_policy(statement)

    def _restore(self, snapshot: str | None) -> None:
        """Roles, schema and rows come from the snapshot; its owner gets the password of this stack's secret. CDK's own
        class for it is another one with the same properties."""
        raw = self.cluster.node.default_child
        if not isinstance(raw, rds.CfnDBCluster):
            raise TypeError("The cluster's own resource is missing")
        if snapshot is not None:
            raw.snapshot_identifier = snapshot
            raw.master_username = raw.database_name = None
            # The user comes with the snapshot and the password does not; cfn-lint wants both or none.
            raw.add_metadata("cfn-lint", {"config": {"ignore_checks": ["E3021"]}})

    def _secret(self, name: str, values: dict[str, str], generation: int = 1) -> secrets.Secret:
        """A login with a generated password; whatever the cluster knows itself, it adds to its owner's.

        Another generation is another secret with another password: the name in the template changes with it. So it is
        with the owner's, which Aurora takes from the template; the application's stays and gets new values.
        """
        suffix = "" if generation == 1 else str(generation)
        secret = secrets.Secret(
            self,
            f"{name}{suffix}",
            description=f"{name} login of the database",
            # By its ARN: for a key of the stack's own, CDK opens the key's policy to whoever may read a secret.
            encryption_key=kms.Key.from_key_arn(self, f"{name}{suffix}Key", self._key.key_arn),
            generate_secret_string=secrets.SecretStringGenerator(
                secret_string_template=Stack.of(self).to_json_string({**values, "sslmode": "verify-full"}),
                generate_string_key="password",
                exclude_punctuation=True,
                password_length=48,
            ),
        )
        acknowledge(
            secret,
            "A rotation function needs a stack of its own and would wake the cluster; passwords change with "
            "`password_generation` of the deployment file, which the migrate function applies.",
            "AwsSolutions-SMG4",
        )
        return secret


def _explain(database: AuroraDatabase) -> None:
    acknowledge(
        database.cluster,
        "The port is no secret: only the functions' security group may reach it, in subnets without a route out.",
        "AwsSolutions-RDS11",
    )
