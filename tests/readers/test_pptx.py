"""Presentations: a slide is a part, in the order in which they are shown, with its title, tables and notes."""

import zipfile
from pathlib import Path

import pytest

from shared.domain.operations import RegisterTable
from shared.domain.page import PageFile
from shared.errors import RefusedFile
from shared.readers.pptx.document import open_pptx
from shared.readers.registry import recognise
from shared.rereading.pptx import reread_pptx
from tests.readers.test_docx import R, left_out, proved, relations
from tests.readers.test_pdf import CORPORA
from tests.readers.test_text import told

CORPUS = CORPORA / "mixed-docling/pptx"
SPACES = f'xmlns:p="urn:p" xmlns:a="urn:a" xmlns:r="{R}"'


def shape(text: str, kind: str = "") -> str:
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    lines = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in text.split("\n"))
    return f"<p:sp><p:nvSpPr><p:nvPr>{holder}</p:nvPr></p:nvSpPr><p:txBody>{lines}</p:txBody></p:sp>"


def tc(text: str, merged: str = "") -> str:
    return f"<a:tc {merged}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"


def slide(name: str, inner: str) -> str:
    return f"<p:{name} {SPACES}><p:cSld><p:spTree>{inner}</p:spTree></p:cSld></p:{name}>"


def write_pptx(path: Path, *slides: str, notes: str = "") -> Path:
    """The last slide is shown first. `notes` are those of the first."""
    listed = "".join(f'<p:sldId id="1" r:id="rslides/slide{n}.xml"/>' for n in range(len(slides), 0, -1))
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("_rels/.rels", relations({"ppt/presentation.xml": "officeDocument"}))
        container.writestr("ppt/presentation.xml", f"<p:p {SPACES}><p:sldIdLst>{listed}</p:sldIdLst></p:p>")
        named = {f"slides/slide{n}.xml": "slide" for n in range(1, len(slides) + 1)}
        container.writestr("ppt/_rels/presentation.xml.rels", relations(named))
        for number, inner in enumerate(slides, 1):
            container.writestr(f"ppt/slides/slide{number}.xml", slide("sld", inner))
        if notes:
            container.writestr(
                "ppt/slides/_rels/slide1.xml.rels", relations({"../notesSlides/notesSlide1.xml": "notesSlide"})
            )
            container.writestr("ppt/notesSlides/notesSlide1.xml", slide("notes", notes))
    return path


def pages_of(path: Path) -> list[PageFile]:
    return proved(open_pptx(path, None), reread_pptx(path))


def test_a_title_that_is_drawn_last_is_the_first_of_its_slide(tmp_path: Path) -> None:
    group = f"<p:grpSp>{shape('Pumps', 'title')}</p:grpSp>"
    pages = pages_of(write_pptx(tmp_path / "x.pptx", shape("oil") + group + shape("seal")))
    assert told(pages) == [("section", 1, "Pumps"), ("text", "oil"), ("text", "seal")]


def test_a_slide_is_a_part_with_its_title_text_and_notes(tmp_path: Path) -> None:
    first = shape("Pumps", "ctrTitle") + shape("oil\nseal") + shape("7", "sldNum") + shape("Confidential", "ftr")
    group = f"<p:grpSp>{shape('In a group')}</p:grpSp>"
    pages = pages_of(write_pptx(tmp_path / "x.pptx", first, shape("Begin", "title") + group, notes=shape("Say this.")))
    assert [page.label for page in pages] == ["1", "2"]
    assert told(pages) == [
        ("section", 1, "Begin"),
        ("text", "In a group"),
        ("section", 1, "Pumps"),
        ("list", "oil", "seal"),
        ("text", "Say this."),
    ]
    assert left_out(pages) == [("page_number", "7"), ("footer", "Confidential")]


def test_a_table_has_its_merged_cells_and_header(tmp_path: Path) -> None:
    rows = [
        tc("Model", 'rowSpan="2"') + tc("Power", 'gridSpan="2"') + tc("", 'hMerge="1"'),
        tc("", 'vMerge="1"') + tc("kW") + tc("hp"),
    ]
    grid = "".join(f"<a:tr>{row}</a:tr>" for row in rows)
    table = f'<p:graphicFrame><a:graphic><a:tbl><a:tblPr firstRow="1"/>{grid}</a:tbl></a:graphic></p:graphicFrame>'
    (page,) = pages_of(write_pptx(tmp_path / "x.pptx", table))
    (found,) = [o for o in page.structure or [] if isinstance(o, RegisterTable)]
    assert told([page]) == [("table", 1, [[["Model"], ["Power"]], [["kW"], ["hp"]]])]
    assert [[(c.row_span, c.col_span) for c in row] for row in found.rows] == [[(2, 1), (1, 2)], [(1, 1), (1, 1)]]


def test_a_presentation_is_known_by_its_parts_and_refused_without_slides(tmp_path: Path) -> None:
    path = write_pptx(tmp_path / "x", shape("a"))
    assert recognise(path).source_type == "pptx"
    with zipfile.ZipFile(path, "w") as container:
        container.writestr("ppt/presentation.xml", "<p/>")
    with pytest.raises(RefusedFile, match="no slides in it"):
        open_pptx(path, None)


@pytest.mark.corpora
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the development corpora are not beside this checkout")
def test_every_letter_of_real_presentations_is_in_both_readings() -> None:
    for path in sorted(CORPUS.rglob("*.pptx")):
        pages_of(path)
