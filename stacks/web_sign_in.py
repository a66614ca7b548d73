"""Signing in from a browser: `/auth/…`, the authorizer, and the sessions that both know.

Both functions are outside the VPC: the hosted login has no endpoint in it.
"""

from typing import cast

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from shared.contract import Env
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.identity import CognitoIdentity
from stacks.storage import Storage, key_statement
from stacks.suppressions import acknowledge

TIMEOUT_S = 15
MEMORY_MB = 512


class WebSignIn(Construct):
    """`login` serves `/auth/login`, `/auth/callback` and `/auth/logout`; `authorizer` says who sent a request."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        factory: FunctionFactory,
        storage: Storage,
        identity: CognitoIdentity,
        origin: str,
        api_url: str,
    ) -> None:
        super().__init__(scope, id_)
        self._key = cast(kms.IKey, storage.key)
        self.table = self._sessions()
        self._environment = {
            Env.PUBLIC_ORIGIN: origin,
            Env.LOGIN_URL: identity.login_url,
            Env.ISSUER: identity.issuer,
            Env.CLIENT_ID: identity.client.user_pool_client_id,
            Env.CLI_CLIENT_ID: identity.cli_client.user_pool_client_id,
            Env.SESSIONS_TABLE: self.table.table_name,
            Env.API_URL: api_url,
        }
        self.login = self._function(factory, "Login", "auth.login")
        self.login.add_to_role_policy(
            iam.PolicyStatement(actions=["cognito-idp:AdminUserGlobalSignOut"], resources=[identity.pool.user_pool_arn])
        )
        self.live_login = factory.serve(self.login)
        self.live_authorize = factory.serve(self._function(factory, "Authorize", "auth.authorize"))
        self.authorizer = authorizers.HttpLambdaAuthorizer(
            "Sender",
            cast(lambda_.IFunction, self.live_authorize),
            response_types=[authorizers.HttpLambdaResponseType.SIMPLE],
            # Whose request it is may change with the next one: who has signed out has signed out.
            results_cache_ttl=Duration.seconds(0),
            identity_source=[],
        )

    def _sessions(self) -> dynamodb.Table:
        """They hold refresh tokens, so they are under the deployment's key."""
        table = dynamodb.Table(
            self,
            "Sessions",
            partition_key=dynamodb.Attribute(name="id", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED,
            encryption_key=self._key,
            time_to_live_attribute="expires",
            removal_policy=RemovalPolicy.DESTROY,
        )
        acknowledge(table, "After a loss people sign in again; there is nothing to recover.", "AwsSolutions-DDB3")
        return table

    def _function(self, factory: FunctionFactory, id_: str, module: str) -> lambda_.Function:
        settings = FunctionSettings(module, ("signin",), TIMEOUT_S, MEMORY_MB, self._environment, outside=True)
        function = factory.create(self, id_, settings)
        actions = [f"dynamodb:{action}" for action in ("GetItem", "PutItem", "DeleteItem")]
        function.add_to_role_policy(iam.PolicyStatement(actions=actions, resources=[self.table.table_arn]))
        context = {"kms:EncryptionContext:aws:dynamodb:tableName": self.table.table_name}
        function.add_to_role_policy(key_statement(self, self._key, "dynamodb", context, "kms:Decrypt"))
        return function
