"""The same journey on tiers 2 and 3 as on tier 1 (test_aws_front_door.py), each deployed from its own file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stacks.specification import DEPLOYMENTS, load_specification
from tests.aws.emulator import ACCOUNT, REGION
from tests.aws.front import front_of
from tests.aws.login import create_person
from tests.aws.system import System, running_system
from tests.e2e.test_aws_front_door import opened_page, walk

pytestmark = [pytest.mark.aws, pytest.mark.browser]
TIERS = ["tenant-acme", "customer-acme"]


@pytest.fixture(scope="module", params=TIERS)
def tier(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """The deployment file as it is, in the emulator's region and account; the emulator has no CloudFront, and nothing
    that a firewall could stand before."""
    name = str(request.param)
    file = load_specification(name).file
    text = (DEPLOYMENTS / f"{name}.toml").read_text(encoding="utf-8")
    text = text.replace(f'region = "{file.region}"', f'region = "{REGION}"\nwaf = false')
    if file.account:
        text = text.replace(file.account, ACCOUNT)
    folder = tmp_path_factory.mktemp("deployments")
    (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    with running_system(name, folder) as system:
        yield system


def test_a_person_of_this_tier_signs_in_uploads_looks_searches_and_signs_out(tier: System, tmp_path: Path) -> None:
    create_person(tier.emulator, tier.deployed.only("AWS::Cognito::UserPool"), tier.owner)
    with front_of(tier) as front, opened_page(front) as page:
        walk(front, page, tier.owner, tmp_path)
