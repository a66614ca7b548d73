"""Invited people get an account and a mail: outbox → rule → function outside the VPC → Cognito, which sends.

Cognito's own mail needs no verified sender, and no endpoint in the VPC (docs/decisions/0040-joining.md).
"""

from typing import cast

from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from shared.contract import OUTBOX_PREFIX, Env
from stacks.arrivals import start_on_arrival
from stacks.functions import FunctionFactory, FunctionSettings
from stacks.identity import CognitoIdentity
from stacks.storage import Storage, explain_objects

TIMEOUT_S = 15
# Cognito waits five seconds for a trigger.
MESSAGE_TIMEOUT_S = 5
MEMORY_MB = 256


class Invitations(Construct):
    """The function that makes accounts, and the one that writes the mail."""

    def __init__(
        self,
        scope: Construct,
        id_: str,
        *,
        factory: FunctionFactory,
        storage: Storage,
        identity: CognitoIdentity,
        origin: str,
    ) -> None:
        super().__init__(scope, id_)
        pool = identity.pool
        settings = FunctionSettings(
            "auth.message", (), MESSAGE_TIMEOUT_S, MEMORY_MB, {Env.PUBLIC_ORIGIN: origin}, outside=True
        )
        message = factory.create(self, "Message", settings)
        pool.add_trigger(cognito.UserPoolOperation.CUSTOM_MESSAGE, cast(lambda_.IFunction, message))
        # Where people sign in by their own provider, an account here would outlive theirs.
        federated = str(factory.file.entra is not None).lower()
        environment = {Env.POOL_ID: pool.user_pool_id, Env.FEDERATED: federated}
        settings = FunctionSettings("auth.invite", (), TIMEOUT_S, MEMORY_MB, environment, outside=True)
        function = factory.create(self, "Function", settings)
        storage.allow(function, read=(OUTBOX_PREFIX,))
        explain_objects(function, storage, (OUTBOX_PREFIX,))
        function.add_to_role_policy(
            iam.PolicyStatement(actions=["cognito-idp:AdminCreateUser"], resources=[pool.user_pool_arn])
        )
        start_on_arrival(
            self, "OnInvitation", storage=storage, key={"prefix": OUTBOX_PREFIX}, function=factory.serve(function)
        )
