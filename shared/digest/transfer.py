"""A digest given out as a folder, and taken back: what was changed in it becomes edits of the person who sends it."""

import io
import zipfile
from typing import Final
from uuid import UUID

from shared.access import changing, find_knowledge_base, reading
from shared.digest.assets import FOLDER, AssetFolder
from shared.digest.editing import edit_file
from shared.digest.folder import FolderFile, read_file, write_file
from shared.digest.merging import BaseLine, FolderMerge, Refusal, Wish, merge_file
from shared.domain.digest import Cited, DigestFile, StatementEdit
from shared.domain.digest_folder import FolderConflict, FolderImport, FolderImported, ImportedFile
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.runtime import Runtime
from shared.store import digest as rows
from shared.store.connect import Connection

# Of every member of the archive: the same digest gives the same bytes.
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_README: Final = """# Digest of {name}

Begin with index.md: `Topic | description | location`. Summaries and descriptions hold a statement a line; the numbers
behind it are defined at the end of the file, and `*(stale)*`, `*(by a person)*` and `*(uncited)*` say what held of it
when it was exported; they are not read back. Change, add or delete statements, keep the front matter, and send the
folder back: `autri digest import FOLDER --kb {slug}`. Your edits are kept by every rebuild; what somebody else changed
meanwhile is reported and left as it is. Figures and tables that are cited lie in assets/; they are not read back.
"""
_LEFT_OUT: Final = "\n{count} further figures and tables would not fit: look at them in their documents.\n"


def export_folder(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> bytes:
    """A ZIP file with the folder. Raises NotFound where there is no knowledge base, or no digest of it."""
    with reading(runtime, identity, [knowledge_base_id], snapshot=True) as connection:
        base = find_knowledge_base(connection, knowledge_base_id)
        files = rows.read_files(connection, knowledge_base_id)
        if not files:
            raise NotFound(f"{base.name} has no digest. Build it: autri digest build --kb {base.slug}")
        assets = AssetFolder(runtime, connection)
        written = {file.path: write_file(file, assets.add(file)) for file in files}
    readme = _README.format(name=base.name, slug=base.slug)
    readme += _LEFT_OUT.format(count=len(assets.left_out)) if assets.left_out else ""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        members: dict[str, str | bytes] = {"README.md": readme, **written, **assets.members}
        for path, content in sorted(members.items()):
            archive.writestr(zipfile.ZipInfo(path, _EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def import_folder(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, sent: FolderImport) -> FolderImported:
    """Edits files by what was changed in them since they were exported; a file that cannot be read keeps no other back.
    Raises NotFound, and Forbidden for whoever may not write there, also where nothing would be."""
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        find_knowledge_base(connection, knowledge_base_id)
    made = FolderImported(files=[], unchanged=0, conflicts=[], dry_run=sent.dry_run)
    for one in sent.files:
        if _is_beside(one.path):
            continue
        try:
            file = read_file(one.path, one.content)
        except BadInput as error:
            made.conflicts.append(_conflict(one.path, Refusal("unreadable", "", "", str(error))))
            continue
        with reading(runtime, identity, [knowledge_base_id], snapshot=True) as connection:
            now = rows.get_file(connection, knowledge_base_id, file_id=file.id)
            merge = _merge(connection, knowledge_base_id, file, now)
        made.conflicts += [_conflict(file.path, refused) for refused in merge.refusals]
        if now is None or not merge.wishes:
            made.unchanged += now is not None
            continue
        made.files.append(_apply(runtime, identity, knowledge_base_id, now, merge, made, dry_run=sent.dry_run))
    return made


def _is_beside(path: str) -> bool:
    """What a folder has beside the files of its digest."""
    return path == "README.md" or path.startswith(FOLDER)


def _merge(connection: Connection, base: UUID, file: FolderFile, now: DigestFile | None) -> FolderMerge:
    if now is None:
        return FolderMerge(refusals=[Refusal("unknown_file", "", "", "This knowledge base's digest has no such file.")])
    lines = rows.lines_of_version(connection, base, file.id, file.number)
    if not lines:
        return FolderMerge(refusals=[Refusal("unknown_file", "", "", f"It never had a version number {file.number}.")])
    known = [
        BaseLine(
            line["statement_id"], line["text"], tuple((c["kind"], UUID(c["source_id"])) for c in line["citations"])
        )
        for line in lines
        if line["kind"] == "statement"
    ]
    return merge_file(file, known, [line["text"] for line in lines if line["kind"] != "statement"], now)


def _apply(
    runtime: Runtime,
    identity: Identity,
    base: UUID,
    file: DigestFile,
    merge: FolderMerge,
    made: FolderImported,
    *,
    dry_run: bool,
) -> ImportedFile:
    done = {"changed": 0, "added": 0, "removed": 0}
    # Behind what a statement was added last: several behind one stay in their order.
    last: dict[UUID | None, UUID] = {}
    for wish in merge.wishes:
        kind = "added" if wish.statement_id is None else "changed" if wish.text is not None else "removed"
        if not dry_run:
            try:
                known = {line.statement_id for line in file.lines}
                file = edit_file(runtime, identity, base, file.id, _edit(wish, last.get(wish.after, wish.after)))
                if new := [line.statement_id for line in file.lines if line.statement_id not in known]:
                    last[wish.after] = new[0]
            except (BadInput, Conflict, NotFound) as error:
                made.conflicts.append(_conflict(file.path, Refusal("refused", wish.text or "", "", str(error))))
                continue
        done[kind] += 1
    return ImportedFile(path=file.path, file_id=file.id, version=file.version, **done)


def _edit(wish: Wish, after: UUID | None) -> StatementEdit:
    citations = [Cited(kind=kind, id=source) for kind, source in wish.sources]
    return StatementEdit(
        statement_id=wish.statement_id,
        text=wish.text,
        remove=wish.text is None,
        after=after if wish.statement_id is None else None,
        citations=citations or None,
        uncited=wish.text is not None and not citations,
    )


def _conflict(path: str, one: Refusal) -> FolderConflict:
    return FolderConflict(path=path, reason=one.reason, sent=one.text, standing=one.standing, detail=one.detail)
