"""Parcels: ZIP files of files, each of which becomes a document of its own. What stands in them is read within bounds,
whatever their directory claims."""

import hashlib
import os
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from shared.contract import MAX_UPLOAD_BYTES
from shared.errors import BadInput, RefusedFile
from shared.values.file_paths import clean_path, is_litter

ENDING: Final = ".zip"
MAX_FILES: Final = 2_000
# ZIP files, one within the other.
LEVELS: Final = 3
# Unpacked, all together.
MAX_BYTES: Final = 2 * 1024**3
# A file of some size that unpacks to more than so many times its packed size is no document. Text of logs and tables
# reaches 50, what DEFLATE can do at all is 1,032.
MAX_RATIO: Final = 200
SMALL: Final = 10 * 1024**2
# A directory of so many files has about 100 bytes for each; folders are counted too.
MAX_DIRECTORY: Final = 4 * 1024**2
# The end record is here, with the longest comment that it can have.
_END_BYTES: Final = 22 + 65_535
PIECE_BYTES: Final = 1 << 20
_CONTAINERS: Final = frozenset({"[Content_Types].xml", "mimetype"})
_UTF8: Final = 0x800
_ENCRYPTED: Final = 0x1
_LOCAL_HEADER: Final = 30
_UNREADABLE: Final = "The ZIP file is damaged and cannot be unpacked; make it again and upload that."


class ParcelMember(NamedTuple):
    """A file in a parcel: where it stands there, why it cannot be taken (None where it can), and the ZIP file that it
    lies in: the parcel, or one that was in it."""

    path: str
    size: int
    refusal: str | None
    info: zipfile.ZipInfo
    archive: Path


class Unpacked(NamedTuple):
    """What a member was written as."""

    size: int
    sha256: str


