"""Files within office files, in containers written here: what is taken out, under which name, and what is only told."""

import struct
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from shared.readers import embedded
from shared.readers.embedded import EmbeddedFile, embedded_files
from tests.readers.compound import compound
from tests.readers.test_opendocument import SPACES, write_odf
from tests.readers.workbooks import Made, workbook

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SHEET = workbook({"Prices": Made({"A1": "item", "A2": "pump"})})
PDF = b"%PDF-1.7 and more"
EQUATION = compound({"\x01CompObj": bytes(28) + struct.pack("<I", 23) + b"Microsoft Equation 3.0\0"})


def container(path: Path, parts: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        for name, data in parts.items():
            file.writestr(name, data)
    return path


def relations(*said: tuple[str, str]) -> str:
    written = [f'<Relationship Id="r{n}" Type="{RELATIONS}/{k}" Target="{t}"/>' for n, (k, t) in enumerate(said)]
    return f"<r>{''.join(written)}</r>"


def package(label: bytes, data: bytes, long: str = "") -> bytes:
    """As Windows packs a file: two names, the place that it was at, the file, and names in all letters."""
    place = b"C:\\Temp\\" + label + b"\0"
    head = b"\2\0" + label + b"\0" + b"C:\\" + label + b"\0" + b"\0\0\3\0" + struct.pack("<I", len(place)) + place
    names = b"".join(struct.pack("<I", len(one)) + one.encode("utf-16-le") for one in ("C:\\x", long, "C:\\y"))
    body = head + struct.pack("<I", len(data)) + data + (names if long else b"")
    return struct.pack("<I", len(body)) + body


def told(files: list[EmbeddedFile]) -> list[tuple[str, bytes, bool]]:
    return [(one.name, one.data, one.refusal is None) for one in files]


def test_a_word_document_brings_what_its_parts_refer_to_but_no_chart_s_numbers(tmp_path: Path) -> None:
    parts = {
        "word/document.xml": "<w/>",
        "word/_rels/document.xml.rels": relations(
            ("package", "embeddings/Sheet1.xlsx"), ("chart", "charts/c1.xml"), ("image", "media/i.emf"),
            ("oleObject", "embeddings/oleObject1.bin"), ("oleObject", "embeddings/oleObject2.bin"),
            ("oleObject", "embeddings/gone.bin"), ("aFChunk", "/word/part.html"),
        ),
        "word/charts/c1.xml": "<c/>",
        "word/charts/_rels/c1.xml.rels": relations(("package", "../embeddings/OfChart.xlsx")),
        "word/_rels/header1.xml.rels": relations(
            ("package", "embeddings/Sheet1.xlsx"), ("package", "embeddings/x.bin"),
        ),
        "word/embeddings/Sheet1.xlsx": SHEET,
        "word/embeddings/OfChart.xlsx": SHEET,
        "word/embeddings/x.bin": SHEET,
        "word/part.html": b"<html>more</html>",
        "word/embeddings/oleObject1.bin": compound({"\x01Ole10Native": package(b"list.csv", b"a,b\n1,2\n")}),
        "word/embeddings/oleObject2.bin": compound({"Package": PDF}),
        "word/media/i.emf": b"picture",
    }  # fmt: skip
    assert sorted(told(embedded_files(container(tmp_path / "x.docx", parts)))) == [
        ("Sheet1.xlsx", SHEET, True),
        ("list.csv", b"a,b\n1,2\n", True),
        ("oleObject2.pdf", PDF, True),
        ("part.html", b"<html>more</html>", True),
        ("x.xlsx", SHEET, True),
    ]


def test_what_another_program_draws_is_told_once_by_its_name(tmp_path: Path) -> None:
    parts: dict[str, bytes | str] = {f"ppt/embeddings/o{n}.bin": EQUATION for n in range(3)}
    targets = [("oleObject", f"../embeddings/o{n}.bin") for n in range(3)]
    parts["ppt/slides/_rels/slide1.xml.rels"] = relations(*targets, ("oleObject", "../embeddings/bad.bin"))
    parts["ppt/embeddings/bad.bin"] = EQUATION[:600]
    bad, drawn = embedded_files(container(tmp_path / "x.pptx", parts))
    assert (bad.name, bad.data) == ("bad.bin", b"")
    assert "damaged" in (bad.refusal or "")
    assert (drawn.name, drawn.data) == ("3 objects of Microsoft Equation 3.0", b"")
    assert "Microsoft Equation 3.0" in (drawn.refusal or "")


@pytest.mark.parametrize(
    ("stream", "ending"), [("Workbook", ".xls"), ("WordDocument", ".doc"), ("PowerPoint Document", ".ppt")]
)
def test_a_compound_file_that_is_a_document_is_taken_out_whole(tmp_path: Path, stream: str, ending: str) -> None:
    data = compound({stream: b"x" * 50})
    path = write_odf(tmp_path / "x.odt", "text", "")
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("Object 2", data)
        file.writestr("ObjectReplacements/Object 2", b"picture")
    assert told(embedded_files(path)) == [(f"Object 2{ending}", data, True)]


def test_of_a_spreadsheet_a_document_within_is_a_file_and_a_chart_is_none(tmp_path: Path) -> None:
    def with_objects(path: Path) -> Path:
        inner = f"<office:document-content {SPACES}><office:body>{{}}</office:body></office:document-content>"
        with zipfile.ZipFile(path, "a") as file:
            file.writestr("Object 1/content.xml", inner.format("<office:text>deep</office:text>"))
            file.writestr("Object 1/styles.xml", "<styles/>")
            file.writestr("Object 2/content.xml", inner.format("<office:chart>titles</office:chart>"))
            file.writestr("Object 3/content.xml", "<math>x</math>")
            file.writestr("Object 4/content.xml", "<math>x")
        return path

    path = with_objects(write_odf(tmp_path / "x.ods", "spreadsheet", ""))
    taken, broken, formula = embedded_files(path)
    assert taken.name == "Object 1.odt"
    with zipfile.ZipFile(BytesIO(taken.data)) as file:
        assert file.namelist() == ["mimetype", "content.xml", "styles.xml"]
        assert b"deep" in file.read("content.xml")
        assert taken.data[38:].startswith(b"application/vnd.oasis.opendocument.text")
    assert formula.name == "an object of OpenDocument (math)"
    assert formula.refusal
    assert (broken.name, broken.data) == ("Object 4", b"")
    assert "not well-formed" in (broken.refusal or "")
    text = with_objects(write_odf(tmp_path / "x.odt", "text", ""))
    assert [one.name for one in embedded_files(text)] == ["Object 4"]


def test_a_packed_file_has_its_long_name_without_folders(tmp_path: Path) -> None:
    native = package(b"..\\..\\?.csv", b"a,b\n", "D:\\plans\\Größe 表.csv")
    path = tmp_path / "x.doc"
    path.write_bytes(compound({"WordDocument": b"text", "ObjectPool/_1/\x01Ole10Native": native,
                               "ObjectPool/_2/\x01Ole10Native": package(b"a\\plain.txt", b"x"),
                               "ObjectPool/_3/\x01Ole10Native": b"\1\0\0\0BM"}))  # fmt: skip
    *files, last = told(embedded_files(path))
    assert files == [("Größe 表.csv", b"a,b\n", True), ("plain.txt", b"x", True)]
    assert last == ("an object of an unknown program", b"", False)


def test_names_within_a_file_can_be_stored_whatever_they_are(tmp_path: Path) -> None:
    program = bytes(28) + struct.pack("<I", 8) + b"Pa\0in\1t\0"
    path = tmp_path / "x.doc"
    path.write_bytes(compound({"WordDocument": b"text", "ObjectPool/_1/\x01CompObj": program,
                               "ObjectPool/_2/\x01Ole10Native": package(b"a", b"x", "C:\\a\0\nb" + "c" * 300 + ".txt"),
                               "ObjectPool/_3/\x01Ole10Native": package(b"\1", b"y")}))  # fmt: skip
    long, without, drawn = embedded_files(path)
    assert (len(long.name), long.name[-6:], long.name.isprintable()) == (255, "cc.txt", True)
    assert (without.name, without.data) == ("object 2", b"y")
    assert drawn.name == "an object of Paint"


def test_objects_of_rtf_are_taken_out_of_their_digits(tmp_path: Path) -> None:
    def written(program: bytes, data: bytes) -> str:
        pieces = (program + b"\0", b"", b"", data)
        said = struct.pack("<II", 0x501, 2) + b"".join(struct.pack("<I", len(one)) + one for one in pieces)
        digits = said.hex()
        return f"{{\\object\\objemb{{\\*\\objdata {digits[:31]}\n{digits[31:]}}}{{\\result seen}}}}"

    objects = (
        written(b"Package", package(b"list.csv", b"a,b\n1,2\n")[4:]),
        written(b"Excel.Sheet.8", compound({"Book": b"x"})),
        written(b"Paint.Picture", b"BM"),
        written(b"Word", b"")[:40] + "}",
    )
    (tmp_path / "x.rtf").write_text("{\\rtf1 Text. " + "".join(objects) + "}")
    assert told(embedded_files(tmp_path / "x.rtf")) == [
        ("list.csv", b"a,b\n1,2\n", True),
        ("object 2.xls", compound({"Book": b"x"}), True),
        ("object 4", b"", False),
        ("an object of Paint.Picture", b"", False),
    ]


def test_more_than_a_bound_and_damage_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "MAX_BYTES", len(SHEET) + 10)
    two = {"word/a.xlsx": SHEET, "word/b.xlsx": SHEET,
           "word/_rels/document.xml.rels": relations(("package", "a.xlsx"), ("package", "b.xlsx"))}  # fmt: skip
    assert told(embedded_files(container(tmp_path / "x.docx", two))) == [
        ("a.xlsx", SHEET, True), ("b.xlsx", b"", False),
    ]  # fmt: skip
    [broken] = embedded_files(container(tmp_path / "y.docx", {"word/_rels/document.xml.rels": "<r"}))
    assert "not well-formed" in (broken.refusal or "")


