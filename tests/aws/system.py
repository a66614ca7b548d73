"""A whole deployment, running on this machine: emulator, real Postgres, fake Bedrock."""

import json
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, LiteralString
from urllib.parse import urlsplit

import httpx
import psycopg
from cryptography import x509

from shared.adapters.local.postgres import APPLICATION, DATABASE, SUPERUSER, EmbeddedPostgres
from shared.contract import Env
from stacks.specification import DEPLOYMENTS, load_specification
from tests.aws.assembly import synthesize
from tests.aws.bedrock import FakeBedrock, running_bedrock
from tests.aws.deploy import Deployed, deploy, physical_ids
from tests.aws.emulator import ACCOUNT, REGION, Emulator, running_emulator
from tests.aws.iam.access import Access, read_access
from tests.aws.iam.guard import Guard, running_guard
from tests.aws.iam.resolve import Names
from tests.aws.serving import certified
from tests.aws.textract import FakeTextract, running_textract
from tests.aws.twin import Twin, build_twin
from tests.patience import PATIENCE_S
from tests.web_server import Site, running_site

DEPLOYMENT = "shared"
STACK = "autri-shared"
# Every seventh call to the model is throttled, once.
THROTTLE_EVERY = 7
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


@dataclass(frozen=True)
class System:
    """What a test works with."""

    emulator: Emulator
    bedrock: FakeBedrock
    postgres: EmbeddedPostgres
    deployed: Deployed
    twin: Twin
    guard: Guard
    textract: FakeTextract
    site: Site
    # By https, whose certificate the function that fetches takes.
    secure_site: Site
    log: Path
    owner: str

    @property
    def api(self) -> httpx.Client:
        """A client of the deployed HTTP API."""
        host = f"{self.deployed.only('AWS::ApiGatewayV2::Api')}.execute-api.{urlsplit(self.emulator.url).netloc}"
        return httpx.Client(base_url=self.emulator.url, headers={"Host": host}, timeout=PATIENCE_S)

    def rows(self, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """What the database holds, past every policy."""
        with psycopg.connect(self.postgres.dsn(SUPERUSER)) as connection:
            return connection.execute(query, values).fetchall()


@contextmanager
def running_system(deployment: str = DEPLOYMENT, files: Path = DEPLOYMENTS) -> Generator[System]:
    """Everything of a deployment file, whose region and account are the emulator's; ended, processes and files, when
    the context ends."""
    file, stack = load_specification(deployment, files).file, f"autri-{deployment}"
    assembly, twin = synthesize(deployment, files), build_twin()
    with tempfile.TemporaryDirectory(prefix="autri-aws-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        certificate = folder / "site.pem"
        tls = certified(x509.IPAddress(ip_address("127.0.0.1")), certificate)
        with (
            EmbeddedPostgres(folder / "pg", NOT_DURABLE) as postgres,
            running_bedrock(THROTTLE_EVERY) as bedrock,
            running_textract() as textract,
            running_site() as site,
            running_site(tls) as secure_site,
            running_emulator(folder) as emulator,
            running_guard(_guard(emulator, assembly, stack, bedrock, textract)) as guard,
        ):
            _demand_passwords(postgres)
            database = {"host": str(postgres.socket_dir), "port": 5432, "dbname": DATABASE}
            if file.entra is not None:
                secrets = emulator.client("secretsmanager")
                secrets.create_secret(Name=file.entra.client_secret_name, SecretString="theirs")
            web = {Env.FETCH_FROM: f"{site.host},{secure_site.host}", "SSL_CERT_FILE": str(certificate)}
            deployed = deploy(emulator, assembly, stack, twin, database, guard.url, web)
            guard.settle()
            log, owner = folder / "emulator.log", file.owner.email
            sites = (site, secure_site)
            yield System(emulator, bedrock, postgres, deployed, twin, guard, textract, *sites, log, owner)


def _guard(emulator: Emulator, assembly: Path, stack: str, bedrock: FakeBedrock, textract: FakeTextract) -> Guard:
    """Decides by the policies of the template, with the names that the emulator has given so far."""
    resources = json.loads((assembly / f"{stack}.template.json").read_text())["Resources"]

    def access() -> Access:
        return read_access(Names(resources, REGION, ACCOUNT, physical_ids(emulator, stack)))

    return Guard(access, {"": emulator.url, "bedrock": bedrock.url, "textract": textract.url})


def _demand_passwords(postgres: EmbeddedPostgres) -> None:
    """The application's role gets in with the deployment's generated password only."""
    rules = postgres.data / "pg_hba.conf"
    rules.write_text(f"local all {APPLICATION} scram-sha-256\n{rules.read_text()}")
    with psycopg.connect(postgres.dsn(SUPERUSER), autocommit=True) as connection:
        connection.execute("select pg_reload_conf()")
