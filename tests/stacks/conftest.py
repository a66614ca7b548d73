"""Templates of every deployment, synthesized once."""

import json
from pathlib import Path

import pytest

from stacks.specification import DEPLOYMENTS, load_specification
from tests.aws.assembly import BESIDE, synthesize
from tests.aws.iam.resolve import ACCOUNT
from tests.stacks.template import Template

# What CDK adds to a stack that reads another region's output.
TO_THE_FIREWALL = ("ExportsReader", "CustomCrossRegionExportReader")


@pytest.fixture(scope="session")
def shared() -> Template:
    return load("shared")


@pytest.fixture(scope="session")
def dedicated() -> Template:
    return load("tenant-acme")


@pytest.fixture(scope="session")
def customer() -> Template:
    """Without what leads to its firewall, as the other tiers have none: test_firewall.py is about that."""
    template = load("customer-acme")
    kept = {name: r for name, r in template.resources.items() if not name.startswith(TO_THE_FIREWALL)}
    for distribution in (r for r in kept.values() if r["Type"] == "AWS::CloudFront::Distribution"):
        del distribution["Properties"]["DistributionConfig"]["WebACLId"]
    return Template({**template.body, "Resources": kept}, template.region, template.account)


@pytest.fixture(scope="session")
def everything() -> Template:
    return load("everything", BESIDE)


def load(deployment: str, folder: Path = DEPLOYMENTS) -> Template:
    file = load_specification(deployment, folder).file
    body = json.loads((synthesize(deployment, folder) / f"autri-{deployment}.template.json").read_text())
    return Template(body, file.region, file.account or ACCOUNT)
