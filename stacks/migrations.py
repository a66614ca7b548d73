"""Migrations at every deployment that changes them, and the application's password at every one that changes it: a
custom resource keyed on the hash of the .sql files and on the secret."""

import hashlib
from pathlib import Path
from typing import cast

from aws_cdk import CustomResource, Duration, RemovalPolicy, custom_resources
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.assets import ROOT
from stacks.database import AuroraDatabase
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.specification import Owner
from stacks.static_files import explain_provider

FOLDER = ROOT / "shared" / "store" / "migrations"
TIMEOUT_S = 900
MEMORY_MB = 512


class Migrations(Construct):
    """One of the two functions that hold the owner's secret; the other is maintenance."""

    def __init__(
        self, scope: Construct, id_: str, *, factory: FunctionFactory, owner: Owner, database: AuroraDatabase
    ) -> None:
        super().__init__(scope, id_)
        settings = FunctionSettings("migrate", ("core", "vectors"), TIMEOUT_S, MEMORY_MB, as_owner=True)
        function = factory.create(self, "Function", settings)
        provider = custom_resources.Provider(
            self,
            "Provider",
            on_event_handler=cast(lambda_.IFunction, function),
            log_group=logs.LogGroup(
                self, "ProviderLog", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
            ),
        )
        self.resource = CustomResource(
            self,
            "Applied",
            resource_type="Custom::Migrations",
            service_timeout=Duration.seconds(TIMEOUT_S),
            service_token=provider.service_token,
            properties={
                "migrations": hash_migrations(),
                # A new secret's password is not the role's until the function has set it.
                "application_secret": database.application_secret.secret_arn,
                "slug": owner.slug,
                "organization": owner.organization,
                "owner_email": owner.email,
                "operates": str(factory.tier.operates).lower(),
            },
        )
        self.resource.node.add_dependency(database.cluster)
        explain_provider(provider, function)


def hash_migrations(folder: Path = FOLDER) -> str:
    """A digest of every migration's name and text."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.sql")):
        digest.update(f"{file.name}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()
