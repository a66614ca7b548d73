"""A digest as a folder of Markdown, for people, editors and version control: the files under their own paths, a
statement a line, front matter that says which version it is, and what each number cites as link definitions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from shared.domain.digest import CITED, MARKS, DigestAsset, DigestFile, LineKind, SourceKind, Tier, marked
from shared.errors import BadInput

FENCE: Final = "---"
KINDS: Final[dict[str, SourceKind]] = {
    "chunks": "chunk", "documents": "document", "events": "event", "runs": "run",
}  # fmt: skip
_HOMES: Final = {kind: home for home, kind in KINDS.items()}
_DEFINITION: Final = re.compile(r"^\[(\d{1,4})\]: autri://(\w+)/([0-9a-fA-F-]{36})\s*$")
# As `marked` writes them: what holds of a statement when it is exported is nothing that somebody says of it.
_MARKED: Final = re.compile(rf" \*\((?:{'|'.join(MARKS)})(?:, (?:{'|'.join(MARKS)}))*\)\*$")
_FIELD: Final = re.compile(r"^(\w+): (.*)$")
_VERSION_LINE: Final = re.compile(r"^\d+\.\d+\.\d+ \| \d{4}-\d\d-\d\d$")
# As `asset_line` writes one; a picture of somebody's own is a line of theirs.
_ASSET: Final = re.compile(r'^!?\[[^\[\]]*\]\([^()\s"]+ "[^"]* autri://chunks/[0-9a-f-]{36}"\)\s*$')
_UNLINKED: Final = str.maketrans({"[": "(", "]": ")", '"': "'", "\\": "/"})
Source = tuple[SourceKind, UUID]


@dataclass(frozen=True)
class FolderLine:
    """A line of a file, with what it cites."""

    kind: LineKind
    text: str
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class FolderFile:
    """A file of a folder: which one of the digest, in which version, and its lines."""

    path: str
    id: UUID
    tier: Tier
    number: int
    lines: list[FolderLine] = field(default_factory=list[FolderLine])


def source_uri(kind: SourceKind, source_id: UUID) -> str:
    return f"autri://{_HOMES[kind]}/{source_id}"


def with_sources(file: DigestFile) -> str:
    """Its Markdown with its marks, and link definitions of what its numbers cite."""
    cited = cited_sources(file)
    defined = [f"[{number}]: {source_uri(*one)}" for number, one in enumerate(cited, start=1)]
    return "\n".join([marked(file), *defined, ""]) if defined else marked(file)


def cited_sources(file: DigestFile) -> list[Source]:
    """In the order of their numbers: as the file's statements name them first."""
    cited = ((one.kind, one.source_id) for line in file.lines if line.kind == "statement" for one in line.citations)
    return list(dict.fromkeys(cited))


def write_file(file: DigestFile, assets: Sequence[DigestAsset] = ()) -> str:
    """The file as it stands in a folder, behind its lines the figures and tables that are there beside it."""
    head = {
        "id": file.id,
        "tier": file.tier,
        "version": file.version,
        "number": file.number,
        "sha256": file.content_hash,
        "updated": f"{file.updated_at:%Y-%m-%d}",
        "changed_by": file.changed_by,
    }
    fields = (f"{name}: {value}" for name, value in head.items())
    shown = (f"{asset_line(file.path, one)}\n" for one in assets)
    return "\n".join([FENCE, *fields, FENCE, with_sources(file), *shown])


def asset_line(path: str, asset: DigestAsset) -> str:
    """As a link of the file at `path`: an image with what it is called, or a table by that; as its title where it is
    from. Brackets and quotation marks of documents end neither."""
    page = f", page {asset.page}" if asset.page else ""
    alt, name = (" ".join(one.translate(_UNLINKED).split()) for one in (asset.caption, asset.document.name))
    sign = "!" if asset.kind == "figure" else ""
    return f'{sign}[{alt}]({"../" * path.count("/")}{asset.path} "{name}{page} {source_uri("chunk", asset.chunk.id)}")'


def read_file(path: str, text: str) -> FolderFile:
    """Raises BadInput, naming the file, for what `write_file` cannot have written."""
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0] != FENCE or FENCE not in lines[1:]:
        raise BadInput(f"{path} has no front matter. Export the digest, and change statements in what that gives.")
    end = lines.index(FENCE, 1)
    head = {found[1]: found[2] for line in lines[1:end] if (found := _FIELD.match(line))}
    try:
        file_id, number = UUID(head["id"]), int(head["number"])
    except (KeyError, ValueError):
        raise BadInput(f"The front matter of {path} needs `id` and `number` as they were exported.") from None
    tier = head.get("tier")
    if tier not in ("index", "summary", "description"):
        raise BadInput(f"The front matter of {path} needs `tier` as it was exported.")
    body = lines[end + 1 :]
    defined = {found[1]: found for line in body if (found := _DEFINITION.match(line))}
    try:
        sources = {number: (KINDS[f[2]], UUID(f[3])) for number, f in defined.items() if f[2] in KINDS}
    except ValueError:
        raise BadInput(f"An address below the text of {path} has no id that was exported.") from None
    own = [line for line in body if line.strip() and not _DEFINITION.match(line) and not _ASSET.match(line)]
    return FolderFile(path, file_id, tier, number, [_read_line(path, tier, one, sources) for one in _plain(own)])


def _plain(lines: Sequence[str]) -> list[str]:
    """Without the line of the version, which is told by the front matter."""
    return [line for line in lines if not _VERSION_LINE.match(line)]


def _read_line(path: str, tier: Tier, line: str, sources: dict[str, Source]) -> FolderLine:
    line = line.rstrip()
    plain: tuple[str, LineKind] = ("", "entry" if tier == "index" else "statement")
    prefix, kind = next((one for one in _PREFIXES if line.startswith(one[0])), plain)
    text = line.removeprefix(prefix)
    if kind == "statement":
        text = _MARKED.sub("", text)
    cited = CITED.search(text) if kind == "statement" else None
    if cited is None:
        return FolderLine(kind, text.strip())
    numbers = [one.strip() for one in cited[1].split(",")]
    if unknown := [one for one in numbers if one not in sources]:
        raise BadInput(f"{path} cites [{unknown[0]}], which no line of it defines: add `[{unknown[0]}]: autri://…`.")
    return FolderLine(kind, text[: cited.start()].strip(), tuple(sources[one] for one in numbers))


_PREFIXES: Final[tuple[tuple[str, LineKind], ...]] = (
    ("# ", "title"), ("## ", "heading"), ("- ", "statement"), ("* ", "statement"),
)  # fmt: skip
