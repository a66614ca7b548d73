"""The file: a zip archive whose members are written and read in pieces, each with its SHA-256.

`zipfile` knows the format; what is checked here is what an archive of unknown origin may do: names, sizes, hashes.
"""

import hashlib
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, Self, cast
from uuid import UUID

from pydantic import ValidationError

from shared.archive.manifest import (
    MANIFEST,
    MEMBERS,
    ArchiveLimits,
    ArchiveMember,
    Manifest,
    place_of,
    rows_path,
)
from shared.errors import BadInput

PIECE: Final = 1 << 20
# Of every member: archives of the same content are the same bytes, but for the time in the manifest.
_WHEN: Final = (1980, 1, 1, 0, 0, 0)
# Of a member whose hash and sizes stand behind it, as whoever writes it learns them at its end.
_DESCRIBED_BEHIND: Final = 0x08
# The record at a zip file's end, without its comment; and the longest comment.
_END_SIGNATURE, _END_BYTES, _COMMENT_MAX = b"PK\x05\x06", 22, 65_535
_LONG_END_SIGNATURE, _LONG_END_BYTES = b"PK\x06\x06", 56

_AGAIN: Final = "Nothing was imported. Copy or export the archive again."

Write = Callable[[bytes], object]


class WrittenMember(ArchiveMember):
    """A member as the file's directory names it: `at` is where it begins, `packed_bytes` what it takes there."""

    crc: int
    packed: bool
    packed_bytes: int
    at: int


class ArchiveWriter:
    """Writes members one after the other to `write`, and gives each to `keep` when it is whole.

    It may go on where another one has stopped behind a member: `at` bytes were written by then, `members` of `size`
    bytes. What it writes does not depend on that. Nothing grows with the number of members until `close`, which has the
    directory in memory: half a kilobyte for each.
    """

    def __init__(
        self,
        write: Write,
        keep: Callable[[WrittenMember], None],
        at: int = 0,
        members: int = 0,
        size: int = 0,
    ) -> None:
        self._sink, self._keep = _Sink(write, at), keep
        self._zip = zipfile.ZipFile(cast(IO[bytes], self._sink), "w", zipfile.ZIP_DEFLATED)
        self.members, self.bytes = members, size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.fp = None  # else it would write a directory of what it has, wherever it stands

    @property
    def at(self) -> int:
        """How many bytes are written."""
        return self._sink.tell()

    def add_lines(self, path: str, lines: Iterable[str]) -> int:
        """Returns how many there were."""
        number = 0
        with self._member(path, packed=True) as write:
            for number, line in enumerate(lines, start=1):  # noqa: B007 counted
                write(line.encode() + b"\n")
        return number

    def add_file(self, path: str, file: IO[bytes], *, packed: bool) -> None:
        """`packed`: worth compressing."""
        with self._member(path, packed=packed) as write:
            while piece := file.read(PIECE):
                write(piece)

    def close(self, members: Callable[[], Iterable[WrittenMember]], describe: Callable[[str], Manifest]) -> Manifest:
        """Writes the list of members, the manifest that `describe` makes of its SHA-256, and the directory."""
        digest = hashlib.sha256()
        with self._zip.open(_info(MEMBERS, packed=True), "w", force_zip64=True) as member:
            for one in members():
                line = one.model_dump_json(include=set(ArchiveMember.model_fields)).encode() + b"\n"
                digest.update(line)
                member.write(line)
        manifest = describe(digest.hexdigest())
        self._zip.writestr(_info(MANIFEST, packed=True), manifest.model_dump_json(indent=1))
        own = self._zip.filelist[-2:]
        self._zip.filelist[:] = [*map(_entry, members()), *own]
        self._zip.close()
        return manifest

    @contextmanager
    def _member(self, path: str, *, packed: bool) -> Generator[Write]:
        digest, size, info = hashlib.sha256(), 0, _info(path, packed=packed)
        with self._zip.open(info, "w", force_zip64=True) as member:

            def write(data: bytes) -> None:
                nonlocal size
                digest.update(data)
                member.write(data)
                size += len(data)

            yield write
        self._zip.filelist.clear()
        self._zip.NameToInfo.clear()
        self.members, self.bytes = self.members + 1, self.bytes + size
        self._keep(
            WrittenMember(
                path=path,
                bytes=size,
                sha256=digest.hexdigest(),
                crc=info.CRC,
                packed=packed,
                packed_bytes=info.compress_size,
                at=info.header_offset,
            )
        )


