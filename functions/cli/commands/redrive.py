"""`autri redrive`: finds files that arrived and runs that ended without anybody hearing of it."""

from functions.cli.options import Json
from functions.cli.output import count, out, print_json
from shared.settings import LocalSettings


def redrive(json: Json = False) -> None:
    """Take up what was missed: files that wait without a run, and runs that ended unheard. May be repeated.

    Works on this machine's data. On AWS the function `admit` does the same daily, and at once when it is invoked with
    {"redrive": true} (docs/deploy.md).
    """
    from functions.local import local_store
    from shared.ingestion.arrival.admission import redrive as run

    with local_store(LocalSettings().home) as system:
        found = run(system.runtime)
    if json:
        print_json(found)
    else:
        out.print(f"{count(found['files'], 'file')} looked at, {count(found['ended'], 'run')} ended.")
