"""The routes of the HTTP API: the application behind the authorizer, and the sign-in."""

import json
from typing import cast

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigateway as rest
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from shared.contract import (
    DIGESTING_PREFIX,
    ERASING_PREFIX,
    FETCHED_PREFIX,
    FETCHING_PREFIX,
    IMPORTS_PREFIX,
    INCOMING_PREFIX,
    LAB_PATHS,
    OUTBOX_PREFIX,
    REQUESTS_PREFIX,
    SOURCES_PREFIX,
    STORED_PREFIXES,
    STREAMED_PATHS,
    TRANSFER_PREFIXES,
    WAKE_PREFIX,
    WORK_PREFIX,
    Env,
)
from stacks.front_door import FrontDoor
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.ingestion import CALL, CALL_STREAMED, IngestionPipeline, allow_embedding, allow_model
from stacks.sending import Sending
from stacks.specification import Specification
from stacks.storage import Storage, explain_objects
from stacks.suppressions import acknowledge
from stacks.web_sign_in import WebSignIn

SIGN_IN_ROUTES = {
    "/auth/login": gateway.HttpMethod.GET,
    "/auth/callback": gateway.HttpMethod.GET,
    "/auth/configuration": gateway.HttpMethod.GET,
    "/auth/logout": gateway.HttpMethod.POST,
}
# What a browser asks first for pages of other origins; the application answers by the list in the deployment file.
PREFLIGHT_PATHS = ("/v1/{proxy+}", "/mcp")
# HTTP API times out after 30 s, so the function does just before.
TIMEOUT_S = 29
# A streamed answer: what a model may take for it, then retrieval, a start, and the word that it broke off.
STREAM_ANSWER_S = 120
# What is sent in one piece: CloudFront waits 60 s for the first byte, and a follow-up is reworded before.
SILENT_ANSWER_S = 40
STREAM_TIMEOUT_S = 150
# Before that it gives up waiting for a web page.
FETCH_WAIT_S = 24
STREAM_START = "functions/api/stream_start"
MEMORY_MB = 1769  # one whole virtual CPU
# DuckDB may have 768 MB, its columns stand beside it, and what draws plots is an engine of JavaScript.
LAB_MEMORY_MB = 2560
# The access log: caller, route and duration; no query strings, which may contain what a person wrote.
ACCESS_LOG_FIELDS = {
    "requestId": "$context.requestId",
    "time": "$context.requestTime",
    "ip": "$context.identity.sourceIp",
    "subject": "$context.authorizer.sub",
    "method": "$context.httpMethod",
    "path": "$context.path",
    "status": "$context.status",
    "bytes": "$context.responseLength",
    "latencyMs": "$context.responseLatency",
    "error": "$context.error.message",
}


