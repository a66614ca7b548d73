"""What is taken out of a ZIP file of files, and what is not, whatever its directory claims."""

import io
import struct
import zipfile
from pathlib import Path

import pytest

from shared.errors import RefusedFile
from shared.readers import parcel
from shared.readers.parcel import ParcelMember, is_parcel, unpack


def packed(path: Path, files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as made:
        for name, data in files.items():
            made.writestr(name, data)
    return path


def list_members(path: Path) -> list[ParcelMember]:
    (folder := path.with_suffix(".inside")).mkdir(exist_ok=True)
    return parcel.list_members(path, folder)


def refusal_of(path: Path, place: int = 0) -> str:
    return list_members(path)[place].refusal or ""


def test_every_file_is_a_member_by_its_path_in_its_order(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"b/x.txt": b"one", "a.txt": b"two", "b/c/x.txt": b"three"})
    assert [(m.path, m.size, m.refusal) for m in list_members(path)] == [
        ("b/x.txt", 3, None),
        ("a.txt", 3, None),
        ("b/c/x.txt", 5, None),
    ]


def test_folders_and_what_systems_leave_are_no_members(tmp_path: Path) -> None:
    litter = [".DS_Store", "a/.git/config", "__MACOSX/a/._x.txt", "a/Thumbs.db", "a/desktop.ini", "a/~$x.docx", "a/"]
    path = packed(tmp_path / "a.zip", dict.fromkeys(litter, b"x") | {"a/x.txt": b"x"})
    assert [member.path for member in list_members(path)] == ["a/x.txt"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../x.txt", "leads out"),
        ("a/../../x.txt", "leads out"),
        ("..", "leads out"),
        ("/etc/x.txt", "leads out"),
        ("C:/x.txt", "leads out"),
        ("..\\x.txt", "leads out"),
        ("\\\\server\\x.txt", "leads out"),
        ("a//x.txt", "empty name"),
        ("a/./x.txt", "empty name"),
        ("a/ x.txt", "begins or ends with a space"),
        ("a\x07.txt", "control characters"),
        ("a\u202ex.txt", "control characters"),
        ("x" * 256, "longer than"),
        ("/".join(["abcdefghij"] * 100), "longer than"),
    ],
)
def test_a_path_that_leads_anywhere_else_is_refused(tmp_path: Path, name: str, said: str) -> None:
    assert said in refusal_of(packed(tmp_path / "a.zip", {name: b"x"}))


def test_separators_of_windows_are_understood(tmp_path: Path) -> None:
    assert [m.path for m in list_members(packed(tmp_path / "a.zip", {"a\\b\\x.txt": b"x"}))] == ["a/b/x.txt"]


def test_a_name_in_utf8_that_does_not_say_so_is_read_as_meant(tmp_path: Path) -> None:
    data = packed(tmp_path / "a.zip", {"Größe.txt": b"x"}).read_bytes()
    unsaid = data.replace(struct.pack("<H", 0x800) + b"\x08", struct.pack("<H", 0) + b"\x08")
    assert unsaid != data
    (tmp_path / "b.zip").write_bytes(unsaid)
    assert [member.path for member in list_members(tmp_path / "b.zip")] == ["Größe.txt"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_the_same_path_twice_the_first_is_taken(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("x.txt", b"one")
        made.writestr("x.txt", b"two")
    first, second = list_members(tmp_path / "a.zip")
    assert first.refusal is None
    assert "twice" in (second.refusal or "")


def test_a_zip_that_is_none_an_empty_file_and_a_link_are_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.txt")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("inner.ZIP", b"PK")
        made.writestr("empty.txt", b"")
        made.writestr(link, b"/etc/passwd")
    said = [member.refusal or "" for member in list_members(tmp_path / "a.zip")]
    assert ["no ZIP file of files" in said[0], "empty" in said[1], "link" in said[2]] == [True] * 3


def test_files_of_a_zip_in_a_zip_are_members_and_can_be_unpacked(tmp_path: Path) -> None:
    inner = packed(tmp_path / "i.zip", {"b/x.txt": b"one", "../y.txt": b"two"}).read_bytes()
    path = packed(tmp_path / "a.zip", {"a/i.zip": inner, "z.txt": b"three"})
    found = list_members(path)
    assert [(m.path, bool(m.refusal)) for m in found] == [
        ("a/i.zip/b/x.txt", False),
        ("a/i.zip/../y.txt", True),
        ("z.txt", False),
    ]
    with zipfile.ZipFile(found[0].archive) as opened:
        assert unpack(opened, found[0], tmp_path / "x").size == 3
    assert (tmp_path / "x").read_bytes() == b"one"


@pytest.mark.parametrize("bound", ["MAX_FILES", "MAX_BYTES"])
def test_zips_in_a_zip_count_for_its_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    inner = packed(tmp_path / "i.zip", {f"{n}.txt": b"xx" for n in range(3)}, zipfile.ZIP_STORED).read_bytes()
    path = packed(tmp_path / "a.zip", {f"{n}.zip": inner for n in range(3)})
    assert len(list_members(path)) == 9
    monkeypatch.setattr(parcel, bound, 8 if bound == "MAX_FILES" else 17)
    with pytest.raises(RefusedFile, match=r"pack (?:fewer|less) together"):
        list_members(path.rename(tmp_path / "b.zip"))


def test_zips_in_a_zip_that_are_too_much_together_or_too_deep_are_refused_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = data = packed(tmp_path / "0.zip", {"x.txt": b"x"}).read_bytes()
    for level in range(1, 5):
        data = packed(tmp_path / f"{level}.zip", {"i.zip": data}).read_bytes()
    assert "lies in 3 ZIP files" in refusal_of(tmp_path / "4.zip")
    monkeypatch.setattr(parcel, "MAX_UPLOAD_BYTES", 2 * len(inner) - 1)
    first, second = list_members(packed(tmp_path / "5.zip", {"a.zip": inner, "b.zip": inner}))
    assert (first.path, first.refusal, "MB together" in (second.refusal or "")) == ("a.zip/x.txt", None, True)


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    data = bytearray(packed(tmp_path / "a.zip", {"x.txt": b"x"}).read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(data)
    assert "encrypted" in refusal_of(tmp_path / "a.zip")


def test_what_unpacks_to_hundreds_of_times_its_size_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"bomb.txt": bytes(11 << 20), "small.txt": bytes(1 << 20)})
    assert "200 times" in refusal_of(path)
    assert refusal_of(path, 1) == ""


def test_too_many_files_refuse_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcel, "MAX_FILES", 3)
    assert len(list_members(packed(tmp_path / "a.zip", {f"{n}.txt": b"x" for n in range(3)}))) == 3
    with pytest.raises(RefusedFile, match="4 files in the ZIP file, more than 3"):
        list_members(packed(tmp_path / "a.zip", {f"{n}.txt": b"x" for n in range(4)}))


