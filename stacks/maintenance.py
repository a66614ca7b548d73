"""Scheduled maintenance: once a day, and after every ingestion, when the database is awake anyway. What is posted in
between wakes it for one digest.

A run that leaves work, such as a change of embedders, is followed by another one.
"""

from typing import cast

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from shared.contract import (
    DIGESTING_PREFIX,
    ERASING_PREFIX,
    FETCHED_PREFIX,
    FETCHING_PREFIX,
    INCOMING_PREFIX,
    STORED_PREFIXES,
    WAKE_PREFIX,
    Env,
)
from stacks.admission import make_undelivered
from stacks.arrivals import follow_while_more, start_on_arrival
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.ingestion import IngestionPipeline, allow_embedding
from stacks.storage import Storage, explain_objects

TIMEOUT_S = 900
# Longer than the function that fetches may take.
FETCH_WAIT_S = 90
MEMORY_MB = 1024
# After each of many ingestions one that works, and one that finds so and ends.
CONCURRENCY = 2
# Every run wakes a paused database, so running more often would cost more than it is worth.
EVERY = Duration.days(1)


class MaintenanceSchedule(Construct):
    """The function creates indexes, so it has the owner's secret like the migrations; only these rules may invoke it.
    Concurrent runs notice each other and end."""

    def __init__(
        self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage, ingestion: IngestionPipeline
    ) -> None:
        super().__init__(scope, id_)
        layers = ("core", "vectors", "documents")
        environment = {Env.FETCH_WAIT_S: str(FETCH_WAIT_S)}
        settings = FunctionSettings(
            "maintain", layers, TIMEOUT_S, MEMORY_MB, environment, as_owner=True, reserved=CONCURRENCY
        )
        self.function = function = factory.create(self, "Function", settings)
        allow_embedding(function, factory.file)
        # It looks at watched sites: what it fetches arrives as any file does. Of runs that it ends webhooks are told.
        written = (ERASING_PREFIX, FETCHING_PREFIX, FETCHED_PREFIX, INCOMING_PREFIX, WAKE_PREFIX, DIGESTING_PREFIX)
        storage.allow(function, read=(INCOMING_PREFIX, FETCHED_PREFIX), write=written)
        storage.allow_deleting(function, STORED_PREFIXES)
        storage.allow_listing(function)
        storage.allow_passwords(function, "DeleteSecret")
        explain_objects(function, storage, (*STORED_PREFIXES, *written))
        undelivered = make_undelivered(self)
        live = factory.serve(function)
        target = targets.LambdaFunction(cast(lambda_.IFunction, live), dead_letter_queue=undelivered, retry_attempts=2)
        follow_while_more(self, function=function, live=live, undelivered=undelivered)
        key = {"prefix": DIGESTING_PREFIX}
        start_on_arrival(self, "Digesting", storage=storage, key=key, function=live, undelivered=undelivered)
        events.Rule(self, "Daily", schedule=events.Schedule.rate(EVERY), targets=[cast(events.IRuleTarget, target)])
        events.Rule(
            self,
            "AfterIngestion",
            event_pattern=events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={"status": ["SUCCEEDED"], "stateMachineArn": [ingestion.machine.state_machine_arn]},
            ),
            targets=[cast(events.IRuleTarget, target)],
        )
