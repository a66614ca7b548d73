"""What tells the operator: alarms to a topic, each with the page that says what to do, and a dashboard.

No alarm reads more than one metric: an expression over several is charged for each, and says less.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, cast

from aws_cdk import CfnOutput, Duration, Stack, custom_resources
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.api import Api
from stacks.dashboard import add_dashboard
from stacks.database import AuroraDatabase
from stacks.ingestion import IngestionPipeline
from stacks.maintenance import MaintenanceSchedule
from stacks.specification import Operations
from stacks.tiers import Tier

RUNBOOKS: Final = "docs/runbooks"
FIVE_MINUTES: Final = Duration.minutes(5)
# A client gives up before HTTP API does, after 30 s; what nobody minds waiting for is far below.
SLOW_MS: Final = 5000
# A waking cluster refuses the first requests with 503.
FAILING_REQUESTS: Final = 5
NEAR: Final = 0.8
# LEAST({DBInstanceClassMemory/9531392}, 5000), and 2,000 where the cluster may pause ("Maximum connections for Aurora
# Serverless v2" in Aurora's user guide); a capacity unit is 2 GiB.
_BYTES_A_CONNECTION: Final = 9_531_392
_MOST_CONNECTIONS: Final = 2000
# A message that waits longer waits for somebody to look.
_WAITED: Final = Duration.minutes(15)


class Watch(NamedTuple):
    """One alarm: it rings when the metric is at or above `at` (below, with `below`) for `periods` periods in a row."""

    name: str
    metric: cloudwatch.IMetric
    at: float
    says: str
    runbook: str
    periods: int = 1
    below: bool = False


class Alarms(Construct):
    """Comes last in the stack: it watches every function and every queue that is there."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        key: kms.Key,
        operations: Operations,
        tier: Tier,
        api: Api,
        database: AuroraDatabase,
        ingestion: IngestionPipeline,
        maintenance: MaintenanceSchedule,
    ) -> None:
        super().__init__(scope, id_)
        stack = Stack.of(self)
        self._topic = self._make_topic(key, operations)
        functions, queues = list(_functions(stack)), [c for c in stack.node.find_all() if isinstance(c, sqs.Queue)]
        stages = set(ingestion.functions.values())
        stage = ingestion.functions
        spent = self._count_in_logs("ModelUsd", "Cost", "$.usd", ">", [stage["extract"], stage["embed"]])
        watches = [
            *_of_executions(ingestion),
            *(watch for queue in queues for watch in _of_queue(queue)),
            *_of_api(api),
            *(watch for f in functions for watch in _of_function(f, passing=f in stages)),
            *_of_database(database, tier),
            _of_cost(spent, operations.model_usd_per_day),
            *self._of_budget(operations, [*api.functions, stage["register"], stage["extract"]]),
            _of_maintenance(maintenance),
        ]
        for watch in watches:
            self._ring(watch)
        add_dashboard(
            self, api=api, database=database, ingestion=ingestion, functions=functions, queues=queues, spent=spent
        )

    def _make_topic(self, key: kms.Key, operations: Operations) -> sns.Topic:
        topic = sns.Topic(self, "Topic", master_key=kms.Key.from_key_arn(self, "Key", key.key_arn), enforce_ssl=True)
        stack = Stack.of(self)
        service = iam.ServicePrincipal("cloudwatch.amazonaws.com")
        topic.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[cast(iam.IPrincipal, service)],
                actions=["sns:Publish"],
                resources=[topic.topic_arn],
                conditions={
                    "StringEquals": {"aws:SourceAccount": stack.account},
                    "ArnLike": {"aws:SourceArn": stack.format_arn(service="cloudwatch", resource="alarm:*")},
                },
            )
        )
        # The key is older than the topic, so its policy cannot name it: the topics of this account.
        topics = stack.format_arn(service="sns", resource="*")
        key.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[cast(iam.IPrincipal, service)],
                actions=["kms:Decrypt", "kms:GenerateDataKey"],
                resources=["*"],
                conditions={"StringLike": {"kms:EncryptionContext:aws:sns:topicArn": topics}},
            )
        )
        if operations.email is not None:
            topic.add_subscription(cast(sns.ITopicSubscription, subscriptions.EmailSubscription(operations.email)))
        CfnOutput(self, "AlarmTopic", value=topic.topic_arn, description="Who subscribes here hears of every alarm")
        return topic

    def _count_in_logs(
        self,
        name: str,
        suffix: str,
        field: str,
        above: str,
        functions: list[lambda_.Function],
        value: str | None = None,
    ) -> cloudwatch.Metric:
        """A day's sum of a number in the functions' log lines where it is above 0 (">", ">="), or of `value` for each
        such line. The metric is charged only in hours in which there is one."""
        namespace = f"Autri/{Stack.of(self).stack_name}"
        for function in functions:
            logs.MetricFilter(
                self,
                f"{function.node.id}{suffix}",
                log_group=function.log_group,
                filter_pattern=logs.FilterPattern.number_value(field, above, 0),
                metric_namespace=namespace,
                metric_name=name,
                metric_value=value or field,
            )
        return cloudwatch.Metric(namespace=namespace, metric_name=name, statistic="Sum", period=Duration.days(1))

    def _of_budget(self, operations: Operations, functions: list[lambda_.Function]) -> Iterator[Watch]:
        """Where an organization has a limit: that one is at it."""
        limit = operations.organization_usd_per_day
        if limit is not None:
            refused = self._count_in_logs("BudgetSpent", "Budget", "$.limit_usd", ">=", functions, value="1")
            says = f"An organization has spent its {limit:g} dollars a day on models: its runs are refused."
            yield Watch("OrganizationBudget", refused, 1, says, "model-cost")

    def _ring(self, watch: Watch) -> None:
        operator = cloudwatch.ComparisonOperator
        missing = cloudwatch.TreatMissingData
        percentile = "p95" in str(getattr(watch.metric, "statistic", ""))
        alarm = cloudwatch.Alarm(
            self,
            watch.name,
            metric=watch.metric,
            threshold=watch.at,
            evaluation_periods=watch.periods,
            comparison_operator=operator.LESS_THAN_THRESHOLD
            if watch.below
            else operator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=missing.BREACHING if watch.below else missing.NOT_BREACHING,
            evaluate_low_sample_count_percentile="ignore" if percentile else None,
            alarm_description=f"{watch.says} {RUNBOOKS}/{watch.runbook}.md",
        )
        alarm.add_alarm_action(cast(cloudwatch.IAlarmAction, actions.SnsAction(cast(sns.ITopic, self._topic))))


