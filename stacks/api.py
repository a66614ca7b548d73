"""The HTTP API: a JWT authorizer in front of the FastAPI application. No route is open."""

import json
from typing import cast

from aws_cdk import CfnOutput, RemovalPolicy
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_certificatemanager as certificates
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from shared.contract import INCOMING_PREFIX, SOURCES_PREFIX, STORED_PREFIXES, WORK_PREFIX, Env
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.identity import CognitoIdentity
from stacks.ingestion import IngestionPipeline, allow_embedding, allow_model
from stacks.specification import Specification
from stacks.storage import Storage, explain_objects

# HTTP API times out after 30 s, so the function does just before.
TIMEOUT_S = 29
MEMORY_MB = 1769  # one whole virtual CPU
# The access log: caller, route and duration; no query strings, which may contain what a person wrote.
ACCESS_LOG_FIELDS = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "ip": "$context.identity.sourceIp",
    "subject": "$context.authorizer.claims.sub",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "bytes": "$context.responseLength",
    "latencyMs": "$context.responseLatency",
    "error": "$context.error.message",
}


class Api(Construct):
    """`/v1/…` for holders of a token of this deployment's pool and client."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        factory: FunctionFactory,
        storage: Storage,
        identity: CognitoIdentity,
        ingestion: IngestionPipeline,
        specification: Specification,
    ) -> None:
        super().__init__(scope, id_)
        self.function = self._function(factory, storage, ingestion)
        self.http = self._http(identity, specification)
        self._stage(specification)
        # With a custom domain name, the API's default address is disabled.
        named = specification.file.certificate_arn is not None
        CfnOutput(self, "Url", value=f"https://{specification.file.host}" if named else self.http.api_endpoint)

    def _function(self, factory: FunctionFactory, storage: Storage, ingestion: IngestionPipeline) -> lambda_.Function:
        layers = ("core", "vectors", "documents", "web")
        environment = {Env.STATE_MACHINE_ARN: ingestion.machine.state_machine_arn}
        function = factory.create(
            self,
            "Function",
            FunctionSettings(
                "api.handler", layers, TIMEOUT_S, MEMORY_MB, environment, reserved=factory.tier.api_concurrency
            ),
        )
        # It signs the upload tickets, which have its permissions: it may delete sources with their documents, but not
        # write them.
        storage.allow(function, read=(WORK_PREFIX,), write=(INCOMING_PREFIX, WORK_PREFIX))
        storage.allow_versions(function, (SOURCES_PREFIX,))
        storage.allow_listing(function)
        storage.allow_deleting(function, STORED_PREFIXES)
        storage.allow_passwords(function, "CreateSecret", "DeleteSecret")
        allow_embedding(function, factory.file)
        if factory.file.rerank is not None:
            allow_model(function, factory.file.rerank)
        ingestion.machine.grant_start_execution(function)
        explain_objects(function, storage, STORED_PREFIXES)
        return function

    def _http(self, identity: CognitoIdentity, specification: Specification) -> gateway.HttpApi:
        authorizer = authorizers.HttpJwtAuthorizer(
            "Tokens", identity.issuer, jwt_audience=[identity.client.user_pool_client_id]
        )
        http = gateway.HttpApi(
            self,
            "Http",
            api_name=specification.stack_name,
            create_default_stage=False,
            default_authorizer=authorizer,
            disable_execute_api_endpoint=specification.file.certificate_arn is not None,
        )
        http.add_routes(
            path="/v1/{proxy+}",
            methods=[gateway.HttpMethod.ANY],
            integration=integrations.HttpLambdaIntegration("Application", cast(lambda_.IFunction, self.function)),
        )
        return http

    def _stage(self, specification: Specification) -> None:
        tier = specification.tier
        log = logs.LogGroup(
            self, "AccessLog", retention=logs.RetentionDays.THREE_MONTHS, removal_policy=RemovalPolicy.DESTROY
        )
        stage = self.http.add_stage(
            "Live",
            stage_name="$default",
            auto_deploy=True,
            throttle=gateway.ThrottleSettings(rate_limit=tier.requests_per_second, burst_limit=tier.request_burst),
            domain_mapping=self._domain(specification),
        )
        raw = stage.node.default_child
        if not isinstance(raw, gateway.CfnStage):
            raise TypeError("The stage's own resource is missing")
        raw.access_log_settings = gateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=log.log_group_arn, format=json.dumps(ACCESS_LOG_FIELDS)
        )

    def _domain(self, specification: Specification) -> gateway.DomainMappingOptions | None:
        """The deployment's own host name, where the operator has a certificate for it."""
        arn = specification.file.certificate_arn
        if arn is None:
            return None
        certificate = certificates.Certificate.from_certificate_arn(self, "Certificate", arn)
        name = gateway.DomainName(
            self,
            "Host",
            domain_name=specification.file.host,
            certificate=certificate,
            security_policy=gateway.SecurityPolicy.TLS_1_2,
        )
        CfnOutput(self, "HostTarget", value=name.regional_domain_name, description="What the host's CNAME points at")
        return gateway.DomainMappingOptions(domain_name=name)
