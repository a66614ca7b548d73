"""A site that is watched: what it lists is fetched politely, and again when it has changed."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from pydantic import ValidationError

from shared.adapters.web import WebFetcher
from shared.domain.scope import Identity
from shared.domain.sources import ContentSource, NewSource, NewWatch
from shared.errors import BadInput, Conflict, NotFound
from shared.ingestion.web.sitemaps import is_wanted, listed_addresses
from shared.ingestion.web.watch import add_watch, look_at_due
from shared.library.documents import list_documents
from shared.library.sources import get_source, list_items, look_now, put_source
from shared.runtime import Runtime, no_fetching
from tests.pipeline import make_knowledge_base, run_all, scope_of
from tests.web_server import Site, running_site

PAGE = "<!doctype html><html><body><h1>Boats</h1><p>{text}</p></body></html>"


def sitemap(*urls: str) -> str:
    return f"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{''.join(map(_entry, urls))}</urlset>"


def _entry(url: str) -> str:
    return f"<url><loc>{url}</loc></url>"


@pytest.fixture
def site(runtime: Runtime) -> Iterator[Site]:
    with running_site() as made:
        runtime.fetch = WebFetcher([made.host])
        yield made
        runtime.fetch = no_fetching


@pytest.fixture
def watched(runtime: Runtime, identity: Identity, site: Site, request: pytest.FixtureRequest) -> "Watched":
    return Watched(runtime, identity, site, make_knowledge_base(runtime, identity, request.node.name[-60:]))


class Watched:
    def __init__(self, runtime: Runtime, identity: Identity, site: Site, base: UUID) -> None:
        self.runtime, self.identity, self.site, self.base = runtime, identity, site, base
        self.pauses = list[float]()
        self.most = 1_000
        for number in (1, 2, 3):
            site.put(f"/guide/{number}", PAGE.format(text=f"Boat {number} is weighed."), ETag=f'"{number}"')
        site.put("/sitemap.xml", sitemap(*(f"{site.url}/guide/{n}" for n in (1, 2, 3))), "application/xml")

    def add(self, path: str = "/sitemap.xml", **more: object) -> ContentSource:
        wanted = NewWatch.model_validate({"knowledge_base_id": self.base, "url": self.site.url + path, **more})
        self.source = add_watch(self.runtime, self.identity, wanted)
        return self.source

    def add_feed(self, *numbers: int) -> ContentSource:
        items = "".join(f"<item><link>{self.site.url}/guide/{n}</link></item>" for n in numbers)
        self.site.put("/feed", f"<rss><channel>{items}</channel></rss>", "application/rss+xml")
        return self.add("/feed", kind="feed")

    def documents(self) -> list[tuple[str, int]]:
        found = list_documents(self.runtime, self.identity, self.base)
        return sorted((one.name.rpartition("/")[2], one.version.index if one.version else 0) for one in found)

    def look(self) -> list[str]:
        """The paths of pages that are asked for in one look."""
        self.site.asked.clear()
        look_at_due(self.runtime, scope_of(self.identity, self.base), self.pause)
        return [path for path, _ in self.site.asked if path not in ("/robots.txt", "/sitemap.xml", "/feed")]

    def pause(self, seconds: float) -> bool:
        self.pauses.append(seconds)
        return len(self.pauses) > self.most

    def due_again(self) -> None:
        with self.runtime.database.transaction(scope_of(self.identity, self.base)) as connection:
            connection.execute("update sources set due_at = now() where id = %s", (self.source.id,))

    def shift(self, path: str, gone: int, checked: int) -> None:
        """As if the page had been gone, and asked for the last time, so many hours ago."""
        with self.runtime.database.transaction(scope_of(self.identity, self.base)) as connection:
            connection.execute(
                "update source_items set gone_at = now() - %s * interval '1 hour',"
                " checked_at = now() - %s * interval '1 hour' where path = %s",
                (gone, checked, self.site.url + path),
            )

    def finish_runs(self) -> None:
        for item in list_items(self.runtime, self.identity, self.source.id, "", 100):
            if item.status == "queued":
                key = f"incoming/{self.identity.organization_id}/{self.base}/{item.ingestion_id}/source"
                run_all(self.runtime, {"key": key})

    def told(self) -> ContentSource:
        return get_source(self.runtime, self.identity, self.source.id)


def test_what_is_listed_is_fetched_once_until_it_is_due_again(watched: Watched) -> None:
    watched.add()
    assert watched.look() == ["/guide/1", "/guide/2", "/guide/3"]
    told = watched.told()
    assert (told.result, told.error) == ({"listed": 3, "disallowed": 0, "new": 3}, None)
    assert watched.look() == []


def test_in_the_next_round_only_what_changed_is_read_again(watched: Watched) -> None:
    watched.add()
    watched.look()
    watched.finish_runs()
    watched.site.put("/guide/2", PAGE.format(text="Boat 2 is measured."), ETag='"other"')
    watched.due_again()
    watched.look()
    assert watched.told().result == {"listed": 3, "disallowed": 0, "same": 2, "changed": 1}


def test_pages_that_robots_txt_forbids_are_not_asked_for_and_its_delay_is_kept(watched: Watched) -> None:
    watched.site.put("/robots.txt", "User-agent: *\nDisallow: /guide/2\nCrawl-delay: 7\n", "text/plain")
    watched.add()
    assert watched.look() == ["/guide/1", "/guide/3"]
    assert watched.pauses == [7, 7]
    assert (watched.told().result or {})["disallowed"] == 1


def test_a_site_whose_robots_txt_cannot_be_had_is_left_alone(watched: Watched) -> None:
    watched.site.pages["/robots.txt"] = (503, {}, b"")
    watched.add()
    assert watched.look() == []
    assert "does not say what programs may read" in (watched.told().error or "")


def test_an_interrupted_round_goes_on_where_it_stopped(watched: Watched) -> None:
    watched.add()
    watched.most = 1
    assert watched.look() == ["/guide/1"]
    watched.most = 100
    assert watched.look() == ["/guide/2", "/guide/3"]


def test_a_page_that_a_sitemap_and_a_feed_list_is_one_document(watched: Watched) -> None:
    watched.add()
    watched.look()
    watched.finish_runs()
    feed = watched.add_feed(2, 3)
    watched.look()
    assert watched.told().result == {"listed": 2, "disallowed": 0, "same": 2}
    assert [path for path, sent in watched.site.asked if "If-None-Match" in sent] == ["/guide/2", "/guide/3"]
    assert watched.documents() == [("1", 1), ("2", 1), ("3", 1)]
    assert all(item.document_id for item in list_items(watched.runtime, watched.identity, feed.id, "", 10))


def test_what_changed_is_the_next_version_by_whichever_way_it_is_seen_first(watched: Watched) -> None:
    sitemap_source = watched.add()
    watched.look()
    watched.finish_runs()
    watched.site.put("/guide/2", PAGE.format(text="Boat 2 is measured."), ETag='"other"')
    watched.add_feed(2)
    watched.look()
    assert watched.told().result == {"listed": 1, "disallowed": 0, "changed": 1}
    watched.finish_runs()
    watched.source = sitemap_source
    watched.due_again()
    watched.look()
    assert watched.told().result == {"listed": 3, "disallowed": 0, "same": 3}
    assert watched.documents() == [("1", 1), ("2", 1), ("2", 2), ("3", 1)]


def test_a_page_that_is_still_to_be_read_is_no_second_document_although_it_changed_meanwhile(watched: Watched) -> None:
    watched.add()
    watched.look()
    sitemap_source = watched.source
    watched.site.put("/guide/2", PAGE.format(text="Boat 2 is measured."), ETag='"other"')
    feed = watched.add_feed(2)
    watched.look()
    assert watched.told().result == {"listed": 1, "disallowed": 0, "same": 1}
    watched.source = sitemap_source
    watched.finish_runs()
    (item,) = list_items(watched.runtime, watched.identity, feed.id, "", 10)
    assert item.document_id is not None
    watched.source = feed
    watched.due_again()
    watched.look()
    assert watched.told().result == {"listed": 1, "disallowed": 0, "changed": 1}
    watched.finish_runs()
    assert watched.documents() == [("1", 1), ("2", 1), ("2", 2), ("3", 1)]


def test_patterns_and_bounds_are_kept(watched: Watched) -> None:
    watched.add(include=["/guide/*"], exclude=["/guide/1"], limit=1)
    assert watched.look() == ["/guide/2"]


def test_the_delay_that_somebody_says_passes_between_two_pages(watched: Watched) -> None:
    watched.add(delay_seconds=5)
    watched.look()
    assert watched.pauses == [5, 5, 5]


@pytest.mark.parametrize("wrong", ["guide/*", "https://a.example/guide/*", ""])
@pytest.mark.parametrize("name", ["include", "exclude"])
def test_a_pattern_that_no_path_can_match_is_refused(watched: Watched, name: str, wrong: str) -> None:
    with pytest.raises(ValidationError, match="should match pattern"):
        NewWatch.model_validate({"knowledge_base_id": watched.base, "url": watched.site.url, name: [wrong]})


def test_a_site_is_looked_at_before_its_time(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    woken = list[bool]()
    monkeypatch.setattr(watched.runtime, "wake_maintenance", lambda: woken.append(True))
    watched.add()
    watched.look()
    assert watched.look() == []
    asked = look_now(watched.runtime, watched.identity, watched.source.id)
    assert asked.due_at == watched.told().due_at
    assert woken == [True]
    assert watched.look() == ["/guide/1", "/guide/2", "/guide/3"]
    with watched.runtime.database.transaction(scope_of(watched.identity, watched.base)) as connection:
        noted = connection.execute(
            "select act from audit_log where subject_id = %s order by id", (str(asked.id),)
        ).fetchall()
    assert [row["act"] for row in noted] == ["source.add", "source.look_now"]


def test_a_look_before_its_time_begins_no_round_anew(watched: Watched) -> None:
    watched.add()
    watched.most = 1
    assert watched.look() == ["/guide/1"]
    look_now(watched.runtime, watched.identity, watched.source.id)
    watched.most = 100
    assert watched.look() == ["/guide/2", "/guide/3"]


def test_only_what_is_watched_is_looked_at_and_only_by_who_may(watched: Watched, other_identity: Identity) -> None:
    folder = NewSource(knowledge_base_id=watched.base, kind="folder", name="papers")
    papers = put_source(watched.runtime, watched.identity, folder)
    with pytest.raises(BadInput, match="papers is not watched"):
        look_now(watched.runtime, watched.identity, papers.id)
    source = watched.add()
    with pytest.raises(NotFound):
        look_now(watched.runtime, other_identity, source.id)
    watched.runtime.fetch = no_fetching
    with pytest.raises(BadInput, match="fetches no web pages"):
        look_now(watched.runtime, watched.identity, source.id)


def test_a_page_that_is_gone_or_fails_stops_no_other(watched: Watched) -> None:
    del watched.site.pages["/guide/1"]
    watched.site.put("/guide/2", b"x", "image/png")
    watched.add()
    watched.look()
    assert watched.told().result == {"listed": 3, "disallowed": 0, "gone": 1, "failed": 1, "new": 1}
    errors = [item.error for item in list_items(watched.runtime, watched.identity, watched.source.id, "", 10)]
    assert [error is not None for error in errors] == [True, True, False]


def test_a_page_that_is_gone_keeps_its_document_and_is_asked_for_ever_more_seldom(watched: Watched) -> None:
    watched.add()
    watched.look()
    watched.finish_runs()
    page = watched.site.pages.pop("/guide/2")
    watched.due_again()
    assert "/guide/2" in watched.look()
    item = list_items(watched.runtime, watched.identity, watched.source.id, "", 10)[1]
    assert (item.document_id is not None, item.gone_at is not None) == (True, True)
    assert "is not there (404)" in (item.error or "")
    for gone, checked, asks in ((24, 0, False), (48, 23, False), (48, 25, True), (400, 190, False), (400, 201, True)):
        watched.shift("/guide/2", gone, checked)
        watched.due_again()
        assert ("/guide/2" in watched.look()) == asks, (gone, checked)
    watched.site.pages["/guide/2"] = page
    watched.shift("/guide/2", 90, 60)
    watched.due_again()
    watched.look()
    item = list_items(watched.runtime, watched.identity, watched.source.id, "", 10)[1]
    assert (item.error, item.gone_at) == (None, None)


def test_what_is_listed_no_more_is_noted_and_its_document_stays(watched: Watched) -> None:
    watched.add()
    watched.look()
    watched.finish_runs()
    watched.site.put("/sitemap.xml", sitemap(f"{watched.site.url}/guide/1"), "application/xml")
    watched.due_again()
    watched.look()
    items = list_items(watched.runtime, watched.identity, watched.source.id, "", 10)
    assert [item.gone_at is not None for item in items] == [False, True, True]
    assert all(item.document_id for item in items)


def test_a_page_that_is_listed_again_is_back_and_does_not_rest(watched: Watched) -> None:
    listed = watched.site.pages["/sitemap.xml"]
    watched.add()
    watched.look()
    watched.finish_runs()
    watched.site.pages.pop("/guide/3")
    watched.due_again()
    watched.look()
    watched.site.put("/sitemap.xml", sitemap(f"{watched.site.url}/guide/1"), "application/xml")
    watched.due_again()
    watched.look()
    for path in ("/guide/2", "/guide/3"):
        watched.shift(path, 400, 1)
    watched.site.pages["/sitemap.xml"] = listed
    watched.site.put("/guide/2", b"x", "image/png")
    for _ in range(2):
        watched.due_again()
        assert watched.look() == ["/guide/1", "/guide/2", "/guide/3"]
    items = list_items(watched.runtime, watched.identity, watched.source.id, "", 10)
    assert [item.gone_at is not None for item in items] == [False, False, True]
    assert items[1].error


def test_a_site_is_watched_once_and_only_by_who_may(watched: Watched, other_identity: Identity) -> None:
    watched.add()
    with pytest.raises(Conflict, match="watched already"):
        watched.add()
    watched.identity = other_identity
    with pytest.raises(NotFound):
        watched.add("/other.xml")
    watched.runtime.fetch = no_fetching


def test_pages_of_other_hosts_are_left_out_and_feeds_are_read() -> None:
    base = "https://a.example/feed"
    rss = "<rss><channel><item><link>https://a.example/1</link></item><item><link>https://b.example/2</link></item></channel></rss>"
    atom = (
        "<feed xmlns='http://www.w3.org/2005/Atom'><entry><link href='/1'/><link rel='self' href='/2'/></entry></feed>"
    )
    index = "<sitemapindex><sitemap><loc>https://a.example/s.xml</loc></sitemap></sitemapindex>"
    assert listed_addresses(rss.encode(), base) == (["https://a.example/1"], [])
    assert listed_addresses(atom.encode(), base) == (["https://a.example/1"], [])
    assert listed_addresses(index.encode(), base) == ([], ["https://a.example/s.xml"])


@pytest.mark.parametrize(
    "data",
    [b"", b"text", b"<html></html>", b"<!DOCTYPE x [<!ENTITY a 'aa'>]><urlset>&a;</urlset>", b"\x1f\x8bnone"],
)
def test_what_is_no_list_of_pages_is_refused(data: bytes) -> None:
    with pytest.raises(BadInput):
        listed_addresses(data, "https://a.example/")


def test_patterns_are_of_paths() -> None:
    assert is_wanted("https://a.example/guide/x", ["/guide/*"], [])
    assert not is_wanted("https://a.example/news/x", ["/guide/*"], [])
    assert not is_wanted("https://a.example/guide/x", [], ["*/x"])
