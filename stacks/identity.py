"""Who may sign in, and where: a Cognito pool with its hosted login. Scope never comes from its tokens' attributes."""

from aws_cdk import CfnOutput, Duration, RemovalPolicy, SecretValue, Stack
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from shared.contract import (
    DIRECTORY_GROUPS,
    DIRECTORY_NAME,
    GROUPS_ELSEWHERE,
    LOOPBACK_PORTS,
    READ_SCOPE,
    SESSION_S,
    TOKEN_RESOURCE,
    WRITE_SCOPE,
    loopback_callback,
)
from stacks.specification import DeploymentFile, Entra, Google
from stacks.suppressions import acknowledge

INVITATION_DAYS = 30
# Cognito puts the address and the first password in.
INVITATION = (
    '<p>You are invited to Autri. Open <a href="{origin}">{origin}</a> and sign in:</p>'
    "<p>{{username}}<br>{{####}}</p>"
    "<p>That password is for the first time; you choose your own then. It is good for {days} days.</p>"
)
SCOPES = [cognito.OAuthScope.OPENID, cognito.OAuthScope.EMAIL, cognito.OAuthScope.PROFILE]
# What Cognito keeps of a directory's groups (functions/auth/groups.py). A sign-in whose value is longer is refused.
ATTRIBUTE_MAX = 2048
_GROUP_CLAIMS = {DIRECTORY_GROUPS: "groups", GROUPS_ELSEWHERE: "_claim_names"}
_GROUP_ATTRIBUTES = {
    name.removeprefix("custom:"): cognito.StringAttribute(mutable=True, max_len=ATTRIBUTE_MAX) for name in _GROUP_CLAIMS
}
_GROUP_MAPPING = {name: cognito.ProviderAttribute.other(claim) for name, claim in _GROUP_CLAIMS.items()}


