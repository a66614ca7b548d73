"""`autri audit`: who did what."""

import sys
from itertools import islice
from typing import Annotated

import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_member
from functions.cli.options import Json, Token, Url
from functions.cli.output import new_table, out, print_done, print_json
from shared.domain.people import AuditEntry
from shared.people.audit import to_csv

Act = Annotated[str | None, typer.Option(help="An act (document.delete), or all of a kind (document).")]
Person = Annotated[str | None, typer.Option("--person", metavar="E-MAIL", help="Only what this member did.")]
Since = Annotated[str | None, typer.Option(metavar="TIME", help="Not before this time: 2026-01-31T12:00:00Z.")]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Before this time.")]
HowMany = Annotated[int, typer.Option("-n", min=1, max=1_000_000, help="How many, newest first.")]
Keep = Annotated[int | None, typer.Option("--keep", metavar="DAYS", help="Set for how long: 30 to 3650.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV and nothing else.")]


def audit(
    act: Act = None,
    person: Person = None,
    since: Since = None,
    until: Until = None,
    n: HowMany = 50,
    csv: Csv = False,
    keep: Keep = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Show who did what, newest first; --csv writes it as a file."""
    with open_api(url, token) as api:
        if keep is not None:
            _keep(api, keep, json)
            return
        who = find_member(api, person)["id"] if person else None
        found = list(islice(api.items("/audit", act=act, person_id=who, since=since, until=until), n))
    if csv:
        sys.stdout.write(to_csv(map(AuditEntry.model_validate, found)))
        return
    if json:
        print_json(found)
        return
    table = new_table("when", "who", "act", "to", "details")
    for one in found:
        who = one["person"] or one["key_id"] or one["user_id"] or ""
        details = ", ".join(f"{name}: {value}" for name, value in one["details"].items())
        table.add_row(one["at"][:19].replace("T", " "), who, one["act"], one["subject_id"] or "", details)
    out.print(table if found else "Nothing is noted.")


def _keep(api: ApiClient, days: int, json: bool) -> None:
    organization = api.call("PATCH", "/organization", {"audit_days": days})["organization"]
    print_done(organization, json, f"{organization['name']} keeps its audit log for {organization['audit_days']} days.")
