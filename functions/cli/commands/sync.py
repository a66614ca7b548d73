"""`autri sync`: a knowledge base that follows a folder, a mailbox or a bucket."""

import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer

from functions.cli.api import ApiClient, open_api
from functions.cli.commands.ingest import ChosenEngine, Engine, show_line
from functions.cli.errors import ApiError
from functions.cli.find import find_knowledge_base
from functions.cli.ingestion import Job, follow, ingest_files, succeeded, was_taken
from functions.cli.options import Json, Kb, Token, Url, Workers
from functions.cli.output import count, out, print_json, print_note
from functions.cli.progress import live_progress
from functions.cli.sync_places import FoundFile, KnownItem, SyncPlace, SyncWish, open_place
from shared.domain.sources import WAY
from shared.errors import Unavailable

# So many files are fetched from elsewhere before they are sent: they lie on the disk twice meanwhile.
AT_ONCE: Final = 32
QUIET: Final = frozenset({"same"})
SAY_EVERY_S: Final = 5.0
# So many of the files that nothing here reads are named.
UNREAD_NAMED: Final = 3
# With --watch: answers that another try may change, and how long is waited for one at most.
PASSING: Final = frozenset({429, 500, 502, 503, 504, 507})
LONGEST_S: Final = 300.0


class Deletion(StrEnum):
    """What becomes of documents whose files are gone."""

    ASK = "ask"
    KEEP = "keep"
    REMOVE = "remove"


@dataclass(frozen=True)
class _Run:
    """One run of the command: where it reads, where it writes."""

    api: ApiClient
    place: SyncPlace
    wanted: SyncWish
    source: dict[str, Any]
    upload: dict[str, Any]
    json: bool


Patterns = list[str] | None


