import copy
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from functions.cli.main import call
from shared.contract import STAGES
from stacks.assets import ROOT
from stacks.estimate import figures
from stacks.estimate.figures import load_measured, load_prices
from stacks.estimate.pages import page_lines
from stacks.estimate.report import Estimate, estimate_template
from stacks.specification import DeploymentError, load_specification
from tests.stacks.template import Template

pytestmark = pytest.mark.aws

MOST_USD = 50
REGIONS = ("us-east-1", "eu-central-1")
TABLE: dict[str, Any] = tomllib.loads(figures.PRICES.read_text(encoding="utf-8"))


def estimated(template: Template, region: str, more: dict[str, Any] | None = None) -> Estimate:
    """Of tier 2, with resources added."""
    body = copy.deepcopy(template.body)
    body["Resources"] |= more or {}
    return estimate_template(load_specification("tenant-acme"), body, region)


def a(type_: str, **properties: Any) -> dict[str, Any]:
    return {"Added": {"Type": type_, "Properties": properties}}


@pytest.mark.parametrize("region", REGIONS)
def test_tier_2_stands_idle_for_fifty_dollars_a_month_at_most(dedicated: Template, region: str) -> None:
    assert 0 < estimated(dedicated, region).idle_usd <= MOST_USD


def test_what_deploy_md_says_of_it_is_the_estimate(dedicated: Template) -> None:
    sums = " | ".join(f"**{estimated(dedicated, region).idle_usd:.2f}**" for region in REGIONS)
    written = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    assert f"| **tier 2 together** | {sums} |" in written, "autri ops estimate -c deployment=tenant-acme --region …"


@pytest.mark.parametrize(
    "more",
    [
        a("AWS::EC2::NatGateway"),
        a("AWS::Events::Rule", ScheduleExpression="rate(15 minutes)"),
        a("AWS::EC2::VPCEndpoint", VpcEndpointType="Interface", SubnetIds=["one"]),
    ],
)
def test_what_is_dear_while_idle_is_more_than_that(dedicated: Template, more: dict[str, Any]) -> None:
    assert max(estimated(dedicated, region, more).idle_usd for region in REGIONS) > MOST_USD


def test_an_alarm_costs_as_many_metrics_as_its_expression_reads(dedicated: Template) -> None:
    before = estimated(dedicated, "us-east-1").idle_usd
    metrics = [{"MetricStat": {}}, {"MetricStat": {}}, {"Expression": "m1 + m2"}]
    assert estimated(dedicated, "us-east-1", a("AWS::CloudWatch::Alarm")).idle_usd == pytest.approx(before + 0.1)
    two = estimated(dedicated, "us-east-1", a("AWS::CloudWatch::Alarm", Metrics=metrics))
    assert two.idle_usd == pytest.approx(before + 0.2)


def test_a_type_without_a_rule_is_an_error_that_names_it_and_where_to_say_its_price(dedicated: Template) -> None:
    with pytest.raises(DeploymentError, match=r"AWS::MSK::Cluster.*stacks/estimate/idle\.py"):
        estimated(dedicated, "us-east-1", a("AWS::MSK::Cluster"))


@pytest.mark.parametrize(
    "more",
    [a("AWS::RDS::DBInstance", DBInstanceClass="db.r8g.large"), a("AWS::Events::Rule", ScheduleExpression="cron(x)")],
)
def test_what_cannot_be_priced_is_an_error(dedicated: Template, more: dict[str, Any]) -> None:
    with pytest.raises(DeploymentError):
        estimated(dedicated, "us-east-1", more)


def test_every_deployment_has_an_estimate(shared: Template, customer: Template, everything: Template) -> None:
    here = Path(__file__).parent
    two_zones = estimate_template(load_specification("shared"), shared.body)
    one_zone = estimate_template(load_specification("customer-acme"), customer.body)
    no_ocr = estimate_template(load_specification("everything", here), everything.body)
    assert two_zones.idle_usd > one_zone.idle_usd > 0
    assert no_ocr.idle_usd < two_zones.idle_usd
    assert "Textract" in two_zones.as_text()
    assert "Textract" not in no_ocr.as_text()


def test_a_region_without_prices_names_those_that_have_some(dedicated: Template) -> None:
    with pytest.raises(DeploymentError, match=r"no prices for ap-south-1.*eu-central-1, eu-west-1, us-east-1"):
        estimated(dedicated, "ap-south-1")


@pytest.mark.parametrize("region", TABLE["regions"])
def test_every_price_has_a_source_and_every_region_every_price(region: str) -> None:
    assert load_prices(region).values.keys() == TABLE["sources"].keys()
    assert all(value > 0 for value in load_prices(region).values.values())
    assert all(url.startswith("https://aws.amazon.com/") for url in TABLE["sources"].values())


def test_every_stage_of_the_contract_was_measured() -> None:
    assert [*load_measured()["stages"]] == [stage.name for stage in STAGES]


def test_pages_pay_for_the_memory_and_the_steps_of_the_template(dedicated: Template) -> None:
    specification, prices = load_specification("tenant-acme"), load_prices("us-east-1")

    def amounts(resources: dict[str, Any]) -> dict[str, float]:
        return {line.what: line.amount for line in page_lines(resources, prices, specification)}

    before, larger = amounts(dedicated.resources), copy.deepcopy(dedicated.resources)
    for resource in larger.values():
        if "MemorySize" in resource.get("Properties", {}):
            resource["Properties"]["MemorySize"] *= 2
        if resource["Type"] == "AWS::StepFunctions::StateMachine":
            resource["Properties"]["DefinitionString"] = {"Fn::Join": ["", [json.dumps(SMALL)]]}
    after, stages = amounts(larger), load_measured()["stages"]
    assert after["functions"] == pytest.approx(2 * before["functions"])
    assert after["state machine"] == pytest.approx(
        1000 * (3 * stages["register"]["calls"] + 2 * stages["render"]["calls"])
    )


# Three states a document, two of them a choice and its map; two a shard.
SMALL: dict[str, Any] = {
    "StartAt": "which",
    "States": {
        "which": {"Type": "Choice", "Choices": [{"Next": "map"}], "Default": "end"},
        "map": {
            "Type": "Map",
            "Next": "end",
            "ItemProcessor": {
                "StartAt": "one",
                "States": {"one": {"Type": "Task", "Next": "two"}, "two": {"Type": "Pass", "End": True}},
            },
        },
        "end": {"Type": "Succeed"},
    },
}


def test_the_command_says_what_the_template_says(dedicated: Template, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["ops", "estimate", "-c", "deployment=tenant-acme", "--region", "us-east-1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    expected = estimated(dedicated, "us-east-1")
    assert said == json.loads(json.dumps(expected.as_json()))
    assert (said["region"], said["idle_usd"]) == ("us-east-1", round(expected.idle_usd, 2))


@pytest.mark.parametrize("context", ["deployment=nobody", "tenant-acme", "stage=x"])
def test_the_command_refuses_what_names_no_deployment(context: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(["ops", "estimate", "-c", context]) != 0
    assert "deployment" in capsys.readouterr().err
