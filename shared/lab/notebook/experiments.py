"""Experiment summaries as cells, of one document or of several: in the versions that were pinned, each statement with
its passages."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from markupsafe import Markup

from shared.domain.experiments import (
    ComparedCell,
    ComparedRow,
    ExperimentSummary,
    FieldSummary,
    GroupField,
    GroupStatement,
    GroupSummary,
    ResultCell,
    SummaryStatement,
)
from shared.domain.notebooks import GroupCell, SummaryCell
from shared.errors import BadInput, NotFound
from shared.lab.notebook.kinds import CellKind, CellReading, CellSheet, DrawnCell, HeldCell, vanished
from shared.lab.notebook.markup import element, join, plain_table
from shared.lab.summaries.groups import put_together
from shared.lab.summaries.service import found_summary, found_versions
from shared.store import summaries

RESULTS_SHOWN: Final = 50
GROUP_LEAST: Final = 2
NO_SUMMARY: Final = "There is no summary of a document {}. Make one first, or list those there are."


def _hold(reading: CellReading, wanted: SummaryCell) -> HeldCell:
    found = summaries.get_version(reading.connection, wanted.document_id, None)
    if found is None:
        raise NotFound(NO_SUMMARY.format(wanted.document_id))
    return HeldCell({"document_id": str(wanted.document_id), "version": found["version"]})


def _read(reading: CellReading, body: dict[str, Any]) -> DrawnCell:
    document_id, version = UUID(body["document_id"]), int(body["version"])
    try:
        found = found_summary(reading.connection, document_id, version)
    except NotFound:
        return vanished("summary")
    stated = [one for field in found.fields for one in field.statements]
    results = found.cells[:RESULTS_SHOWN]
    cites = [*(chunk for one in stated for chunk in one.chunk_ids), *(cell.chunk_id for cell in results)]

    def draw(sheet: CellSheet) -> Markup:
        since = f"; there is version {found.newest} by now" if found.newest > version else ""
        stale = " It may not hold any more." if found.stale else ""
        said = f"Experiment summary, version {version}{since}.{stale}"
        head = (element("h3", found.document), element("p", said, class_="cell-note"))
        return join((*head, *(_field(one, sheet) for one in found.fields), *_results(found, results, sheet)))

    def files() -> Mapping[str, bytes]:
        return {"json": (found.model_dump_json(indent=1) + "\n").encode()}

    about = {"document": str(document_id), "name": found.document, "version": version, "newest": found.newest}
    return DrawnCell(draw=draw, cites=[*dict.fromkeys(cites)], about=about | {"engine": found.engine}, files=files)


def _title(field: str) -> str:
    """As the page of a summary has it."""
    return "Statistics" if field == "stats" else field.capitalize()


def _field(field: FieldSummary, sheet: CellSheet) -> Markup:
    title = element("h4", _title(field.field))
    if not field.statements:
        return join((title, element("p", "Not stated.", class_="gone")))
    return join((title, *(_statement(one, sheet) for one in field.statements)))


def _statement(one: SummaryStatement, sheet: CellSheet) -> Markup:
    if any(sheet.passage(chunk) is None for chunk in one.chunk_ids):
        return _unsaid()
    by = f" ({one.author})" if one.origin == "person" and one.author else ""
    return element("p", f"{one.shown}{by} ", *(sheet.cite(chunk) for chunk in one.chunk_ids))


def _results(found: ExperimentSummary, results: list[ResultCell], sheet: CellSheet) -> list[Markup]:
    if not results:
        return []
    rows = [
        [cell.dataset or cell.caption, cell.metric, cell.system, cell.raw, sheet.cite(cell.chunk_id)]
        for cell in results
    ]
    table = plain_table(["Dataset", "Metric", "System", "Value", "Source"], rows)
    return [element("h4", "Result tables"), table, *_further(len(found.cells) - len(results))]


def _further(left: int) -> list[Markup]:
    return [element("p", f"{left:,} further results are in the summary.", class_="cell-note")] if left else []


def _unsaid() -> Markup:
    return element("p", "What was said here stands on something that is gone or no longer visible.", class_="gone")


def _hold_group(reading: CellReading, wanted: GroupCell) -> HeldCell:
    ids = [*dict.fromkeys(wanted.document_ids)]
    found = summaries.get_versions(reading.connection, ids, None)
    for one in ids:
        if one not in found:
            raise NotFound(NO_SUMMARY.format(one))
    if len(ids) < GROUP_LEAST:
        raise BadInput("A group has two documents at least. Pin the summary of one as `summary`.")
    return HeldCell({"document_ids": [str(one) for one in ids], "versions": [found[one]["version"] for one in ids]})


def _read_group(reading: CellReading, body: dict[str, Any]) -> DrawnCell:
    pinned = {UUID(one): int(version) for one, version in zip(body["document_ids"], body["versions"], strict=True)}
    found = found_versions(reading.connection, pinned)
    if not found:
        return vanished("summary")
    group, newest = put_together(found), {one.document_id: one.newest for one in found}
    results = [(row, at, one) for row in group.rows for at, cells in enumerate(row.cells) for one in cells]
    shown = results[:RESULTS_SHOWN]
    said = [by.statement for field in group.fields for one in field.statements for by in one.said_by]
    cites = [*(chunk for one in said for chunk in one.chunk_ids), *(one.cell.chunk_id for _, _, one in shown)]

    def draw(sheet: CellSheet) -> Markup:
        left = len(pinned) - len(found)
        gone = f"{left} more of the group {'was' if left == 1 else 'were'} deleted, or you may no longer see it."
        head = (
            element("h3", f"Summary of {len(found)} documents" if len(found) > 1 else "Summary of one document"),
            element("p", _members(group, newest), class_="cell-note"),
            *([element("p", gone, class_="gone")] if left else []),
        )
        fields = (_group_field(one, sheet) for one in group.fields)
        return join((*head, *fields, *_group_results(group.columns, shown, len(results), sheet)))

    def files() -> Mapping[str, bytes]:
        return {"json": (group.model_dump_json(indent=1) + "\n").encode()}

    about = [
        {"document": str(one.document_id), "name": one.document, "version": one.version} for one in group.documents
    ]
    return DrawnCell(draw=draw, cites=[*dict.fromkeys(cites)], about={"documents": about}, files=files)


def _members(group: GroupSummary, newest: Mapping[UUID, int]) -> str:
    """Each document with the version that was pinned, and what is to be known of it."""
    told = list[str]()
    for one in group.documents:
        since = f", there is {newest[one.document_id]} by now" if newest[one.document_id] > one.version else ""
        stale = ", may not hold any more" if one.stale else ""
        told.append(f"{one.document} (version {one.version}{since}{stale})")
    return f"Put together from the summaries of {'; '.join(told)}."


def _group_field(field: GroupField, sheet: CellSheet) -> Markup:
    missing = f"Not stated in {', '.join(field.missing_in)}." if field.statements else "Not stated."
    lacks = [element("p", missing, class_="gone")] if field.missing_in else []
    return join((element("h4", _title(field.field)), *(_said_by(one, sheet) for one in field.statements), *lacks))


def _said_by(one: GroupStatement, sheet: CellSheet) -> Markup:
    """With each document that says it, as far as its passages are there."""
    seen = [by for by in one.said_by if all(sheet.passage(chunk) for chunk in by.statement.chunk_ids)]
    if not seen:
        return _unsaid()
    cited = (join((f"{by.document} ", *(sheet.cite(chunk) for chunk in by.statement.chunk_ids))) for by in seen)
    return element("p", f"{one.text} ", Markup(", ").join(cited))


def _group_results(
    columns: list[str], shown: list[tuple[ComparedRow, int, ComparedCell]], total: int, sheet: CellSheet
) -> list[Markup]:
    """Values of one dataset, metric and system one below the other; that documents give different ones is said."""
    if not shown:
        return []
    rows = list[list[str | Markup]]()
    for row, at, one in shown:
        value = f"{one.cell.raw} (documents differ)" if row.disagree[at] else one.cell.raw
        rows.append(
            [row.dataset or row.caption, row.metric, columns[at], value, one.document, sheet.cite(one.cell.chunk_id)]
        )
    table = plain_table(["Dataset", "Metric", "System", "Value", "Document", "Source"], rows)
    return [element("h4", "Result tables"), table, *_further(total - len(shown))]


SUMMARY: Final = CellKind(_hold, _read)
GROUP: Final = CellKind(_hold_group, _read_group)
