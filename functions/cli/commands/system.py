"""`autri migrate` and `autri serve`."""

from typing import Annotated

import typer

from functions.cli.options import Json, Workers
from functions.cli.output import out, print_json

Host = Annotated[str, typer.Option(help="Address to listen on; sign-in works on this machine only.")]
Port = Annotated[int, typer.Option(min=1, max=65535, envvar="PORT", help="Port to listen on.")]


def migrate_command(json: Json = False) -> None:
    """Bring the database up to date, and make the local user where it is missing."""
    from shared.adapters.local.home import prepare_home, private_files
    from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
    from shared.settings import LocalSettings
    from shared.store.migrate import load_migrations, migrate
    from shared.store.provision import provision_local

    home = LocalSettings().home.resolve()
    prepare_home(home)
    with private_files(), EmbeddedPostgres(home / "postgres") as postgres:
        applied = migrate(postgres.dsn(OWNER))
        provision_local(postgres.dsn(OWNER))
    if json:
        print_json({"applied": applied, "migrations": [migration.name for migration in load_migrations()]})
        return
    out.print(
        f"[green]✓[/] {'Applied ' + ', '.join(applied) if applied else 'Nothing to do'}: the database is up to date."
    )


def serve(host: Host = "127.0.0.1", port: Port = 8000, workers: Workers = 2) -> None:
    """Serve the web pages and the API on this machine until interrupted."""
    from functions.local import serve as serve_here
    from shared.settings import LocalSettings

    serve_here(LocalSettings().home, host, port, workers)
