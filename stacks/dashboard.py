"""The dashboard: what an operator looks at first, a row per question."""

from collections.abc import Sequence
from typing import cast

from aws_cdk import Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from stacks.api import Api
from stacks.database import AuroraDatabase
from stacks.ingestion import IngestionPipeline

_PERIOD = Duration.minutes(5)


def add_dashboard(
    scope: Construct,
    *,
    api: Api,
    database: AuroraDatabase,
    ingestion: IngestionPipeline,
    functions: Sequence[lambda_.Function],
    queues: Sequence[sqs.Queue],
    spent: cloudwatch.Metric,
) -> None:
    """Named after the stack."""
    machine, http, cluster = ingestion.machine, api.http, database.cluster
    rows = [
        [
            _graph("Requests", [http.metric_count(period=_PERIOD), api.streams.metric_count(period=_PERIOD)]),
            _graph("Latency, ms", [http.metric_latency(period=_PERIOD, statistic=s) for s in ("p50", "p95", "p99")]),
            _graph(
                "Refused and failed",
                [http.metric_client_error(period=_PERIOD), http.metric_server_error(period=_PERIOD)],
            ),
        ],
        [
            _graph(
                "Ingestions",
                [
                    machine.metric_started(period=_PERIOD),
                    machine.metric_succeeded(period=_PERIOD),
                    machine.metric_failed(period=_PERIOD),
                ],
            ),
            _graph("Messages", [q.metric_approximate_number_of_messages_visible(period=_PERIOD) for q in queues]),
            _graph("Dollars for models, a day", [spent]),
        ],
        [
            _graph("Capacity units", [cluster.metric("ServerlessDatabaseCapacity", period=_PERIOD)]),
            _graph("Connections", [cluster.metric_database_connections(period=_PERIOD)]),
            _graph("Errors", [f.metric_errors(period=_PERIOD) for f in functions]),
        ],
    ]
    cloudwatch.Dashboard(
        scope,
        "Dashboard",
        dashboard_name=Stack.of(scope).stack_name,
        widgets=[[cast(cloudwatch.IWidget, graph) for graph in row] for row in rows],
    )


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric]) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=8)
