"""Fetches a page and makes it a document, or the next version of one where it has changed."""

import re
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path, PurePath
from typing import Final, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit
from uuid import UUID

from shared.access import changing
from shared.contract import incoming_key
from shared.domain.fetched import Fetched
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.domain.sources import FetchedPage, FetchOutcome, NewPage
from shared.errors import BadInput, Unavailable
from shared.ingestion.arrival.admission import dispatch
from shared.plans import quota
from shared.readers.registry import SENDABLE
from shared.runtime import Runtime
from shared.store import ingestions, sources
from shared.store.audit import note
from shared.store.connect import Connection, Row
from shared.values.web_addresses import normal_address, shown_address

# What the endings of files are for the types that servers name; anything else is not fetched.
ENDINGS: Final = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/json": ".json",
    "application/xml": ".xml",
    "text/xml": ".xml",
    "text/calendar": ".ics",
    "text/vcard": ".vcf",
    "message/rfc822": ".eml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ".xlsx",
    "application/vnd.oasis.opendocument.spreadsheet": ".ods",
}
# Types by which servers say that they do not know.
_UNKNOWN: Final = (None, "application/octet-stream", "binary/octet-stream")
OK, UNCHANGED, MISSING = 200, 304, (404, 410)
NAME: Final = "pages"
OpenTransaction = Callable[[], AbstractContextManager[Connection]]
_HEAD_BYTES: Final = 200_000
_LINK: Final = re.compile(rb"<link\b[^<>]{0,2000}>", re.I)
_CANONICAL: Final = re.compile(rb"""\brel\s*=\s*["']?canonical["'\s>]""", re.I)
_HREF: Final = re.compile(rb"""\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.I)


class Gone(BadInput):
    """The server says that there is no such page, or no more."""


class WebPage(NamedTuple):
    """A page that arrived: its bytes, and how it is called."""

    address: str
    path: Path
    filename: str
    found: Fetched


def ingest_page(runtime: Runtime, identity: Identity, wanted: NewPage) -> FetchedPage:
    """Fetches the page now and queues what came. Raises NotFound for an unknown knowledge base, BadInput for an address
    that may not be fetched or is nothing that is read, Unavailable, PlanExhausted."""
    owner: Row = {"organization_id": identity.organization_id, "knowledge_base_id": wanted.knowledge_base_id}
    with changing(runtime, identity, [wanted.knowledge_base_id]) as connection:
        url = normal_address(wanted.url)
        quota.check_room(connection, identity.organization_id, runtime.limits)
        source, _ = sources.put_source(connection, identity, wanted.knowledge_base_id, "pages", NAME)
        known = sources.known_page(connection, wanted.knowledge_base_id, url)
        note(connection, identity, "page.fetch", source.id, wanted.knowledge_base_id)
    with tempfile.TemporaryDirectory(dir=runtime.blobs.spool()) as folder:
        page = fetch_page(runtime, url, known, Path(folder))
        with changing(runtime, identity, [wanted.knowledge_base_id]) as connection:
            taken = take_page(connection, owner | {"created_by": identity.user_id}, source.id, url, page)
        if page:
            deliver(runtime, partial(changing, runtime, identity, [wanted.knowledge_base_id]), owner, taken, page)
    if taken.outcome != "same":
        dispatch(runtime)
    return taken


def fetch_page(runtime: Runtime, url: str, known: Row | None, folder: Path) -> WebPage | None:
    """The page in a file of `folder`; None where it is the known one. Raises Gone, BadInput, Unavailable."""
    conditions = {"etag": known["mark"], "modified": known["modified"]} if known and _arrived(known) else {}
    target = folder / "page"
    found = runtime.fetch(url, target, **conditions)
    if found.status == UNCHANGED and conditions:
        return None
    if found.status in MISSING:
        raise Gone(f"{url} is not there ({found.status}). Check the address.")
    if found.status != OK:
        kind = Unavailable if found.status >= 500 or found.status == 429 else BadInput
        raise kind(f"{url} answers {found.status} and no page. Open it in a browser, save it and upload that.")
    if found.size == 0:
        raise BadInput(f"{url} is empty (0 bytes).")
    return WebPage(_canonical(found, target), target, _filename(found), found)


def take_page(connection: Connection, owner: Row, source_id: UUID, url: str, page: WebPage | None) -> FetchedPage:
    """Announces a page that is new or another one than before, for `deliver`; notes one that is the same. `owner` has
    organization, knowledge base and `created_by`."""
    address = page.address if page else url
    known = sources.known_page(connection, owner["knowledge_base_id"], address)
    document_id = known["document_id"] if known else None
    if page is None or (known and _is_known(known, page)):
        if known:
            came = page if page and page.found.sha256 == known["sha256"] else None
            run = {"ingestion_id": known["ingestion_id"], "document_id": document_id}
            sources.put_item(connection, owner, source_id, address, known["sha256"], **_validators(came, known), **run)
        return FetchedPage(url=address, outcome="same", document_id=document_id)
    upload_id = _announce(connection, owner, page, document_id)
    run = {"ingestion_id": upload_id, "document_id": document_id}
    sources.put_item(connection, owner, source_id, address, page.found.sha256, **_validators(page), **run)
    outcome: FetchOutcome = "changed" if document_id else "new"
    return FetchedPage(url=address, outcome=outcome, ingestion_id=upload_id, document_id=document_id)


def _arrived(known: Row) -> bool:
    return known["document_id"] is not None and known["run"] not in sources.LOST


def _is_known(known: Row, page: WebPage) -> bool:
    """Whether nothing is to be read: the bytes are those that came last, or those are still waiting to become a
    document, of which others can only be a version later."""
    if known["document_id"] is None and known["run"] in ("queued", "running"):
        return True
    return _arrived(known) and known["sha256"] == page.found.sha256


def _validators(page: WebPage | None, known: Row | None = None) -> Row:
    if page is None:
        return {"mark": known["mark"], "modified": known["modified"]} if known else {}
    return {"mark": page.found.etag, "modified": page.found.modified}


def deliver(runtime: Runtime, opened: OpenTransaction, owner: Row, taken: FetchedPage, page: WebPage) -> None:
    """Stores the bytes of what was announced, after its row is committed: a bucket's event finds it. What is
    interrupted before is fetched again."""
    if taken.ingestion_id is None:
        return
    runtime.blobs.put_file(_key(owner, taken.ingestion_id), page.path)
    with opened() as connection:
        ingestions.queue(connection, taken.ingestion_id)


def _key(owner: Row, upload_id: UUID) -> str:
    return incoming_key(str(owner["organization_id"]), str(owner["knowledge_base_id"]), str(upload_id))


def _announce(connection: Connection, owner: Row, page: WebPage, version_of: UUID | None) -> UUID:
    upload_id = new_id()
    row = owner | {
        "id": upload_id,
        "filename": page.filename,
        "path": shown_address(page.address),
        "title": None,
        "size": page.found.size,
        "sha256": page.found.sha256,
        "engine": "layout",
        "version_of": version_of,
        "label": None,
        "source_key": _key(owner, upload_id),
    }
    ingestions.insert_upload(connection, row)
    return upload_id


def _filename(found: Fetched) -> str:
    """The last name of the address, with the ending of what it is. Raises BadInput for what is not read."""
    name = unquote(PurePath(urlsplit(found.url).path).name)
    name = "".join(c if c.isprintable() and c not in "/\\" else "-" for c in name)[-200:]
    ending = PurePath(name).suffix.lower()
    if found.content_type in _UNKNOWN and ending in SENDABLE:
        return name
    wanted = ENDINGS.get(found.content_type or "")
    if wanted is None:
        raise BadInput(f"{found.url} is {found.content_type or 'of no known type'}, which is not read.")
    same_kind = wanted == ".txt" and ending in SENDABLE - {".pdf", ".zip"}
    return name if ending == wanted or same_kind else f"{name or 'page'}{wanted}"


def _canonical(found: Fetched, path: Path) -> str:
    """What the page itself calls its address, where that is on the same host; else the address that answered."""
    if found.content_type not in ("text/html", "application/xhtml+xml"):
        return found.url
    with path.open("rb") as page:
        head = page.read(_HEAD_BYTES)
    for link in _LINK.findall(head):
        href = _HREF.search(link) if _CANONICAL.search(link) else None
        if href is None:
            continue
        said = next(one for one in href.groups() if one is not None).decode("utf-8", "replace")
        try:
            address = normal_address(urljoin(found.url, said.replace("&amp;", "&")))
        except (BadInput, ValueError):
            continue
        if urlsplit(address).netloc == urlsplit(found.url).netloc:
            return address
    return found.url
