"""Functions that CloudFormation calls while it deploys."""

from typing import cast

from aws_cdk import RemovalPolicy, custom_resources
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from stacks.suppressions import acknowledge, logical_id


def make_provider(
    scope: Construct, function: lambda_.Function, version: lambda_.Version | None = None
) -> custom_resources.Provider:
    """Has `function`, or this version of it, called for a custom resource; explains what CDK's framework does by
    itself."""
    provider = custom_resources.Provider(
        scope,
        "Provider",
        on_event_handler=cast(lambda_.IFunction, version or function),
        log_group=logs.LogGroup(
            scope, "ProviderLog", retention=logs.RetentionDays.ONE_MONTH, removal_policy=RemovalPolicy.DESTROY
        ),
    )
    acknowledge(
        provider,
        "The function behind this provider, at any of its versions.",
        f"AwsSolutions-IAM5[Resource::<{logical_id(function)}.Arn>:*]",
    )
    acknowledge(
        provider,
        "The framework function of AWS CDK: its code, role and runtime are CDK's.",
        "AwsSolutions-L1",
        "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]",
    )
    return provider