class Api(Construct):
    """Pages and `/v1` by the application, `/auth/…` by the sign-in; and by the application too, in functions of their
    own, what is streamed, and what computes with datasets and draws plots."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        factory: FunctionFactory,
        storage: Storage,
        front: FrontDoor,
        sign_in: WebSignIn,
        ingestion: IngestionPipeline,
        sending: Sending,
        specification: Specification,
    ) -> None:
        super().__init__(scope, id_)
        self.http = front.http
        self.function = self._function(factory, storage, ingestion, sending, front.origin)
        self._live = factory.serve(self.function)
        self.streams = front.streams
        self.stream_function = self._stream_function(factory, storage, front.origin)
        self.lab_function = self._lab_function(factory, storage, front.origin)
        self.functions = (self.function, self.stream_function, self.lab_function)
        self._add_routes(sign_in, specification)
        self._add_streams(factory, sign_in)
        self._stage(specification)

    def _function(
        self,
        factory: FunctionFactory,
        storage: Storage,
        ingestion: IngestionPipeline,
        sending: Sending,
        origin: str,
    ) -> lambda_.Function:
        layers = ("core", "vectors", "documents", "signin", "web")
        environment = {
            Env.STATE_MACHINE_ARN: ingestion.machine_arn,
            Env.PUBLIC_ORIGIN: origin,
            Env.SELF_SIGN_UP: str(factory.file.self_sign_up).lower(),
            Env.FETCH_WAIT_S: str(FETCH_WAIT_S),
            **_cors(factory),
            Env.WEBHOOKS_KEY_ARN: sending.key_arn,
        }
        function = factory.create(
            self,
            "Function",
            FunctionSettings(
                "api.handler", layers, TIMEOUT_S, MEMORY_MB, environment, reserved=factory.tier.api_concurrency
            ),
        )
        # It signs the upload tickets, which have its permissions but for one, and name one key below `incoming/` each.
        # Sources of notes it writes itself: who posts them waits (docs/decisions/0063-notes-and-records.md).
        written = (
            INCOMING_PREFIX,
            WORK_PREFIX,
            OUTBOX_PREFIX,
            REQUESTS_PREFIX,
            IMPORTS_PREFIX,
            ERASING_PREFIX,
            FETCHING_PREFIX,
            FETCHED_PREFIX,
            WAKE_PREFIX,
            DIGESTING_PREFIX,
        )
        read = (SOURCES_PREFIX, WORK_PREFIX, *TRANSFER_PREFIXES, FETCHED_PREFIX)
        storage.allow(function, read=read, write=written)
        storage.allow_own_writing(function, (SOURCES_PREFIX,))
        storage.allow_versions(function, (SOURCES_PREFIX,))
        storage.allow_listing(function)
        storage.allow_deleting(function, STORED_PREFIXES)
        storage.allow_passwords(function, "CreateSecret", "DeleteSecret")
        sending.allow_key(function)
        _allow_models(function, factory)
        # By its name: the machine waits for the check of this function's new version.
        # An operator's health check asks whether it answers.
        run = iam.PolicyStatement(
            actions=["states:StartExecution", "states:ListExecutions"], resources=[ingestion.machine_arn]
        )
        function.add_to_role_policy(run)
        explain_objects(function, storage, (*STORED_PREFIXES, *TRANSFER_PREFIXES, *written))
        return function

    def _stream_function(self, factory: FunctionFactory, storage: Storage, origin: str) -> lambda_.Function:
        """Answers: they read, pictures of pages too."""
        layers = ("core", "vectors", "documents", "signin", "web")
        settings = FunctionSettings(
            "api.streaming",
            layers,
            STREAM_TIMEOUT_S,
            MEMORY_MB,
            _streaming(factory, origin),
            reserved=factory.tier.stream_concurrency,
            wrapper=STREAM_START,
        )
        function = factory.create(self, "Stream", settings)
        storage.allow(function, read=(WORK_PREFIX,))
        storage.allow_listing(function)
        _allow_models(function, factory)
        explain_objects(function, storage, (WORK_PREFIX,))
        return function

    def _lab_function(self, factory: FunctionFactory, storage: Storage, origin: str) -> lambda_.Function:
        """Datasets, plots, files, and assistants' tools, which use both: they read, and write notes
        (docs/decisions/0063-notes-and-records.md). Lambda takes five layers."""
        layers = ("core", "vectors", "documents", "web", "lab")
        settings = FunctionSettings(
            "api.lab",
            layers,
            STREAM_TIMEOUT_S,
            LAB_MEMORY_MB,
            _streaming(factory, origin),
            reserved=factory.tier.lab_concurrency,
            wrapper=STREAM_START,
        )
        function = factory.create(self, "Lab", settings)
        read = (SOURCES_PREFIX, WORK_PREFIX)
        # Columns of long tables are kept. A note is told to webhooks and to the digest: an object wakes each function.
        storage.allow(function, read=read, write=(WORK_PREFIX, WAKE_PREFIX, DIGESTING_PREFIX))
        storage.allow_own_writing(function, (SOURCES_PREFIX,))
        storage.allow_versions(function, (SOURCES_PREFIX,))
        storage.allow_listing(function)
        # A note that was there already, or whose document goes meanwhile, is taken away again.
        storage.allow_deleting(function, read)
        _allow_models(function, factory)
        explain_objects(function, storage, (*read, WAKE_PREFIX, DIGESTING_PREFIX))
        return function

    def _add_streams(self, factory: FunctionFactory, sign_in: WebSignIn) -> None:
        """The same authorizer says who sent a request; nobody's answer is kept for the next one."""
        authorizer = rest.RequestAuthorizer(
            self,
            "Sender",
            authorizer_name="Sender",
            handler=cast(lambda_.IFunction, sign_in.live_authorize),
            identity_sources=[],
            results_cache_ttl=Duration.seconds(0),
        )
        for function, paths in ((self.stream_function, STREAMED_PATHS), (self.lab_function, LAB_PATHS)):
            integration = _streamed_by(factory.serve(function))
            for path in paths:
                resource = self.streams.root.resource_for_path(path)
                resource.add_method("ANY", integration, authorizer=authorizer)
                if factory.file.cors_origins:
                    asked = resource.add_method("OPTIONS", integration, authorization_type=rest.AuthorizationType.NONE)
                    acknowledge(asked, "A browser asks what it may send before it sends a token.", "AwsSolutions-APIG4")
        reason = "The application checks what it is sent, and its log has every request; the account's setting of API"
        acknowledge(
            self.streams,
            f"{reason} Gateway's log is left to its owner. The firewall stands before CloudFront.",
            *("AwsSolutions-APIG1", "AwsSolutions-APIG2", "AwsSolutions-APIG3", "AwsSolutions-APIG6"),
            "AwsSolutions-COG4",
        )

    def _add_routes(self, sign_in: WebSignIn, specification: Specification) -> None:
        """The application takes the sender of a request from the authorizer alone."""
        application = integrations.HttpLambdaIntegration("Application", cast(lambda_.IFunction, self._live))
        for path in ("/", "/{proxy+}"):
            self.http.add_routes(
                path=path,
                methods=[gateway.HttpMethod.ANY],
                integration=application,
                authorizer=sign_in.authorizer,
            )
        for path in PREFLIGHT_PATHS if specification.file.cors_origins else ():
            for route in self.http.add_routes(path=path, methods=[gateway.HttpMethod.OPTIONS], integration=application):
                acknowledge(route, "A browser asks what it may send before it sends a token.", "AwsSolutions-APIG4")
        login = integrations.HttpLambdaIntegration("SignIn", cast(lambda_.IFunction, sign_in.live_login))
        for path, method in SIGN_IN_ROUTES.items():
            for route in self.http.add_routes(path=path, methods=[method], integration=login):
                acknowledge(route, "Nobody is signed in yet where signing in begins.", "AwsSolutions-APIG4")

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
        )
        raw = stage.node.default_child
        if not isinstance(raw, gateway.CfnStage):
            raise TypeError("The stage's own resource is missing")
        raw.access_log_settings = gateway.CfnStage.AccessLogSettingsProperty(
            destination_arn=log.log_group_arn, format=json.dumps(ACCESS_LOG_FIELDS)
        )


