"""How AWS clients are made: time-outs and retries that stay well below a stage's own limit."""

from functools import cache
from typing import Any

import boto3
from botocore.config import Config

CONNECT_TIMEOUT_S = 3
READ_TIMEOUT_S = 20
# `standard` retries wait with jitter: 1, 2, 4 … at most 20 s.
ATTEMPTS = 5


@cache
def make_client(
    service: str, attempts: int = ATTEMPTS, connections: int = 10, read_timeout_s: int = READ_TIMEOUT_S
) -> Any:
    """One client per service, settings and process. Credentials, region and endpoint come from the environment."""
    config = Config(
        connect_timeout=CONNECT_TIMEOUT_S,
        read_timeout=read_timeout_s,
        max_pool_connections=connections,
        retries={"mode": "standard", "total_max_attempts": attempts},
        # Presigned URLs name the bucket's own region, and objects under a KMS key accept no older signature.
        s3={"addressing_style": "virtual"},
        signature_version="s3v4" if service == "s3" else None,
    )
    create: Any = boto3.client  # typed for each service by its name alone
    return create(service, config=config)
