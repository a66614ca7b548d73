"""`autri ops …`: what an operator asks a deployment, and what one would cost."""

from typing import Annotated

import typer

from functions.cli.options import Json
from functions.cli.output import out, print_json
from shared.errors import BadInput

app = typer.Typer(no_args_is_help=True, help="Operation: what a deployment costs, what runs, what is stuck.")

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

    key, _, name = context.partition("=")
    if key != "deployment":
        raise BadInput("Name the deployment as the CDK does: -c deployment=NAME.")
    try:
        found = run(name, region)
    except DeploymentError as error:
        raise BadInput(str(error)) from error
    if json:
        print_json(found.as_json())
    else:
        out.print(found.as_text(), markup=False)
