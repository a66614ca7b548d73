"""`autri`: everything an operator or power user does. Exits 0 ok, 1 the work failed, 2 bad usage."""

import os
import signal
import sys
from contextlib import suppress
from http import HTTPStatus
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_group

from functions.cli.errors import ApiError
from functions.cli.left_out import left_out
from functions.cli.options import ORGANIZATION
from functions.cli.output import print_error
from functions.ending import Stopped, end_in_order
from shared import VERSION
from shared.errors import AutriError

# The module and the help text of each command: a command's module is imported only when it is run.
COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "ingest": (
        "ingest.ingest",
        "Ingest files and web pages. One bad file never stops the others. With --json a line per file.",
    ),
    "sync": (
        "sync.sync",
        "Keep a knowledge base like a folder, a mailbox or a bucket; what is new or changed is sent, nothing twice.",
    ),
    "reingest": (
        "ingest.reingest",
        "Run the stages again over a document's stored source, with today's configuration. Chunks keep their ids.",
    ),
    "search": ("retrieval.search", "Search; each hit names the indexes that found it, with rank and score."),
    "lookup": ("retrieval.lookup", "Look a section up by its address. Nothing found is no error."),
    "ask": (
        "retrieval.ask",
        "Answer a question with citations, by quotations or by the model that is set, or say that nothing does.",
    ),
    "context": (
        "context.context",
        "Print what a task should read, within a budget of tokens: from the digest and the documents, with sources.",
    ),
    "mcp": (
        "mcp.mcp",
        "Serve the knowledge bases to an assistant by MCP on standard input and output.",
    ),
    "thread": (
        "threads.app",
        "Your conversations: list (or search), show, ask, regenerate, models, feedback, rename, export, share, …",
    ),
    "summary": (
        "summaries.app",
        "What documents state of their experiments: make, show, group, compare, list, edit, versions, diff, restore.",
    ),
    "notebook": (
        "notebook.app",
        "What people write and pin: list, show, add, edit, move, remove, rename, history, restore, share, export.",
    ),
    "chunks": ("documents.chunks", "Print chunks in document order. With --json a line per chunk, whole."),
    "diff": (
        "diff.diff",
        "Show what changed between two versions, by section; numbers, limits, negations and obligations are marked.",
    ),
    "verify": (
        "verify.verify",
        "Read every source again and prove each chunk's text and boxes against it. Exits 1 on a failure, 3 where "
        "nothing failed and an older version of a reader has read something.",
    ),
    "doctor": (
        "doctor.doctor",
        "Check this machine and the server that runs on its data, or another server (--url): packages, Postgres, disk, "
        "models. Exits 1 when something is missing.",
    ),
    "usage": ("usage.usage", "Show what the organization has used of its plan this month (UTC), and where that leads."),
    "serve": ("system.serve", "Serve the web pages and the API on this machine until interrupted."),
    "migrate": (
        "system.migrate_command",
        "Bring the database up to date, and make the local user where it is missing.",
    ),
    "maintain": (
        "maintenance.maintain",
        "Make and drop indexes, finish changes of embedders, end what was lost, forget what is kept no longer.",
    ),
    "redrive": (
        "redrive.redrive",
        "Take up what was missed: files that wait without a run, and runs that ended unheard. May be repeated.",
    ),
    "export": (
        "archive.export",
        "Write a knowledge base, or with --organization all of them, into an archive that `autri import` reads back.",
    ),
    "import": (
        "archive.import_archive",
        "Read an archive back: all of it or nothing, with the same ids and proofs. For owners and admins.",
    ),
    "erase": (
        "archive.erase",
        "Delete your whole organization for good: people, knowledge bases, files. For owners; prints a certificate.",
    ),
    "login": ("login.login", "Sign in at a server (--url), for all commands that follow."),
    "logout": ("login.logout", "Sign out at a server: the tokens that this machine holds are void."),
    "whoami": ("login.whoami", "Who you are, and which organizations you may act for."),
    "kb": ("kb.app", "Knowledge bases: create, list, rename, access, delete."),
    "documents": ("documents.app", "Documents: list, delete."),
    "watch": ("watch.app", "Watched sites: add, list, look, remove."),
    "webhook": ("webhook.app", "Webhooks: add, list, test, rotate, enable, remove, deliveries, again."),
    "note": ("note.app", "Notes: write one down, list, show, edit, delete."),
    "event": ("event.app", "Events of other systems, which the digest states: add, list, delete."),
    "digest": (
        "digest_files.app",
        "The digest: build, status, show, history, diff, edit, restore, export, import.",
    ),
    "record": ("record.app", "Records of declared kinds: add, kinds, declare, drop."),
    "schema": (
        "schema.app",
        "Attributes that count: propose, show, apply, diff, export, promote, demote, backfill, history.",
    ),
    "edits": ("edits.app", "Corrections of an extraction: list, apply, undo."),
    "review": ("review.app", "Review: list what is left, approve, reject, take back, decisions."),
    "eval": ("evaluate.app", "Measure retrieval on gold questions: run, continue, gold, history."),
    "versions": ("versions.app", "Versions: list, link, unlink, suggestions, the current one, labels."),
    "traces": ("traces.app", "Traces of searches, look-ups and answers: list, show, keep."),
    "ops": ("ops.app", "Operation: what a deployment costs, what runs, what is stuck; plans."),
    "model": ("model.app", "The model that answers: show, set, test, check, clear."),
    "members": ("members.app", "Members: list, invite, resend, waiting, bind, role, remove."),
    "keys": ("keys.app", "API keys: list, create, revoke."),
    "token": ("keys.token", "Make an API key: the same as `autri keys`."),
    "dataset": (
        "dataset.app",
        "Datasets: tables, make, list, show, profile, steps, correct, history, renew, export, delete.",
    ),
    "plot": ("plot.app", "Plots of datasets: make, list, show, export, cells, redraw, delete."),
    "connections": ("connections.app", "Connected assistants: list, revoke."),
    "links": ("links.app", "Links that show conversations and notebooks: list, revoke."),
    "audit": ("audit.audit", "Show who did what, newest first; --csv writes it as a file."),
    "domains": ("joining.domains", "Domains whose people join by themselves: list, add, verify, remove."),
    "groups": ("joining.groups", "Roles by groups of the identity provider: list, set, remove."),
    "organizations": ("organizations.app", "Organizations: list, create."),
    "embedder": ("maintenance.app", "Embedders: compare two on a knowledge base, move it to another one."),
}


