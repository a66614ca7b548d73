"""An account that does not exist: fake keys, a region, and clients that are made anew for it."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from shared.adapters.aws import clients

REGION = "eu-central-1"


@contextmanager
def fake_account(monkeypatch: pytest.MonkeyPatch, **endpoints: str) -> Generator[None]:
    """Until the context ends. `endpoints`: a service, or `all`, to the URL that answers for it."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", REGION)
    for service, url in endpoints.items():
        monkeypatch.setenv("AWS_ENDPOINT_URL" if service == "all" else f"AWS_ENDPOINT_URL_{service.upper()}", url)
    clients.make_client.cache_clear()
    yield
    clients.make_client.cache_clear()
