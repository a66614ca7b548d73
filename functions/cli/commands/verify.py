"""`autri verify`: verifies everything that is stored against its sources."""

from collections.abc import Iterable
from typing import Any

import typer
from rich.progress import track

from functions.cli.api import ApiClient, open_api
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, SomeKb, Token, Url
from functions.cli.output import count, err, new_table, out, print_json, print_note, shorten

COUNTS = (
    "documents", "chunks", "verbatim", "boxes_exact", "ocr", "failed", "unclaimed_fragments", "second_reader",
    "older_reader",
)  # fmt: skip
# How the command ends where nothing failed, and documents were read by an older version of their reader.
OUTDATED = 3
STATES = ("proved", "outdated", "failed")
SETTLED = frozenset({"ready", "ready_with_errors", "failed"})


def verify(kb: SomeKb = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Read every source again and prove each chunk's text and boxes against it. Exits 1 on a failure, 3 where
    nothing failed and an older version of a reader has read something."""
    with open_api(url, token) as api:
        base = find_knowledge_base(api, kb)["id"] if kb else None
        report = _verify_all(api, list(api.items("/documents", knowledge_base_id=base)), shown=not json)
    if json:
        print_json(report)
    else:
        _print_report(report)
    if not report["ok"]:
        raise typer.Exit(OUTDATED if report["state"] == "outdated" else 1)


def _verify_all(api: ApiClient, documents: list[dict[str, Any]], *, shown: bool) -> dict[str, Any]:
    """The sum over all documents that were ever published, whatever is left of them.

    Documents under way are listed and left out; refused files have nothing to verify.
    """
    total: dict[str, Any] = dict.fromkeys(COUNTS, 0) | {
        "second_reader_differences": {}, "failures": [], "warnings": [], "outdated": [], "state": "proved", "ok": True,
    }  # fmt: skip
    for document in _with_progress(documents, shown):
        if document["published_at"] is None:
            continue
        if document["status"] not in SETTLED:
            print_note(f"{document['name']} is being ingested and was left out.")
        else:
            _add(total, document, api.call("GET", f"/documents/{document['id']}/verify", refresh=True))
    return total


def _add(total: dict[str, Any], document: dict[str, Any], report: dict[str, Any]) -> None:
    for name in COUNTS:
        total[name] += report.get(name, 0)
    for name, chunks in report.get("second_reader_differences", {}).items():
        differences = total["second_reader_differences"]
        differences[name] = differences.get(name, 0) + chunks
    total["failures"] += report["failures"]
    total["warnings"] += report.get("warnings", [])
    total["ok"] = total["ok"] and report["ok"]
    if report.get("older_reader"):
        total["outdated"].append({"id": document["id"], "name": document["name"]})
    total["state"] = max(total["state"], report.get("state", "proved" if report["ok"] else "failed"), key=STATES.index)


def _with_progress(documents: list[dict[str, Any]], shown: bool) -> Iterable[dict[str, Any]]:
    if not (shown and err.is_terminal):
        return documents
    return track(documents, description="verifying", console=err, transient=True)


def _print_report(report: dict[str, Any]) -> None:
    chunks = report["chunks"]
    mark = {"proved": "[green]✓[/]", "outdated": "[yellow]![/]"}.get(report["state"], "[red]✗[/]")
    out.print(f"{mark} {count(report['documents'], 'document')}, {count(chunks, 'chunk')}")
    for name in ("verbatim", "boxes_exact", "second_reader", "ocr", "failed"):
        share = f"{report[name] / chunks:8.2%}" if chunks else ""
        out.print(f"  {name.replace('_', ' '):<20}{report[name]:>9,}  {share}")
    out.print(f"  {'unclaimed fragments':<20}{report['unclaimed_fragments']:>9,}")
    for name, number in sorted(report["second_reader_differences"].items()):
        out.print(f"  [dim]second reader: {name:<12}{number:>9,}[/]")
    if report["failures"] or report["warnings"]:
        _print_failures([*report["failures"], *report["warnings"]])
    for one in report["outdated"]:
        print_note(f"{one['name']} was read by an older version of its reader: autri reingest {one['id']}")


def _print_failures(failures: list[dict[str, Any]]) -> None:
    from shared.domain.verify import CHECKS  # loads the models, which `--help` can do without

    sentences: dict[str, str] = {**CHECKS}
    table = new_table("document", "chunk", "page", "check", "expected", "actual", numbers=("page",))
    for failure in failures:
        where = (str(failure[name] or "–") for name in ("document_id", "chunk_id", "page", "check"))
        table.add_row(*where, *(shorten(str(failure[name] or "–")) for name in ("expected", "actual")))
    out.print(table)
    for check in sorted({failure["check"] for failure in failures}):
        out.print(f"  [dim]{check.replace('_', ' ')}: {sentences.get(check, '')}[/]")
