"""Files attached to PDFs made here: what is taken out, under which name, and what is only told."""

from pathlib import Path

import pymupdf
import pytest

from shared.readers import embedded
from shared.readers.embedded import embedded_files
from tests.readers.test_embedded import SHEET, told


def written(path: Path, *, collection: bool = False) -> Path:
    """A PDF with a file of the document, the same one in a note, another in a note, and a portfolio's sign."""
    with pymupdf.open() as made:
        page = made.new_page()
        page.insert_text((50, 50), "The prices are attached.")
        made.embfile_add("p", SHEET, filename="prices.xlsx", ufilename="..\\old\\Größe\n 表.xlsx")
        page.add_file_annot((50, 90), b"Payment within 30 days.\n", "/etc/terms.txt")
        page.add_file_annot((50, 120), b"x", "gone.txt")
        if collection:
            made.xref_set_key(made.pdf_catalog(), "Collection", "<</Type/Collection/View/D>>")
        made.save(path)
    return path


@pytest.mark.parametrize("collection", [False, True])
def test_files_of_the_document_and_of_notes_are_taken_out_under_their_names(tmp_path: Path, collection: bool) -> None:
    assert told(embedded_files(written(tmp_path / "x.pdf", collection=collection))) == [
        ("Größe 表.xlsx", SHEET, True),
        ("terms.txt", b"Payment within 30 days.\n", True),
        ("gone.txt", b"x", True),
    ]


def test_a_file_that_several_places_refer_to_is_taken_out_once(tmp_path: Path) -> None:
    path = written(tmp_path / "x.pdf")
    with pymupdf.open(path) as made:
        _, names = made.xref_get_key(made.pdf_catalog(), "Names/EmbeddedFiles/Names")
        made.xref_set_key(made.pdf_catalog(), "AF", names.replace("(p)", "", 1))
        made.save(tmp_path / "y.pdf")
    assert [one.name for one in embedded_files(tmp_path / "y.pdf")] == ["Größe 表.xlsx", "terms.txt", "gone.txt"]


@pytest.mark.parametrize("of_the_page", [False, True])
def test_a_file_that_is_only_associated_is_taken_out_too(tmp_path: Path, of_the_page: bool) -> None:
    path = written(tmp_path / "x.pdf")
    with pymupdf.open(path) as made:
        _, names = made.xref_get_key(made.pdf_catalog(), "Names/EmbeddedFiles/Names")
        made.xref_set_key(made.page_xref(0) if of_the_page else made.pdf_catalog(), "AF", names.replace("(p)", "", 1))
        made.xref_set_key(made.page_xref(0), "Annots", "null")
        made.xref_set_key(made.pdf_catalog(), "Names", "null")
        made.save(tmp_path / "y.pdf")
    assert [one.name for one in embedded_files(tmp_path / "y.pdf")] == ["Größe 表.xlsx"]


def test_a_tree_of_names_in_a_circle_ends_and_a_bomb_is_not_inflated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "MAX_BYTES", 1_000_000)
    with pymupdf.open() as made:
        page = made.new_page()
        page.insert_text((50, 50), "Text.")
        made.embfile_add("a", b"few", filename="few.txt")
        made.embfile_add("b", bytes(200_000_000), filename="bomb.bin")
        page.add_file_annot((9, 9), b"more", "more.txt")
        made.save(tmp_path / "x.pdf", deflate=True)
    few, bomb, more = embedded_files(tmp_path / "x.pdf")
    assert (few.data, bomb.data, more.data) == (b"few", b"", b"")
    assert "takes more than" in (bomb.refusal or "")
    with pymupdf.open(tmp_path / "x.pdf") as made:
        tree = made.get_new_xref()
        made.update_object(tree, f"<</Kids[{tree} 0 R]>>")
        made.xref_set_key(made.pdf_catalog(), "Names", f"<</EmbeddedFiles {tree} 0 R>>")
        made.save(tmp_path / "y.pdf")
    assert [one.name for one in embedded_files(tmp_path / "y.pdf")] == ["more.txt"]


