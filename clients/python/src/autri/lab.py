"""Operations of the lab and the digest: tables and datasets, summaries, bundles, and what a task needs to know."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from autri import models
from autri.operations import Id, Ids, content
from autri.wire import Listing, Operation, given, json_of

TableFormat = Literal["csv", "xlsx", "parquet"]
Scalar = bool | int | float | str


def context(
    task: str, *, budget_tokens: int = 4_000, knowledge_bases: Ids = (), digest: bool = True
) -> Operation[models.Context]:
    """What a model should read for a task, within `budget_tokens` (100 to 200,000): `text` with numbered sources, and
    what was left out. Without `digest`: passages alone."""
    body = given(task=task, budget_tokens=budget_tokens, knowledge_base_ids=knowledge_bases, digest=digest)
    return Operation("POST", "/context", json_of(models.Context), body=body)


def tables(knowledge_base: Id, *, document: Id | None = None, superseded: bool = False) -> Listing[models.FoundTable]:
    """The tables of a knowledge base, of one document, or with older versions'."""
    params = given(document_id=document, superseded=superseded or None)
    return Listing(f"/knowledge-bases/{knowledge_base}/tables", models.FoundTable, params)


def export_tables(
    knowledge_base: Id, form: TableFormat = "csv", *, document: Id | None = None, lineage: bool = False
) -> Operation[bytes]:
    """All tables as a file; `lineage`: with version, page and box of each cell."""
    params = given(knowledge_base_id=knowledge_base, document_id=document, lineage=lineage or None)
    return Operation("GET", f"/exports/tables.{form}", content, params)


def datasets(knowledge_base: Id | None = None) -> Listing[models.DatasetSummary]:
    """Datasets of one knowledge base, or of all."""
    return Listing("/datasets", models.DatasetSummary, given(knowledge_base_id=knowledge_base))


def create_dataset(
    knowledge_base: Id, tables: Ids, *, name: str | None = None, alike: bool = False, superseded: bool = False
) -> Operation[models.Dataset]:
    """A dataset of tables with one header, by their ids; `alike`: of all that have the header of the first, with
    `superseded` also of older versions."""
    body = given(knowledge_base_id=knowledge_base, table_ids=tables, name=name, alike=alike, superseded=superseded)
    return Operation("POST", "/datasets", json_of(models.Dataset), body=body)


def dataset(dataset: Id) -> Operation[models.Dataset]:
    """One dataset, with its columns and steps."""
    return Operation("GET", f"/datasets/{dataset}", json_of(models.Dataset))


def dataset_rows(dataset: Id, *, offset: int = 0, limit: int = 100) -> Operation[models.DatasetTable]:
    """Up to 1,000 rows of a dataset from `offset` on, its steps applied."""
    params = {"offset": offset, "limit": limit}
    return Operation("GET", f"/datasets/{dataset}/rows", json_of(models.DatasetTable), params)


def export_dataset(
    dataset: Id, form: TableFormat | Literal["json"] = "csv", *, lineage: bool = False
) -> Operation[bytes]:
    """A dataset as a file; `lineage`: with document, version, page and box of each row."""
    params = given(format=form, lineage=lineage or None)
    return Operation("GET", f"/datasets/{dataset}/export", content, params)


def delete_dataset(dataset: Id) -> Operation[models.RemovedDataset]:
    """Deletes a dataset; its tables stay."""
    return Operation("DELETE", f"/datasets/{dataset}", json_of(models.RemovedDataset))


def summarize(document: Id, *, model: str | None = None) -> Operation[models.ExperimentSummary]:
    """Makes the experiment summary of a document: by quotation, or by one of the server's models."""
    path = f"/documents/{document}/summary"
    return Operation("POST", path, json_of(models.ExperimentSummary), body=given(model=model), repeatable=False)


def summary(document: Id) -> Operation[models.ExperimentSummary]:
    """The experiment summary of a document. Raises NotFound where none was made."""
    return Operation("GET", f"/documents/{document}/summary", json_of(models.ExperimentSummary))


def compare_summaries(documents: Ids, *, metric: str = "", system: str = "") -> Operation[models.ExperimentComparison]:
    """Results of several documents side by side, by metric and system; those with the words that are given."""
    params = given(document_id=[*documents], metric=metric or None, system=system or None)
    return Operation("GET", "/summaries/compare", json_of(models.ExperimentComparison), params)


def bundle(
    *, notebook: Id | None = None, document: Id | None = None, form: Literal["html", "pdf", "crate"] = "html"
) -> Operation[bytes]:
    """A notebook or a document as one page of HTML, as PDF, or as an RO-Crate (a zip file)."""
    return Operation("POST", "/bundles", content, body=given(notebook_id=notebook, document_id=document, form=form))


