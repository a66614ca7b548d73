"""The same journey on tier 3 as on tier 1 (test_aws_front_door.py) and tier 2 (test_aws_moving.py), deployed from its
own file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.aws.assembly import emulated_files
from tests.aws.front import front_of
from tests.aws.login import create_person
from tests.aws.system import System, running_system
from tests.e2e.test_aws_front_door import opened_page, walk

pytestmark = [pytest.mark.aws, pytest.mark.browser]
TIER = "customer-acme"


@pytest.fixture(scope="module")
def tier() -> Iterator[System]:
    with running_system(TIER, emulated_files()) as system:
        yield system


def test_a_person_of_this_tier_signs_in_uploads_looks_searches_and_signs_out(tier: System, tmp_path: Path) -> None:
    create_person(tier.emulator, tier.deployed.only("AWS::Cognito::UserPool"), tier.owner)
    with front_of(tier) as front, opened_page(front) as page:
        walk(front, page, tier.owner, tmp_path)
