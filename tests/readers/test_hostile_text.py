import io
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

from shared.readers.pdf.document import open_pdf
from tests.readers.test_pdf import extracted, verified

PICTURE = pymupdf.Rect(40, 280, 390, 400)
# What a font may map its codes to, and what breaks readers: controls, a soft hyphen, blanks of all kinds, C1 codes.
CONTROLS = [
    rb"\001", rb"\007", rb"\255", rb"\t", rb"\000", rb"\033", rb"\034", rb"\037", rb"\177", rb"\205", rb"\240",
    rb"\012", rb"\015", rb"|", rb"\200",
]  # fmt: skip


def shown(x: float, y: float, text: bytes, before: bytes = b"") -> bytes:
    return b"BT /helv 11 Tf %s %d %d Td (%s) Tj ET\n" % (before, x, y, text)


def write(path: Path, content: bytes, picture: bool = False) -> Path:
    """A page with a line of ordinary text, a picture over its middle if wanted, and `content` as it is."""
    with pymupdf.open() as document:
        page = document.new_page(width=400, height=600)
        page.insert_text((40, 40), "Ordinary text of the page, in a line of its own.", fontsize=11)
        stream = document.get_new_xref()
        document.update_object(stream, "<<>>")
        document.update_stream(stream, content)
        names = [*page.get_contents(), stream]
        document.xref_set_key(page.xref, "Contents", "[" + " ".join(f"{name} 0 R" for name in names) + "]")
        if picture:
            image = io.BytesIO()
            Image.new("RGB", (40, 40), (200, 220, 255)).save(image, "PNG")
            page.insert_image(PICTURE, stream=image.getvalue())
        document.save(path)
    return path


def clipped(width: int, height: int) -> bytes:
    return b"q 40 290 %d %d re W n " % (width, height) + shown(40, 300, b"Words behind a clip") + b"Q\n"


HOSTILE = {
    "clipped away": (clipped(0, 0), ""),
    "cut by a clip": (clipped(45, 30), "Words b"),
    "outside the page": (shown(500, 300, b"far") + shown(40, -30, b"below") + shown(-90, 300, b"left"), ""),
    "half outside": (shown(380, 300, b"Half outside"), "Half"),
    "invisible": (shown(40, 300, b"Words in no ink", b"3 Tr"), "Words in no ink"),
    "white on white": (b"q 1 1 1 rg " + shown(40, 300, b"Words in white") + b"Q\n", "Words in white"),
    "used as a clip": (
        b"q " + shown(40, 300, b"Words that clip", b"7 Tr") + b"40 290 200 30 re f Q\n",
        "Words that clip",
    ),
    "of no size": (b"BT /helv 0 Tf 40 300 Td (nothing) Tj ET\n", ""),
    "replaced": (b"/Span <</ActualText (Other)>> BDC " + shown(40, 300, b"Words") + b"EMC\n", "Words"),
}


@pytest.mark.parametrize("picture", [False, True])
@pytest.mark.parametrize("kind", HOSTILE)
def test_hidden_text_is_read_as_decided_and_verifies(tmp_path: Path, kind: str, picture: bool) -> None:
    content, read = HOSTILE[kind]
    with open_pdf(write(tmp_path / "hostile.pdf", content, picture)) as source:
        draft, operations = extracted(source)
        report = verified(source, draft, operations)
    assert report.ok, report.failures
    texts = [chunk.content for chunk in draft.chunks] + [skip.text for skip in draft.skipped]
    whole = " ".join(texts)
    assert "Ordinary text of the page" in whole
    assert read in whole
    assert bool(read) is (whole.strip() != "Ordinary text of the page, in a line of its own.")


def test_a_control_character_beside_a_border_is_part_of_its_cell_and_verifies(tmp_path: Path) -> None:
    content = b"0 0 0 RG 0.7 w\n"
    rows = [(b"Name", b"Mass", b"Length"), *((b"Row" + c, c + b"10 kg", b"20" + c + b" mm") for c in CONTROLS)]
    for n in range(len(rows) + 1):
        content += b"40 %d m 340 %d l S\n" % (500 - 24 * n, 500 - 24 * n)
    for x in (40, 140, 240, 340):
        content += b"%d 500 m %d %d l S\n" % (x, x, 500 - 24 * len(rows))
    for n, row in enumerate(rows):
        for x, cell in zip((45, 145, 245), row, strict=True):
            content += shown(x, 484 - 24 * n, cell)
    with open_pdf(write(tmp_path / "cells.pdf", content)) as source:
        draft, operations = extracted(source)
        report = verified(source, draft, operations)
    assert report.ok, report.failures
    (table,) = draft.tables
    assert len(table.rows) == len(rows)
    assert sum("|" in cell.text for row in table.rows for cell in row) == 3
