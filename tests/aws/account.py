"""An account that does not exist: fake keys, a region, and clients that are made anew for it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

import boto3
import pytest

from shared.adapters.aws import clients

REGION = "eu-central-1"
KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": REGION}


@cache
def _session() -> boto3.Session:
    """One for all: a session reads descriptions of services for 50 ms, and where they are from the environment each
    time that it makes a client."""
    return boto3.Session(**KEYS)


@contextmanager
def fake_account(monkeypatch: pytest.MonkeyPatch, **endpoints: str) -> Generator[None]:
    """Until the context ends. `endpoints`: a service, or `all`, to the URL that answers for it."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    for service, url in endpoints.items():
        monkeypatch.setenv("AWS_ENDPOINT_URL" if service == "all" else f"AWS_ENDPOINT_URL_{service.upper()}", url)
    # boto3's own session keeps the keys that it saw first.
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", _session())
    clients.make_client.cache_clear()
    yield
    clients.make_client.cache_clear()


def forget_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without keys and region, wherever they may come from."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    clients.make_client.cache_clear()
