"""Aurora PostgreSQL that sleeps when nobody asks, and its two secrets: the owner's and the application's."""

from typing import cast

from aws_cdk import Duration, RemovalPolicy, Stack, Token
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_kms as kms
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secrets
from constructs import Construct

from stacks.network import Network
from stacks.suppressions import acknowledge
from stacks.tiers import Tier

DATABASE_NAME = "autri"
OWNER = "autri_owner"
APPLICATION_ROLE = "autri_app"


class Database(Construct):
    """One Serverless v2 writer. The owner role serves migrations alone; functions log in as a role that owns nothing.

    There is no proxy: it would keep the cluster awake.
    """

    def __init__(self, scope: Construct, id_: str, *, network: Network, key: kms.IKey, tier: Tier) -> None:
        super().__init__(scope, id_)
        self.cluster = rds.DatabaseCluster(
            self,
            "Cluster",
            engine=rds.DatabaseClusterEngine.aurora_postgres(version=rds.AuroraPostgresEngineVersion.VER_17_7),
            credentials=rds.Credentials.from_secret(
                cast(secrets.ISecret, self._secret("Owner", key, {"username": OWNER})), OWNER
            ),
            default_database_name=DATABASE_NAME,
            writer=rds.ClusterInstance.serverless_v2("Writer", publicly_accessible=False),
            serverless_v2_min_capacity=0,
            serverless_v2_max_capacity=tier.max_capacity,
            serverless_v2_auto_pause_duration=Duration.minutes(tier.auto_pause_minutes),
            vpc=network.vpc,
            vpc_subnets=network.subnets,
            storage_encrypted=True,
            storage_encryption_key=key,
            iam_authentication=True,
            parameters={"rds.force_ssl": "1"},
            backup=rds.BackupProps(retention=Duration.days(tier.backup_days)),
            copy_tags_to_snapshot=True,
            deletion_protection=True,
            removal_policy=RemovalPolicy.SNAPSHOT,
        )
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
        # The password is generated here; the migrate function gives it to the role.
        self.application_secret = self._secret("Application", key, login)
        _explain(self)

    @property
    def owner_secret(self) -> secrets.ISecret:
        """Made and kept by the cluster: host, port, dbname, username, password."""
        secret = self.cluster.secret
        if secret is None:
            raise RuntimeError("The cluster was made without generated credentials")
        return secret

    def _secret(self, name: str, key: kms.IKey, values: dict[str, str]) -> secrets.Secret:
        """A login with a generated password; whatever the cluster knows itself, it adds to its owner's."""
        secret = secrets.Secret(
            self,
            name,
            description=f"{name} login of the database",
            encryption_key=key,
            generate_secret_string=secrets.SecretStringGenerator(
                secret_string_template=Stack.of(self).to_json_string({**values, "sslmode": "verify-full"}),
                generate_string_key="password",
                exclude_punctuation=True,
                password_length=48,
            ),
        )
        acknowledge(
            secret,
            "A rotation function needs a stack of its own and would wake the cluster; rotating is deploying with a "
            "new secret, which the migrate function applies.",
            "AwsSolutions-SMG4",
        )
        return secret


def _explain(database: Database) -> None:
    acknowledge(
        database.cluster,
        "The port is no secret: only the functions' security group may reach it, in subnets without a route out.",
        "AwsSolutions-RDS11",
    )
