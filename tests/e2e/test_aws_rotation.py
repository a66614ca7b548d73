"""Changing the application's password by hand, as docs/deploy.md says it: a new value, then the migrate function."""

import json
from typing import Any

import psycopg
import pytest

from shared.adapters.local.postgres import APPLICATION, DATABASE
from tests.aws.customer import OWNER, invoke
from tests.aws.system import System

pytestmark = pytest.mark.aws

MIGRATE = {
    "RequestType": "Update",
    "PhysicalResourceId": "migrations",
    "ResourceProperties": {"slug": "autri", "organization": "Autri", "owner_email": OWNER},
}


def logs_in(system: System, password: str) -> bool:
    try:
        with psycopg.connect(
            host=str(system.postgres.socket_dir), dbname=DATABASE, user=APPLICATION, password=password
        ) as connection:
            return connection.execute("select current_user").fetchone() == (APPLICATION,)
    except psycopg.OperationalError as error:
        if "password authentication failed" not in str(error):
            raise
        return False


def test_a_new_password_is_the_roles_once_the_migrate_function_ran(system: System) -> None:
    secrets, arn = system.emulator.client("secretsmanager"), _application_secret(system)
    before: dict[str, Any] = json.loads(secrets.get_secret_value(SecretId=arn)["SecretString"])
    assert logs_in(system, before["password"])
    try:
        secrets.put_secret_value(SecretId=arn, SecretString=json.dumps({**before, "password": "next-1"}))
        assert not logs_in(system, "next-1")
        assert "errorType" not in invoke(system, "Migrations", MIGRATE)
        assert logs_in(system, "next-1")
        assert not logs_in(system, before["password"])
    finally:
        secrets.put_secret_value(SecretId=arn, SecretString=json.dumps(before))
        invoke(system, "Migrations", MIGRATE)
    assert logs_in(system, before["password"])


def _application_secret(system: System) -> str:
    (name,) = (n for n, t in system.deployed.types.items() if n.startswith("DatabaseApplication") and "Secret" in t)
    return system.deployed.physical_ids[name]
