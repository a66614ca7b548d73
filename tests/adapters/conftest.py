"""An account of Amazon's that does not exist, with Bedrock in it."""

from collections.abc import Generator

import pytest

from tests.aws.account import fake_account
from tests.aws.bedrock import FakeBedrock, running_bedrock


@pytest.fixture
def bedrock(monkeypatch: pytest.MonkeyPatch) -> Generator[FakeBedrock]:
    with running_bedrock() as server, fake_account(monkeypatch, bedrock_runtime=server.url):
        yield server
