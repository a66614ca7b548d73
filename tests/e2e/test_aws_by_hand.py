"""`make emulated`: what it tells a person leads to the deployment, and to nothing else."""

import os
import re
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.aws.__main__ import as_text, opened, sent_mail
from tests.aws.customer import ok
from tests.aws.system import System
from tests.e2e.test_aws_joining import arrived
from tests.once import FOLDER
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.aws


@pytest.fixture(scope="module")
def guide(system: System) -> Iterator[str]:
    with opened(system) as told:
        yield told


def told(guide: str, name: str) -> str:
    (value,) = re.findall(rf"\b{name}=(\S+)", guide)
    return value


@pytest.fixture
def terminal(guide: str) -> Iterator[httpx.Client]:
    """With what a terminal is told to export."""
    trusted = ssl.create_default_context(cafile=told(guide, "SSL_CERT_FILE"))
    with httpx.Client(proxy=told(guide, "HTTPS_PROXY"), verify=trusted, trust_env=False, timeout=PATIENCE_S) as client:
        yield client


def test_a_program_that_is_no_test_builds_in_a_folder_that_goes_with_it() -> None:
    program = "from tests.once import building\nwith building('it') as folder: print(folder, folder.is_dir())"
    environment = {name: value for name, value in os.environ.items() if name != FOLDER}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    folder, was_there = done.stdout.split()
    assert was_there == "True"
    assert not Path(folder).exists()


def test_a_terminal_reaches_the_deployment_under_its_own_address(
    system: System, guide: str, terminal: httpx.Client
) -> None:
    origin = told(guide, "AUTRI_URL")
    assert origin == system.deployed.output("Url")
    assert ok(terminal.get(f"{origin}/v1/health"))["status"] == "ok"
    assert terminal.get(f"{origin}/v1/me").status_code == 401


@pytest.mark.parametrize("elsewhere", ["https://example.com", "https://127.0.0.1:8443"])
def test_it_leads_nowhere_else(terminal: httpx.Client, elsewhere: str) -> None:
    with pytest.raises(httpx.ProxyError, match="403"):
        terminal.get(elsewhere)


def test_mail_is_printed_as_its_receiver_reads_it(system: System, owner: httpx.Client) -> None:
    email = "by-hand@example.com"
    ok(owner.post("/v1/invitations", json={"email": email, "role": "viewer"}))
    arrived(system, email, 1)
    (mail,) = [one for one in sent_mail(system) if one["To"] == [email]]
    lines = [line.strip() for line in as_text(mail).splitlines()]
    assert lines[0].startswith(f"Mail to {email}: ")
    assert f"Open {system.deployed.output('Url')} and sign in:" in lines
    # The first password stands alone in the line below the address, to be copied.
    assert re.fullmatch(r"\S{8,}", lines[lines.index(email) + 1])
