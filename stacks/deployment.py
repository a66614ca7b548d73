"""One deployment as one stack, composed from its specification."""

from typing import cast

from aws_cdk import Environment, Fn, Stack, Tags
from aws_cdk import aws_kms as kms
from constructs import Construct

from stacks.alarms import Alarms
from stacks.api import Api
from stacks.database import AuroraDatabase
from stacks.erasures import Erasures
from stacks.exports import Exports
from stacks.fetching import Fetching
from stacks.firewall import EdgeStack, Firewall
from stacks.front_door import FrontDoor
from stacks.functions import FunctionFactory
from stacks.identity import CognitoIdentity
from stacks.imports import Imports
from stacks.ingestion import IngestionPipeline
from stacks.invitations import Invitations
from stacks.maintenance import MaintenanceSchedule
from stacks.migrations import Migrations
from stacks.network import Network
from stacks.release import Release
from stacks.sending import Sending
from stacks.specification import Specification
from stacks.static_files import StaticFiles
from stacks.storage import Storage
from stacks.web_sign_in import WebSignIn


class Deployment(Stack):
    """Everything of one deployment, but what has to be in us-east-1; deployments share nothing."""

    def __init__(self, scope: Construct, specification: Specification, edge: EdgeStack | None = None) -> None:
        file, tier = specification.file, specification.tier
        super().__init__(
            scope,
            specification.stack_name,
            env=Environment(account=file.account, region=file.region),
            description=f"Autri, deployment {specification.name} (tier {tier.name})",
            termination_protection=True,
            cross_region_references=edge is not None,
        )
        front = FrontDoor(self, "Front", specification=specification, firewall=self._firewall(specification, edge))
        factory = self._keep(specification, front)
        migrations = Migrations(self, "Migrations", factory=factory, file=file, database=self.database)
        self.ingestion = IngestionPipeline(
            self, "Ingestion", factory=factory, storage=self.storage, tier=tier, extraction=file.extraction
        )
        maintenance = MaintenanceSchedule(
            self, "Maintenance", factory=factory, storage=self.storage, ingestion=self.ingestion
        )
        static = StaticFiles(self, "Static", factory=factory, bucket=front.static_files)
        self.api = self._serve(specification, front, factory)
        switched = [*factory.aliases, self.ingestion.machine]
        Release(self, "Release", api=self.api, migrations=migrations, files=static.resource, switched=switched)
        Alarms(
            self,
            "Alarms",
            key=self.storage.key,
            operations=file.operations,
            tier=tier,
            api=self.api,
            database=self.database,
            ingestion=self.ingestion,
            maintenance=maintenance,
        )
        Tags.of(self).add("autri:deployment", specification.name)

    def _keep(self, specification: Specification, front: FrontDoor) -> FunctionFactory:
        """Where everything is kept and who may sign in; returns what makes functions over it."""
        file, tier = specification.file, specification.tier
        network = Network(self, "Network", tier=tier, textract=file.ocr == "textract")
        self.storage = Storage(self, "Storage", origin=front.origin, tier=tier)
        self.database = AuroraDatabase(
            self,
            "Database",
            network=network,
            key=cast(kms.IKey, self.storage.key),
            tier=tier,
            generation=file.password_generation,
            snapshot=file.restore_from_snapshot,
        )
        self.identity = CognitoIdentity(self, "Identity", file=file, origin=front.origin)
        return FunctionFactory(
            self, "Functions", network=network, database=self.database, storage=self.storage, file=file
        )

    def _serve(self, specification: Specification, front: FrontDoor, factory: FunctionFactory) -> Api:
        """The application behind its front door, and what it gives others to do."""
        sign_in = WebSignIn(
            self,
            "SignIn",
            factory=factory,
            storage=self.storage,
            identity=self.identity,
            origin=front.origin,
            api_url=front.http.api_endpoint,
        )
        Invitations(
            self, "Invitations", factory=factory, storage=self.storage, identity=self.identity, origin=front.origin
        )
        Fetching(self, "Fetching", factory=factory, storage=self.storage)
        Exports(self, "Exports", factory=factory, storage=self.storage)
        Imports(self, "Imports", factory=factory, storage=self.storage)
        sending = Sending(self, "Sending", factory=factory, storage=self.storage, ingestion=self.ingestion)
        Erasures(self, "Erasures", factory=factory, storage=self.storage)
        return Api(
            self,
            "Api",
            factory=factory,
            storage=self.storage,
            front=front,
            sign_in=sign_in,
            ingestion=self.ingestion,
            sending=sending,
            specification=specification,
        )

    def _firewall(self, specification: Specification, edge: EdgeStack | None) -> str | None:
        """The ARN of the list of rules before CloudFront: the edge stack's, the file's, or one made here."""
        if edge is not None:
            return edge.firewall.arn
        if specification.makes_firewall:
            return Firewall(self, "Firewall", specification=specification).arn
        return specification.file.web_acl_arn

    @property
    def availability_zones(self) -> list[str]:
        """The region's first zones by reference: CDK's own answer would ask the account at synthesis."""
        return [Fn.select(index, Fn.get_azs()) for index in range(2)]
