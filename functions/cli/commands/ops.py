"""`autri ops …`: what an operator asks a deployment, what one would cost, and upgrades."""

from json import dumps as json_text
from pathlib import Path
from typing import Annotated

import typer

from functions.cli.api import open_api
from functions.cli.commands.ops_plans import packs_app, plan_app
from functions.cli.options import Json, Token, Url
from functions.cli.output import count, new_table, out, print_error, print_json, shorten, status_text
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Operation: what a deployment costs, what runs, what is stuck; plans.")
app.add_typer(plan_app, name="plan")
app.add_typer(packs_app, name="packs")

Context = Annotated[str, typer.Option("--context", "-c", metavar="deployment=NAME", help="A file of deployments/.")]
Region = Annotated[str | None, typer.Option(help="Price the same template in another region.")]


@app.callback()
def ops() -> None:
    """Keeps each command a subcommand."""


@app.command()
def estimate(context: Context, region: Region = None, json: Json = False) -> None:
    """What a deployment costs idle and per 1,000 pages, from its template and dated prices."""
    from stacks.estimate.report import estimate as run
    from stacks.specification import DeploymentError

    try:
        found = run(_deployment(context), region)
    except DeploymentError as error:
        raise BadInput(str(error)) from error
    if json:
        print_json(found.as_json())
    else:
        out.print(found.as_text(), markup=False)


def _deployment(context: str) -> str:
    key, _, name = context.partition("=")
    if key != "deployment":
        raise BadInput("Name the deployment as the CDK does: -c deployment=NAME.")
    return name


Folder = Annotated[
    Path | None, typer.Option(help="Write deployer-1.json and so on into this folder, and boundary.json.")
]


@app.command("deployer-policy")
def deployer_policy(context: Context, folder: Folder = None) -> None:
    """The policies that CloudFormation needs to deploy this, for `cdk bootstrap`: from the template's resources."""
    from stacks.boundary import boundary_policy
    from stacks.deployer import deployer_policies
    from stacks.estimate.report import synthesize_template
    from stacks.specification import DeploymentError, deployments_folder, load_specification

    try:
        specification = load_specification(_deployment(context), deployments_folder())
        resources = synthesize_template(specification, deployments_folder())["Resources"]
        documents, boundary = deployer_policies(resources), boundary_policy(resources)
    except DeploymentError as error:
        raise BadInput(str(error)) from error
    if folder is None:
        print_json(documents)
        return
    folder.mkdir(parents=True, exist_ok=True)
    files = {f"deployer-{number}": document for number, document in enumerate(documents, 1)} | {"boundary": boundary}
    for name, document in files.items():
        (folder / f"{name}.json").write_text(json_text(document, indent=2) + "\n", encoding="utf-8")
    out.print(
        f"{count(len(documents), 'policy', 'policies')} in {folder}, and boundary.json: what a permissions boundary of"
        " the deployment's roles has to allow."
    )


Names = Annotated[
    list[str] | None, typer.Argument(metavar="[DEPLOYMENT…]", help="In this order. All of tier 2 if none.")
]
Canary = Annotated[str | None, typer.Option(help="The deployment that goes first.")]
Report = Annotated[Path, typer.Option(help="Where the report is kept; run again, what it says was done is left.")]
Cdk = Annotated[str, typer.Option(help="The CDK's command line.")]


@app.command()
def fleet(
    names: Names = None,
    canary: Canary = None,
    report: Report = Path("fleet.json"),
    cdk: Cdk = "npx aws-cdk@2",
    json: Json = False,
) -> None:
    """Upgrade deployments one after the other, and stop at the first that fails. Exits 1 then."""
    from stacks.fleet import CdkOperator, plan, upgrade_fleet
    from stacks.specification import DeploymentError, deployments_folder

    folder = deployments_folder()
    try:
        chosen = plan(names or [], canary, folder)
        done = upgrade_fleet(chosen, CdkOperator(cdk, folder), report, folder)
    except DeploymentError as error:
        raise BadInput(str(error)) from error
    if json:
        print_json([vars(one) for one in done])
    else:
        table = new_table("deployment", "from", "to", "migration", "smoke", "seconds", "", numbers=("seconds",))
        for one in done:
            seconds = f"{one.seconds:,.1f}"
            table.add_row(one.deployment, one.before, one.after, one.migration, one.smoke, seconds, one.result)
        out.print(table)
        left = [one.name for one in chosen[len(done) :]]
        if done[-1].result == "failed":
            print_error(f"{done[-1].deployment}: {done[-1].why}")
            waiting = f" Not begun: {', '.join(left)}." if left else ""
            out.print(f"Mend it and run the same command again.{waiting}")
    if done[-1].result == "failed":
        raise typer.Exit(1)


