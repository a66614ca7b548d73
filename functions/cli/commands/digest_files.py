"""`autri digest export|import`: the digest as a folder of Markdown, for an editor and for version control."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Final

import typer
from rich.markup import escape

from functions.cli.api import open_api
from functions.cli.commands.digest import app
from functions.cli.find import find_knowledge_base
from functions.cli.options import Json, Kb, Token, Url
from functions.cli.output import count, new_table, out, print_done, print_json, print_note, shorten
from shared.domain.digest_folder import CONTENT_MAX, FILES_MAX
from shared.domain.storable import is_storable
from shared.errors import BadInput

# What one request may hold.
AT_ONCE: Final = 800_000
TIERS: Final = ("index", "summaries", "descriptions")


@app.command("export")
def export_folder(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Written to; made where it is missing.")],
    kb: Kb,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Write the digest into a folder: stable names, a statement a line, figures and tables that are cited in assets/.
    Files of topics that are gone are removed."""
    with open_api(url, token) as api:
        archive = api.zipped(f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/digest:export")
    with zipfile.ZipFile(io.BytesIO(archive)) as members:
        contents = {name: members.read(name) for name in members.namelist()}
    for name in contents:
        place = PurePosixPath(name)
        if place.is_absolute() or ".." in place.parts:
            raise BadInput(f"The server sent a file named {name}, which would leave the folder. Nothing was written.")
    gone = [path for path in [*_files(folder), *_assets(folder)] if _name(folder, path) not in contents]
    for path in gone:
        path.unlink()
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    done = {"folder": str(folder), "files": sorted(contents), "removed": sorted(_name(folder, path) for path in gone)}
    print_done(done, json, f"{count(len(contents), 'file')} in {folder}, {len(gone)} removed.")


@app.command("import")
def import_folder(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="As exported, with your changes.", file_okay=False)],
    kb: Kb,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    json: Json = False,
    url: Url = None,
    token: Token = None,
) -> None:
    """Take a folder back: what you changed in it becomes your edits. What was changed here since is told and kept; then
    it exits 1."""
    found, unread = _read(folder)
    if not found and not unread:
        raise BadInput(f"{folder} holds no files of a digest. Export one: autri digest export {folder} --kb {kb}")
    done: dict[str, Any] = {"files": [], "unchanged": 0, "conflicts": unread, "dry_run": dry_run}
    with open_api(url, token) as api:
        path = f"/knowledge-bases/{find_knowledge_base(api, kb)['id']}/digest:import"
        for files in _parts(found):
            part = api.call("POST", path, {"files": files, "dry_run": dry_run})
            done["files"] += part["files"]
            done["conflicts"] += part["conflicts"]
            done["unchanged"] += part["unchanged"]
    if json:
        print_json(done)
    else:
        _print_import(done)
    if done["conflicts"]:
        raise typer.Exit(1)


def _print_import(done: dict[str, Any]) -> None:
    table = new_table("file", "changed", "added", "removed", "version", numbers=("changed", "added", "removed"))
    for one in done["files"]:
        table.add_row(one["path"], *(str(one[name]) for name in ("changed", "added", "removed")), one["version"])
    out.print(table if done["files"] else "Nothing differs from what stands there.")
    for one in done["conflicts"]:
        told = f": {one['detail']}" if one["detail"] else ""
        print_note(f"{one['path']}: {one['reason'].replace('_', ' ')}{told}")
        if one["sent"] or one["standing"]:
            out.print(f"  sent: {escape(shorten(one['sent']))}\n  here: {escape(shorten(one['standing']))}")


def _read(folder: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    """The text of each file by its name, and what cannot be sent, as the server tells what it cannot read."""
    found, unread = dict[str, str](), list[dict[str, str]]()
    for path in _files(folder):
        name = _name(folder, path)
        text, detail = _text_of(path)
        if detail:
            unread.append({"path": name, "reason": "unreadable", "sent": "", "standing": "", "detail": detail})
        else:
            found[name] = text
    return found, unread


def _text_of(path: Path) -> tuple[str, str]:
    """Its text, and why it cannot be sent: "" where it can."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return "", "It is no text in UTF-8. Save it as such."
    except OSError as error:
        return "", str(error)
    if not is_storable(text):
        return "", "It has a character that no text has (NUL). Take it out."
    return text, "" if len(text) <= CONTENT_MAX else f"It is longer than {CONTENT_MAX:,} characters."


def _files(folder: Path) -> list[Path]:
    """The Markdown of a digest in the folder: of its three tiers, nothing else that may lie there."""
    below = [path for tier in TIERS for path in (folder / tier).glob("*.md")]
    return sorted([*folder.glob("index.md"), *below])


def _assets(folder: Path) -> list[Path]:
    """Figures and tables of an earlier export, by the names that these have."""
    return sorted([*(folder / "assets").glob("figure-*.jpg"), *(folder / "assets").glob("table-*.csv")])


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()


def _parts(found: dict[str, str]) -> Iterator[list[dict[str, str]]]:
    part: list[dict[str, str]] = []
    size = 0
    for path, content in found.items():
        length = len(content.encode())
        if part and (size + length > AT_ONCE or len(part) == FILES_MAX):
            yield part
            part, size = [], 0
        part.append({"path": path, "content": content})
        size += length
    if part:
        yield part
