"""Functions that are started by objects which arrive in the bucket."""

from typing import Any, cast

from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from stacks.admission import make_undelivered
from stacks.storage import Storage


def start_on_arrival(
    scope: Construct, id_: str, *, storage: Storage, key: dict[str, Any], function: lambda_.Alias
) -> None:
    """A rule for objects whose key fits `key`, a filter of EventBridge; what was not delivered stays in a queue."""
    target = targets.LambdaFunction(
        cast(lambda_.IFunction, function), dead_letter_queue=make_undelivered(scope), retry_attempts=2
    )
    detail = {"bucket": {"name": [storage.bucket.bucket_name]}, "object": {"key": [key]}}
    events.Rule(
        scope,
        id_,
        event_pattern=events.EventPattern(source=["aws.s3"], detail_type=["Object Created"], detail=detail),
        targets=[cast(events.IRuleTarget, target)],
    )
