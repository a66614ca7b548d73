"""Passwords of files between their upload and their first reading, in Secrets Manager."""

from uuid import UUID

from botocore.exceptions import BotoCoreError, ClientError

from shared.adapters.aws.clients import make_client
from shared.errors import Unavailable


class SecretsManagerVault:
    """A secret per name under `prefix`, encrypted with the KMS key `key_id`, deleted without a waiting period."""

    def __init__(self, prefix: str, key_id: str) -> None:
        self._prefix = prefix
        self._key_id = key_id

    def put(self, name: UUID, secret: str) -> None:
        try:
            make_client("secretsmanager").create_secret(
                Name=self._prefix + str(name), SecretString=secret, KmsKeyId=self._key_id
            )
        except (BotoCoreError, ClientError) as error:
            # Not the error's own text, which may quote the request.
            raise Unavailable("The password cannot be kept for the ingestion now. Upload the file again.") from error

    def get(self, name: UUID) -> str | None:
        try:
            return str(
                make_client("secretsmanager").get_secret_value(SecretId=self._prefix + str(name))["SecretString"]
            )
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") == "ResourceNotFoundException":
                return None
            raise Unavailable(f"A file's password cannot be read: {error}") from error
        except BotoCoreError as error:
            raise Unavailable(f"A file's password cannot be read: {error}") from error

    def forget(self, name: UUID) -> None:
        try:
            make_client("secretsmanager").delete_secret(
                SecretId=self._prefix + str(name), ForceDeleteWithoutRecovery=True
            )
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") != "ResourceNotFoundException":
                raise Unavailable(f"A file's password cannot be deleted: {error}") from error
        except BotoCoreError as error:
            raise Unavailable(f"A file's password cannot be deleted: {error}") from error