def test_too_much_altogether_refuses_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parcel, "MAX_BYTES", 5)
    assert len(list_members(packed(tmp_path / "a.zip", {"a.txt": b"xx", "b.txt": b"xxx"}))) == 2
    with pytest.raises(RefusedFile, match="pack less together"):
        list_members(packed(tmp_path / "a.zip", {"a.txt": b"xxx", "b.txt": b"xxx"}))


def test_a_directory_beyond_all_bounds_is_not_even_read(tmp_path: Path) -> None:
    data = bytearray(packed(tmp_path / "a.zip", {"x.txt": b"x"}).read_bytes())
    at = data.rindex(b"PK\x05\x06")
    data[at + 12 : at + 16] = struct.pack("<I", 100 << 20)
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(RefusedFile, match="more than 2,000 files"):
        list_members(tmp_path / "a.zip")


def test_members_that_lie_over_each_other_refuse_the_whole(tmp_path: Path) -> None:
    """As in the bombs of one kernel that every member of the directory points to."""
    data = bytearray(packed(tmp_path / "a.zip", {"a.txt": b"aaaa", "b.txt": b"bbbb"}).read_bytes())
    second = data.rindex(b"PK\x01\x02")
    data[second + 42 : second + 46] = struct.pack("<I", 0)
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(RefusedFile, match="lie over each other"):
        list_members(tmp_path / "a.zip")


@pytest.mark.parametrize("cut", [1, 10, 40])
def test_a_damaged_one_is_refused(tmp_path: Path, cut: int) -> None:
    data = packed(tmp_path / "a.zip", {"x.txt": b"x" * 100}).read_bytes()
    (tmp_path / "b.zip").write_bytes(data[:-cut])
    with pytest.raises(RefusedFile, match="damaged"):
        list_members(tmp_path / "b.zip")


def test_one_without_a_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedFile, match="no file in the ZIP"):
        list_members(packed(tmp_path / "a.zip", {".hidden": b"x"}))


def unpacked(path: Path, member: ParcelMember) -> bytes:
    with zipfile.ZipFile(path) as opened:
        unpack(opened, member, path.with_suffix(".out"))
    return path.with_suffix(".out").read_bytes()


def test_a_member_is_unpacked_byte_for_byte(tmp_path: Path) -> None:
    data = bytes(range(256)) * 9000
    path = packed(tmp_path / "a.zip", {"x.bin": data})
    assert unpacked(path, list_members(path)[0]) == data


def test_a_member_that_is_other_than_the_directory_says_is_refused(tmp_path: Path) -> None:
    data = bytearray(packed(tmp_path / "a.zip", {"x.txt": b"x" * 1000}).read_bytes())
    central = data.index(b"PK\x01\x02")
    for claimed in (999, 5):
        data[central + 24 : central + 28] = struct.pack("<I", claimed)
        (tmp_path / "b.zip").write_bytes(data)
        with pytest.raises(RefusedFile, match="damaged"):
            unpacked(tmp_path / "b.zip", list_members(tmp_path / "b.zip")[0])


def test_a_member_with_flipped_bytes_is_refused(tmp_path: Path) -> None:
    data = bytearray(packed(tmp_path / "a.zip", {"x.txt": b"x" * 50}, zipfile.ZIP_STORED).read_bytes())
    data[40] ^= 1
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(RefusedFile, match="damaged"):
        unpacked(tmp_path / "a.zip", list_members(tmp_path / "a.zip")[0])


@pytest.mark.parametrize("inside", ["[Content_Types].xml", "mimetype"])
def test_a_document_in_the_shape_of_a_zip_is_no_parcel(tmp_path: Path, inside: str) -> None:
    assert not is_parcel(packed(tmp_path / "a.zip", {inside: b"x", "word/document.xml": b"x"}))


def test_a_parcel_is_called_zip_and_is_one(tmp_path: Path) -> None:
    files = {"word/report.txt": b"x"}
    assert is_parcel(packed(tmp_path / "a.ZIP", files))
    assert not is_parcel(packed(tmp_path / "a.epub", files))
    assert is_parcel(packed(tmp_path / "a.part", files), "a.zip")
    (tmp_path / "no.zip").write_bytes(b"no zip")
    assert not is_parcel(tmp_path / "no.zip")
    made = io.BytesIO()
    zipfile.ZipFile(made, "w").close()
    (tmp_path / "none.zip").write_bytes(made.getvalue())
    assert is_parcel(tmp_path / "none.zip")
