"""The single states of the ingestion state machine: a stage as a task, shards of pages as a distributed map."""

from collections.abc import Mapping
from typing import cast

import jsii
from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn
from aws_cdk import aws_stepfunctions_tasks as tasks
from constructs import Construct

from shared.contract import (
    ISOLATED_FIELD,
    PERMANENT_ERRORS,
    SHARD_FIELDS,
    TRANSIENT_ERRORS,
    Stage,
    plan_key,
)
from stacks.storage import Storage

PLANS = plan_key("*", "*", "*", "*")
# A lost invocation must not hold an execution for a day: Lambda ends an attempt at its own limit, and this follows.
TIMEOUT_MARGIN_S = 30
# Waiting for a database that resumes (15 s) or a model that throttles: 5, 10, 20 … 300 s at most, jittered over the
# whole of it, so half as long on average: about a day in all. Ten thousand documents on one quota take their time.
TRANSIENT_DELAY_S = 300
TRANSIENT_WAITS = 2 * 24 * 3600 // TRANSIENT_DELAY_S
# What Lambda itself may answer; AWS asks callers to try these again.
LAMBDA_ERRORS = (
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.TooManyRequestsException",
)


class StateFactory:
    """Makes states within `scope` for the given functions, by stage name: for their new versions by number, so that an
    execution ends with the code it began with."""

    def __init__(self, scope: Construct, functions: Mapping[str, lambda_.Function]) -> None:
        self._scope = scope
        self._functions = functions

    def first_task(self, stage: Stage) -> tasks.LambdaInvoke:
        """The stage whose answer is the event of all others."""
        task = self._invoke(stage.name.capitalize(), stage, None, outputs=sfn.JsonPath.string_at("$.Payload"))
        add_retries(task, stage)
        return task

    def task(self, stage: Stage) -> tasks.LambdaInvoke:
        """A stage of the whole document: passes its own event on; its answer is for the execution's log."""
        task = self._invoke(stage.name.capitalize(), stage, None)
        add_retries(task, stage)
        return task

    def shard_task(self, stage: Stage) -> sfn.IChainable:
        """A stage of one shard: passes its own event on. After the last attempt, the shard goes page by page."""
        task = self._invoke(stage.name.capitalize(), stage, None)
        add_retries(task, stage)
        alone = self._invoke(f"{stage.name.capitalize()} page by page", stage, _isolated_payload())
        add_retries(alone, stage)
        done = sfn.Pass(self._scope, f"{stage.name.capitalize()} done")
        task.add_catch(alone, errors=[sfn.Errors.ALL], result_path=sfn.JsonPath.DISCARD)
        alone.next(done)
        return task.next(done)

    def shard_map(self, stages: list[Stage], storage: Storage, max_concurrency: int) -> sfn.DistributedMap:
        """Consecutive mapped stages for every shard of the plan. Results are dropped: each shard has stored its own."""
        name = f"Shards through {' and '.join(stage.name for stage in stages)}"
        chain = sfn.Chain.start(self.shard_task(stages[0]))
        for stage in stages[1:]:
            chain = chain.next(self.shard_task(stage))
        end = sfn.Pass(self._scope, f"{name} end", parameters={})
        shard_map = sfn.DistributedMap(
            self._scope,
            name,
            item_reader=PlanReader(storage),
            max_concurrency=max_concurrency,
            map_execution_type=sfn.StateMachineType.STANDARD,
            result_path=sfn.JsonPath.DISCARD,
        )
        return shard_map.item_processor(chain.next(end))

    def _invoke(
        self, name: str, stage: Stage, payload: sfn.TaskInput | None, outputs: str | None = None
    ) -> tasks.LambdaInvoke:
        return tasks.LambdaInvoke(
            self._scope,
            name,
            lambda_function=cast(lambda_.IFunction, self._functions[stage.name].current_version),
            payload=payload,
            output_path=outputs,
            result_path=None if outputs else sfn.JsonPath.DISCARD,
            retry_on_service_exceptions=False,
            task_timeout=sfn.Timeout.duration(Duration.seconds(stage.timeout_s + TIMEOUT_MARGIN_S)),
        )


class PlanReader(sfn.S3JsonItemReader):
    """Reads an event's plan. CDK's own reader would let the machine read every object, and none that is encrypted."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(bucket=storage.bucket, key=_plan_key_of_event())
        self._storage = storage

    @jsii.member(jsii_name="providePolicyStatements")
    def provide_policy_statements(self) -> list[iam.PolicyStatement]:
        plans = self._storage.bucket.arn_for_objects(PLANS)
        return [
            iam.PolicyStatement(actions=["s3:GetObject"], resources=[plans]),
            self._storage.object_key_statement("kms:Decrypt"),
        ]


def add_retries(task: sfn.TaskStateBase, stage: Stage) -> None:
    """First match wins: never what cannot help, patiently what is only busy, `attempts` tries for the rest."""
    task.add_retry(errors=list(PERMANENT_ERRORS), max_attempts=0)
    task.add_retry(
        errors=[*TRANSIENT_ERRORS, *LAMBDA_ERRORS],
        max_attempts=TRANSIENT_WAITS,
        interval=Duration.seconds(5),
        backoff_rate=2,
        max_delay=Duration.seconds(TRANSIENT_DELAY_S),
        jitter_strategy=sfn.JitterType.FULL,
    )
    task.add_retry(
        errors=[sfn.Errors.ALL],
        max_attempts=stage.attempts - 1,
        interval=Duration.seconds(2),
        backoff_rate=2,
        max_delay=Duration.seconds(30),
        jitter_strategy=sfn.JitterType.FULL,
    )


def _isolated_payload() -> sfn.TaskInput:
    fields = {name: sfn.JsonPath.object_at(f"$.{name}") for name in SHARD_FIELDS}
    return sfn.TaskInput.from_object({**fields, ISOLATED_FIELD: True})


def _plan_key_of_event() -> str:
    ids = ("$.organization_id", "$.knowledge_base_id", "$.document_id", "$.ingestion_id")
    return sfn.JsonPath.format(plan_key("{}", "{}", "{}", "{}"), *(sfn.JsonPath.string_at(i) for i in ids))
