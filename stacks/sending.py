"""What webhooks are told on AWS: ends of runs, requests in the bucket, a look every few minutes → function → receivers.

It signs inside the network; the function outside posts (docs/decisions/0106-webhooks.md).
"""

from typing import cast

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_secretsmanager as secrets
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from shared.contract import FETCHED_PREFIX, FETCHING_PREFIX, SENDING_DUE, WAKE_PREFIX, Env
from stacks.admission import make_undelivered
from stacks.arrivals import follow_while_more, start_on_arrival
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.ingestion import IngestionPipeline
from stacks.storage import Storage, explain_objects, key_statement
from stacks.suppressions import acknowledge

# Longer than it begins new attempts (`functions.send.SECONDS`), and what those wait for.
TIMEOUT_S = 300
POST_WAIT_S = 30
MEMORY_MB = 512
# It sends to several receivers at once itself; of two, the later one would say when something is due, and not the last.
CONCURRENCY = 1
LOOK = Duration.minutes(5)


class Sending(Construct):
    """One function, and the key of the secrets that it signs with."""

    def __init__(
        self, scope: Construct, id_: str, *, factory: FunctionFactory, storage: Storage, ingestion: IngestionPipeline
    ) -> None:
        super().__init__(scope, id_)
        self._storage = storage
        self._key = self._make_key()
        environment = {Env.WEBHOOKS_KEY_ARN: self._key.secret_arn, Env.FETCH_WAIT_S: str(POST_WAIT_S)}
        layers = ("core", "vectors", "signin")
        settings = FunctionSettings("send", layers, TIMEOUT_S, MEMORY_MB, environment, reserved=CONCURRENCY)
        function = factory.create(self, "Function", settings)
        written = (FETCHING_PREFIX, FETCHED_PREFIX, SENDING_DUE)
        storage.allow(function, read=(FETCHED_PREFIX, SENDING_DUE), write=written)
        # A missing object is a 404 then: the answer that has not come, the first look.
        storage.allow_listing(function)
        self.allow_key(function)
        explain_objects(function, storage, written)
        live = factory.serve(function)
        undelivered = make_undelivered(self)
        key = {"prefix": WAKE_PREFIX}
        start_on_arrival(self, "OnRequest", storage=storage, key=key, function=live, undelivered=undelivered)
        follow_while_more(self, function=function, live=live, undelivered=undelivered)
        target = targets.LambdaFunction(cast(lambda_.IFunction, live), dead_letter_queue=undelivered, retry_attempts=2)
        events.Rule(
            self,
            "OnEnd",
            event_pattern=events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={
                    "status": ["SUCCEEDED", "FAILED", "TIMED_OUT", "ABORTED"],
                    "stateMachineArn": [ingestion.machine.state_machine_arn],
                },
            ),
            targets=[cast(events.IRuleTarget, target)],
        )
        self._look_by_itself(live, undelivered)

    def allow_key(self, function: lambda_.Function) -> None:
        """Let `function` read the key, and use ours for that alone."""
        function.add_to_role_policy(
            iam.PolicyStatement(actions=["secretsmanager:GetSecretValue"], resources=[self._key.secret_arn])
        )
        context = {"kms:EncryptionContext:SecretARN": self._key.secret_arn}
        function.add_to_role_policy(
            key_statement(self, cast(kms.IKey, self._storage.key), "secretsmanager", context, "kms:Decrypt")
        )

    @property
    def key_arn(self) -> str:
        return self._key.secret_arn

    def _make_key(self) -> secrets.Secret:
        key = secrets.Secret(
            self,
            "Key",
            description="Seals the secrets of webhooks",
            # By its ARN: for a key of the stack's own, CDK opens the key's policy to whoever may read a secret.
            encryption_key=kms.Key.from_key_arn(self, "KeyKey", self._storage.key.key_arn),
            generate_secret_string=secrets.SecretStringGenerator(exclude_punctuation=True, password_length=48),
        )
        acknowledge(key, "What it has sealed could not be opened with another one.", "AwsSolutions-SMG4")
        return key

    def _look_by_itself(self, live: lambda_.Alias, undelivered: sqs.Queue) -> None:
        """Asks the bucket first whether anything is to be tried again by now, and lets the database sleep."""
        target = targets.LambdaFunction(
            cast(lambda_.IFunction, live),
            event=events.RuleTargetInput.from_object({"tick": True}),
            dead_letter_queue=undelivered,
            retry_attempts=2,
        )
        schedule = events.Schedule.rate(LOOK)
        events.Rule(self, "Often", schedule=schedule, targets=[cast(events.IRuleTarget, target)])
