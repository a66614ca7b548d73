"""`autri`: everything an operator or power user does. Exits 0 ok, 1 the work failed, 2 bad usage."""

import os
import signal
import sys
from contextlib import suppress
from http import HTTPStatus

import typer

from functions.cli import diff, documents, edits, evaluate, ingest, kb, maintenance, retrieval, system, traces, versions
from functions.cli.api import ApiError
from functions.cli.doctor import doctor
from functions.cli.output import print_error
from functions.cli.verify import verify
from functions.ending import Stopped, end_in_order
from shared.errors import AutriError

app = typer.Typer(
    name="autri",
    help="The inspectable knowledge base: PDFs in, chunks that are verbatim, answers that cite them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(kb.app, name="kb")
app.add_typer(documents.app, name="documents")
app.add_typer(edits.app, name="edits")
app.add_typer(evaluate.app, name="eval")
app.add_typer(versions.app, name="versions")
app.add_typer(traces.app, name="traces")
app.add_typer(maintenance.app, name="embedder")
for command in (ingest.ingest, ingest.reingest, retrieval.search, retrieval.lookup, retrieval.ask):
    app.command()(command)
for command in (documents.chunks, diff.diff, verify, doctor, system.serve):
    app.command()(command)
app.command("migrate")(system.migrate_command)
app.command("maintain")(maintenance.maintain)

# What Typer exits with on Ctrl-C, as shells do: 128 + SIGINT.
INTERRUPTED = 130
STOPPED = 128 + signal.SIGTERM


def run() -> None:
    """The entry point: every failure becomes one sentence on stderr and an exit code, never a traceback."""
    end_in_order()
    code = call(sys.argv[1:])
    if code == STOPPED:
        # Everything is closed; a thread of the event loop that was left in the middle would be waited for for ever.
        with suppress(BrokenPipeError):
            sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def call(arguments: list[str]) -> int:
    """Run a command line; returns the exit code. Usage errors and Ctrl-C are Typer's own."""
    try:
        app(arguments)
    except Stopped:
        with suppress(BrokenPipeError):  # whoever started it may be gone as well
            print_error("Stopped. What was ingested stays; what was under way resumes with the next run.")
        return STOPPED
    except SystemExit as done:
        code = int(done.code or 0)
        if code == INTERRUPTED:
            print_error("Interrupted. What was ingested stays; what was under way resumes with the next run.")
        return code
    except AutriError as error:
        print_error(str(error))
        return 2 if isinstance(error, ApiError) and error.status == HTTPStatus.BAD_REQUEST else 1
    except BrokenPipeError:
        # The reader has enough (`| head`): nothing more can be said to it, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print_error(f"{error.strerror or error}{f' ({error.filename})' if error.filename else ''}.")
        return 1
    return 0
