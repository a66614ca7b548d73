"""Certificates of deletions: kept as a file, and shown."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from functions.cli.output import count, out
from shared.errors import BadInput

Certificate = Annotated[
    Path | None, typer.Option("--certificate", metavar="FILE", help="Keep the certificate of the deletion there.")
]


def check_certificate(path: Path | None) -> None:
    """Raises BadInput, before anything is deleted, where the certificate could not be kept."""
    if path is not None and (path.exists() or not path.parent.is_dir()):
        raise BadInput(f"{path} exists already or has no folder. Nothing was deleted: name another file.")


def keep_certificate(certificate: dict[str, Any], path: Path | None) -> None:
    if path is not None:
        path.write_text(json.dumps(certificate, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def print_certificate(certificate: dict[str, Any]) -> None:
    """What was there, and that nothing is left."""
    before, after = certificate["before"], certificate["after"]
    rows, files = sum(before["rows"].values()), before["objects"]
    out.print(
        f"[green]✓[/] Erased the {certificate['kind']} [bold]{certificate['subject']['slug']}[/]:"
        f" {count(rows, 'row')}, {count(files, 'file')}; left: {sum(after['rows'].values())} and {after['objects']}."
    )
    out.print(f"Certificate {certificate['id']}, SHA-256 {certificate['sha256']}")
