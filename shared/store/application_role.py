"""The application's database login of a deployment: its password and its limits."""

import psycopg
from psycopg import sql

ROLE = "autri_app"
# An open connection keeps Aurora from pausing, so idle ones are closed.
IDLE_SESSION_TIMEOUT = "60s"


def let_application_log_in(owner_dsn: str, password: str) -> None:
    """Sets the role's password. Only its SCRAM verifier is sent, so the password reaches no server log."""
    with psycopg.connect(owner_dsn) as connection:
        verifier = connection.pgconn.encrypt_password(password.encode(), ROLE.encode(), b"scram-sha-256").decode()
        role = sql.Identifier(ROLE)
        connection.execute(sql.SQL("alter role {} login password {}").format(role, sql.Literal(verifier)))
        timeout = sql.Literal(IDLE_SESSION_TIMEOUT)
        connection.execute(sql.SQL("alter role {} set idle_session_timeout = {}").format(role, timeout))
