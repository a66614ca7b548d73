"""Sends files and follows their ingestions, several at a time."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from functions.cli.api import ApiClient
from functions.cli.errors import ApiError
from shared.contract import STAGES
from shared.errors import BadInput
from shared.readers.registry import check_sendable

POLL_S = 0.2
IN_FLIGHT = 8
OPEN = frozenset({"waiting", "queued", "running"})
FAILED = frozenset({"failed", "refused"})
REFUSALS = frozenset({400, 413, 415, 422})
# Errors about the caller and not about one file: they would occur for the next file too.
ABOUT_THE_CALLER = frozenset({401, 403})

Announced = Mapping[Path, Mapping[str, str | None]]
NO_MORE: Final[Announced] = {}

Watch = Callable[["Job"], None]


@dataclass
class Job:
    """A file being ingested; `ingestion` is the API's latest answer about it. `told` are the runs that have a line
    already, or are followed by themselves: its own, and those of the files that it brings."""

    path: Path
    ingestion: dict[str, Any] = field(default_factory=dict[str, Any])
    started: float = field(default_factory=time.monotonic)
    told: set[str] = field(default_factory=set[str])


def ingest_files(
    api: ApiClient, paths: Sequence[Path], upload: dict[str, Any], watch: Watch, more: Announced = NO_MORE
) -> Iterator[dict[str, Any]]:
    """Yields a result line per file and per file that it brings (those in a ZIP file, which has none itself, and what
    is attached to a message), in the order in which they end. `upload` has the fields that all announcements share,
    `more` those of single files.

    A file that cannot be read, is refused or causes an error of the API becomes a line too and never stops the others.
    `watch` is called with every change.
    """
    waiting, running = list(paths), list[Job]()
    while waiting or running:
        while waiting and len(running) < IN_FLIGHT:
            job = Job(waiting.pop(0))
            refusal = _send(api, job, upload | dict(more.get(job.path, {})))
            if refusal is None:
                running.append(job)
            else:
                yield refusal
        yield from _ended(api, running, watch)


def ingest_address(api: ApiClient, address: str, knowledge_base_id: str, watch: Watch) -> Iterator[dict[str, Any]]:
    """Has the server fetch a web page, or a file behind an address, and follows it; yields its lines. What is there as
    it was before is a duplicate."""
    job = Job(Path(address))
    try:
        wanted = {"knowledge_base_id": knowledge_base_id, "url": address}
        found = api.call("POST", "/pages:fetch", wanted)
        if found["ingestion_id"] is None:
            yield _known_line(api, job, found["document_id"]) | {"path": address}
            return
        job.ingestion = {"id": found["ingestion_id"]}
        for line in follow(api, job, watch):
            yield line | {"path": line["path"].replace(str(job.path), address, 1)}
    except ApiError as error:
        yield _failed_line(job, error) | {"path": address}


def follow(api: ApiClient, job: Job, watch: Watch) -> Iterator[dict[str, Any]]:
    """Follows an ingestion that is running already, and those of the files that it brings; yields their lines."""
    running = [job]
    while running:
        yield from _ended(api, running, watch)


def succeeded(line: dict[str, Any]) -> bool:
    return line["status"] not in FAILED


def was_taken(line: dict[str, Any]) -> bool:
    """False where a file failed before any stage of its run: the server was in trouble, and not the file."""
    return line["status"] != "failed" or any(line["stages"].values())


def _ended(api: ApiClient, running: list[Job], watch: Watch) -> Iterator[dict[str, Any]]:
    """Checks every running job once; removes and yields those that have ended. A file that brings files itself is
    followed as a job of its own."""
    if running:
        time.sleep(POLL_S)
    for job in list(running):
        lines, within, ended = _poll(api, job, watch)
        running += within
        if ended:
            running.remove(job)
        yield from lines


def _poll(api: ApiClient, job: Job, watch: Watch) -> tuple[list[dict[str, Any]], list[Job], bool]:
    """Lines of what has ended, files that bring files, and whether that is all of the job, or no more of it can be
    followed."""
    try:
        told = job.ingestion = api.call("GET", f"/ingestions/{job.ingestion['id']}")
        watch(job)
        ended, inside, lines = told["status"] not in OPEN, told["parcel"], list[dict[str, Any]]()
        is_file = told["document_id"] is not None or inside is None
        if ended and is_file and told["id"] not in job.told:
            job.told.add(told["id"])
            lines = [_line(api, job)]
        if inside is None or inside["files"] - inside["open"] == len(job.told - {told["id"]}):
            return lines, [], ended and not (inside and inside["open"])
        fresh = _fresh_files(api, job)
        within = [one for one in fresh if one.ingestion["parcel"] is not None]
        lines += [_line(api, one) for one in fresh if one not in within]
        return lines, within, ended and len(job.told - {told["id"]}) == inside["files"]
    except ApiError as error:
        return [_failed_line(job, error)], [], True


def _fresh_files(api: ApiClient, job: Job) -> list[Job]:
    """The files that the job brought and that have ended since."""
    files = [one for one in api.items(f"/ingestions/{job.ingestion['id']}/files") if one["status"] not in OPEN]
    fresh = [one for one in files if one["id"] not in job.told]
    job.told.update(one["id"] for one in fresh)
    return [Job(job.path / one["filename"], one, job.started) for one in fresh]


def _send(api: ApiClient, job: Job, upload: dict[str, Any]) -> dict[str, Any] | None:
    """Announces and sends a file; returns its line if it ends there, else None."""
    try:
        ticket = api.call("POST", "/uploads", upload | _announcement(job.path))
        job.ingestion = {"id": ticket["upload_id"]}
        api.send_file(ticket, job.path)
    except OSError as error:
        return _refused(job, f"{job.path} cannot be read ({error.strerror}). Check the path and its permissions.")
    except BadInput as error:
        return _refused(job, str(error))
    except ApiError as error:
        return _failed_line(job, error)
    return None


def _announcement(path: Path) -> dict[str, Any]:
    """Raises BadInput for a file that need not be sent."""
    if not path.exists():
        raise BadInput(f"{path} does not exist. Check the path.")
    if not path.is_file():
        raise BadInput(f"{path} is not a file.")
    check_sendable(path)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"filename": path.name, "size": path.stat().st_size, "sha256": digest}


def _refused(job: Job, reason: str) -> dict[str, Any]:
    return _line_fields(job) | {"status": "refused", "error": reason}


def _failed_line(job: Job, error: ApiError) -> dict[str, Any]:
    """The line of a file that the API refused or lost. Raises `error` where it is about the caller."""
    if error.status in ABOUT_THE_CALLER:
        raise error
    return _line_fields(job) | {"status": "refused" if error.status in REFUSALS else "failed", "error": str(error)}


def _known_line(api: ApiClient, job: Job, document_id: str | None) -> dict[str, Any]:
    """The line of what came before; it may be under way still, and then is no document yet."""
    line = _line_fields(job) | {"status": "queued", "duplicate": True}
    if document_id is None:
        return line
    document = api.call("GET", f"/documents/{document_id}")
    told = {name: document[name] for name in ("status", "source_type", "pages", "chunks", "tier")}
    return line | {"document_id": document_id} | told


def _line(api: ApiClient, job: Job) -> dict[str, Any]:
    told = job.ingestion
    line = _line_fields(job) | {name: told[name] for name in ("document_id", "status", "duplicate", "error", "pages")}
    seconds = {stage["name"]: stage["seconds"] for stage in told["stages"]}
    line |= {"ingestion_id": told["id"], "stages": line["stages"] | seconds, "cost_usd": told["cost_usd"]}
    if told["document_id"] is not None:
        document = api.call("GET", f"/documents/{told['document_id']}")
        line |= {name: document[name] for name in ("source_type", "pages", "chunks", "tier")}
    return line


def _line_fields(job: Job) -> dict[str, Any]:
    """The line's fields in order, with the values known without the server."""
    return {
        "path": str(job.path),
        "document_id": None,
        "ingestion_id": job.ingestion.get("id"),
        "status": None,
        "duplicate": False,
        "source_type": None,
        "pages": None,
        "chunks": None,
        "tier": None,
        "error": None,
        "cost_usd": 0.0,
        "seconds": round(time.monotonic() - job.started, 3),
        "stages": dict.fromkeys((stage.name for stage in STAGES), None),
    }