@pytest.mark.parametrize("data", [b"", b"text", b"PK\3\4 and no more", EQUATION[:8] + b" and no more", PDF])
def test_what_is_no_container_brings_nothing_that_can_be_read(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    assert not any(one.data for one in embedded_files(tmp_path / "x"))


def test_objects_of_an_old_presentation_are_taken_out_once_and_macros_are_none(tmp_path: Path) -> None:
    def record(data: bytes, *, packed: bool = True) -> bytes:
        body = struct.pack("<I", len(data)) + zlib.compress(data) if packed else data
        return struct.pack("<HHI", 16 if packed else 0, 0x1011, len(body)) + body

    file = compound({"\x01Ole10Native": package(b"list.csv", b"a,b\n1,2\n")})
    sheet = compound({"Workbook": b"x" * 50})
    slides = b"".join((struct.pack("<HHI", 15, 1000, 3) + b"abc", record(file), record(sheet, packed=False),
                       record(file), record(compound({"VBA/dir": b"x"})), record(EQUATION),
                       struct.pack("<HHI", 16, 0x1011, 6) + b"broken"))  # fmt: skip
    (tmp_path / "x.ppt").write_bytes(compound({"PowerPoint Document": slides}))
    assert told(embedded_files(tmp_path / "x.ppt")) == [
        ("list.csv", b"a,b\n1,2\n", True),
        ("object 2.xls", sheet, True),
        ("object 4", b"", False),
        ("an object of Microsoft Equation 3.0", b"", False),
    ]


def test_objects_of_an_old_presentation_are_inflated_to_a_bound_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "MAX_BYTES", 1_000)
    inflating = struct.pack("<I", 0) + zlib.compress(bytes(800))
    records = (struct.pack("<HHI", 16, 0x1011, len(inflating)) + inflating) * 3
    assert [*map(len, embedded._slide_objects(records))] == [800, 200, 0]  # noqa: SLF001
