"""What people open: CloudFront before the HTTP API, and before a REST API that sends answers while they are made.

It has the deployment's own name or the distribution's."""

import re
from pathlib import Path
from typing import cast

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_apigateway as rest
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_certificatemanager as certificates
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from shared.contract import LAB_PATHS, MCP_PATH, STREAMED_PATHS
from stacks.specification import Specification
from stacks.static_files import static_bucket
from stacks.suppressions import acknowledge

# API Gateway answers or gives up after 30 s.
ORIGIN_TIMEOUT_S = 30
STATIC_PATH = "/static/*"
# Of an answer that is sent while it is made: so long without a byte, and events come every ten seconds at least.
STREAM_SILENCE_S = 60
STREAM_STAGE = "live"
_PARAMETER = re.compile(r"\{[^}]+\}")
# REST APIs give this header another name, and assistants look for their way in by its own.
RENAME_CHALLENGE = Path(__file__).with_name("rename_challenge.js")


class FrontDoor(Construct):
    """The two APIs, still without routes, and the distribution before them.

    Made before everything that has to know its address: the login's callbacks, the bucket's CORS, the functions.
    `firewall` is the ARN of a list of rules, None for none.
    """

    def __init__(self, scope: Construct, id_: str, *, specification: Specification, firewall: str | None) -> None:
        super().__init__(scope, id_)
        file = specification.file
        self._firewall = firewall
        self.static_files = static_bucket(self)
        self.http = gateway.HttpApi(self, "Http", api_name=specification.stack_name, create_default_stage=False)
        self.streams = self._streams(specification)
        self.distribution = self._distribution(specification)
        named = file.certificate_arn is not None
        self.host = file.host if named else self.distribution.distribution_domain_name
        CfnOutput(self, "Url", value=self.origin, description="Open this in a browser")
        if named:
            target = self.distribution.distribution_domain_name
            CfnOutput(self, "DnsTarget", value=target, description=f"What the CNAME of {file.host} points at")

    @property
    def origin(self) -> str:
        """Scheme and host of every page."""
        return f"https://{self.host}"

    def _streams(self, specification: Specification) -> rest.RestApi:
        """API Gateway streams behind REST APIs alone (docs/decisions/0109-answers-that-stream-on-aws.md)."""
        tier = specification.tier
        return rest.RestApi(
            self,
            "Streams",
            rest_api_name=f"{specification.stack_name}-streams",
            endpoint_types=[rest.EndpointType.REGIONAL],
            cloud_watch_role=False,
            deploy_options=rest.StageOptions(
                stage_name=STREAM_STAGE,
                tracing_enabled=True,
                throttling_rate_limit=tier.requests_per_second,
                throttling_burst_limit=tier.request_burst,
            ),
        )

    def _streamed(self, specification: Specification) -> dict[str, cloudfront.BehaviorOptions]:
        """What CloudFront sends to the REST API."""
        stack = Stack.of(self)
        origin = origins.HttpOrigin(
            f"{self.streams.rest_api_id}.execute-api.{stack.region}.{stack.url_suffix}",
            origin_path=f"/{STREAM_STAGE}",
            protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
            origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
            read_timeout=Duration.seconds(STREAM_SILENCE_S),
        )
        challenge = cloudfront.FunctionAssociation(
            function=cloudfront.Function(
                self,
                "Challenge",
                function_name=f"{specification.stack_name}-challenge",
                comment="Gives the header back that tells assistants their way in",
                code=cloudfront.FunctionCode.from_inline(RENAME_CHALLENGE.read_text(encoding="utf-8")),
                runtime=cloudfront.FunctionRuntime.JS_2_0,
            ),
            event_type=cloudfront.FunctionEventType.VIEWER_RESPONSE,
        )
        return {
            _PARAMETER.sub("*", path): cloudfront.BehaviorOptions(
                origin=origin,
                allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
                cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
                origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
                function_associations=[challenge] if path == MCP_PATH else None,
            )
            for path in (*STREAMED_PATHS, *LAB_PATHS)
        }

    def _distribution(self, specification: Specification) -> cloudfront.Distribution:
        """Nothing of a tenant is cached. Static files are, for ever: their address changes with their content."""
        file = specification.file
        stack = Stack.of(self)
        api = origins.HttpOrigin(
            f"{self.http.api_id}.execute-api.{stack.region}.{stack.url_suffix}",
            protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
            origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
            read_timeout=Duration.seconds(ORIGIN_TIMEOUT_S),
        )
        arn = file.certificate_arn
        distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=specification.stack_name,
            default_behavior=cloudfront.BehaviorOptions(
                origin=api,
                allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
                cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
                origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            ),
            additional_behaviors={
                STATIC_PATH: cloudfront.BehaviorOptions(
                    origin=origins.S3BucketOrigin.with_origin_access_control(cast(s3.IBucket, self.static_files)),
                    cache_policy=cloudfront.CachePolicy.CACHING_OPTIMIZED,
                    response_headers_policy=cloudfront.ResponseHeadersPolicy.SECURITY_HEADERS,
                    viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
                    compress=True,
                ),
                **self._streamed(specification),
            },
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
            minimum_protocol_version=cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
            domain_names=[file.host] if arn else None,
            certificate=certificates.Certificate.from_certificate_arn(self, "Certificate", arn) if arn else None,
            web_acl_id=self._firewall,
        )
        _explain(distribution, specification, self._firewall)
        return distribution


def _explain(distribution: cloudfront.Distribution, specification: Specification, firewall: str | None) -> None:
    acknowledge(distribution, "Who may read is decided by signing in, not by country.", "AwsSolutions-CFR1")
    acknowledge(distribution, "API Gateway logs every request, those for static files apart.", "AwsSolutions-CFR3")
    if firewall is None:
        acknowledge(distribution, "The deployment file asks for none (`waf`, `web_acl_arn`).", "AwsSolutions-CFR2")
    if specification.file.certificate_arn is None:
        acknowledge(distribution, "The distribution's own name has CloudFront's certificate.", "AwsSolutions-CFR4")
