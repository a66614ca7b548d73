"""Templates of every deployment, synthesized once."""

import json
from pathlib import Path

import pytest

from stacks.specification import DEPLOYMENTS, load_specification
from tests.aws.assembly import synthesize
from tests.aws.iam.resolve import ACCOUNT
from tests.stacks.template import Template


@pytest.fixture(scope="session")
def shared() -> Template:
    return load("shared")


@pytest.fixture(scope="session")
def dedicated() -> Template:
    return load("tenant-acme")


@pytest.fixture(scope="session")
def customer() -> Template:
    return load("customer-acme")


@pytest.fixture(scope="session")
def everything() -> Template:
    return load("everything", Path(__file__).parent)


def load(deployment: str, folder: Path = DEPLOYMENTS) -> Template:
    file = load_specification(deployment, folder).file
    body = json.loads((synthesize(deployment, folder) / f"autri-{deployment}.template.json").read_text())
    return Template(body, file.region, file.account or ACCOUNT)