def digest(knowledge_base: Id) -> Operation[models.DigestStatus]:
    """How the digest of a knowledge base stands: its revision, what is stale."""
    return Operation("GET", f"/knowledge-bases/{knowledge_base}/digest", json_of(models.DigestStatus))


def update_digest(knowledge_base: Id) -> Operation[models.DigestUpdate]:
    """Brings the digest up to date. `more` of the answer: its time was over before all was read; call again."""
    return Operation("POST", f"/knowledge-bases/{knowledge_base}/digest:update", json_of(models.DigestUpdate))


def digest_files(
    knowledge_base: Id, tier: Literal["index", "summary", "description"] | None = None
) -> Listing[models.DigestEntry]:
    """The digest's files, of all tiers or of one."""
    return Listing(f"/knowledge-bases/{knowledge_base}/digest/files", models.DigestEntry, given(tier=tier))


def digest_file(knowledge_base: Id, file: Id) -> Operation[models.DigestFile]:
    """One file of the digest: Markdown whose statements have their sources."""
    return Operation("GET", f"/knowledge-bases/{knowledge_base}/digest/files/{file}", json_of(models.DigestFile))


def report_event(
    knowledge_base: Id,
    kind: str,
    subject: str,
    at: datetime,
    *,
    values: Mapping[str, Scalar] | None = None,
    key: str | None = None,
) -> Operation[models.ReportedEvent]:
    """Tells the digest of something that another system did (`deployment`, `payment`, …); the same `key` again is the
    same event. `at` has a time zone."""
    body = given(knowledge_base_id=knowledge_base, kind=kind, subject=subject, at=at, values=values, key=key)
    return Operation("POST", "/events", json_of(models.ReportedEvent), body=body)


def plots(knowledge_base: Id | None = None, *, dataset: Id | None = None) -> Listing[models.Plot]:
    """Plots of one knowledge base or dataset, or all."""
    return Listing("/plots", models.Plot, given(knowledge_base_id=knowledge_base, dataset_id=dataset))


def create_plot(dataset: Id, spec: Mapping[str, Any], *, name: str | None = None) -> Operation[models.Plot]:
    """A plot of a dataset. `spec` has a `form` (`{"mark": "bar", "x": {"field": "town"}, …}`) or is `vega_lite`."""
    body = given(dataset_id=dataset, spec=spec, name=name)
    return Operation("POST", "/plots", json_of(models.Plot), body=body)


def draw_plot(
    plot: Id, form: Literal["png", "svg", "pdf"] = "png", *, theme: Literal["light", "dark"] = "light"
) -> Operation[bytes]:
    """A plot as a picture."""
    return Operation("GET", f"/plots/{plot}.{form}", content, {"theme": theme})


def delete_plot(plot: Id) -> Operation[models.Plot]:
    """Deletes a plot; its dataset stays."""
    return Operation("DELETE", f"/plots/{plot}", json_of(models.Plot))


def notebooks(knowledge_base: Id) -> Listing[models.NotebookRow]:
    """The notebooks of a knowledge base."""
    return Listing("/notebooks", models.NotebookRow, {"knowledge_base_id": knowledge_base})


def create_notebook(knowledge_base: Id, title: str) -> Operation[models.WholeNotebook]:
    """An empty notebook."""
    body = {"knowledge_base_id": knowledge_base, "title": title}
    return Operation("POST", "/notebooks", json_of(models.WholeNotebook), body=body)


def notebook(notebook: Id, *, revision: int | None = None) -> Operation[models.WholeNotebook]:
    """A notebook with its cells, as it is or as it was."""
    return Operation("GET", f"/notebooks/{notebook}", json_of(models.WholeNotebook), given(revision=revision))


def add_cell(notebook: Id, content: Mapping[str, Any], *, before: Id | None = None) -> Operation[models.WholeNotebook]:
    """Adds a cell at the end, or before another: `{"kind": "markdown", "text": …}`, `{"kind": "plot", "plot_id": …}`,
    and so for a note, a chunk, an answer, a dataset or a summary."""
    body = given(content=content, before=before)
    return Operation("POST", f"/notebooks/{notebook}/cells", json_of(models.WholeNotebook), body=body)


def delete_notebook(notebook: Id) -> Operation[models.RemovedNotebook]:
    """Deletes a notebook with its history and links."""
    return Operation("DELETE", f"/notebooks/{notebook}", json_of(models.RemovedNotebook))
