"""In front of the state machine: one queue of what happened, and one function that gives free slots to what waits.

Files that came and executions that ended are told to the same queue, which keeps them until they are handled. The rows
in the database say what waits (docs/decisions/0032), so a message may come twice, late or never.
"""

from typing import cast

from aws_cdk import ArnFormat, CfnOutput, Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from shared.contract import DROP_PREFIX, INCOMING_PREFIX, REFUSED_SUFFIX, WAKE_PREFIX, Env
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.storage import Storage, explain_objects
from stacks.suppressions import acknowledge, logical_id, region_and_account

TIMEOUT_S = 60
MEMORY_MB = 512
BATCH = 10
# The smallest number that SQS accepts; admissions follow one another anyway.
CONCURRENCY = 2
# AWS's advice for a queue that a function reads: six times its time limit.
INVISIBLE_S = 6 * TIMEOUT_S
# So often a message is given before it goes to the dead letters: an hour, which a database takes to be restored.
RECEIVES = 10
REFUSALS = f"{DROP_PREFIX}*{REFUSED_SUFFIX}"
# The tag of a role that says which knowledge base it may drop files for.
TAG = "${aws:PrincipalTag/autri-knowledge-base}"


class Admission(Construct):
    """Bucket and executions → rules → queue → function → executions."""

    def __init__(
        self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage, machine: sfn.StateMachine
    ) -> None:
        super().__init__(scope, id_)
        self._storage, self._machine = storage, machine
        self.undelivered = make_undelivered(self)
        self.queue = self._queue()
        self.function = self._function(factory)
        self._live = factory.serve(self.function)
        self._read_messages(self._live)
        self._tell_of_files()
        self._tell_of_ends()
        self._look_by_itself()
        self.drops = self._policy_for_drops()
        CfnOutput(self, "DropPolicy", value=self.drops.managed_policy_arn, description="For roles that drop files")
        CfnOutput(self, "DeadLetters", value=self.undelivered.queue_arn, description="What could not be handled")
        CfnOutput(self, "Arrivals", value=self.queue.queue_arn, description="What it is given to again")

    def _queue(self) -> sqs.Queue:
        return sqs.Queue(
            self,
            "Queue",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            visibility_timeout=Duration.seconds(INVISIBLE_S),
            retention_period=Duration.days(14),
            dead_letter_queue=sqs.DeadLetterQueue(queue=cast(sqs.IQueue, self.undelivered), max_receive_count=RECEIVES),
        )

    def _function(self, factory: FunctionFactory) -> lambda_.Function:
        environment = {Env.STATE_MACHINE_ARN: self._machine.state_machine_arn}
        settings = FunctionSettings("admit", ("core", "vectors"), TIMEOUT_S, MEMORY_MB, environment)
        function = factory.create(self, "Function", settings)
        self._storage.allow(function, read=(DROP_PREFIX,), write=(REFUSALS, WAKE_PREFIX))
        self._storage.allow_listing(function)
        self._storage.allow_deleting(function, (INCOMING_PREFIX,))
        self._storage.allow_passwords(function, "DeleteSecret")
        explain_objects(function, self._storage, (DROP_PREFIX, REFUSALS, INCOMING_PREFIX, WAKE_PREFIX))
        self._allow_executions(function)
        function.add_to_role_policy(
            iam.PolicyStatement(
                actions=["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
                resources=[self.queue.queue_arn],
            )
        )
        return function

    def _read_messages(self, live: lambda_.Alias) -> None:
        live.add_event_source_mapping(
            "Messages",
            event_source_arn=self.queue.queue_arn,
            batch_size=BATCH,
            max_concurrency=CONCURRENCY,
            report_batch_item_failures=True,
        )

    def _allow_executions(self, function: lambda_.Function) -> None:
        machine = self._machine.state_machine_arn
        executions = Stack.of(self).format_arn(
            service="states",
            resource="execution",
            resource_name=f"{self._machine.state_machine_name}:*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        start = iam.PolicyStatement(actions=["states:StartExecution", "states:ListExecutions"], resources=[machine])
        function.add_to_role_policy(start)
        function.add_to_role_policy(iam.PolicyStatement(actions=["states:DescribeExecution"], resources=[executions]))
        name = f"<{logical_id(self._machine)}.Name>"
        acknowledge(
            function,
            "Executions are named after their ingestion, at run time.",
            f"AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:{region_and_account(self)}:execution:{name}:*]",
        )

    def _tell(self, id_: str, pattern: events.EventPattern) -> None:
        target = targets.SqsQueue(cast(sqs.IQueue, self.queue), dead_letter_queue=cast(sqs.IQueue, self.undelivered))
        events.Rule(self, id_, event_pattern=pattern, targets=[cast(events.IRuleTarget, target)])

    def _tell_of_files(self) -> None:
        prefixes = [{"prefix": prefix} for prefix in (INCOMING_PREFIX, DROP_PREFIX)]
        detail = {"bucket": {"name": [self._storage.bucket.bucket_name]}, "object": {"key": prefixes}}
        self._tell("OnUpload", events.EventPattern(source=["aws.s3"], detail_type=["Object Created"], detail=detail))

    def _tell_of_ends(self) -> None:
        """Every end frees a slot; those that nothing inside the state machine can catch (out of time, stopped, a last
        state that failed too) are marked on their rows as well."""
        self._tell(
            "OnEnd",
            events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={
                    "status": ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"],
                    "stateMachineArn": [self._machine.state_machine_arn],
                },
            ),
        )

    def _look_by_itself(self) -> None:
        """Every few minutes while something runs, which asks Step Functions first and lets the database sleep; and
        daily for files whose events were lost."""
        function = cast(lambda_.IFunction, self._live)
        redrive = events.RuleTargetInput.from_object({"redrive": True})
        for id_, every, event in (("Often", Duration.minutes(5), None), ("Daily", Duration.days(1), redrive)):
            target = targets.LambdaFunction(
                function, event=event, dead_letter_queue=cast(sqs.IQueue, self.undelivered), retry_attempts=2
            )
            events.Rule(self, id_, schedule=events.Schedule.rate(every), targets=[cast(events.IRuleTarget, target)])

    def _policy_for_drops(self) -> iam.ManagedPolicy:
        """For roles of a customer's: put files for the knowledge base that the role is tagged with, read what is
        refused."""
        bucket = self._storage.bucket
        below = f"{DROP_PREFIX}{TAG}/*"
        policy = iam.ManagedPolicy(
            self,
            "Drops",
            description="Drop files for the knowledge base in the role's tag autri-knowledge-base",
            statements=[
                iam.PolicyStatement(
                    actions=["s3:PutObject", "s3:AbortMultipartUpload"], resources=[bucket.arn_for_objects(below)]
                ),
                iam.PolicyStatement(
                    actions=["s3:GetObject"], resources=[bucket.arn_for_objects(below + REFUSED_SUFFIX)]
                ),
                iam.PolicyStatement(
                    actions=["s3:ListBucket"],
                    resources=[bucket.bucket_arn],
                    conditions={"StringLike": {"s3:prefix": [below]}},
                ),
                self._storage.object_key_statement("kms:Decrypt", "kms:GenerateDataKey"),
            ],
        )
        written = below.replace("${", "<").replace("}", ">")
        for resource in (written, written + REFUSED_SUFFIX):
            acknowledge(
                policy,
                "Files of the one knowledge base that the role's tag names.",
                f"AwsSolutions-IAM5[Resource::<{logical_id(bucket)}.Arn>/{resource}]",
            )
        return policy


def make_undelivered(scope: Construct) -> sqs.Queue:
    """The dead-letter queue for events that their target did not accept or could not handle; kept for two weeks, the
    maximum."""
    queue = sqs.Queue(
        scope,
        "Undelivered",
        encryption=sqs.QueueEncryption.SQS_MANAGED,
        enforce_ssl=True,
        retention_period=Duration.days(14),
    )
    acknowledge(queue, "This queue is the dead-letter queue.", "AwsSolutions-SQS3")
    return queue
