"""The API's operations that clients have as methods: what is asked, and what comes back.

Each is written once; `Client` and `AsyncClient` send them. What is not here goes by `client.request`.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Literal
from uuid import UUID

import httpx

from autri import models
from autri.wire import Listing, Operation, given, json_of

Id = UUID | str
Ids = Sequence[Id]
Index = Literal["hybrid", "fts", "vector"]


def me() -> Operation[models.AccountProfile]:
    """Who is signed in, and with which organization and role."""
    return Operation("GET", "/me", json_of(models.AccountProfile))


def knowledge_bases() -> Listing[models.KnowledgeBase]:
    """All knowledge bases that the caller may read."""
    return Listing("/knowledge-bases", models.KnowledgeBase)


def create_knowledge_base(name: str, description: str | None = None) -> Operation[models.KnowledgeBase]:
    """Makes an empty knowledge base. Raises Conflict where the name is taken."""
    return Operation(
        "POST", "/knowledge-bases", json_of(models.KnowledgeBase), body=given(name=name, description=description)
    )


def delete_knowledge_base(knowledge_base: Id) -> Operation[models.AskedErasure]:
    """Deletes a knowledge base with all that it holds; `erasure(id, ticket)` of the answer says how far that is."""
    return Operation("DELETE", f"/knowledge-bases/{knowledge_base}", json_of(models.AskedErasure))


def documents(knowledge_base: Id | None = None) -> Listing[models.Document]:
    """Versions of documents, newest first: of one knowledge base, or of all."""
    return Listing("/documents", models.Document, given(knowledge_base_id=knowledge_base))


def document(document: Id) -> Operation[models.Document]:
    """One version of a document."""
    return Operation("GET", f"/documents/{document}", json_of(models.Document))


def versions(document: Id) -> Listing[models.Document]:
    """All versions of the document that this is one of."""
    return Listing(f"/documents/{document}/versions", models.Document)


def diff(document: Id, other: Id) -> Operation[models.Diff]:
    """What changed from one version to another."""
    return Operation("GET", f"/documents/{document}/diff/{other}", json_of(models.Diff))


def sections(document: Id) -> Listing[models.Section]:
    """The document's sections in its own order."""
    return Listing(f"/documents/{document}/sections", models.Section)


def chunks(document: Id) -> Listing[models.Chunk]:
    """Every chunk of a document in its order: verbatim text, and the boxes where it stands."""
    return Listing(f"/documents/{document}/chunks", models.Chunk)


def page_image(document: Id, page: int) -> Operation[bytes]:
    """The picture of a page (from 1), as JPEG or PNG."""
    return Operation("GET", f"/documents/{document}/pages/{page}/image", content)


def source(document: Id) -> Operation[bytes]:
    """The file as it was uploaded."""
    return Operation("GET", f"/documents/{document}/source", content)


def verify(document: Id) -> Operation[models.VerifyReport]:
    """Proves anew that each chunk is what its page says, where its boxes are."""
    return Operation("GET", f"/documents/{document}/verify", json_of(models.VerifyReport))


def update_document(
    document: Id,
    *,
    name: str | None = None,
    label: str | None = None,
    logical_document_name: str | None = None,
    document_date: date | None = None,
) -> Operation[models.Document]:
    """Changes a document's name, its label as a version, what all its versions are called together, or its date; what
    is None stays."""
    body = given(name=name, label=label, logical_document_name=logical_document_name, document_date=document_date)
    return Operation("PATCH", f"/documents/{document}", json_of(models.Document), body=body)


def link_version(
    document: Id, version_of: Id, *, label: str | None = None, position: int | None = None
) -> Operation[models.Versions]:
    """Makes a document a version of the one that `version_of` is one of. `position` counts from 1, oldest first;
    without it names and dates say the place."""
    body = given(version_of=version_of, label=label, position=position)
    return Operation("POST", f"/documents/{document}/link", json_of(models.Versions), body=body)


def reingest(document: Id) -> Operation[models.Ingestion]:
    """Reads a document again, as today's reader does; `wait` follows it."""
    return Operation("POST", f"/documents/{document}/reingest", json_of(models.Ingestion))


def fetch_page(knowledge_base: Id, url: str) -> Operation[models.FetchedPage]:
    """Fetches a web page, or another file behind an address, as a document: again, as its next version."""
    body = {"knowledge_base_id": knowledge_base, "url": url}
    return Operation("POST", "/pages:fetch", json_of(models.FetchedPage), body=body)


def delete_document(document: Id) -> Operation[models.Deleted]:
    """Deletes one version of a document."""
    return Operation("DELETE", f"/documents/{document}", json_of(models.Deleted))


