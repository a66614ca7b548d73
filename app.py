"""The CDK application: `cdk deploy -c deployment=NAME --all`, or `python app.py [NAME]` to synthesize alone.

Reads one file of `deployments/`, or of the folder that AUTRI_DEPLOYMENTS names; asks neither AWS nor git, and needs no
Docker.
"""

import os
import sys
from typing import Final

# Node's support calendar is the operator's business; jsii prints it before every synthesis.
os.environ.setdefault("JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION", "18,20")

import aws_cdk as cdk
import cdk_nag
from aws_cdk import aws_iam as iam

from stacks.deployment import Deployment
from stacks.firewall import EdgeStack, needs_edge
from stacks.specification import DeploymentError, deployments_folder, load_specification

DEFAULT_DEPLOYMENT: Final = "shared"
# Feature flags are set here and not in cdk.json, so that both ways to synthesize give the same templates.
FLAGS: Final = {
    "@aws-cdk/aws-iam:minimizePolicies": True,
    "@aws-cdk/core:checkSecretUsage": True,
    "@aws-cdk/aws-s3:serverAccessLogsUseBucketPolicy": True,
    "@aws-cdk/aws-lambda:recognizeLayerVersion": True,
    "@aws-cdk/aws-ec2:restrictDefaultSecurityGroup": False,
}


def build_app(name: str | None = None, outdir: str | None = None) -> cdk.App:
    """The application for deployment `name` (else the context's, else `shared`), checked by cdk-nag on synthesis."""
    app = cdk.App(outdir=outdir, analytics_reporting=False, context=dict(FLAGS))
    chosen = name or app.node.try_get_context("deployment") or DEFAULT_DEPLOYMENT
    specification = load_specification(str(chosen), deployments_folder())
    edge = EdgeStack(app, specification) if needs_edge(specification) else None
    deployment = Deployment(app, specification, edge)
    if specification.file.permissions_boundary is not None:
        for stack in filter(None, (deployment, edge)):
            bound_roles(stack, specification.file.permissions_boundary)
        # What carries outputs to another region is made while the CDK synthesizes, with roles that only a further
        # synthesis bounds.
        app.synth()
    cdk.Validations.of(app).add_plugins(cdk_nag.AwsSolutionsChecks(app, write_suppressions_to_cloud_formation=True))
    return app


def bound_roles(scope: cdk.Stack, arn: str) -> None:
    """Every role below `scope`, those that the CDK adds included, has the policy `arn` as its permissions boundary."""
    iam.PermissionsBoundary.of(scope).apply(iam.ManagedPolicy.from_managed_policy_arn(scope, "Boundary", arn))


def main(arguments: list[str]) -> None:
    """Synthesize; under the CDK command line into its folder, otherwise into `cdk.out/NAME`."""
    name = arguments[0] if arguments else None
    outdir = None if os.environ.get("CDK_OUTDIR") else f"cdk.out/{name or DEFAULT_DEPLOYMENT}"
    try:
        build_app(name, outdir).synth(force=True)
    except DeploymentError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
