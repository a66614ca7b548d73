"""Secrets Manager: text by ARN."""

from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.errors import Unavailable


def read_secret(arn: str) -> str:
    """The secret's current text; raises Unavailable when it cannot be read now."""
    try:
        return str(make_client("secretsmanager").get_secret_value(SecretId=arn)["SecretString"])
    except (BotoCoreError, ClientError) as error:
        raise Unavailable(f"A secret of this deployment cannot be read: {error}") from error
