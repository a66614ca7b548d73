"""Gives an invited person an account, of which Cognito tells them by mail.

A bucket's event names the invitation that the application has put into the outbox: from its network the application
reaches neither Cognito nor a mail service, and an endpoint would cost more than all else here.
"""

import json
import logging
import os
from typing import Any

from shared.adapters.aws.clients import make_client
from shared.contract import Env

logger = logging.getLogger("autri.invite")


def handler(event: dict[str, Any], _context: object) -> dict[str, str]:
    """`mailed`, or why not. May come twice: a second mail holds another first password."""
    key = event["detail"]["object"]["key"]
    stored = make_client("s3").get_object(Bucket=event["detail"]["bucket"]["name"], Key=key)
    outcome = invite(json.loads(stored["Body"].read()))
    logger.warning("invitation %s: %s", key, outcome)
    return {"outcome": outcome}


def invite(mail: dict[str, str]) -> str:
    """`functions.auth.message` writes the mail, from what is passed on here."""
    if os.environ[Env.FEDERATED] == "true":
        return "not mailed: people sign in by their organization's own provider"
    cognito = make_client("cognito-idp")
    wanted: dict[str, Any] = {
        "UserPoolId": os.environ[Env.POOL_ID],
        "Username": mail["email"],
        "DesiredDeliveryMediums": ["EMAIL"],
        "ClientMetadata": {name: mail[name] for name in ("organization", "inviter", "role")},
    }
    verified = [{"Name": "email", "Value": mail["email"]}, {"Name": "email_verified", "Value": "true"}]
    try:
        cognito.admin_create_user(**wanted, UserAttributes=verified)
    except cognito.exceptions.InvalidParameterException as error:
        return f"not mailed: {error.response['Error'].get('Message', 'this is no address')}"
    except cognito.exceptions.UsernameExistsException:
        try:
            cognito.admin_create_user(**wanted, MessageAction="RESEND")
        except cognito.exceptions.UnsupportedUserStateException:
            return "not mailed: the person has an account, and sees the invitation there"
    return "mailed"
