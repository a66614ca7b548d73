"""What the authorizer answers to either API about the same request."""

from typing import Any

import pytest

from functions.auth import authorize
from functions.auth.cookies import SESSION

METHOD = "arn:aws:execute-api:eu-central-1:111111111111:abc/live/POST/v1/ask"
SENDERS = (
    ({}, {}),
    ({"authorization": "Bearer autri_secret"}, {"via": "key"}),
    ({"authorization": "Basic autri_secret"}, {}),
    ({"cookie": f"other=1; {SESSION}=mine"}, {"via": "session", "sub": "mine"}),
    ({"cookie": f"{SESSION}=mine; {SESSION}=theirs"}, {}),
    # Who sends a header means it, whatever the cookie says.
    ({"authorization": "Bearer autri_secret", "cookie": f"{SESSION}=mine"}, {"via": "key"}),
)


@pytest.fixture(autouse=True)
def sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(session_id: str) -> dict[str, str]:
        return {"via": "session", "sub": session_id}

    monkeypatch.setattr(authorize, "_of_session", found)


@pytest.mark.parametrize(("headers", "context"), SENDERS)
def test_both_apis_are_told_the_same_of_a_sender(headers: dict[str, str], context: dict[str, str]) -> None:
    """HTTP APIs give headers in lower case, REST APIs as they were sent, each with all its values."""
    simple = authorize.handler({"headers": headers}, None)
    assert simple == {"isAuthorized": True, "context": context}
    sent: dict[str, Any] = {name.title(): [value] for name, value in headers.items()}
    event = {"type": "REQUEST", "methodArn": METHOD, "headers": {}, "multiValueHeaders": sent}
    policy = authorize.handler(event, None)
    assert policy["context"] == context
    allowed = {"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": METHOD}
    assert policy["policyDocument"] == {"Version": "2012-10-17", "Statement": [allowed]}
    assert policy["principalId"]


def test_a_header_that_comes_twice_names_nobody() -> None:
    event: dict[str, Any] = {"methodArn": METHOD, "multiValueHeaders": {"Authorization": ["Bearer autri_a", "Basic x"]}}
    event["multiValueHeaders"]["Authorization"].reverse()
    assert authorize.handler(event, None)["context"] == {}
    assert authorize.handler({"methodArn": METHOD, "multiValueHeaders": None}, None)["context"] == {}
    cookies = {"Cookie": ["a=1", f"{SESSION}=mine"]}
    assert authorize.handler({"methodArn": METHOD, "multiValueHeaders": cookies}, None)["context"]["sub"] == "mine"
