"""What a template costs a month while nobody uses it, by resource. A type that is not known here is an error."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from stacks.estimate.figures import HOURS_A_MONTH, Amount, Prices, load_measured
from stacks.specification import DeploymentError

Properties = Mapping[str, Any]
Rule = Callable[[Prices, Properties], list[Amount]]

# Nothing is charged for these, however they are used.
FREE: Final = frozenset(
    {
        *(f"AWS::ApiGateway::{name}" for name in ("Authorizer", "Deployment", "Method", "Resource")),
        *("AWS::ApiGatewayV2::ApiMapping", "AWS::ApiGatewayV2::Authorizer", "AWS::ApiGatewayV2::DomainName"),
        *("AWS::ApiGatewayV2::Integration", "AWS::ApiGatewayV2::Route", "AWS::CDK::Metadata"),
        *("AWS::Cognito::ManagedLoginBranding", "AWS::Cognito::UserPoolClient", "AWS::Cognito::UserPoolDomain"),
        *(
            "AWS::Cognito::UserPoolIdentityProvider",
            "AWS::Cognito::UserPoolResourceServer",
            "AWS::Cognito::UserPoolUser",
        ),
        *("AWS::CloudFront::CachePolicy", "AWS::CloudFront::OriginAccessControl"),
        *("AWS::CloudFront::OriginRequestPolicy", "AWS::CloudFront::ResponseHeadersPolicy"),
        *("AWS::EC2::RouteTable", "AWS::EC2::SecurityGroup", "AWS::EC2::SecurityGroupEgress"),
        *("AWS::EC2::SecurityGroupIngress", "AWS::EC2::Subnet", "AWS::EC2::SubnetRouteTableAssociation"),
        *("AWS::EC2::VPC", "AWS::IAM::ManagedPolicy", "AWS::IAM::Policy", "AWS::IAM::Role", "AWS::KMS::Alias"),
        *("AWS::Lambda::EventInvokeConfig", "AWS::Lambda::LayerVersion", "AWS::Lambda::Permission"),
        *("AWS::Lambda::Alias", "AWS::Lambda::Version"),
        *("AWS::Logs::MetricFilter", "AWS::RDS::DBClusterParameterGroup", "AWS::RDS::DBSubnetGroup"),
        *("AWS::S3::BucketPolicy", "AWS::SNS::Subscription", "AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy"),
        *("AWS::SecretsManager::SecretTargetAttachment", "Custom::Migrations", "Custom::StaticFiles"),
        "Custom::ReleaseCheck",
        *("Custom::CrossRegionExportReader", "Custom::CrossRegionExportWriter"),
    }
)
# Charged by use alone: nothing while nobody comes and no document is worked on.
# Rules whose functions ask Step Functions or the bucket, and the database only where something has run or is due.
ASKS_FIRST: Final = ("IngestionAdmissionOften", "SendingOften")
BY_USE: Final = frozenset(
    {
        *("AWS::ApiGateway::RestApi", "AWS::ApiGateway::Stage"),
        *("AWS::ApiGatewayV2::Api", "AWS::ApiGatewayV2::Stage", "AWS::CloudFront::Distribution"),
        *("AWS::CloudFront::Function", "AWS::Cognito::UserPool", "AWS::DynamoDB::Table", "AWS::EC2::FlowLog"),
        "AWS::Lambda::Function",
        *("AWS::Logs::LogGroup", "AWS::S3::Bucket", "AWS::SNS::Topic", "AWS::SQS::Queue"),
        "AWS::StepFunctions::StateMachine",
    }
)
_RATE: Final = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_SECONDS: Final = {"minute": 60, "hour": 3600, "day": 86_400}


def idle_lines(resources: Mapping[str, Mapping[str, Any]], prices: Prices) -> list[Amount]:
    """The month's positions, dearest first, equal ones added up. Raises DeploymentError naming every type that has no
    rule."""
    unknown = sorted({r["Type"] for r in resources.values()} - FREE - BY_USE - RULES.keys())
    if unknown:
        raise DeploymentError(
            f"The template has resources of which nobody said what they cost: {', '.join(unknown)}. Say it in"
            " stacks/estimate/idle.py: a rule with a price, or a line in FREE or BY_USE."
        )
    sums: dict[tuple[str, str], tuple[float, float]] = {}
    lines = (
        line
        for resource in resources.values()
        if resource["Type"] in RULES
        for line in RULES[resource["Type"]](prices, resource.get("Properties", {}))
    )
    for line in (*lines, *_awake(resources, prices)):
        amount, usd = sums.get((line.what, line.unit), (0.0, 0.0))
        sums[line.what, line.unit] = amount + line.amount, usd + line.usd
    found = [Amount(what, amount, unit, usd) for (what, unit), (amount, usd) in sums.items()]
    return sorted(found, key=lambda line: (-line.usd, line.what))


def _endpoint(prices: Prices, endpoint: Properties) -> list[Amount]:
    if endpoint["VpcEndpointType"] == "Gateway":
        return []
    hours = HOURS_A_MONTH * len(endpoint["SubnetIds"])
    return [prices.line("interface endpoints", hours, "hours in a zone", "endpoint_hour")]


def _cluster(prices: Prices, cluster: Properties) -> list[Amount]:
    stored = load_measured()["assumed"]["database_gb"]
    always = cluster["ServerlessV2ScalingConfiguration"]["MinCapacity"] * HOURS_A_MONTH
    return [
        prices.line("database, stored", stored, "GB", "database_gb_month"),
        *([prices.line("database, never paused", always, "ACU hours", "acu_hour")] if always else []),
    ]


def _instance(_: Prices, instance: Properties) -> list[Amount]:
    if instance["DBInstanceClass"] != "db.serverless":
        raise DeploymentError(f"There is no price for a database instance of class {instance['DBInstanceClass']}.")
    return []


def _alarm(prices: Prices, alarm: Properties) -> list[Amount]:
    """Charged by metric: an expression over several counts each of them."""
    metrics = sum("MetricStat" in one for one in alarm.get("Metrics", ())) or 1
    return [prices.line("alarms", metrics, "metrics", "alarm_metric_month")]


def _firewall(prices: Prices, acl: Properties) -> list[Amount]:
    return [
        prices.line("firewall", 1, "lists", "firewall_month"),
        prices.line("firewall", len(acl.get("Rules", ())), "rules", "firewall_rule_month"),
    ]


def _polling(prices: Prices, _: Properties) -> list[Amount]:
    polls = load_measured()["assumed"]["polls_per_month"]
    return [prices.line("asking idle queues", polls, "requests", "queue_million", 1_000_000)]


def _monthly(what: str, unit: str, price: str, amount: float = 1) -> Rule:
    return lambda prices, _: [prices.line(what, amount, unit, price)]


def _nothing(_: Prices, __: Properties) -> list[Amount]:
    return []


RULES: Final[dict[str, Rule]] = {
    "AWS::EC2::VPCEndpoint": _endpoint,
    "AWS::EC2::NatGateway": _monthly("NAT gateways", "hours", "nat_hour", HOURS_A_MONTH),
    "AWS::EC2::EIP": _monthly("public addresses", "hours", "address_hour", HOURS_A_MONTH),
    "AWS::RDS::DBCluster": _cluster,
    "AWS::RDS::DBInstance": _instance,
    "AWS::KMS::Key": _monthly("keys", "keys", "key_month"),
    "AWS::SecretsManager::Secret": _monthly("secrets", "secrets", "secret_month"),
    "AWS::CloudWatch::Alarm": _alarm,
    "AWS::CloudWatch::Dashboard": _monthly("dashboards", "dashboards", "dashboard_month"),
    "AWS::WAFv2::WebACL": _firewall,
    "AWS::Lambda::EventSourceMapping": _polling,
    # What schedules cost is the database that they wake: `_awake`.
    "AWS::Events::Rule": _nothing,
    "AWS::Scheduler::Schedule": _nothing,
}


def _awake(resources: Mapping[str, Mapping[str, Any]], prices: Prices) -> list[Amount]:
    """The hours for which schedules keep the database from pausing: every waking lasts until the pause after it."""
    assumed = load_measured()["assumed"]
    properties = [r.get("Properties", {}) for r in resources.values()]
    pauses = [p["ServerlessV2ScalingConfiguration"] for p in properties if "ServerlessV2ScalingConfiguration" in p]
    waking = sum(assumed["maintenance_seconds"] + p.get("SecondsUntilAutoPause", 0) for p in pauses)
    scheduled = {n: r.get("Properties", {}).get("ScheduleExpression") for n, r in resources.items()}
    periods = [_period(every) for name, every in scheduled.items() if every and not name.startswith(ASKS_FIRST)]
    share = min(1.0, sum(waking / period for period in periods))
    if not share:
        return []
    hours = share * HOURS_A_MONTH * assumed["awake_acu"]
    return [prices.line("database, woken by schedules", hours, "ACU hours", "acu_hour")]


def _period(expression: str) -> int:
    """Seconds between two runs."""
    matched = _RATE.fullmatch(expression)
    if matched is None:
        raise DeploymentError(f"How often is {expression!r}? The estimate reads schedules like rate(1 day).")
    return int(matched[1]) * _SECONDS[matched[2]]
