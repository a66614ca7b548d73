"""How a version comes into use: migrations, then its own check of itself, then the switch, all in one deployment.

Until the switch everything calls the version before, so a failure at any point leaves that one serving while
CloudFormation takes the rest back (docs/decisions/0038-upgrades.md).
"""

from collections.abc import Sequence
from typing import cast

from aws_cdk import CfnOutput, CustomResource, Duration
from aws_cdk import aws_lambda as lambda_
from constructs import Construct, IDependable

from stacks.api import STREAM_TIMEOUT_S, TIMEOUT_S, Api
from stacks.assets import build_code
from stacks.migrations import Migrations
from stacks.providers import make_provider


class Release(Construct):
    """The new versions of the three functions that serve people are called with a question about themselves. What they
    answer stops the deployment, or lets `switched` go on: the aliases and the state machine."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        api: Api,
        migrations: Migrations,
        files: Construct,
        switched: Sequence[Construct],
    ) -> None:
        super().__init__(scope, id_)
        asked = (
            (self, api.function, TIMEOUT_S),
            (Construct(self, "Streams"), api.stream_function, STREAM_TIMEOUT_S),
            (Construct(self, "Lab"), api.lab_function, STREAM_TIMEOUT_S),
        )
        for place, function, timeout_s in asked:
            checked = _check(place, function, timeout_s, migrations)
            checked.node.add_dependency(cast(IDependable, files))
            for construct in switched:
                construct.node.add_dependency(checked)
        CfnOutput(self, "Code", value=build_code().name, description="The version of the program")


def _check(scope: Construct, function: lambda_.Function, timeout_s: int, migrations: Migrations) -> CustomResource:
    version = function.current_version
    # It opens the database when it starts, which the migrations have to have prepared.
    version.node.add_dependency(migrations.resource)
    return CustomResource(
        scope,
        "Checked",
        resource_type="Custom::ReleaseCheck",
        # The framework's own start, and the function's limit.
        service_timeout=Duration.seconds(2 * timeout_s),
        service_token=make_provider(scope, function, version).service_token,
        properties={"version": version.function_arn, "schema": migrations.schema, "code": build_code().name},
    )