def search(
    query: str = "",
    *,
    knowledge_bases: Ids = (),
    documents: Ids | None = None,
    index: Index = "hybrid",
    k: int = 10,
    where: str | None = None,
    types: Sequence[str] | None = None,
    sort: str | None = None,
    recency_days: float | None = None,
    include_superseded: bool = False,
) -> Operation[models.SearchResult]:
    """The `k` (1 to 100) best chunks for a query: by words and meaning, by words (`fts`) or by meaning (`vector`).

    Without knowledge bases all that the caller may read are searched. `where` is a condition on typed attributes, as
    the search page takes it: `price < 30000 EUR and fuel = diesel`. `recency_days` is a half-life.
    """
    body = given(
        query=query, knowledge_base_ids=knowledge_bases, documents=documents, index=index, k=k, where=where,
        types=types, sort=sort, recency_days=recency_days, include_superseded=include_superseded,
    )  # fmt: skip
    return Operation("POST", "/search", json_of(models.SearchResult), body=body)


def lookup(
    address: str,
    *,
    knowledge_bases: Ids = (),
    documents: Ids | None = None,
    recursive: bool = False,
    include_superseded: bool = False,
) -> Operation[models.LookupResult]:
    """The section at an address, as `V1.1.6` or `§ 12`, with its tables and figures; `recursive`: all below it too."""
    body = given(
        address=address, knowledge_base_ids=knowledge_bases, documents=documents, recursive=recursive,
        include_superseded=include_superseded,
    )  # fmt: skip
    return Operation("POST", "/lookup", json_of(models.LookupResult), body=body)


def ask(
    question: str,
    *,
    knowledge_bases: Ids = (),
    documents: Ids | None = None,
    k: int = 10,
    include_superseded: bool = False,
    plan: bool = False,
) -> Operation[models.Answer]:
    """An answer whose every sentence has its citations, or `insufficient_evidence`. `plan`: the server's model looks
    for evidence in several steps first; raises InvalidRequest where none with tools is set."""
    body = given(
        question=question, knowledge_base_ids=knowledge_bases, documents=documents, k=k,
        include_superseded=include_superseded, plan=plan or None,
    )  # fmt: skip
    return Operation("POST", "/ask", json_of(models.Answer), body=body, repeatable=False)


def trace(trace: Id) -> Operation[models.Trace]:
    """How an answer or a list of hits came about."""
    return Operation("GET", f"/traces/{trace}", json_of(models.Trace))


def ingestions(knowledge_base: Id) -> Listing[models.Ingestion]:
    """The latest runs of a knowledge base, newest first."""
    return Listing("/ingestions", models.Ingestion, given(knowledge_base_id=knowledge_base))


def ingestion(ingestion: Id) -> Operation[models.Ingestion]:
    """One run, with its progress."""
    return Operation("GET", f"/ingestions/{ingestion}", json_of(models.Ingestion))


def add_note(
    knowledge_base: Id,
    text: str,
    *,
    title: str | None = None,
    note_type: str | None = None,
    tags: Sequence[str] | None = None,
    version_of: Id | None = None,
) -> Operation[models.PostedNote]:
    """Adds a note, or a revision of one; it is found when this answers. Type and title are read from the text where
    none are given."""
    body = given(text=text, title=title, type=note_type, tags=tags, version_of=version_of)
    return Operation("POST", f"/knowledge-bases/{knowledge_base}/notes", json_of(models.PostedNote), body=body)


def notes(knowledge_base: Id) -> Listing[models.Note]:
    """The notes of a knowledge base, newest first."""
    return Listing(f"/knowledge-bases/{knowledge_base}/notes", models.Note)


def put_record_kind(
    knowledge_base: Id,
    kind: str,
    schema: Mapping[str, Any],
    *,
    key_field: str | None = None,
    title_field: str | None = None,
) -> Operation[models.RecordKind]:
    """Declares what records of a kind are, by JSON Schema (draft 2020-12) of an object. `key_field` tells records
    apart."""
    body = given(schema=schema, key_field=key_field, title_field=title_field)
    return Operation(
        "PUT", f"/knowledge-bases/{knowledge_base}/record-kinds/{kind}", json_of(models.RecordKind), body=body
    )


def add_records(
    knowledge_base: Id, kind: str, records: Sequence[Mapping[str, Any]], *, keys: Sequence[str] | None = None
) -> Operation[models.PostedRecords]:
    """Adds up to 1,000 records of a declared kind, or next versions of those with the same keys. All are checked before
    the first one is stored; they are found when this answers. `keys` are needed where the kind names no field that is
    one."""
    named = [{}] * len(records) if keys is None else [{"key": key} for key in keys]
    body = {"records": [{"kind": kind, "values": one} | key for one, key in zip(records, named, strict=True)]}
    path = f"/knowledge-bases/{knowledge_base}/records:batch"
    return Operation("POST", path, json_of(models.PostedRecords), body=body)


def content(answer: httpx.Response) -> bytes:
    """The answer as it is."""
    return answer.content
