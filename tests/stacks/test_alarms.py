import json
import re
from typing import Any

import pytest

from stacks.assets import ROOT
from tests.stacks.spelling import spell
from tests.stacks.template import Template

pytestmark = pytest.mark.aws
RUNBOOKS = "docs/runbooks"


@pytest.fixture(params=["shared", "dedicated", "customer", "everything"])
def template(request: pytest.FixtureRequest) -> Template:
    return request.getfixturevalue(request.param)


def alarms(template: Template) -> list[dict[str, Any]]:
    return [spell(alarm) for alarm in template.of_type("AWS::CloudWatch::Alarm").values()]


def watched(template: Template, metric: str, dimension: str) -> set[str]:
    """The resources whose metric has an alarm."""
    return {
        one["Value"]
        for alarm in alarms(template)
        if alarm["MetricName"] == metric
        for one in alarm["Dimensions"]
        if one["Name"] == dimension
    }


def named(template: Template, type_: str) -> set[str]:
    return {spell({"Ref": name}) for name in template.of_type(type_)}


# For what an operator does; `docs/deploy.md` names them.
BY_HAND = {f"{RUNBOOKS}/restore.md", f"{RUNBOOKS}/upgrade.md"}


def test_every_alarm_names_a_runbook_and_every_runbook_is_named_by_one(template: Template) -> None:
    pages = {f"{RUNBOOKS}/{page.name}" for page in (ROOT / RUNBOOKS).glob("*.md") if page.name != "README.md"}
    found = {re.findall(rf"{RUNBOOKS}/[a-z-]+\.md", alarm["AlarmDescription"])[0] for alarm in alarms(template)}
    assert found | BY_HAND == pages
    assert not found & BY_HAND
    deploying = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert all(f"]({page.removeprefix('docs/')})" in deploying for page in BY_HAND)
    index = (ROOT / RUNBOOKS / "README.md").read_text(encoding="utf-8")
    assert {f"{RUNBOOKS}/{page}" for page in re.findall(r"\]\(([a-z-]+\.md)\)", index)} == pages


def test_a_runbook_says_what_it_means_how_to_look_and_what_to_do() -> None:
    for page in (ROOT / RUNBOOKS).glob("*.md"):
        text = page.read_text(encoding="utf-8")
        if page.name != "README.md":
            assert [part in text for part in ("**What it means.**", "**Look.**", "**Do.**", "```\n")] == [True] * 4, (
                page
            )


def test_every_alarm_reaches_the_topic(template: Template) -> None:
    (topic,) = template.of_type("AWS::SNS::Topic")
    assert [alarm["AlarmActions"] for alarm in alarms(template)] == [[spell({"Ref": topic})]] * len(alarms(template))


def test_every_function_and_every_queue_is_watched(template: Template) -> None:
    functions = {name for name in named(template, "AWS::Lambda::Function") if "Providerframework" not in name}
    functions -= {"<MigrationsFunction>", "<StaticFunction>"}  # a deployment that calls them fails with them
    assert watched(template, "Errors", "FunctionName") == functions
    assert watched(template, "Throttles", "FunctionName") == functions
    queues = {f"<{name[1:-1]}.QueueName>" for name in named(template, "AWS::SQS::Queue")}
    messages = watched(template, "ApproximateNumberOfMessagesVisible", "QueueName")
    assert messages | watched(template, "ApproximateAgeOfOldestMessage", "QueueName") == queues


def test_the_metrics_that_ring_are_those_of_this_list(template: Template) -> None:
    found = {(alarm["Namespace"].split("/autri-")[0], alarm["MetricName"]) for alarm in alarms(template)}
    assert found >= {
        *(("AWS/States", f"Executions{how}") for how in ("Failed", "TimedOut", "Aborted")),
        *(("AWS/ApiGateway", "Latency"), ("AWS/ApiGateway", "5xx"), ("AWS/Lambda", "Invocations")),
        *(("AWS/RDS", "ACUUtilization"), ("AWS/RDS", "DatabaseConnections"), ("Autri", "ModelUsd")),
    }


def test_silence_is_an_alarm_for_maintenance_alone(template: Template) -> None:
    silent = {alarm["MetricName"]: alarm for alarm in alarms(template) if alarm["TreatMissingData"] == "breaching"}
    assert set(silent) == {"Invocations"}
    alarm = silent["Invocations"]
    assert (alarm["Period"], alarm["EvaluationPeriods"], alarm["ComparisonOperator"]) == (86400, 2, "LessThanThreshold")
    assert watched(template, "Invocations", "FunctionName") == {"<MaintenanceFunction>"}


def test_connections_ring_below_what_the_cluster_takes(shared: Template, dedicated: Template) -> None:
    """16 GiB over 9,531,392 bytes are 1,802 connections; a cluster that may pause takes 2,000 at most."""

    def at(template: Template) -> float:
        (alarm,) = (a for a in alarms(template) if a["MetricName"] == "DatabaseConnections")
        return alarm["Threshold"]

    assert (at(dedicated), at(shared)) == (1442, 1600)


def test_the_cost_of_models_is_read_from_the_logs_of_those_who_call_them(everything: Template) -> None:
    filters = filters_of(everything, "ModelUsd")
    assert {one["LogGroupName"] for one in filters} == {"<IngestionExtractFunctionLog>", "<IngestionEmbedFunctionLog>"}
    assert {one["FilterPattern"] for one in filters} == {"{ $.usd > 0 }"}
    (alarm,) = (a for a in alarms(everything) if a["MetricName"] == "ModelUsd")
    assert (alarm["Threshold"], alarm["Period"], alarm["Statistic"]) == (2.5, 86400, "Sum")
    (made,) = {json.dumps(t) for one in filters for t in one["MetricTransformations"]}
    assert json.loads(made) == {"MetricName": "ModelUsd", "MetricNamespace": alarm["Namespace"], "MetricValue": "$.usd"}


def test_an_organization_at_its_limit_rings_where_there_is_a_limit(everything: Template) -> None:
    filters = filters_of(everything, "BudgetSpent")
    logs = {
        "<ApiFunctionLog>",
        "<ApiLabLog>",
        "<ApiStreamLog>",
        "<IngestionRegisterFunctionLog>",
        "<IngestionExtractFunctionLog>",
    }
    assert {one["LogGroupName"] for one in filters} == logs
    assert {(one["FilterPattern"], t["MetricValue"]) for one in filters for t in one["MetricTransformations"]} == {
        ("{ $.limit_usd >= 0 }", "1")
    }
    (alarm,) = (a for a in alarms(everything) if a["MetricName"] == "BudgetSpent")
    assert (alarm["Threshold"], alarm["Period"], alarm["Statistic"]) == (1, 86400, "Sum")


def filters_of(template: Template, metric: str) -> list[dict[str, Any]]:
    found = [spell(one) for one in template.of_type("AWS::Logs::MetricFilter").values()]
    return [one for one in found if {t["MetricName"] for t in one["MetricTransformations"]} == {metric}]


def test_the_dashboard_bears_the_stacks_name_and_shows_every_function_and_queue(dedicated: Template) -> None:
    dashboard = spell(dedicated.only("AWS::CloudWatch::Dashboard"))
    assert dashboard["DashboardName"] == "autri-tenant-acme"
    for name in named(dedicated, "AWS::SQS::Queue") | {"<ApiFunction>", "<IngestionParseFunction>"}:
        assert name[1:-1] in dashboard["DashboardBody"]
