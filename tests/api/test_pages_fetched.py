"""A web page becomes a document, and the next version of it when it has changed."""

from collections.abc import Iterator
from uuid import UUID

import pymupdf
import pytest

from shared.adapters.web import WebFetcher
from shared.domain.scope import Identity
from shared.domain.sources import FetchedPage, NewPage
from shared.errors import BadInput, NotFound, Unavailable
from shared.ingestion.web.pages import ingest_page
from shared.library.documents import list_documents
from shared.library.verification import verify_stored_document
from shared.library.versions import list_suggestions
from shared.runtime import Runtime, no_fetching
from tests.pipeline import make_knowledge_base, run_all, upload
from tests.web_server import Site, running_site

PAGE = "<!doctype html><html><head><title>Boats</title>{head}</head><body><h1>Boats</h1><p>{text}</p></body></html>"
SAID = "Every boat is weighed before the race begins, and again when it has ended. " * 5


@pytest.fixture
def site(runtime: Runtime) -> Iterator[Site]:
    with running_site() as made:
        runtime.fetch = WebFetcher([made.host])
        yield made
        runtime.fetch = no_fetching


@pytest.fixture
def base(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> UUID:
    return make_knowledge_base(runtime, identity, request.node.name[-60:])


@pytest.fixture
def fetched(runtime: Runtime, identity: Identity, base: UUID) -> "Fetch":
    return Fetch(runtime, identity, base)


class Fetch:
    def __init__(self, runtime: Runtime, identity: Identity, base: UUID) -> None:
        self.runtime, self.identity, self.base = runtime, identity, base

    def __call__(self, url: str) -> FetchedPage:
        found = ingest_page(self.runtime, self.identity, NewPage(knowledge_base_id=self.base, url=url))
        if found.ingestion_id is not None:
            key = f"incoming/{self.identity.organization_id}/{self.base}/{found.ingestion_id}/source"
            run_all(self.runtime, {"key": key})
        return found

    def documents(self) -> list[tuple[str, int, str]]:
        found = list_documents(self.runtime, self.identity, self.base)
        return sorted((one.name, one.version.index if one.version else 0, one.source_type) for one in found)


def test_a_page_is_a_document_whose_source_is_what_was_sent(site: Site, fetched: Fetch) -> None:
    site.put("/boats", PAGE.format(head="", text=SAID))
    assert fetched(f"{site.url}/boats#part").outcome == "new"
    assert fetched.documents() == [(f"{site.host}/boats", 1, "html")]
    (document,) = list_documents(fetched.runtime, fetched.identity, fetched.base)
    assert verify_stored_document(fetched.runtime, fetched.identity, document.id).failed == 0
    stored = next(fetched.runtime.blobs.list(f"sources/{fetched.identity.organization_id}/{fetched.base}/"))
    assert fetched.runtime.blobs.get(stored) == PAGE.format(head="", text=SAID).encode()


def test_a_page_that_changed_is_the_next_version_and_the_same_is_asked_for_in_passing(
    site: Site, fetched: Fetch
) -> None:
    site.put("/boats", PAGE.format(head="", text=SAID), ETag='"1"')
    fetched(f"{site.url}/boats")
    assert fetched(f"{site.url}/boats").outcome == "same"
    assert site.asked[-1][1]["If-None-Match"] == '"1"'
    site.put("/boats", PAGE.format(head="", text=SAID + "No boat is weighed twice."), ETag='"2"')
    assert fetched(f"{site.url}/boats").outcome == "changed"
    assert [index for _, index, _ in fetched.documents()] == [1, 2]


def test_pages_that_resemble_each_other_are_not_suggested_as_versions(site: Site, fetched: Fetch) -> None:
    for number in (1, 2):
        site.put(f"/guide/{number}", PAGE.format(head="", text=SAID + f"Part {number} of the guide."))
        fetched(f"{site.url}/guide/{number}")
    assert list_suggestions(fetched.runtime, fetched.identity, fetched.base, None) == []
    for number in (1, 2):
        data = PAGE.format(head="", text=SAID + f"Part {number} of the saved guide.").encode()
        run_all(fetched.runtime, upload(fetched.runtime, fetched.identity, fetched.base, data, f"guide {number}.html"))
    assert len(list_suggestions(fetched.runtime, fetched.identity, fetched.base, None)) > 0, (
        "files are, so it is a test"
    )


def test_the_same_bytes_are_no_version_although_the_server_knows_no_conditions(site: Site, fetched: Fetch) -> None:
    site.put("/boats", PAGE.format(head="", text=SAID))
    fetched(f"{site.url}/boats")
    assert fetched(f"{site.url}/boats").outcome == "same"
    assert len(fetched.documents()) == 1


def test_a_page_whose_bytes_were_not_stored_is_fetched_again(
    site: Site, fetched: Fetch, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_key: str, _path: object) -> None:
        raise OSError("killed")

    site.put("/boats", PAGE.format(head="", text=SAID), ETag='"1"')
    with monkeypatch.context() as broken:
        broken.setattr(fetched.runtime.blobs, "put_file", killed)
        with pytest.raises(OSError, match="killed"):
            fetched(f"{site.url}/boats")
    assert fetched.documents() == []
    assert fetched(f"{site.url}/boats").outcome == "new"
    assert fetched.documents() == [(f"{site.host}/boats", 1, "html")]


def test_what_a_page_calls_itself_is_its_address_where_that_is_its_own_host(site: Site, fetched: Fetch) -> None:
    site.put("/boats?from=mail", PAGE.format(head='<link href="/boats" rel="canonical">', text=SAID))
    assert fetched(f"{site.url}/boats?from=mail").url == f"{site.url}/boats"
    site.put("/stolen", PAGE.format(head='<link rel=canonical href="https://bank.example/">', text=SAID + "x"))
    assert fetched(f"{site.url}/stolen").url == f"{site.url}/stolen"


def test_a_file_behind_an_address_goes_its_readers_way(site: Site, fetched: Fetch) -> None:
    made = pymupdf.open()
    made.new_page().insert_text((72, 72), "Boats are weighed.")
    site.put("/rules", made.tobytes(), "application/pdf")
    site.put("/notes.md", "# Boats\n\nThey are weighed.", "text/plain")
    site.put("/data", "name,weight\nboat,7\n", "text/csv")
    for path in ("/rules", "/notes.md", "/data"):
        fetched(site.url + path)
    assert [kind for _, _, kind in fetched.documents()] == ["csv", "markdown", "pdf"]


@pytest.mark.parametrize(("kind", "said"), [("image/png", "image/png"), ("application/octet-stream", "octet-stream")])
def test_what_is_not_read_is_not_kept(site: Site, fetched: Fetch, kind: str, said: str) -> None:
    site.put("/x", b"x", kind)
    with pytest.raises(BadInput, match=said):
        fetched(f"{site.url}/x")
    assert fetched.documents() == []


def test_a_page_that_is_not_there_is_said(site: Site, fetched: Fetch) -> None:
    with pytest.raises(BadInput, match="not there"):
        fetched(f"{site.url}/none")
    site.pages["/broken"] = (500, {}, b"")
    with pytest.raises(Unavailable, match="answers 500"):
        fetched(f"{site.url}/broken")
    site.put("/empty", b"")
    with pytest.raises(BadInput, match="empty"):
        fetched(f"{site.url}/empty")


def test_nobody_fetches_into_a_knowledge_base_of_others(
    site: Site, runtime: Runtime, other_identity: Identity, base: UUID
) -> None:
    with pytest.raises(NotFound):
        ingest_page(runtime, other_identity, NewPage(knowledge_base_id=base, url=f"{site.url}/boats"))
    assert site.asked == []


def test_where_nothing_is_fetched_that_is_said(runtime: Runtime, identity: Identity, base: UUID) -> None:
    runtime.fetch = no_fetching
    with pytest.raises(BadInput, match="fetches no web pages"):
        ingest_page(runtime, identity, NewPage(knowledge_base_id=base, url="https://a.example/"))
