"""Documents of before 2007 within one another, in compound files that another writer made: each is taken out as a file
that others read."""

import struct
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import olefile
import pytest
import xlrd

from shared.readers import embedded
from shared.readers.compound import write_compound
from shared.readers.embedded import EmbeddedFile, embedded_files
from tests.readers.compound import compound
from tests.readers.test_embedded import PDF, SHEET, package
from tests.readers.test_legacy_sheets import TIDES, biff

FREE = 0xFFFFFFFF


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def read(data: bytes) -> Any:
    return olefile.OleFileIO(BytesIO(data))


def streams_of(data: bytes) -> dict[str, bytes]:
    with read(data) as found:
        assert not found.parsing_issues
        return {"/".join(one): found.openstream(one).read() for one in found.listdir()}


def test_documents_in_a_document_of_before_2007_are_files_of_their_own_with_all_that_they_hold(tmp_path: Path) -> None:
    book = biff(("Tides", TIDES, False)).ljust(5_000, b"\0")
    long = bytes(range(256)) * 30_000
    inner = {"\x01CompObj": b"program", "Workbook": book, "MBD0007/WordDocument": b"deep", "_SX_DB_CUR/0001": b"",
             "\x05SummaryInformation": b"a" * 64, "Ctls": b"c" * 4096}  # fmt: skip
    pool = {f"ObjectPool/_117/{path}": data for path, data in inner.items()}
    path = tmp_path / "x.doc"
    path.write_bytes(compound({"WordDocument": b"text", "Other/Workbook": b"no object", **pool,
                               "ObjectPool/_118/WordDocument": long[: 7 * 10**6], "ObjectPool/_118/1Table": b"t" * 100,
                               "ObjectPool/_119/PowerPoint Document": b"p"}))  # fmt: skip
    sheet, text, slides = embedded_files(path)
    assert [one.name for one in (sheet, text, slides)] == ["_117.xls", "_118.doc", "_119.ppt"]
    assert streams_of(sheet.data) == inner
    assert streams_of(text.data) == {"WordDocument": long[: 7 * 10**6], "1Table": b"t" * 100}
    assert streams_of(slides.data) == {"PowerPoint Document": b"p"}
    [deep] = embedded_files(written(tmp_path / "inner.xls", sheet.data))
    assert (deep.name, streams_of(deep.data)) == ("MBD0007.doc", {"WordDocument": b"deep"})
    with xlrd.open_workbook(file_contents=sheet.data, logfile=StringIO()) as workbook:
        assert [workbook.sheet_by_name("Tides").cell_value(1, 1)] == [6.9]


def test_of_a_workbook_of_before_2007_documents_packed_files_and_newer_ones_are_taken_out(tmp_path: Path) -> None:
    program = bytes(28) + struct.pack("<I", 9) + b"Equation\0"
    packed = package(b"a.csv", b"x")
    held = {"MBD0001/WordDocument": b"words", "MBD0002/Package": SHEET, "MBD0003/\x01Ole10Native": packed,
            "MBD0004/CONTENTS": PDF, "MBD0005/\x01CompObj": program, "MBD0006/\x01Ole10Native": b"cut",
            "MBD0007/Book": b"old", "_VBA_PROJECT_CUR/VBA/dir": b"macro"}  # fmt: skip
    files = embedded_files(written(tmp_path / "x.xls", compound({"Workbook": b"w", **held})))
    whole = {one.name: one.data for one in files if one.refusal is None}
    assert list(whole) == ["MBD0001.doc", "MBD0002.xlsx", "a.csv", "MBD0004.pdf", "MBD0007.xls"]
    assert (whole["MBD0002.xlsx"], whole["a.csv"], whole["MBD0004.pdf"]) == (SHEET, b"x", PDF)
    assert streams_of(whole["MBD0007.xls"]) == {"Book": b"old"}
    assert [one.name for one in files if one.refusal] == ["an object of Equation", "an object of an unknown program"]


def test_objects_that_share_their_bytes_are_taken_out_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "MAX_BYTES", 40_000)
    held = {f"ObjectPool/_{n}/WordDocument": bytes(size) for n, size in enumerate((10_000, 31_000, 25_000, 6_000))}
    files = embedded_files(written(tmp_path / "x.doc", compound({"WordDocument": b"text", **held})))
    assert [(one.name, "MB" in (one.refusal or "")) for one in files] == [
        ("_0.doc", False), ("_1", True), ("_2.doc", False), ("_3", True),
    ]  # fmt: skip


def test_a_document_whose_bytes_are_damaged_is_told_and_those_beside_it_are_taken_out(tmp_path: Path) -> None:
    data = bytearray(compound({"WordDocument": b"text", "ObjectPool/_1/WordDocument": b"a" * 9_000,
                               "ObjectPool/_2/WordDocument": b"b" * 9_000}))  # fmt: skip
    start = data.index(b"a" * 512) // 512 - 1
    table = 512 * (1 + struct.unpack_from("<I", data, 76)[0])
    struct.pack_into("<I", data, table + 4 * start, 0xFFFFFFFE)
    bad, good = embedded_files(written(tmp_path / "x.doc", bytes(data)))
    assert (bad.name, bad.data, "damaged" in (bad.refusal or "")) == ("_1", b"", True)
    assert good == EmbeddedFile("_2.doc", good.data)
    assert streams_of(good.data) == {"WordDocument": b"b" * 9_000}


def test_a_compound_file_of_any_size_is_read_by_others() -> None:
    streams: dict[tuple[str, ...], bytes] = {
        ("a",): bytes(range(250)) * 80_000,
        ("b", "c"): b"",
        ("b", "D"): b"x" * 4_095,
        ("b", "dd", "e"): b"y" * 4_096,
    }
    streams |= {("many", f"{n:x}"): bytes([n % 256]) * (n % 200) for n in range(300)}
    made = write_compound(streams, bytes(range(16)))
    assert streams_of(made) == {"/".join(path): data for path, data in streams.items()}
    with read(made) as found:
        assert found.root.clsid.replace("-", "").lower() == "030201000504070608090a0b0c0d0e0f"
        assert found.num_fat_sectors > 109 + 127


def test_the_entries_of_a_compound_file_are_found_by_their_order() -> None:
    names = ["b", "B2", "aaa", "Z", "c", "AA", "long name", "\x05Summary", "é"]
    with read(write_compound({(one,): b"x" for one in names})) as found:
        entries = found.direntries
        for name in names:
            at = found.root.sid_child
            while (entry := entries[at]).name != name:
                smaller = (len(name), name.upper()) < (len(entry.name), entry.name.upper())
                at = entry.sid_left if smaller else entry.sid_right
                assert at != FREE
