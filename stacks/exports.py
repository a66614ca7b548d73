"""Archives on AWS: a request or a sent archive in the bucket → rule → function → an archive, or rows and files."""

from typing import cast

from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from shared.contract import (
    EXPORT_LIMIT_S,
    EXPORTS_PREFIX,
    REQUESTS_PREFIX,
    SOURCES_PREFIX,
    STORED_PREFIXES,
    WORK_PREFIX,
)
from stacks.admission import make_undelivered
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.storage import Storage, explain_objects

MEMORY_MB = 2048
# The most that Lambda has: an archive is whole before it is stored.
DISK_MB = 10_240
# Each holds a connection to the database for as long as it reads rows.
CONCURRENCY = 2


class Exports(Construct):
    """One function, started by requests alone."""

    def __init__(self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage) -> None:
        super().__init__(scope, id_)
        layers = ("core", "vectors", "documents")
        settings = FunctionSettings("export", layers, EXPORT_LIMIT_S, MEMORY_MB, reserved=CONCURRENCY, disk_mb=DISK_MB)
        function = factory.create(self, "Function", settings)
        read = (WORK_PREFIX, SOURCES_PREFIX, EXPORTS_PREFIX, REQUESTS_PREFIX)
        # An import writes what its archive holds, and takes it back where it fails.
        storage.allow(function, read=read, write=(EXPORTS_PREFIX, SOURCES_PREFIX, WORK_PREFIX))
        storage.allow_deleting(function, STORED_PREFIXES)
        storage.allow_versions(function, (SOURCES_PREFIX,))
        storage.allow_listing(function)
        explain_objects(function, storage, (*read, *STORED_PREFIXES))
        detail = {"bucket": {"name": [storage.bucket.bucket_name]}, "object": {"key": [{"prefix": REQUESTS_PREFIX}]}}
        target = targets.LambdaFunction(
            cast(lambda_.IFunction, factory.serve(function)), dead_letter_queue=make_undelivered(self), retry_attempts=2
        )
        events.Rule(
            self,
            "OnRequest",
            event_pattern=events.EventPattern(source=["aws.s3"], detail_type=["Object Created"], detail=detail),
            targets=[cast(events.IRuleTarget, target)],
        )
