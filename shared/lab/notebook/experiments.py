"""Experiment summaries as cells: in the version that was pinned, each statement with its passages."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from markupsafe import Markup

from shared.domain.experiments import ExperimentSummary, FieldSummary, ResultCell, SummaryStatement
from shared.domain.notebooks import SummaryCell
from shared.errors import NotFound
from shared.lab.notebook.kinds import CellKind, CellReading, CellSheet, DrawnCell, HeldCell, vanished
from shared.lab.notebook.markup import element, join, plain_table
from shared.lab.summaries.service import found_summary
from shared.store import summaries

RESULTS_SHOWN: Final = 50


def _hold(reading: CellReading, wanted: SummaryCell) -> HeldCell:
    found = summaries.get_version(reading.connection, wanted.document_id, None)
    if found is None:
        raise NotFound(
            f"There is no summary of a document {wanted.document_id}. Make one first, or list those there are."
        )
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


def _field(field: FieldSummary, sheet: CellSheet) -> Markup:
    title = element("h4", field.field.capitalize())
    if not field.statements:
        return join((title, element("p", "Not stated.", class_="gone")))
    return join((title, *(_statement(one, sheet) for one in field.statements)))


def _statement(one: SummaryStatement, sheet: CellSheet) -> Markup:
    if any(sheet.passage(chunk) is None for chunk in one.chunk_ids):
        return element("p", "What was said here stands on something that is gone or no longer visible.", class_="gone")
    by = f" ({one.author})" if one.origin == "person" and one.author else ""
    return element("p", f"{one.shown}{by} ", *(sheet.cite(chunk) for chunk in one.chunk_ids))


def _results(found: ExperimentSummary, results: list[ResultCell], sheet: CellSheet) -> list[Markup]:
    if not results:
        return []
    rows = [[cell.dataset, cell.metric, cell.system, cell.raw, sheet.cite(cell.chunk_id)] for cell in results]
    left = len(found.cells) - len(results)
    more = [element("p", f"{left:,} further results are in the summary.", class_="cell-note")] if left else []
    return [element("h4", "Results"), plain_table(["Dataset", "Metric", "System", "Value", "Source"], rows), *more]


SUMMARY: Final = CellKind(_hold, _read)
