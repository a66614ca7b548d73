"""What people open: CloudFront before the HTTP API, under the deployment's own name or the distribution's."""

from typing import cast

from aws_cdk import CfnOutput, Duration, Stack
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_certificatemanager as certificates
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.specification import Specification
from stacks.static_files import static_bucket
from stacks.suppressions import acknowledge

# API Gateway answers or gives up after 30 s.
ORIGIN_TIMEOUT_S = 30
STATIC_PATH = "/static/*"


class FrontDoor(Construct):
    """The HTTP API, still without routes, and the distribution before it.

    Made before everything that has to know its address: the login's callbacks, the bucket's CORS, the functions.
    `firewall` is the ARN of a list of rules, None for none.
    """

    def __init__(self, scope: Construct, id_: str, *, specification: Specification, firewall: str | None) -> None:
        super().__init__(scope, id_)
        file = specification.file
        self._firewall = firewall
        self.static_files = static_bucket(self)
        self.http = gateway.HttpApi(self, "Http", api_name=specification.stack_name, create_default_stage=False)
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
                )
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