def load_command(name: str) -> Any:
    """The command itself, with its options."""
    module, _, attribute = COMMANDS[name][0].partition(".")
    found = getattr(import_module(f"functions.cli.commands.{module}"), attribute)
    holder = typer.Typer(add_completion=False)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name)(found)
        holder.callback()(lambda: None)
    return get_group(holder).commands[name]


class Commands(TyperGroup):
    """A Typer group that knows its commands by name, and imports the one that is run."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with left_out({"rich.markdown": "Markdown", "rich.traceback": "Traceback"}):
            import_module("typer.rich_utils")
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, known, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name and known else known, rest


app = typer.Typer(
    name="autri",
    cls=Commands,
    help="The inspectable knowledge base: documents in, chunks that are verbatim, answers that cite them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
Organization = Annotated[
    str | None,
    typer.Option(envvar="AUTRI_ORGANIZATION", metavar="SLUG", help="The organization to act for; else the first."),
]
Server = Annotated[str | None, typer.Option("--url", help="As each command's own --url.")]


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"autri {VERSION}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Say which version this is, and exit.")
]


@app.callback()
def choose(context: typer.Context, organization: Organization = None, url: Server = None, _: Version = False) -> None:
    """The inspectable knowledge base: documents in, chunks that are verbatim, answers that cite them."""
    ORGANIZATION.set(organization)
    if url is not None:
        _say_where(context, url)


def _say_where(context: typer.Context, url: str) -> None:
    """Where each command's own --url looks, until the command has ended."""
    before = os.environ.get(URL)

    def restore() -> None:
        os.environ.pop(URL, None)
        if before is not None:
            os.environ[URL] = before

    os.environ[URL] = url
    context.call_on_close(restore)


for _name, (_, _help) in COMMANDS.items():
    app.command(_name, help=_help)(lambda: None)

URL: Final = "AUTRI_URL"

# Typer's exit code on Ctrl-C, the same as that of shells: 128 + SIGINT.
INTERRUPTED = 130
STOPPED = 128 + signal.SIGTERM


def run() -> None:
    """The entry point: every failure becomes one sentence on stderr and an exit code, never a traceback."""
    end_in_order()
    code = call(sys.argv[1:])
    if code == STOPPED:
        # Everything is closed; the interpreter would wait for ever for a thread of an unfinished event loop.
        with suppress(BrokenPipeError):
            sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def call(arguments: list[str]) -> int:
    """Run a command line; returns the exit code. Usage errors and Ctrl-C are Typer's own."""
    try:
        app(arguments)
    except Stopped:
        with suppress(BrokenPipeError):  # the terminal may be gone as well
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
        # The reader has closed the pipe (`| head`): nothing more can be written to it, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        print_error(f"{error.strerror or error}{f' ({error.filename})' if error.filename else ''}.")
        return 1
    return 0
