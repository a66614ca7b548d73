"""An estimate as a whole: for reading, and as JSON."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from stacks.assets import ROOT
from stacks.estimate.figures import Amount, load_prices
from stacks.estimate.idle import idle_lines
from stacks.estimate.pages import PAGES, extra_lines, page_lines
from stacks.specification import DEPLOYMENTS, DeploymentError, Specification, load_specification


@dataclass(frozen=True)
class Estimate:
    """US dollars: `idle` a month, `pages` for 1,000 pages by layout, `extra` on top of these where it is used."""

    deployment: str
    tier: str
    region: str
    prices_of: str
    idle: list[Amount]
    pages: list[Amount]
    extra: list[Amount]

    @property
    def idle_usd(self) -> float:
        return sum(line.usd for line in self.idle)

    @property
    def pages_usd(self) -> float:
        return sum(line.usd for line in self.pages)

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "idle_usd": round(self.idle_usd, 2), "pages_usd": round(self.pages_usd, 4)}

    def as_text(self) -> str:
        """Three tables."""
        head = f"{self.deployment}: tier {self.tier}, {self.region}, US dollars at the prices of {self.prices_of}"
        return "\n".join(
            [
                head,
                *_table("idle, a month", self.idle, self.idle_usd, 2),
                *_table(f"{PAGES:,} pages by layout", self.pages, self.pages_usd, 4),
                *_table(f"{PAGES:,} pages, on top", self.extra, None, 4),
            ]
        )


def estimate(name: str, region: str | None = None, folder: Path = DEPLOYMENTS) -> Estimate:
    """Synthesizes the deployment and prices its template, in `region` instead of its own where one is given. Raises
    DeploymentError."""
    specification = load_specification(name, folder)
    return estimate_template(specification, synthesize_template(specification, folder), region)


def estimate_template(specification: Specification, template: dict[str, Any], region: str | None = None) -> Estimate:
    prices, resources = load_prices(region or specification.file.region), template["Resources"]
    return Estimate(
        deployment=specification.name,
        tier=specification.tier.name,
        region=prices.region,
        prices_of=prices.looked_up.isoformat(),
        idle=idle_lines(resources, prices),
        pages=page_lines(resources, prices, specification),
        extra=extra_lines(resources, prices, specification),
    )


def synthesize_template(specification: Specification, folder: Path) -> dict[str, Any]:
    """The template of one deployment. Raises DeploymentError where it does not synthesize."""
    if find_spec("aws_cdk") is None:
        raise DeploymentError("This synthesizes the template, which needs the tools of `make test`. Run it once.")
    with tempfile.TemporaryDirectory(prefix="autri-estimate-") as assembly:
        # The CDK's own look at the templates only warns, and is most of a synthesis's time.
        quick = {"CDK_VALIDATION": "false", "CDK_OUTDIR": assembly, "AUTRI_DEPLOYMENTS": str(folder)}
        environment = {**os.environ, **quick}
        command = [sys.executable, "app.py", specification.name]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DeploymentError(f"The deployment does not synthesize:\n{done.stdout}{done.stderr}")
        return read_templates(Path(assembly))


def read_templates(assembly: Path) -> dict[str, Any]:
    """All stacks of a deployment as one: its firewall may have a stack of its own."""
    templates = (json.loads(file.read_text(encoding="utf-8")) for file in sorted(assembly.glob("*.template.json")))
    return {"Resources": {name: resource for one in templates for name, resource in one["Resources"].items()}}


def _table(title: str, lines: list[Amount], total: float | None, digits: int) -> list[str]:
    rows = [f"  {line.what:34} {line.amount:>13,.1f} {line.unit:18} {line.usd:>9.{digits}f}" for line in lines]
    return ["", title, *rows, *([] if total is None else [f"  {'together':34} {'':13} {'':18} {total:>9.{digits}f}"])]
