"""Functions that are started by objects which arrive in the bucket, and again while they leave work."""

from typing import Any, cast

from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.admission import make_undelivered
from stacks.storage import Storage


def start_on_arrival(
    scope: Construct,
    id_: str,
    *,
    storage: Storage,
    key: dict[str, Any],
    function: lambda_.Alias,
    undelivered: sqs.Queue | None = None,
) -> None:
    """A rule for objects whose key fits `key`, a filter of EventBridge; what was not delivered stays in a queue, that
    of `undelivered` or one of its own."""
    letters = undelivered or make_undelivered(scope)
    target = targets.LambdaFunction(cast(lambda_.IFunction, function), dead_letter_queue=letters, retry_attempts=2)
    detail = {"bucket": {"name": [storage.bucket.bucket_name]}, "object": {"key": [key]}}
    events.Rule(
        scope,
        id_,
        event_pattern=events.EventPattern(source=["aws.s3"], detail_type=["Object Created"], detail=detail),
        targets=[cast(events.IRuleTarget, target)],
    )


def follow_while_more(
    scope: Construct, *, function: lambda_.Function, live: lambda_.Alias, undelivered: sqs.Queue
) -> None:
    """A run whose result says `more` is followed by another one, whose event has that result. The Lambda service passes
    it to the event bus: from its network a function can reach neither Lambda nor the bus."""
    target = targets.LambdaFunction(cast(lambda_.IFunction, live), dead_letter_queue=undelivered, retry_attempts=2)
    live.configure_async_invoke(
        on_success=cast(lambda_.IDestination, destinations.EventBridgeDestination()), retry_attempts=2
    )
    events.Rule(
        scope,
        "WhileMore",
        event_pattern=events.EventPattern(
            source=["lambda"],
            detail_type=["Lambda Function Invocation Result - Success"],
            detail={
                "requestContext": {"functionArn": [{"prefix": function.function_arn}]},
                "responsePayload": {"more": [True]},
            },
        ),
        targets=[cast(events.IRuleTarget, target)],
    )