def is_parcel(path: Path, filename: str | None = None) -> bool:
    """Whether this is a ZIP file of files, and not a document in the shape of one. One with too long a directory is
    taken for a parcel, which will be refused."""
    if PurePath(filename or path.name).suffix.lower() != ENDING or not zipfile.is_zipfile(path):
        return False
    if _directory_bytes(path) > MAX_DIRECTORY:
        return True
    try:
        with zipfile.ZipFile(path) as opened:
            return not _CONTAINERS & set(opened.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def list_members(path: Path, folder: Path) -> list[ParcelMember]:
    """The files in a parcel, in its order, without folders and what systems leave there. ZIP files in it are unpacked
    into `folder`, an empty one; their files stand at `inner.zip/name`, and all count as files of the parcel.

    Raises RefusedFile for one that is damaged, or as a whole beyond a bound; a ZIP file in it is refused by itself.
    """
    members: list[ParcelMember] = []
    for member in _flat(_listed(path), folder, 1, []):
        members.append(member)
        if len(members) > MAX_FILES:
            raise RefusedFile(f"There are more than {MAX_FILES:,} files in the ZIP file; pack fewer together.")
    if sum(member.size for member in members) > MAX_BYTES:
        raise RefusedFile(f"The ZIP file unpacks to more than {MAX_BYTES // 1024**3} GB; pack less together.")
    return members


def _flat(members: Iterable[ParcelMember], folder: Path, level: int, unpacked: list[int]) -> Iterator[ParcelMember]:
    for member in members:
        if member.refusal or not member.path.lower().endswith(ENDING):
            yield member
        else:
            yield from _flat(_inside(member, folder, level, unpacked), folder, level + 1, unpacked)


def _inside(member: ParcelMember, folder: Path, level: int, unpacked: list[int]) -> list[ParcelMember]:
    """The files of a ZIP file in a ZIP file; itself, with the reason, where it is not taken apart. `unpacked` has the
    sizes of those that were."""
    try:
        if level >= LEVELS:
            raise RefusedFile(
                f"It lies in {level} ZIP files, one within the other; unpack it and upload it on its own."
            )
        if sum(unpacked) + member.size > MAX_UPLOAD_BYTES:
            raise RefusedFile(
                f"The ZIP files in it have more than {MAX_UPLOAD_BYTES // 1024**2} MB together; upload them one by one."
            )
        target = folder / f"{len(unpacked)}{ENDING}"
        unpacked.append(member.size)
        with zipfile.ZipFile(member.archive) as opened:
            unpack(opened, member, target)
        if not is_parcel(target):
            raise RefusedFile("It is no ZIP file of files by its content; upload it on its own.")
        return [_at(member, one) for one in _listed(target)]
    except RefusedFile as error:
        return [member._replace(refusal=str(error))]


def _at(member: ParcelMember, one: ParcelMember) -> ParcelMember:
    path = f"{member.path}/{one.path}"
    try:
        return one._replace(path=clean_path(path))
    except BadInput as error:
        return one._replace(path=_shown(path), refusal=str(error))


def _listed(path: Path) -> list[ParcelMember]:
    """What one ZIP file holds, by its directory alone. Raises RefusedFile as `list_members`."""
    if _directory_bytes(path) > MAX_DIRECTORY:
        raise RefusedFile(f"There are more than {MAX_FILES:,} files in the ZIP file; pack fewer together.")
    try:
        with zipfile.ZipFile(path) as opened:
            infos = opened.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise RefusedFile(_UNREADABLE) from error
    files = [(name, info) for info in infos if not _is_left_out(name := _name_of(info), info)]
    _check_whole(files, infos)
    return list(_members(files, path))


def unpack(parcel: zipfile.ZipFile, member: ParcelMember, target: Path) -> Unpacked:
    """Writes the member's bytes to `target`. Raises RefusedFile for one that cannot be unpacked, or is other than the
    parcel's directory says."""
    digest, size = hashlib.sha256(), 0
    try:
        with parcel.open(member.info) as source, target.open("wb") as written:
            while piece := source.read(PIECE_BYTES):
                size += len(piece)
                digest.update(piece)
                written.write(piece)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise RefusedFile("It is damaged and cannot be unpacked; pack it again and upload that.") from error
    if size != member.size:
        raise RefusedFile("It has another size than the ZIP file says; pack it again and upload that.")
    return Unpacked(size, digest.hexdigest())


def _directory_bytes(path: Path) -> int:
    """The size of the directory by the file's end record, before anything reads all of it into memory."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _END_BYTES))
        end = file.read()
    at = end.rfind(b"PK\x05\x06")
    return int.from_bytes(end[at + 12 : at + 16], "little") if at >= 0 else 0


def _check_whole(files: list[tuple[str, zipfile.ZipInfo]], infos: list[zipfile.ZipInfo]) -> None:
    if not files:
        raise RefusedFile("There is no file in the ZIP file; check what was packed and upload it again.")
    if len(files) > MAX_FILES:
        raise RefusedFile(
            f"There are {len(files):,} files in the ZIP file, more than {MAX_FILES:,}; pack fewer together."
        )
    if sum(info.file_size for _, info in files) > MAX_BYTES:
        raise RefusedFile(f"The ZIP file unpacks to more than {MAX_BYTES // 1024**3} GB; pack less together.")
    placed = sorted((info.header_offset, info.compress_size) for info in infos)
    for (offset, packed), (following, _) in pairwise(placed):
        if offset + _LOCAL_HEADER + packed > following:
            raise RefusedFile("Files in the ZIP file lie over each other, as no program packs them; pack them again.")


def _members(files: list[tuple[str, zipfile.ZipInfo]], archive: Path) -> Iterator[ParcelMember]:
    taken = set[str]()
    for name, info in files:
        refusal = _refusal(info)
        try:
            name = clean_path(name)
        except BadInput as error:
            name, refusal = _shown(name), str(error)
        if refusal is None and name in taken:
            refusal = "The ZIP file has this path twice; the first file of it is taken. Rename one of them."
        taken.add(name)
        yield ParcelMember(name, info.file_size, refusal, info, archive)


def _refusal(info: zipfile.ZipInfo) -> str | None:
    """Why a file cannot be taken, by what the directory says of it."""
    if stat.S_ISLNK(info.external_attr >> 16):
        return "It is a link to another file and holds nothing; pack the file itself."
    if info.flag_bits & _ENCRYPTED:
        return "It is encrypted in the ZIP file; pack it without a password."
    if info.file_size == 0:
        return "It is empty (0 bytes). Check that it was saved completely."
    if info.file_size > MAX_UPLOAD_BYTES:
        return f"It unpacks to more than {MAX_UPLOAD_BYTES // 1024**2} MB. Split it, or remove embedded media."
    if info.file_size > max(SMALL, MAX_RATIO * info.compress_size):
        return f"It unpacks to more than {MAX_RATIO} times its packed size, as no document does; upload it unpacked."
    return None


def _is_left_out(name: str, info: zipfile.ZipInfo) -> bool:
    return info.is_dir() or is_litter(name)


def _name_of(info: zipfile.ZipInfo) -> str:
    """The name as it was meant: many programs write UTF-8 and do not say so. Windows' own separators are understood."""
    name = info.orig_filename
    if not info.flag_bits & _UTF8:
        try:
            name = name.encode("cp437").decode()
        except UnicodeError:
            name = info.orig_filename
    return unicodedata.normalize("NFC", name.replace("\\", "/").replace(os.sep, "/"))


def _shown(name: str) -> str:
    """What is no path, as far as it can be shown."""
    return "".join(c if c.isprintable() else "?" for c in name)[-200:] or "?"
