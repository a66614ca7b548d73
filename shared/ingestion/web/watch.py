"""Sites that are watched: what their sitemap or feed lists is fetched again and again, politely.

A round may be interrupted at any time: a page that was asked for since the round was due is not asked for again. One
process does this at a time, so that a host gets one request after the other.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from shared.access import changing
from shared.domain.scope import Identity, Scope
from shared.domain.sources import ContentSource, NewWatch, SourceItem, WatchSettings
from shared.errors import AutriError, BadInput, Conflict, StoreUnavailable, Unavailable
from shared.ingestion.web.pages import OK, Gone, deliver, fetch_page, take_page
from shared.ingestion.web.sitemaps import MAX_BYTES, is_wanted, listed_addresses
from shared.plans import quota
from shared.runtime import Runtime, no_fetching
from shared.store import sources
from shared.store.audit import note
from shared.store.connect import Row
from shared.values.web_addresses import normal_address

AGENT: Final = "Autri"
MAX_SITEMAPS: Final = 20
# A longer delay than this is not waited for: the site does not want to be read by programs.
MAX_DELAY_S: Final = 30.0
RETRY: Final = timedelta(hours=1)
MAX_WATCHED: Final = 50


@dataclass
class _Round:
    """One round through a site. `pause` sleeps between requests, and says whether to stop."""

    runtime: Runtime
    row: Row
    settings: WatchSettings
    pause: Callable[[float], bool]
    counts: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.row["organization_id"], knowledge_base_ids=(self.row["knowledge_base_id"],))

    @property
    def url(self) -> str:
        return str(self.row["name"])

    def count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1


def add_watch(runtime: Runtime, identity: Identity, wanted: NewWatch) -> ContentSource:
    """Watches a sitemap or a feed from now on. Raises NotFound for an unknown knowledge base, BadInput for an address
    that is none or where nothing is fetched, Conflict where it is watched or too many are."""
    settings = WatchSettings(**wanted.model_dump(include=set(WatchSettings.model_fields)))
    with changing(runtime, identity, [wanted.knowledge_base_id]) as connection:
        if runtime.fetch is no_fetching:
            raise BadInput("This deployment fetches no web pages, so that it cannot watch a site.")
        url = normal_address(wanted.url)
        known = sources.list_sources(connection, wanted.knowledge_base_id, None, 10 * MAX_WATCHED)
        if sum(one.due_at is not None for one in known) >= MAX_WATCHED:
            raise Conflict(f"{MAX_WATCHED} sites are watched for this knowledge base. Remove one first.")
        made = {"settings": settings.model_dump(mode="json"), "due_at": datetime.now(UTC)}
        found, is_new = sources.put_source(connection, identity, wanted.knowledge_base_id, wanted.kind, url, **made)
        if not is_new:
            raise Conflict(f"{url} is watched already. Remove it first to watch it otherwise.")
        note(connection, identity, "source.add", found.id, found.knowledge_base_id, kind=found.kind)
        return found


def look_at_due(runtime: Runtime, scope: Scope, pause: Callable[[float], bool]) -> int:
    """Looks at the sites of an organization that are due; returns how many pages were asked for."""
    with runtime.database.transaction(scope) as connection:
        due = sources.due_sources(connection)
    return sum(_look(_Round(runtime, row, WatchSettings(**row["settings"]), pause)) for row in due)


def _look(round_: _Round) -> int:
    try:
        robots = _read_robots(round_)
        addresses = _listed(round_, robots)
    except StoreUnavailable:
        raise
    except AutriError as error:
        _note(round_, str(error), datetime.now(UTC) + RETRY)
        return 0
    delay = min(MAX_DELAY_S, max(round_.settings.delay_seconds, float(robots.crawl_delay(AGENT) or 0)))
    asked, stopped = 0, False
    for address in _left(round_, addresses):
        if stopped := round_.pause(delay):
            break
        _fetch(round_, address)
        asked += 1
    if not stopped:
        _lose(round_, addresses)
        _note(round_, None, datetime.now(UTC) + timedelta(hours=round_.settings.every_hours))
    return asked


def _read_robots(round_: _Round) -> RobotFileParser:
    """Raises Unavailable where the server fails: then nobody knows what is allowed."""
    robots = RobotFileParser()
    status, data = _get(round_, urljoin(round_.url, "/robots.txt"), 500_000)
    if status >= 500:
        raise Unavailable(f"{urlsplit(round_.url).netloc} does not say what programs may read ({status}).")
    robots.parse(data.decode("utf-8", "replace").splitlines() if status == OK else [])
    return robots


def _listed(round_: _Round, robots: RobotFileParser) -> list[str]:
    """The pages that are listed, allowed and wanted, at most as many as the settings say."""
    waiting, pages, read = [round_.url], dict[str, None](), 0
    while waiting and read < MAX_SITEMAPS:
        address = waiting.pop(0)
        status, data = _get(round_, address, MAX_BYTES)
        if status != OK:
            raise BadInput(f"{address} answers {status} and no list of pages.")
        found, further = listed_addresses(data, address)
        read += 1
        pages.update(dict.fromkeys(found))
        waiting += further
    wanted = [one for one in pages if is_wanted(one, round_.settings.include, round_.settings.exclude)]
    allowed = [one for one in wanted if robots.can_fetch(AGENT, one)]
    round_.counts |= {"listed": len(pages), "disallowed": len(wanted) - len(allowed)}
    return allowed[: round_.settings.limit]


def _get(round_: _Round, url: str, limit: int) -> tuple[int, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "body"
        found = round_.runtime.fetch(url, target, limit=limit)
        return found.status, target.read_bytes()


def _left(round_: _Round, addresses: list[str]) -> list[str]:
    """Those that were not asked for since the round was due, without those that are gone and rest. What was gone from
    the list alone is back."""
    with round_.runtime.database.transaction(round_.scope) as connection:
        sources.relist_items(connection, round_.row["id"], addresses)
        known = {one.path: one for one in sources.list_items(connection, round_.row["id"])}
    return [one for one in addresses if _is_asked(known.get(one), round_.row["due_at"])]


def _is_asked(item: SourceItem | None, due_at: datetime) -> bool:
    """A page that was found gone is asked for again after as long as it had been gone then: each time twice as late."""
    if item is None or item.checked_at is None:
        return True
    rests = item.checked_at - item.gone_at if item.gone_at else timedelta()
    return item.checked_at < due_at and item.checked_at + rests <= datetime.now(UTC)


def _fetch(round_: _Round, address: str) -> None:
    runtime, source_id = round_.runtime, round_.row["id"]
    owner = {name: round_.row[name] for name in ("organization_id", "knowledge_base_id", "created_by")}
    try:
        with runtime.database.transaction(round_.scope) as connection:
            quota.check_room(connection, owner["organization_id"], runtime.limits)
            known = sources.known_page(connection, owner["knowledge_base_id"], address)
        with tempfile.TemporaryDirectory(dir=runtime.blobs.spool()) as folder:
            page = fetch_page(runtime, address, known, Path(folder))
            # A site lists its pages by the addresses that it wants: what a page calls itself is not asked.
            page = page._replace(address=address) if page else None
            opened = partial(runtime.database.transaction, round_.scope)
            with opened() as connection:
                taken = take_page(connection, owner, source_id, address, page)
            if page:
                deliver(runtime, opened, owner, taken, page)
        round_.count(taken.outcome)
    except StoreUnavailable:
        raise
    except AutriError as error:
        with runtime.database.transaction(round_.scope) as connection:
            sources.fail_item(connection, owner, source_id, address, str(error))
            if isinstance(error, Gone):
                sources.lose_items(connection, source_id, [address])
        round_.count("gone" if isinstance(error, Gone) else "failed")


def _lose(round_: _Round, addresses: list[str]) -> None:
    """Notes what is listed no more; its documents stay."""
    listed = set(addresses)
    with round_.runtime.database.transaction(round_.scope) as connection:
        gone = [one.path for one in sources.list_items(connection, round_.row["id"]) if one.path not in listed]
        sources.unlist_items(connection, round_.row["id"], gone)


def _note(round_: _Round, error: str | None, due_at: datetime) -> None:
    with round_.runtime.database.transaction(round_.scope) as connection:
        sources.note_look(connection, round_.row["id"], round_.counts, error, due_at)
