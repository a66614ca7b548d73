"""The pages' static files: a bucket of their own, filled at every deployment, read by CloudFront alone."""

from aws_cdk import CustomResource, Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from shared.contract import Env
from stacks.assets import build_code
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.providers import make_provider
from stacks.suppressions import acknowledge, logical_id

TIMEOUT_S = 60
MEMORY_MB = 256


def static_bucket(scope: Construct) -> s3.Bucket:
    """They are in every copy of this program, so nothing in it is anybody's."""
    bucket = s3.Bucket(
        scope,
        "StaticFiles",
        encryption=s3.BucketEncryption.S3_MANAGED,
        block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
        enforce_ssl=True,
        removal_policy=RemovalPolicy.RETAIN,
    )
    acknowledge(bucket, "Public files of the program; who fetched which of them says nothing.", "AwsSolutions-S1")
    return bucket


class StaticFiles(Construct):
    """Puts the version's files into the bucket before anything else of the version is served."""

    def __init__(self, scope: Construct, id_: str, *, factory: FunctionFactory, bucket: s3.Bucket) -> None:
        super().__init__(scope, id_)
        environment = {Env.STATIC_BUCKET: bucket.bucket_name}
        settings = FunctionSettings("publish_static", (), TIMEOUT_S, MEMORY_MB, environment, outside=True)
        function = factory.create(self, "Function", settings)
        resources = [bucket.arn_for_objects("static/*")]
        function.add_to_role_policy(iam.PolicyStatement(actions=["s3:PutObject"], resources=resources))
        provider = make_provider(self, function)
        self.resource = CustomResource(
            self,
            "Published",
            resource_type="Custom::StaticFiles",
            service_timeout=Duration.seconds(TIMEOUT_S),
            service_token=provider.service_token,
            properties={"code": build_code().name},
        )
        acknowledge(
            function,
            "Files of any version, and nothing but the version's own.",
            f"AwsSolutions-IAM5[Resource::<{logical_id(bucket)}.Arn>/static/*]",
        )
