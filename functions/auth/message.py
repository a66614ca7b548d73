"""Cognito's trigger: what the mail to an invited person says. Standard library only."""

import html
import os
from typing import Any, Final

from shared.contract import Env

# Cognito takes no longer one, and would make no account.
SUBJECT_MAX: Final = 140
ARTICLE: Final = {"owner": "an owner", "admin": "an admin", "editor": "an editor", "viewer": "a viewer"}


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """The event with subject and body; unchanged where nobody is invited, as with the first owner and with codes."""
    said = event["request"].get("clientMetadata") or {}
    if event["triggerSource"] != "CustomMessage_AdminCreateUser" or not said.get("organization"):
        return event
    organization, inviter = _harmless(said["organization"]), _harmless(said["inviter"])
    role, origin = ARTICLE[said["role"]], os.environ[Env.PUBLIC_ORIGIN]
    event["response"]["emailSubject"] = f"{said['inviter']} invites you to {said['organization']}"[:SUBJECT_MAX]
    event["response"]["emailMessage"] = (
        f"<p>{inviter} invites you to {organization} on Autri, as {role}.</p>"
        f'<p>Open <a href="{origin}">{origin}</a> and sign in:</p>'
        f"<p>{event['request']['usernameParameter']}<br>{event['request']['codeParameter']}</p>"
        "<p>That password is for the first time; you choose your own then.</p>"
    )
    return event


def _harmless(text: str) -> str:
    """Neither markup nor one of Cognito's placeholders."""
    return html.escape(text).replace("{", "&#123;")