@contextmanager
def archive_file(path: Path) -> Generator[tuple[ArchiveWriter, Callable[[], Iterator[WrittenMember]]]]:
    """A writer of the file `path`, and the members that it has written; their list lies in a file of its own."""
    with path.open("wb") as file, tempfile.TemporaryFile() as kept:

        def members() -> Iterator[WrittenMember]:
            kept.seek(0)
            return map(WrittenMember.model_validate_json, kept)

        def keep(member: WrittenMember) -> None:
            kept.write(member.model_dump_json().encode() + b"\n")

        with ArchiveWriter(file.write, keep) as writer:
            yield writer, members


class _Sink:
    """What `zipfile` takes for a file that it can only write to, one behind the other."""

    def __init__(self, write: Write, at: int) -> None:
        self._write, self._at = write, at

    def write(self, data: bytes) -> int:
        self._write(data)
        self._at += len(data)
        return len(data)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        """Whoever gave `write` knows when."""


class ArchiveReader:
    """An archive whose list of members is complete and within its limits; what they hold is checked as it is read.

    Its directory and their list are in memory, one and a half kilobytes for each. Threads may read members at once.
    Raises BadInput, naming the member that is not what the archive says of it.
    """

    def __init__(self, path: Path | IO[bytes], limits: ArchiveLimits = ArchiveLimits()) -> None:  # noqa: B008 immutable
        """`path` may be an open file too, which is closed with this."""
        self._file = path.open("rb") if isinstance(path, Path) else path
        self._limits, self._size = limits, self._file.seek(0, 2)
        # `zipfile` of Python 3.13 mixes up the members that several threads read.
        self._turn = threading.Lock()
        self._pieces_of: dict[tuple[UUID, str], list[int]] = {}
        try:
            with _unreadable("The file"):
                _check_directory(self._file, limits)
                self._zip = zipfile.ZipFile(self._file)
            self.manifest = self._read_manifest()
            self.members = {member.path: member for member in self._read_members()}
            self._check_members()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()  # with what is being read of it, if an error has left something half read

    def pieces(self, base: UUID, table: str) -> list[str]:
        """The members with the table's rows, in their order. Raises BadInput where one is missing between them."""
        found = self._pieces_of.get((base, table), [])
        if found != list(range(1, len(found) + 1)) or not found:
            raise BadInput(f"The archive lacks a part of {rows_path(base, table)}, which its manifest speaks of.")
        return [rows_path(base, table, piece) for piece in found]

    def lines(self, path: str, most: int) -> Iterator[str]:
        """The lines of a member; the last one is given before the hash is known, so use none before all were given.
        Raises BadInput where there are more than `most`."""
        number, rest = 0, b""
        for piece in self._pieces(self._member(path)):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                number += 1
                if number > most:
                    raise BadInput(f"{path} has more rows than the manifest says.")
                self._check_line(path, line)
                yield _decoded(path, line)
            self._check_line(path, rest)
        if rest:
            raise BadInput(f"{path} has {number} whole rows, and a part of another one.")

    def copy(self, path: str, target: IO[bytes]) -> None:
        """Writes the member's bytes to `target`; they are the right ones when this returns."""
        for piece in self._pieces(self._member(path)):
            target.write(piece)

    def _check_line(self, path: str, line: bytes) -> None:
        if len(line) > self._limits.line_bytes:
            raise BadInput(f"A row of {path} is longer than {self._limits.line_bytes:,} bytes.")

    def _member(self, path: str) -> ArchiveMember:
        found = self.members.get(path)
        if found is None:
            raise BadInput(f"The archive lacks {path}, which its manifest speaks of.")
        return found

    def _read_manifest(self) -> Manifest:
        try:
            with _unreadable(MANIFEST):
                data = self._bounded(MANIFEST)
            return Manifest.model_validate_json(data)
        except KeyError as error:
            raise BadInput(f"The file holds no {MANIFEST}: it is no archive of Autri.") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise BadInput(
                f"The archive's {MANIFEST} is not one that this program reads: {where}: {first['msg']}."
            ) from error

    def _bounded(self, name: str) -> bytes:
        with self._zip.open(name) as member:
            data = member.read(self._limits.manifest_bytes + 1)
        if len(data) > self._limits.manifest_bytes:
            raise BadInput(f"The archive's {name} is longer than {self._limits.manifest_bytes:,} bytes.")
        return data

    def _read_members(self) -> Iterator[ArchiveMember]:
        own = ArchiveMember(path=MEMBERS, bytes=self._zip_size(MEMBERS), sha256=self.manifest.members_sha256)
        rest = b""
        for piece in self._pieces(own):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                try:
                    yield ArchiveMember.model_validate_json(line)
                except ValidationError as error:
                    raise BadInput(f"A line of {MEMBERS} does not describe a member.") from error
            if len(rest) > self._limits.manifest_bytes:
                raise BadInput(f"A line of {MEMBERS} does not describe a member.")

    def _zip_size(self, name: str) -> int:
        try:
            size = self._zip.getinfo(name).file_size
        except KeyError as error:
            raise BadInput(f"The archive lacks {name}, its list of members.") from error
        self._check_total(size)
        return size

    def _check_members(self) -> None:
        """Exactly the listed members are there, under names that exports give, and not too much is in them."""
        names = self._zip.namelist()
        listed = {*self.members, MEMBERS, MANIFEST}
        if len(names) != len(set(names)):
            raise BadInput("The archive holds two members of one name.")
        if strange := sorted(listed.symmetric_difference(names)):
            raise BadInput(f"The archive's list of members and its members differ in {strange[0]!r}.")
        if len(self.members) != self.manifest.members:
            raise BadInput(f"The manifest says {self.manifest.members} members, and there are {len(self.members)}.")
        for path in self.members:
            place = place_of(path)
            if place is None:
                raise BadInput(f"The archive holds a member that no export writes: {path!r}.")
            if place.table is not None:
                self._pieces_of.setdefault((place.base, place.table), []).append(place.piece)
        for found in self._pieces_of.values():
            found.sort()
        self._check_total(sum(member.bytes for member in self.members.values()))

    def _check_total(self, size: int) -> None:
        most = max(self._limits.bytes_free, self._limits.expansion * self._size)
        if size > most:
            raise BadInput(f"The archive would unpack to {size:,} bytes; a file of {self._size:,} may to {most:,}.")

    def _pieces(self, member: ArchiveMember) -> Iterator[bytes]:
        digest, left = hashlib.sha256(), member.bytes
        with _unreadable(member.path), self._opened(member.path) as packed:
            while piece := self._next(packed, min(PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    raise BadInput(f"{member.path} is longer than the archive says. {_AGAIN}")
                digest.update(piece)
                yield piece
        if left or digest.hexdigest() != member.sha256:
            raise BadInput(f"{member.path} was changed after the archive was written. {_AGAIN}")

    @contextmanager
    def _opened(self, path: str) -> Generator[IO[bytes]]:
        with self._turn:
            packed = self._zip.open(path)
        try:
            yield packed
        finally:
            with self._turn:
                packed.close()

    def _next(self, packed: IO[bytes], size: int) -> bytes:
        with self._turn:
            return packed.read(size)


def _info(path: str, *, packed: bool) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, _WHEN)
    info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    info.external_attr = 0o600 << 16
    return info


def _entry(member: WrittenMember) -> zipfile.ZipInfo:
    """What the directory says of a member that was written: as `zipfile` has it after writing."""
    info = _info(member.path, packed=member.packed)
    info.CRC, info.compress_size, info.file_size = member.crc, member.packed_bytes, member.bytes
    info.header_offset, info.flag_bits = member.at, _DESCRIBED_BEHIND
    info.create_version = info.extract_version = zipfile.ZIP64_VERSION
    return info


def _decoded(path: str, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise BadInput(f"A row of {path} is not UTF-8.") from error


@contextmanager
def _unreadable(what: str) -> Generator[None]:
    """What `zipfile` says of damaged, encrypted and unknown members, as a BadInput that names it."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeDecodeError) as error:
        raise BadInput(f"{what} cannot be read as an archive of Autri ({error}). {_AGAIN}") from error


def _check_directory(file: IO[bytes], limits: ArchiveLimits) -> None:
    """`zipfile` reads the directory at the end at once: its size is looked at first."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_BYTES - _COMMENT_MAX - _LONG_END_BYTES - 20))
    end = file.read()
    plain = end[-_END_BYTES:].startswith(_END_SIGNATURE) and end.endswith(b"\0\0")
    at = len(end) - _END_BYTES if plain else end.rfind(_END_SIGNATURE)  # as `zipfile` looks for it
    if at < 0:
        raise zipfile.BadZipFile("File is not a zip file")
    directory = int.from_bytes(end[at + 12 : at + 16], "little")
    long_at = end.rfind(_LONG_END_SIGNATURE, 0, at)
    if long_at >= 0:
        directory = max(directory % 0xFFFFFFFF, int.from_bytes(end[long_at + 40 : long_at + 48], "little"))
    if directory > limits.directory_bytes:
        raise BadInput(f"The archive's directory has {directory:,} bytes; {limits.directory_bytes:,} are read.")


@contextmanager
def unpacked(reader: ArchiveReader, path: str, folder: Path | None) -> Generator[Path]:
    """A temporary file with the member's bytes, in `folder`; whoever takes it may move it."""
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
        copy = Path(file.name)
        try:
            reader.copy(path, file)
            file.close()
            yield copy
        finally:
            copy.unlink(missing_ok=True)