def _functions(stack: Stack) -> Iterator[lambda_.Function]:
    """Every function but those of custom resources, and CDK's framework of them, which report to the deployment."""
    for construct in stack.node.find_all():
        if isinstance(construct, lambda_.Function):
            beside = construct.node.scope.node.children if construct.node.scope else ()
            if not any(isinstance(one, custom_resources.Provider) for one in (*construct.node.scopes, *beside)):
                yield construct


def _short(construct: Construct) -> str:
    """`IngestionParseFunction`: where it stands in the stack."""
    return construct.node.path.split("/", 1)[1].replace("/", "").replace(" ", "")


def _of_executions(ingestion: IngestionPipeline) -> Iterator[Watch]:
    machine = ingestion.machine
    ends = {
        "Failed": machine.metric_failed,
        "TimedOut": machine.metric_timed_out,
        "Aborted": machine.metric_aborted,
    }
    for how, metric in ends.items():
        says = f"An ingestion ended as {how}: a document of somebody is not there."
        yield Watch(f"Executions{how}", metric(period=FIVE_MINUTES), 1, says, "failed-executions")


def _of_queue(queue: sqs.Queue) -> Iterator[Watch]:
    """A dead-letter queue rings with its first message, another one when messages wait too long."""
    if queue.dead_letter_queue is None:
        metric = queue.metric_approximate_number_of_messages_visible(period=FIVE_MINUTES, statistic="Maximum")
        says = f"An event lies in {_short(queue)}: nobody took it."
        yield Watch(f"{_short(queue)}Letters", metric, 1, says, "dead-letters")
    else:
        metric = queue.metric_approximate_age_of_oldest_message(period=FIVE_MINUTES, statistic="Maximum")
        says = f"The oldest message in {_short(queue)} waits for {_WAITED.to_minutes():.0f} minutes or longer."
        yield Watch(f"{_short(queue)}Age", metric, _WAITED.to_seconds(), says, "dead-letters")


def _of_api(api: Api) -> Iterator[Watch]:
    slow = api.http.metric_latency(period=FIVE_MINUTES, statistic="p95")
    says = f"For a quarter of an hour, one request in twenty took {SLOW_MS / 1000:.0f} seconds or longer."
    yield Watch("ApiSlow", slow, SLOW_MS, says, "failing-api", periods=3)
    failing = api.http.metric_server_error(period=FIVE_MINUTES)
    yield Watch("ApiFailing", failing, FAILING_REQUESTS, "Requests are answered with 5xx.", "failing-api", periods=2)
    failing = api.streams.metric_server_error(period=FIVE_MINUTES)
    says = "Requests for streamed answers are answered with 5xx."
    yield Watch("StreamsFailing", failing, FAILING_REQUESTS, says, "failing-api", periods=2)


def _of_function(function: lambda_.Function, *, passing: bool) -> Iterator[Watch]:
    """Errors of a stage pass, for the state machine tries again: they ring when they go on for a quarter of an hour."""
    name, periods = _short(function), 3 if passing else 1
    errors = function.metric_errors(period=FIVE_MINUTES)
    yield Watch(f"{name}Errors", errors, 1, f"{name} fails.", "function-errors", periods=periods)
    throttles = function.metric_throttles(period=FIVE_MINUTES)
    yield Watch(f"{name}Throttles", throttles, 1, f"Lambda refuses to start {name}.", "throttles", periods=3)


def _of_database(database: AuroraDatabase, tier: Tier) -> Iterator[Watch]:
    used = database.cluster.metric("ACUUtilization", period=FIVE_MINUTES, statistic="Average")
    says = f"The database has worked at {NEAR:.0%} or more of its largest capacity for a quarter of an hour."
    yield Watch("DatabaseCapacity", used, 100 * NEAR, says, "database-limits", periods=3)
    most = min(tier.max_capacity * 2 * 2**30 / _BYTES_A_CONNECTION, _MOST_CONNECTIONS)
    open_ = database.cluster.metric_database_connections(period=FIVE_MINUTES, statistic="Maximum")
    says = f"{NEAR:.0%} of the connections that the database takes are open."
    yield Watch("DatabaseConnections", open_, round(NEAR * most), says, "database-limits")


def _of_cost(spent: cloudwatch.Metric, budget: float) -> Watch:
    return Watch("ModelCost", spent, budget, f"Models cost {budget:g} dollars or more in a day.", "model-cost")


def _of_maintenance(maintenance: MaintenanceSchedule) -> Watch:
    """Two days, since a daily run may begin a little later than the day before."""
    runs = maintenance.function.metric_invocations(period=Duration.days(1))
    says = "No maintenance has run for two days."
    return Watch("MaintenanceMissing", runs, 1, says, "maintenance", periods=2, below=True)
