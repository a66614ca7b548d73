"""`autri export`, `autri import` and `autri erase`: knowledge bases and organizations as a whole."""

import hashlib
import os
import time
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from functions.cli.api import ApiClient, checked, open_api, open_server
from functions.cli.certificates import Certificate, check_certificate, keep_certificate, print_certificate
from functions.cli.errors import ApiError
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Token, Url
from functions.cli.output import count, err, new_table, out, print_json, print_note
from shared.errors import BadInput, Unavailable
from shared.settings import LocalSettings

POLL_S = 2.0
ATTEMPTS = 5
READ_S = 300.0

Source = Annotated[Path, typer.Argument(metavar="FILE", help="The archive to read.", exists=True, dir_okay=False)]
Organization = Annotated[bool, typer.Option("--organization", help="All knowledge bases, and the settings.")]
As = Annotated[str | None, typer.Option("--as", metavar="NAME", help="Call the archive's only knowledge base that.")]


def export(
    names: Annotated[list[str], typer.Argument(metavar="[KB] FILE", help="What to export, and the archive to write.")],
    organization: Organization = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write a knowledge base, or with --organization all of them, into an archive that `autri import` reads back."""
    if len(names) != (1 if organization else 2):
        raise typer.BadParameter("Give a knowledge base and a file, or --organization and a file.")
    target = Path(names[-1])
    if target.exists():
        raise BadInput(f"{target} exists already. Give the archive another name, or move that file away.")
    partial = target.with_name(f"{target.name}.part-{os.getpid()}")
    try:
        base = None if organization else _find(names[0], url, token)
        _export_here(base, partial) if url is None else _export_there(base, partial, url, token)
        partial.replace(target)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
    _print_export(target, json)


def import_archive(file: Source, name: As = None, json: Json = False, url: Url = None, token: Token = None) -> None:
    """Read an archive back: all of it or nothing, with the same ids and proofs. For owners and admins."""
    done = _import_here(file, name) if url is None else _import_there(file, name, url, token)
    if json:
        print_json(done)
        return
    table = new_table("slug", "name", "documents", "chunks", "files", numbers=("documents", "chunks", "files"))
    for base in done["knowledge_bases"]:
        numbers = (f"{base[field]:,}" for field in ("documents", "chunks", "objects"))
        table.add_row(base["slug"], base["name"], *numbers)
    out.print(table)
    if foreign := [base for base in done["knowledge_bases"] if base["to_embed"]]:
        print_note(
            f"Vectors of {count(len(foreign), 'knowledge base')} are made by {foreign[0]['embedder']} in the background"
            " of a server, or by `autri maintain`; until then the search by meaning finds only what has one."
        )


def _find(name: str, url: str | None, token: str | None) -> UUID:
    with open_api(url, token) as api:
        return UUID(find_knowledge_base(api, name)["id"])


def _export_here(base: UUID | None, target: Path) -> None:
    """Beside a server too, which would have to send the file to this process only."""
    from functions.local import local_store
    from shared.archive.exporting import export_knowledge_base, export_organization

    with local_store(LocalSettings().home) as system:
        if base is None:
            export_organization(system.runtime, system.identity, target)
        else:
            export_knowledge_base(system.runtime, system.identity, base, target)


def _export_there(base: UUID | None, target: Path, url: str, token: str | None) -> None:
    """From a deployment on AWS by a job, from one machine as it is written."""
    with open_api(url, token) as api:
        try:
            job = api.call("POST", "/exports", {"knowledge_base_id": None if base is None else str(base)})
        except ApiError as error:
            if not _is_no_route(error):
                raise
            job = None
        if job is not None:
            _fetch(api, _wait(api, "exports", job, "Exporting"), target)
            return
    where = "/organization" if base is None else f"/knowledge-bases/{base}"
    with closing(open_server(url, token)) as channel, target.open("wb") as file:
        checked(channel.receive_file(f"/v1{where}/export", file))


def _is_no_route(error: ApiError) -> bool:
    """A server without such jobs, rather than without the knowledge base."""
    return error.status == HTTPStatus.NOT_FOUND and "nothing at this address" in str(error)


def _wait(api: ApiClient, kind: str, job: dict[str, Any], doing: str) -> dict[str, Any]:
    """The job when it is done. Raises BadInput with what kept it from that. Stopping to wait does not stop it."""
    with _bar(doing) as (progress, task):
        while job["status"] in {"waiting", "running"}:
            time.sleep(POLL_S)
            job = api.call("GET", f"/{kind}/{job['id']}")
            progress.update(task, completed=job["progress"])
    if job["status"] == "failed":
        raise BadInput(job["error"])
    return job


@contextmanager
def _bar(doing: str) -> Generator[tuple[Progress, TaskID]]:
    """A bar for a person, from 0 to 1."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"))
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        yield progress, progress.add_task(doing, total=1)


