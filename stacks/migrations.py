"""Migrations before any new code is called: a custom resource that is another one whenever its inputs are, so that a
roll-back calls nobody: it only deletes the new one, which does nothing."""

import hashlib
import json

from aws_cdk import CfnOutput, CustomResource, Duration
from constructs import Construct

from stacks.assets import hash_migrations
from stacks.database import AuroraDatabase
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.providers import make_provider
from stacks.specification import DeploymentFile

TIMEOUT_S = 900
MEMORY_MB = 512


class Migrations(Construct):
    """One of the two functions that hold the owner's secret; the other is maintenance."""

    def __init__(
        self, scope: Construct, id_: str, *, factory: FunctionFactory, file: DeploymentFile, database: AuroraDatabase
    ) -> None:
        super().__init__(scope, id_)
        settings = FunctionSettings("migrate", ("core", "vectors"), TIMEOUT_S, MEMORY_MB, as_owner=True)
        function = factory.create(self, "Function", settings)
        database.allow_new_password(function)
        provider = make_provider(self, function)
        wanted = {
            "migrations": hash_migrations(),
            "password_generation": str(file.password_generation),
            "slug": file.owner.slug,
            "organization": file.owner.organization,
            "owner_email": file.owner.email,
            "operates": str(factory.tier.operates).lower(),
            # A restored database has the schema, the password and the people of its day.
            "restored_from": file.restore_from_snapshot or "",
        }
        digest = hashlib.sha256(json.dumps(wanted).encode()).hexdigest()[:8]
        self.resource = CustomResource(
            self,
            f"Applied{digest}",
            resource_type="Custom::Migrations",
            service_timeout=Duration.seconds(TIMEOUT_S),
            service_token=provider.service_token,
            properties=wanted,
        )
        self.resource.node.add_dependency(database.cluster)
        CfnOutput(self, "Schema", value=self.schema, description="The newest migration of the database")

    @property
    def schema(self) -> str:
        """The name of the database's newest migration."""
        return self.resource.get_att_string("Schema")