def _streamed_by(live: lambda_.Alias) -> rest.LambdaIntegration:
    return rest.LambdaIntegration(
        cast(lambda_.IFunction, live),
        response_transfer_mode=rest.ResponseTransferMode.STREAM,
        timeout=Duration.seconds(STREAM_TIMEOUT_S),
        allow_test_invoke=False,
        scope_permission_to_method=False,
    )


def _streaming(factory: FunctionFactory, origin: str) -> dict[str, str]:
    return {
        Env.PUBLIC_ORIGIN: origin,
        Env.ANSWER_SECONDS: str(STREAM_ANSWER_S),
        Env.SILENT_ANSWER_SECONDS: str(SILENT_ANSWER_S),
        **_cors(factory),
    }


def _cors(factory: FunctionFactory) -> dict[str, str]:
    """Whose pages may ask the API, where a deployment names any."""
    origins = factory.file.cors_origins
    return {Env.CORS_ORIGINS: ",".join(origins)} if origins else {}


def _allow_models(function: lambda_.Function, factory: FunctionFactory) -> None:
    """Those of a question: its embedding, the order of hits, the words of the answer, which come as a stream."""
    file = factory.file
    allow_embedding(function, file)
    if file.rerank is not None:
        allow_model(function, file.rerank)
    for model in file.answering.all if file.answering else ():
        allow_model(function, model, (CALL, CALL_STREAMED))