def test_of_ten_thousand_files_the_bytes_of_the_first_are_read(tmp_path: Path) -> None:
    with pymupdf.open() as made:
        made.new_page().insert_text((50, 50), "Text.")
        said = list[str]()
        for at in range(10_000):
            held, one = made.get_new_xref(), made.get_new_xref()
            made.update_object(held, "<<>>")
            made.update_stream(held, b"%d" % at, new=1, compress=0)
            made.update_object(one, f"<</Type/Filespec/F({at}.txt)/EF<</F {held} 0 R>>>>")
            said.append(f"({at:05}){one} 0 R")
        made.xref_set_key(made.pdf_catalog(), "Names", f"<</EmbeddedFiles<</Names[{' '.join(said)}]>>>>")
        made.save(tmp_path / "x.pdf")
    files = embedded_files(tmp_path / "x.pdf")
    assert len(files) == 10_000
    assert (files[999].data, files[1_000].data) == (b"999", b"")


def test_what_is_damaged_in_a_pdf_is_told(tmp_path: Path) -> None:
    with pymupdf.open() as made:
        page = made.new_page()
        page.insert_text((50, 50), "Text.")
        one = made.get_new_xref()
        made.update_object(one, "<</Type/Filespec/EF<</F (no stream)>>>>")
        made.xref_set_key(page.xref, "AF", f"[{one} 0 R 7 null]")
        made.save(tmp_path / "x.pdf")
    [broken] = embedded_files(tmp_path / "x.pdf")
    assert broken.data == b""
    assert "damaged in the PDF" in (broken.refusal or "")


def test_half_a_letter_in_a_name_is_left_out(tmp_path: Path) -> None:
    """A name that cannot be encoded could not be stored, and the document would fail for it."""
    with pymupdf.open() as made:
        page = made.new_page()
        held, one = made.get_new_xref(), made.get_new_xref()
        made.update_object(held, "<<>>")
        made.update_stream(held, b"few", new=1)
        made.update_object(one, f"<</Type/Filespec/UF<FEFF00610062002E007400780074D800>/EF<</F {held} 0 R>>>>")
        made.xref_set_key(page.xref, "AF", f"[{one} 0 R]")
        made.save(tmp_path / "x.pdf")
    assert [one.name for one in embedded_files(tmp_path / "x.pdf")] == ["ab.txt"]


def test_films_and_models_that_pages_show_are_taken_out_once(tmp_path: Path) -> None:
    with pymupdf.open() as made:
        for _ in range(2):
            made.new_page().insert_text((50, 50), "Text.")
        first, second = made.page_xref(0), made.page_xref(1)

        def stream(data: bytes, said: str = "") -> int:
            made.update_object(number := made.get_new_xref(), f"<<{said}>>")
            made.update_stream(number, data, new=1)
            return number

        def spec(name: str, data: bytes) -> int:
            number = made.get_new_xref()
            made.update_object(number, f"<</Type/Filespec/UF({name})/EF<</F {stream(data)} 0 R>>>>")
            return number

        kid, tree = made.get_new_xref(), made.get_new_xref()
        plan, film = spec("plan.csv", b"a,b"), spec("film.mp4", b"film")
        made.update_object(kid, f"<</Limits[(film)(plan)]/Names[(film){film} 0 R(plan){plan} 0 R]/Kids[{tree} 0 R]>>")
        made.update_object(tree, f"<</Kids[{kid} 0 R<</Names[(last){spec('last.txt', b'last')} 0 R]>>]>>")
        model = stream(b"model", "/Type/3D/Subtype/U3D")
        shown = f"<</Type/Annot/Subtype/RichMedia/Rect[0 0 9 9]/RichMediaContent<</Assets {tree} 0 R>>>>"
        seen = f"<</Type/Annot/Subtype/3D/Rect[0 0 9 9]/3DD {model} 0 R>>"
        again = f"<</Type/Annot/Subtype/3D/Rect[0 0 9 9]/3DD<</Type/3DRef/3DD {model} 0 R>>>>"
        made.xref_set_key(first, "Annots", f"[{shown}{seen}]")
        other = stream(b"other", "/Type/3D/Subtype/PRC")
        made.xref_set_key(second, "Annots", f"[{shown}{again}<</Subtype/3D/3DD<</3DD {other} 0 R>>>><</Subtype/3D>>]")
        made.save(tmp_path / "x.pdf")
    assert told(embedded_files(tmp_path / "x.pdf")) == [
        ("film.mp4", b"film", True),
        ("plan.csv", b"a,b", True),
        ("last.txt", b"last", True),
        ("model.u3d", b"model", True),
        ("model.prc", b"other", True),
    ]