Days = Annotated[int, typer.Option(min=1, max=366, help="Today and the days before.")]
Minutes = Annotated[int, typer.Option(min=1, help="What is under way for longer counts as stuck.")]
Some = Annotated[list[str] | None, typer.Argument(metavar="[DOCUMENT…]", help="Ids of failed documents. All if none.")]
Limit = Annotated[int, typer.Option(min=1, max=200, help="How many at most.")]


@app.command()
def status(json: Json = False, url: Url = None, token: Token = None) -> None:
    """Ingestions by state and age: under way, and ended within a day."""
    with open_api(url, token) as api:
        found = api.call("GET", "/ops/status")
    if json:
        print_json(found)
        return
    table = new_table("", "state", "count", "oldest", numbers=("count",))
    for when in ("open", "ended"):
        for one in found[when]:
            table.add_row(when, status_text(one["status"]), f"{one['count']:,}", _age(one["oldest_seconds"]))
    out.print(table if table.row_count else "Nothing is under way, and nothing ended within a day.")


@app.command()
def costs(days: Days = 30, json: Json = False, url: Url = None, token: Token = None) -> None:
    """What models cost, by day, stage and model."""
    with open_api(url, token) as api:
        found = api.call("GET", "/ops/costs", days=days)
    if json:
        print_json(found)
        return
    table = new_table("day", "stage", "model", "calls", "tokens", "usd", numbers=("calls", "tokens", "usd"))
    for one in found["lines"]:
        tokens = one["input_tokens"] + one["output_tokens"]
        table.add_row(one["day"], one["stage"], one["model"], f"{one['calls']:,}", f"{tokens:,}", f"{one['usd']:.4f}")
    table.add_row("together", "", "", "", "", f"{found['usd']:.4f}")
    out.print(table)


@app.command()
def stuck(minutes: Minutes = 60, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Runs that take too long, and what failed. Exits 1 when there are any."""
    with open_api(url, token) as api:
        found = list(api.call("GET", "/ops/stuck", minutes=minutes)["items"])
    if json:
        print_json(found)
    elif not found:
        out.print("[green]✓[/] Nothing is stuck.")
    else:
        table = new_table("kind", "file", "age", "why", "id")
        for one in found:
            document = one["document_id"] or one["ingestion_id"]
            table.add_row(
                one["kind"], one["filename"], _age(one["age_seconds"]), shorten(one["error"] or "–"), document
            )
        out.print(table)
    if found:
        raise typer.Exit(1)


@app.command()
def redrive(
    documents: Some = None, limit: Limit = 50, json: Json = False, url: Url = None, token: Token = None
) -> None:
    """Run failed documents again, when the cause is gone. Exits 1 when one cannot be started."""
    with open_api(url, token) as api:
        done = api.call("POST", "/ops/redrive", {"documents": documents or None, "limit": limit})
    failed = [one for one in done["items"] if one["error"]]
    if json:
        print_json(done)
    else:
        for one in failed:
            print_error(f"{one['filename']}: {one['error']}")
        more = " There are more: run it again." if done["more"] else ""
        out.print(f"{count(len(done['items']) - len(failed), 'document')} started again.{more}")
    if failed:
        raise typer.Exit(1)


Stack = Annotated[str, typer.Option(help="The stack's name, e.g. autri-shared; AWS credentials of its account.")]
Move = Annotated[bool, typer.Option("--move", help="Give them again to what they were for.")]


@app.command()
def letters(stack: Stack, move: Move = False, json: Json = False) -> None:
    """What could not be handled on AWS, and with --move giving it again. Exits 1 when something is left."""
    from shared.adapters.aws import letters as queue

    queues = queue.find_queues(stack)
    found = [(one, move and one.may_move) for one in queue.take(queues)]
    for one, moves in found:
        (queue.move if moves else queue.leave)(queues, one)
    rows = [{"kind": one.kind, "about": one.about, "why": one.why, "moved": moves} for one, moves in found]
    if json:
        print_json(rows)
    else:
        table = new_table("kind", "about", "why", "moved")
        for row in rows:
            table.add_row(row["kind"] or "no event", shorten(row["about"]), row["why"], str(row["moved"]))
        out.print(table if rows else "[green]✓[/] There are no dead letters.")
    if any(not moves for _, moves in found):
        raise typer.Exit(1)


@app.command()
def health(json: Json = False, url: Url = None, token: Token = None) -> None:
    """Whether each part answers, and how fast. Exits 1 when one does not."""
    with open_api(url, token) as api:
        found = api.call("GET", "/ops/health")
    if json:
        print_json(found)
    else:
        table = new_table("part", "", "ms", "why", numbers=("ms",))
        for one in found["checks"]:
            mark = "ok" if one["ok"] else "fails"
            table.add_row(one["name"], mark, f"{one['milliseconds']:.1f}", one["error"] or "")
        out.print(table)
    if found["status"] != "ok":
        raise typer.Exit(1)


def _age(seconds: float) -> str:
    """`40 s`, `12 min`, `5 h`, `3 d`."""
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
