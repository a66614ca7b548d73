"""The deployment on the emulator, made once for every test of it."""

from collections.abc import Generator

import httpx
import pytest

from tests.aws.customer import OWNER, callback, web_client
from tests.aws.front import Front, front_of
from tests.aws.login import Tokens, create_person, sign_in
from tests.aws.system import System, running_system


@pytest.fixture(scope="session")
def system() -> Generator[System]:
    with running_system() as running:
        yield running


@pytest.fixture(scope="session")
def tokens(system: System) -> Tokens:
    create_person(system.emulator, system.deployed.only("AWS::Cognito::UserPool"), OWNER)
    return sign_in(system.emulator, web_client(system), callback(system), OWNER)


@pytest.fixture(scope="session")
def owner(system: System, tokens: Tokens) -> Generator[httpx.Client]:
    with system.api as api:
        api.headers["Authorization"] = f"Bearer {tokens.id_token}"
        yield api


@pytest.fixture(scope="session")
def front(system: System) -> Generator[Front]:
    with front_of(system) as opened:
        yield opened