def _fetch(api: ApiClient, job: dict[str, Any], target: Path) -> None:
    """From the bucket, which gets no token; where the connection breaks, the rest by another address."""
    import httpx

    with _bar("Fetching") as (progress, task), target.open("wb") as file:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                rest = {"Range": f"bytes={file.tell()}-"} if file.tell() else {}
                with httpx.stream("GET", job["url"], headers=rest, timeout=READ_S) as answer:
                    answer.raise_for_status()
                    for piece in answer.iter_bytes(1 << 20):
                        file.write(piece)
                        progress.update(task, completed=file.tell() / job["bytes"])
                if file.tell() == job["bytes"]:
                    return
                raise httpx.ReadError(f"{file.tell():,} of {job['bytes']:,} bytes came")
            except httpx.HTTPError as error:
                if attempt == ATTEMPTS:
                    raise Unavailable(f"The archive could not be fetched ({error}). Export again.") from error
            time.sleep(POLL_S)
            job = api.call("GET", f"/exports/{job['id']}")


def _send_parts(api: ApiClient, job: dict[str, Any], file: Path) -> dict[str, Any]:
    """A file that is larger than one request, to the bucket; a part that does not arrive is sent again."""
    parts, size = job["upload"]["parts"], job["upload"]["part_bytes"]
    tags = list[str]()
    with file.open("rb") as opened, _bar("Sending") as (progress, task):
        for number in range(1, parts + 1):
            tags.append(_send_part(api, job, number, opened.read(size)))
            progress.update(task, completed=number / parts)
    return api.call("POST", f"/imports/jobs/{job['id']}/sent", {"tags": tags})


def _send_part(api: ApiClient, job: dict[str, Any], number: int, part: bytes) -> str:
    """What the bucket answers to it. Each attempt has an address of its own: the one before may be too old."""
    import httpx

    for attempt in range(1, ATTEMPTS + 1):
        (url,) = api.call("POST", f"/imports/jobs/{job['id']}/parts", {"numbers": [number]})["urls"]
        try:
            answer = httpx.put(url, content=part, timeout=READ_S)
            answer.raise_for_status()
            return answer.headers["etag"]
        except httpx.HTTPError as error:
            if attempt == ATTEMPTS:
                raise Unavailable(f"The archive could not be sent ({error}). Nothing was imported.") from error
        time.sleep(POLL_S)
    raise AssertionError("the last attempt answers or raises")


def _import_here(file: Path, name: str | None) -> dict[str, Any]:
    from functions.local import local_store
    from shared.archive.importing import import_archive as run

    with local_store(LocalSettings().home) as system:
        return run(system.runtime, system.identity, file, name).model_dump(mode="json")


def _import_there(file: Path, name: str | None, url: str, token: str | None) -> dict[str, Any]:
    """To a deployment on AWS by way of its bucket and a job, to one machine as the request's body."""
    with file.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    wanted = {"size": file.stat().st_size, "sha256": sha256, "name": name}
    with open_api(url, token) as api:
        try:
            job = api.call("POST", "/imports/jobs", wanted)
        except ApiError as error:
            if not _is_no_route(error):
                raise
            job = None
        if job is not None:
            if "parts" in job["upload"]:
                job = _send_parts(api, job, file)
            else:
                with closing(open_server(url, token)) as channel:
                    checked(channel.send_file(job["upload"], file))
            return _wait(api, "imports/jobs", job, "Importing")
    with closing(open_server(url, token)) as channel:
        return checked(channel.post_file("/v1/imports", file, {} if name is None else {"name": name})).json()


def _print_export(target: Path, json: bool) -> None:
    from shared.archive.container import ArchiveReader

    with ArchiveReader(target) as archive:
        manifest = archive.manifest
    if json:
        print_json({"file": str(target), "size": target.stat().st_size} | manifest.model_dump(mode="json"))
        return
    bases = count(len(manifest.knowledge_bases), "knowledge base")
    rows = sum(table.rows for base in manifest.knowledge_bases for table in base.tables.values())
    objects = sum(base.objects for base in manifest.knowledge_bases)
    size = f"{target.stat().st_size / 1024**2:,.1f} MB"
    out.print(
        f"[green]✓[/] {target}: {bases}, {count(rows, 'row')}, {count(objects, 'file')}, {size}.", highlight=False
    )
    out.print("Read it back elsewhere: autri import", target.name)


def erase(
    slug: Annotated[str, typer.Argument(help="The organization's own short name, as `autri export` calls it.")],
    certificate: Certificate = None,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Delete your whole organization for good: people, knowledge bases, files. For owners; prints a certificate."""
    from functions.cli.erasures import wait_for_certificate

    check_certificate(certificate)
    with open_api(url, token) as api:
        asked = api.call("POST", "/organization/erase", {"slug": slug})
        done = wait_for_certificate(api, asked, shown=not json)["certificate"]
    keep_certificate(done, certificate)
    if json:
        print_json(done)
        return
    print_certificate(done)