class CognitoIdentity(Construct):
    """Pool, hosted login domain, and one public client that signs in by authorization code with PKCE."""

    def __init__(self, scope: Construct, id_: str, *, file: DeploymentFile, origin: str) -> None:
        super().__init__(scope, id_)
        self._origin = origin
        self.pool = self._pool(file)
        self.domain = self.pool.add_domain(
            "Login",
            cognito_domain=cognito.CognitoDomainOptions(domain_prefix=file.login_prefix),
            managed_login_version=cognito.ManagedLoginVersion.NEWER_MANAGED_LOGIN,
        )
        providers = [cognito.UserPoolClientIdentityProvider.COGNITO]
        if file.google is not None:
            providers.append(self._google(file.google))
        if file.entra is not None:
            providers.append(self._entra(file.entra))
        own = self._scopes()
        web = ([f"{origin}/auth/callback"], [f"{origin}/auth/signed-out"])
        self.client = self._client("Web", providers, own, *web)
        # Programs on a person's machine come back to it; what they hold is apart from what browsers hold.
        self.cli_client = self._client("CommandLine", providers, own, [loopback_callback(p) for p in LOOPBACK_PORTS])
        self._look()
        self._invite(file.owner.email)
        CfnOutput(self, "PoolId", value=self.pool.user_pool_id)
        CfnOutput(self, "ClientId", value=self.client.user_pool_client_id)
        CfnOutput(self, "CommandLineClient", value=self.cli_client.user_pool_client_id)
        self._say_what_is_next(file)

    @property
    def issuer(self) -> str:
        return f"https://cognito-idp.{Stack.of(self).region}.amazonaws.com/{self.pool.user_pool_id}"

    @property
    def login_url(self) -> str:
        """The hosted login's address."""
        return self.domain.base_url()

    def _say_what_is_next(self, file: DeploymentFile) -> None:
        region, pool = Stack.of(self).region, self.pool.user_pool_id
        CfnOutput(
            self,
            "NextStep",
            value=f"{file.owner.email} has mail with a first password, good for {INVITATION_DAYS} days."
            f" Sign in at {self._origin}",
        )
        CfnOutput(
            self,
            "ResendInvitation",
            value=f"aws cognito-idp admin-create-user --region {region} --user-pool-id {pool}"
            f" --username {file.owner.email} --message-action RESEND",
        )

    def _pool(self, file: DeploymentFile) -> cognito.UserPool:
        """People are invited; where the deployment lets them, they sign up. An account alone sees nothing."""
        groups = file.entra is not None and file.entra.groups
        pool = cognito.UserPool(
            self,
            "Pool",
            feature_plan=cognito.FeaturePlan.ESSENTIALS,
            self_sign_up_enabled=file.self_sign_up,
            sign_in_aliases=cognito.SignInAliases(email=True),
            sign_in_case_sensitive=False,
            auto_verify=cognito.AutoVerifiedAttrs(email=True),
            keep_original=cognito.KeepOriginalAttrs(email=True),
            account_recovery=cognito.AccountRecovery.EMAIL_ONLY,
            mfa=cognito.Mfa.OPTIONAL,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False),
            password_policy=cognito.PasswordPolicy(
                min_length=12,
                require_digits=True,
                require_lowercase=True,
                require_uppercase=True,
                require_symbols=True,
                temp_password_validity=Duration.days(INVITATION_DAYS),
            ),
            user_invitation=cognito.UserInvitationConfig(
                email_subject="You are invited to Autri",
                email_body=INVITATION.format(origin=self._origin, days=INVITATION_DAYS),
            ),
            custom_attributes=_GROUP_ATTRIBUTES if groups else None,
            deletion_protection=True,
            removal_policy=RemovalPolicy.RETAIN,
        )
        reason = "Each person chooses a second factor; an identity provider that federates brings its own rule."
        acknowledge(pool, reason, "AwsSolutions-COG2")
        reason = "Threat protection is charged per user and month; an operator may turn it on in the console."
        acknowledge(pool, reason, "AwsSolutions-COG3", "AwsSolutions-COG8")
        return pool

    def _scopes(self) -> list[cognito.OAuthScope]:
        """What an access token may be asked for."""
        read, write = (
            cognito.ResourceServerScope(scope_name=scope.rpartition("/")[2], scope_description=described)
            for scope, described in ((READ_SCOPE, "Read and search"), (WRITE_SCOPE, "Do what the person may do"))
        )
        server = self.pool.add_resource_server("Api", identifier=TOKEN_RESOURCE, scopes=[read, write])
        return [cognito.OAuthScope.resource_server(server, scope) for scope in (read, write)]

    def _client(
        self,
        id_: str,
        providers: list[cognito.UserPoolClientIdentityProvider],
        own: list[cognito.OAuthScope],
        callbacks: list[str],
        logouts: list[str] | None = None,
    ) -> cognito.UserPoolClient:
        """No secret (PKCE instead), no password flow: signing in happens on the hosted page only."""
        client = self.pool.add_client(
            id_,
            generate_secret=False,
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            supported_identity_providers=providers,
            access_token_validity=Duration.hours(1),
            id_token_validity=Duration.hours(1),
            refresh_token_validity=Duration.seconds(SESSION_S),
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                scopes=[*SCOPES, *own],
                callback_urls=callbacks,
                logout_urls=logouts,
            ),
        )
        raw = client.node.default_child
        if not isinstance(raw, cognito.CfnUserPoolClient):
            raise TypeError("The client's own resource is missing")
        raw.explicit_auth_flows = ["ALLOW_REFRESH_TOKEN_AUTH"]
        for child in self.node.children:
            if isinstance(child, (cognito.UserPoolIdentityProviderGoogle, cognito.UserPoolIdentityProviderOidc)):
                client.node.add_dependency(child)
        return client

    def _look(self) -> None:
        for id_, client in (("Look", self.client), ("CommandLineLook", self.cli_client)):
            cognito.CfnManagedLoginBranding(
                self,
                id_,
                user_pool_id=self.pool.user_pool_id,
                client_id=client.user_pool_client_id,
                use_cognito_provided_values=True,
            )

    def _invite(self, email: str) -> None:
        """The owner's account; Cognito mails the first password. The database invites the same address."""
        cognito.CfnUserPoolUser(
            self,
            "Owner",
            user_pool_id=self.pool.user_pool_id,
            username=email,
            desired_delivery_mediums=["EMAIL"],
            user_attributes=[
                cognito.CfnUserPoolUser.AttributeTypeProperty(name="email", value=email),
                cognito.CfnUserPoolUser.AttributeTypeProperty(name="email_verified", value="true"),
            ],
        )

    def _google(self, google: Google) -> cognito.UserPoolClientIdentityProvider:
        cognito.UserPoolIdentityProviderGoogle(
            self,
            "Google",
            user_pool=self.pool,
            client_id=google.client_id,
            client_secret_value=SecretValue.secrets_manager(google.client_secret_name),
            scopes=["openid", "email", "profile"],
            attribute_mapping=cognito.AttributeMapping(
                email=cognito.ProviderAttribute.GOOGLE_EMAIL,
                email_verified=cognito.ProviderAttribute.GOOGLE_EMAIL_VERIFIED,
            ),
        )
        return cognito.UserPoolClientIdentityProvider.GOOGLE

    def _entra(self, entra: Entra) -> cognito.UserPoolClientIdentityProvider:
        """One tenant's issuer, never `common`: with that, any Entra tenant could claim any address.

        Entra does not say whether it verified an address (only `xms_edov` does, where the tenant adds it), so a
        federated person without it is bound by an administrator, not by e-mail.
        """
        provider = cognito.UserPoolIdentityProviderOidc(
            self,
            "Entra",
            user_pool=self.pool,
            name=DIRECTORY_NAME,
            client_id=entra.client_id,
            client_secret=SecretValue.secrets_manager(entra.client_secret_name).unsafe_unwrap(),
            issuer_url=entra.issuer,
            scopes=["openid", "email", "profile"],
            attribute_mapping=cognito.AttributeMapping(
                email=cognito.ProviderAttribute.other("email"),
                email_verified=cognito.ProviderAttribute.other("xms_edov"),
                custom=_GROUP_MAPPING if entra.groups else None,
            ),
        )
        return cognito.UserPoolClientIdentityProvider.custom(provider.provider_name)