def sync(
    place: Annotated[
        str, typer.Argument(metavar="PLACE", help="A folder, a mailbox (mbox, Maildir), s3://BUCKET/PREFIX.")
    ],
    kb: Kb,
    include: Annotated[Patterns, typer.Option(metavar="PATTERN", help="Only these, as in a .gitignore.")] = None,
    exclude: Annotated[Patterns, typer.Option(metavar="PATTERN", help="Not these, as in a .gitignore.")] = None,
    delete: Annotated[Deletion, typer.Option(help="Documents whose files are gone.")] = Deletion.KEEP,
    name: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="What the place is known by, on whichever machine.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until interrupted.")] = False,
    every: Annotated[float, typer.Option(min=1, metavar="SECONDS", help="With --watch: how often to look.")] = 10,
    empty: Annotated[bool, typer.Option("--empty", help="With --delete remove: although no file is left.")] = False,
    engine: ChosenEngine = Engine.LAYOUT,
    workers: Workers = 2,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Keep a knowledge base like a folder, a mailbox or a bucket; what is new or changed is sent, nothing twice."""
    wanted = SyncWish(include or [], exclude or [])
    opened = open_place(place, wanted)
    with open_api(url, token, workers) as api:
        base = find_knowledge_base(api, kb)
        named = {"knowledge_base_id": base["id"], "kind": opened.kind, "name": name or opened.name}
        source = api.call("POST", "/sources", named)
        upload = {"knowledge_base_id": base["id"], "engine": engine.value, "source_id": source["id"]}
        run = _Run(api, opened, wanted, source, upload, json)
        wish = {"deletions": delete.value, "dry_run": dry_run, "empty": empty}
        if watch and not dry_run:
            _watch(run, wish, every)
        good = _look(run, _files(run), wish)[0]
    if not good:
        raise typer.Exit(1)


def _watch(run: _Run, wish: Mapping[str, Any], every: float) -> NoReturn:
    """Looks until it is interrupted. Where the server or the place does not answer it is asked again, later each time,
    and all that is there is looked at then. Raises what another try would not change."""
    seen: list[tuple[str, str]] | None = None
    wait = every
    while True:
        try:
            found = _files(run)
            whole = True
            if _state(found) != seen:
                whole = _look(run, found, wish)[1]
            seen, trouble = (_state(found) if whole else None), None if whole else "Not every file was taken."
        except (ApiError, Unavailable) as error:
            if isinstance(error, ApiError) and error.status not in PASSING:
                raise
            seen, trouble = None, str(error)
        if trouble is not None:
            wait = min(2 * wait, max(LONGEST_S, every))
            print_note(f"{trouble} Looking again in {wait:,.0f} s.")
        else:
            wait = every
        time.sleep(wait)


def _files(run: _Run) -> dict[str, FoundFile]:
    return {one.path: one for one in run.place.files(_known(run))}


def _state(found: Mapping[str, FoundFile]) -> list[tuple[str, str]]:
    return [(one.path, one.sha256) for one in found.values()]


def _known(run: _Run) -> dict[str, KnownItem]:
    items = run.api.items(f"/sources/{run.source['id']}/items")
    return {item["path"]: KnownItem(item["sha256"], item["mark"]) for item in items}


def _look(run: _Run, found: Mapping[str, FoundFile], wish: Mapping[str, Any]) -> tuple[bool, bool]:
    """One look through the place: whether everything that is there is in the knowledge base now, and whether the server
    has taken all that was sent.

    What is gone is deleted when all else has been sent: only then is it known what a ZIP file has no more, and what was
    moved into one.
    """
    if wish["dry_run"]:
        plan = _plan(run, found, _decided(run, found, wish))
        for item in plan["items"]:
            _say(run, item)
        _sum_up(run, plan["counts"], "would be ")
        return True, True
    plan = _plan(run, found, dict(wish) | {"deletions": "keep"})
    here = [item for item in plan["items"] if item["action"] != "kept"]
    for item in here:
        _say(run, item)
    lines = list(_send(run, here, found))
    gone = [item for item in plan["items"] if item["action"] == "kept"]
    if lines or wish["deletions"] != Deletion.KEEP:
        # Files with the same bytes as others are tied to their documents, too, now that there are some.
        after = _plan(run, found, _decided(run, found, wish))
        told = [item for item in after["items"] if item["action"] in ("kept", "removed")]
        gone = told + [item for item in gone if item["path"] not in {one["path"] for one in told}]
    for item in gone:
        _say(run, item)
    told = [*here, *gone]
    _sum_up(run, Counter(item["action"] for item in told), "")
    refused = any(item["action"] == "refused" or item["error"] for item in told)
    return not refused and all(map(succeeded, lines)), all(map(was_taken, lines))


def _decided(run: _Run, found: Mapping[str, FoundFile], wish: Mapping[str, Any]) -> dict[str, Any]:
    """The wish with what is to become of documents whose files are gone, where somebody is to be asked."""
    if wish["deletions"] != Deletion.ASK:
        return dict(wish)
    asked = _plan(run, found, {"deletions": "remove", "dry_run": True, "empty": True})
    gone = asked["counts"].get("removed", 0)
    return dict(wish) | {"deletions": "remove" if gone and _agrees(gone) else "keep"}


def _plan(run: _Run, found: Mapping[str, FoundFile], wish: Mapping[str, Any]) -> dict[str, Any]:
    files = [{"path": one.path, "sha256": one.sha256, "mark": one.mark} for one in found.values()]
    return run.api.call("POST", f"/sources/{run.source['id']}/look", {"files": files, **wish})


def _agrees(gone: int) -> bool:
    """Whether somebody says so; where there is nobody to ask, documents are kept."""
    return sys.stdin.isatty() and typer.confirm(f"{count(gone, 'file')} gone. Delete the documents made of them?")


def _send(run: _Run, items: list[dict[str, Any]], found: Mapping[str, FoundFile]) -> Iterator[dict[str, Any]]:
    """Sends what is new or changed, and follows what was sent by a run that ended before it saw the end."""
    wanted = [found[item["path"]] for item in items if item["action"] in ("new", "changed")]
    under_way = [item for item in items if item["action"] == "running"]
    progress = _Progress(len(wanted) + len(under_way), shown=not run.json)
    with live_progress(not run.json) as watch:
        for item in under_way:
            sent = {Path(item["path"]): {"path": item["path"]}}
            for line in follow(run.api, Job(Path(item["path"]), {"id": item["ingestion_id"]}), watch):
                yield show_line(line | {"path": _told(Path(line["path"]), sent)}, run.json)
            progress.step()
        for at in range(0, len(wanted), AT_ONCE):
            with tempfile.TemporaryDirectory() as folder:
                more = dict(_fetched(wanted[at : at + AT_ONCE], Path(folder)))
                for line in ingest_files(run.api, list(more), run.upload, watch, more):
                    yield show_line(line | {"path": _told(Path(line["path"]), more)}, run.json)
                    progress.step()


def _told(path: Path, sent: Mapping[Path, Mapping[str, str | None]]) -> str:
    """Where a file lies in the place, and not where it was fetched to; of one within it the names on the way."""
    for file in (path, *path.parents):
        if file in sent:
            return WAY.join((sent[file]["path"] or file.name, *path.relative_to(file).parts))
    return str(path)


def _fetched(wanted: list[FoundFile], folder: Path) -> Iterator[tuple[Path, dict[str, str | None]]]:
    for number, one in enumerate(wanted):
        place = folder / str(number)
        place.mkdir()
        yield one.fetch(place), {"path": one.path, "mark": one.mark}


class _Progress:
    """Says now and then how many files have ended, and when the others will have at that pace."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._total, self._shown, self._done = total, shown, 0
        self._started = self._said = time.monotonic()

    def step(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._shown and self._done < self._total and now - self._said >= SAY_EVERY_S:
            self._said = now
            left = (now - self._started) / self._done * (self._total - self._done)
            out.print(f"  [dim]{self._done:,} of {count(self._total, 'file')}, {_about(left)} left[/]")


def _about(seconds: float) -> str:
    return f"about {seconds / 60:,.0f} min" if seconds >= 90 else f"about {seconds:,.0f} s"


def _say(run: _Run, item: dict[str, Any]) -> None:
    if run.json:
        print_json(item)
    elif item["action"] not in QUIET:
        before = f" (before: {item['before']})" if item["before"] else ""
        error = f"\n  {item['error']}" if item["error"] else ""
        out.print(f"{item['action']:>9}  {item['path']}{before}{error}", markup=False, highlight=False)


def _sum_up(run: _Run, counts: Mapping[str, int], would: str) -> None:
    if run.json:
        return
    told = ", ".join(f"{number:,} {would}{action}" for action, number in sorted(counts.items()))
    print_note(f"{run.source['name']}: {told or 'nothing there'}.")
    if unread := sorted(run.wanted.unread):
        named = f"{', '.join(unread[:UNREAD_NAMED])}{', …' if len(unread) > UNREAD_NAMED else ''}"
        print_note(f"{count(len(unread), 'file')} left out, that nothing here reads by their names: {named}.")
    if counts.get("kept"):
        print_note("Documents whose files are gone were kept; --delete remove deletes them.")
