"""Secrets Manager: text by ARN, its current version and the one before."""

from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.errors import Unavailable

CURRENT, PREVIOUS = "AWSCURRENT", "AWSPREVIOUS"


def read_secret(arn: str) -> str:
    """The secret's current text; raises Unavailable when it cannot be read now."""
    return _read(arn, CURRENT)


def read_versions(arn: str) -> list[str]:
    """The secret's current text and the one before, if it had one; raises Unavailable as `read_secret`."""
    found = [_read(arn, CURRENT)]
    try:
        found.append(_read(arn, PREVIOUS))
    except Unavailable as error:
        cause = error.__cause__
        code = cause.response.get("Error", {}).get("Code") if isinstance(cause, ClientError) else None
        if code != "ResourceNotFoundException":
            raise
    return found


def write_secret(arn: str, text: str) -> None:
    """Makes `text` the current version, and the current one the one before."""
    try:
        make_client("secretsmanager").put_secret_value(SecretId=arn, SecretString=text)
    except (BotoCoreError, ClientError) as error:
        # Not the error's own text, which may quote the request.
        raise Unavailable("A secret of this deployment cannot be written now.") from error


def _read(arn: str, stage: str) -> str:
    try:
        return str(make_client("secretsmanager").get_secret_value(SecretId=arn, VersionStage=stage)["SecretString"])
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(f"A secret of this deployment cannot be read: {error}") from error
