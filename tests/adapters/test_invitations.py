"""Invitations as Cognito is asked for them, and what the mail says."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from functions.auth import invite, message
from shared.contract import Env

MAIL = {"email": "kim@k.example", "organization": "Acme {####}", "inviter": "<b>Ann</b>", "role": "editor"}
POOL = "eu-central-1_abcdefghi"
WANTED: dict[str, Any] = {
    "UserPoolId": POOL,
    "Username": "kim@k.example",
    "DesiredDeliveryMediums": ["EMAIL"],
    "ClientMetadata": {name: MAIL[name] for name in ("organization", "inviter", "role")},
}
VERIFIED = [{"Name": "email", "Value": "kim@k.example"}, {"Name": "email_verified", "Value": "true"}]


@pytest.fixture
def cognito(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stubber]:
    client: Any = boto3.client(
        "cognito-idp", region_name="eu-central-1", aws_access_key_id="test", aws_secret_access_key="test"
    )
    monkeypatch.setattr(invite, "make_client", lambda _service: client)
    monkeypatch.setenv(Env.POOL_ID, POOL)
    monkeypatch.setenv(Env.FEDERATED, "false")
    with Stubber(client) as stubber:
        yield stubber
        stubber.assert_no_pending_responses()


def test_somebody_new_gets_an_account_with_a_verified_address(cognito: Stubber) -> None:
    cognito.add_response("admin_create_user", {}, WANTED | {"UserAttributes": VERIFIED})
    assert invite.invite(MAIL) == "mailed"


def test_who_has_not_signed_in_so_far_is_mailed_again(cognito: Stubber) -> None:
    cognito.add_client_error("admin_create_user", "UsernameExistsException")
    cognito.add_response("admin_create_user", {}, WANTED | {"MessageAction": "RESEND"})
    assert invite.invite(MAIL) == "mailed"


def test_who_has_an_account_is_mailed_nothing_and_nothing_fails(cognito: Stubber) -> None:
    cognito.add_client_error("admin_create_user", "UsernameExistsException")
    cognito.add_client_error("admin_create_user", "UnsupportedUserStateException")
    assert invite.invite(MAIL).startswith("not mailed")


def test_what_is_no_address_fails_nothing(cognito: Stubber) -> None:
    cognito.add_client_error("admin_create_user", "InvalidParameterException", "Username should be an email.")
    assert invite.invite(MAIL) == "not mailed: Username should be an email."


def test_where_another_provider_signs_people_in_no_account_is_made(
    cognito: Stubber, monkeypatch: pytest.MonkeyPatch
) -> None:
    del cognito
    monkeypatch.setenv(Env.FEDERATED, "true")
    assert invite.invite(MAIL).startswith("not mailed")


def test_the_mail_takes_nothing_that_people_wrote_for_markup_or_a_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(Env.PUBLIC_ORIGIN, "https://autri.example")
    request = {"clientMetadata": WANTED["ClientMetadata"], "usernameParameter": "{username}", "codeParameter": "{####}"}
    event: dict[str, Any] = {"triggerSource": "CustomMessage_AdminCreateUser", "request": request, "response": {}}
    said = message.handler(json.loads(json.dumps(event)), None)["response"]
    body = said["emailMessage"]
    assert (body.count("{####}"), body.count("{username}"), "<b>" in body) == (1, 1, False)
    assert "an editor" in body
    assert 'href="https://autri.example"' in body
    event["request"] = request | {"clientMetadata": WANTED["ClientMetadata"] | {"inviter": "x" * 254}}
    assert len(message.handler(json.loads(json.dumps(event)), None)["response"]["emailSubject"]) == 140
    for other in (event | {"triggerSource": "CustomMessage_ForgotPassword"}, event | {"request": {}}):
        assert message.handler(json.loads(json.dumps(other)), None) == other
