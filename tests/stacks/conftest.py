"""Templates of every deployment, synthesized once."""

import json

import pytest

from tests.aws.assembly import synthesize
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


def load(deployment: str) -> Template:
    return Template(json.loads((synthesize(deployment) / f"autri-{deployment}.template.json").read_text()))
