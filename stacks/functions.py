"""The factory of all Lambda functions: arm64, Python 3.13, in the VPC, traced, with a log group of its own.

Whoever calls a function between deployments calls a published version: by the alias `live`, or by its number in the
definition of the state machine (docs/decisions/0038-upgrades.md)."""

from dataclasses import dataclass, field
from typing import Any

from aws_cdk import Duration, RemovalPolicy, Size
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from shared.contract import MAX_UPLOAD_BYTES, Env
from stacks import assets
from stacks.database import AuroraDatabase
from stacks.network import Network
from stacks.specification import DeploymentFile
from stacks.storage import Storage
from stacks.suppressions import acknowledge
from stacks.tiers import TIERS

ALIAS = "live"
# The largest upload twice (a copy being fetched beside one in use), and room for a library's own files.
EPHEMERAL_STORAGE = Size.mebibytes(2 * MAX_UPLOAD_BYTES // 2**20 + 512)


@dataclass(frozen=True)
class FunctionSettings:
    """What one function needs: its module below `functions/`, its layers, and its limits.

    One that is `outside` the VPC reaches services without an endpoint in it, and neither database nor documents.
    """

    module: str
    layers: tuple[str, ...]
    timeout_s: int
    memory_mb: int
    environment: dict[str, str] = field(default_factory=dict[str, str])
    as_owner: bool = False
    outside: bool = False
    # Never more at once, and always room for so many.
    reserved: int | None = None
    disk_mb: int | None = None
    # A program of ours below the code, which Lambda runs with its interpreter instead of its own client.
    wrapper: str | None = None


class FunctionFactory(Construct):
    """Holds what functions have in common: code, layers, network, database, bucket."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        network: Network,
        database: AuroraDatabase,
        storage: Storage,
        file: DeploymentFile,
    ) -> None:
        super().__init__(scope, id_)
        self._network, self._database, self._storage = network, database, storage
        self.file, self.tier = file, TIERS[file.tier]
        self._code = lambda_.Code.from_asset(str(assets.zip_folder(assets.build_code())))
        self._layers = {name: self._layer(name) for name in assets.BUDGETS_MB}
        # What is called between deployments, by its alias: moved to the new version when that has proved itself.
        self.aliases: list[lambda_.Alias] = []

    def create(self, scope: Construct, id_: str, settings: FunctionSettings) -> lambda_.Function:
        """The function, allowed to read the application's secret and no more; one outside the VPC not even that."""
        inside = {} if settings.outside else self._inside(settings)
        environment = {Env.LOG_LEVEL: "INFO"} if settings.outside else self._environment()
        function = lambda_.Function(
            scope,
            id_,
            runtime=lambda_.Runtime.PYTHON_3_13,
            architecture=lambda_.Architecture.ARM_64,
            handler=f"functions.{settings.module}.handler",
            code=self._code,
            layers=[self._layers[name] for name in settings.layers],
            timeout=Duration.seconds(settings.timeout_s),
            memory_size=settings.memory_mb,
            reserved_concurrent_executions=settings.reserved,
            tracing=lambda_.Tracing.ACTIVE,
            environment={**environment, **settings.environment, **_wrapped(settings)},
            log_group=_log_group(scope, f"{id_}Log"),
            # Executions under way name the version that they began with; one that a roll-back leaves behind goes.
            current_version_options=lambda_.VersionOptions(removal_policy=RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE),
            **inside,
        )
        if not settings.outside:
            self._database.allow_login(function, self._database.application_secret)
        if settings.as_owner:
            self._database.allow_login(function, self._database.owner_secret)
            function.add_environment(Env.OWNER_SECRET_ARN, self._database.owner_secret.secret_arn)
        explain_function(function)
        return function

    def serve(self, function: lambda_.Function) -> lambda_.Alias:
        """The alias by which `function` is called; it moves to a new version only when the release says so."""
        alias = function.add_alias(ALIAS)
        self.aliases.append(alias)
        return alias

    def _inside(self, settings: FunctionSettings) -> dict[str, Any]:
        """What a function needs that reads the database and documents."""
        return {
            "ephemeral_storage_size": Size.mebibytes(settings.disk_mb) if settings.disk_mb else EPHEMERAL_STORAGE,
            "vpc": self._network.vpc,
            "vpc_subnets": self._network.subnets,
            "security_groups": [self._network.functions],
        }

    def _environment(self) -> dict[str, str]:
        budget = self.file.operations.organization_usd_per_day
        return {
            Env.BUCKET: self._storage.bucket.bucket_name,
            Env.DATABASE_SECRET_ARN: self._database.application_secret.secret_arn,
            Env.EMBEDDING_MODEL_ID: self.file.embedding.model_id,
            Env.EMBEDDING_DIMENSIONS: str(self.file.embedding.dimensions),
            **({Env.EXTRACTION_MODEL_ID: self.file.extraction.model_id} if self.file.extraction else {}),
            **({Env.RERANK_MODEL_ID: self.file.rerank.model_id} if self.file.rerank else {}),
            **_answering(self.file),
            Env.OCR: self.file.ocr,
            Env.DEFAULT_PLAN: self.file.default_plan or self.tier.default_plan,
            **({} if budget is None else {Env.MODEL_USD_PER_DAY: str(budget)}),
            Env.RUN_SLOTS: str(self.tier.run_slots),
            Env.RUN_SLOTS_PER_ORGANIZATION: str(self.tier.run_slots_per_organization),
            Env.VAULT_PREFIX: self._storage.password_prefix,
            Env.VAULT_KEY_ARN: self._storage.key.key_arn,
            Env.LOG_LEVEL: "INFO",
            # libpq's own variable: Aurora's certificates are signed by roots that no system store holds.
            "PGSSLROOTCERT": "/opt/rds-global-bundle.pem",
        }

    def _layer(self, name: str) -> lambda_.LayerVersion:
        return lambda_.LayerVersion(
            self,
            name.capitalize(),
            code=lambda_.Code.from_asset(str(assets.zip_folder(assets.build_layer(name)))),
            compatible_runtimes=[lambda_.Runtime.PYTHON_3_13],
            compatible_architectures=[lambda_.Architecture.ARM_64],
            description=f"layers/{name}/requirements.txt",
        )


def _answering(file: DeploymentFile) -> dict[str, str]:
    if file.answering is None:
        return {}
    usual, *further = [one.model_id for one in file.answering.all]
    return {Env.ANSWERING_MODEL_ID: usual, **({Env.FURTHER_MODEL_IDS: ",".join(further)} if further else {})}


def _wrapped(settings: FunctionSettings) -> dict[str, str]:
    return {"AWS_LAMBDA_EXEC_WRAPPER": f"/var/task/{settings.wrapper}"} if settings.wrapper else {}


def _log_group(scope: Construct, id_: str) -> logs.LogGroup:
    return logs.LogGroup(scope, id_, retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY)


def explain_function(function: lambda_.Function) -> None:
    acknowledge(
        function,
        "AWS's own policies for exactly this: writing the function's log and attaching it to the VPC.",
        "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
        "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole]",
    )
    acknowledge(
        function,
        "X-Ray's two actions, and Textract's where it is used, name no resource.",
        "AwsSolutions-IAM5[Resource::*]",
    )
    acknowledge(function, "The layers are built and tested for 3.13.", "AwsSolutions-L1")
