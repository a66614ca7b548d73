from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from shared.domain.operations import PageOperations, RegisterChunk
from shared.domain.page import PageFile
from shared.domain.verify import StoredPage
from shared.extraction.assemble import assemble
from shared.extraction.references import Resolver
from shared.readers.pdf.document import open_pdf
from shared.readers.source import Source
from shared.rereading.pdfium import PdfiumReader
from shared.verify.page import prove_page
from tests.readers.made import pdf
from tests.readers.test_pdf import extracted, verified, write_pdf

Draw = Callable[[pymupdf.Page], object]


def drawn(path: Path, draw: Draw) -> Path:
    document = pymupdf.open()
    draw(document.new_page(width=400, height=600))
    document.save(path)
    document.close()
    return path


def exact(source: Source) -> PageFile:
    return source.read_page(1, characters=True)


@pytest.mark.parametrize("rotation", [0, 180])
def test_a_part_of_a_line_has_exactly_the_box_of_its_characters(tmp_path: Path, rotation: int) -> None:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((50, 80) if not rotation else (350, 500), "Wings 14 mm wide", fontsize=12, rotate=rotation)
        page.set_rotation(rotation)

    with open_pdf(drawn(tmp_path / "line.pdf", draw)) as source:
        page = exact(source)
    fragment = page.fragments[0]
    part = Resolver(page).resolve("p1.f1[6:11]")
    assert part.text == "14 mm"
    advance = pymupdf.get_text_length
    left = fragment.box.x * 400
    assert part.box.x * 400 == pytest.approx(left + advance("Wings ", fontsize=12), abs=0.02)
    assert part.box.w * 400 == pytest.approx(advance("14 mm", fontsize=12), abs=0.02)
    assert (part.box.y, part.box.h) == (fragment.box.y, fragment.box.h)


def test_asking_for_characters_changes_nothing_else(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "gaps.pdf", [(40, 60, "Location:      Madill"), (40, 90, " one  two ")])
    with open_pdf(path) as source:
        plain, page = source.read_page(1), exact(source)
    assert [len(f.char_x) for f in page.fragments] == [len(f.text) + 1 for f in plain.fragments]
    assert [f.model_copy(update={"char_x": ()}) for f in page.fragments] == plain.fragments


def test_parts_of_turned_text_are_refused_with_the_reason(tmp_path: Path) -> None:
    with open_pdf(drawn(tmp_path / "up.pdf", lambda page: page.insert_text((80, 300), "upwards", rotate=90))) as source:
        resolver = Resolver(exact(source))
    assert resolver.resolve("p1.f1").text == "upwards"
    with pytest.raises(ValueError, match="parts of vertical or rotated text have no box"):
        resolver.resolve("p1.f1[0:2]")


def test_chunks_made_of_parts_verify_against_the_source(tmp_path: Path) -> None:
    path = write_pdf(tmp_path / "parts.pdf", [(40, 60, "Mass 7 kg Length 12 m")])
    with open_pdf(path) as source:
        chunks = [RegisterChunk(fragment_ids=[f"p1.f1[{part}]"], chunk_type="text") for part in ("0:10", "10:21")]
        operations = PageOperations(page=1, operations=[*chunks], confidence=1.0, engine="test", engine_version="1")
        draft = assemble([(exact(source), operations)])
        report = verified(source, draft, {1: operations})
    assert [chunk.content for chunk in draft.chunks] == ["Mass 7 kg ", "Length 12 m"]
    assert report.ok, report.failures
    assert (report.verbatim, report.boxes_exact, report.unclaimed_fragments) == (2, 2, 0)


def marked(said: bytes, shown: bytes, before: bytes = b"") -> bytes:
    """`shown` under marked content whose replacement text is `said`."""
    span = b"/Span <</ActualText (%s)>> BDC (%s) Tj EMC" % (said, shown)
    return pdf(content=b"BT /F 12 Tf 20 100 Td (Fee ) Tj %s 1 0 0 1 20 60 Tm (Page end) Tj ET" % (before + span))


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        (marked(b" ", b"of 300 EUR"), ["Fee of 300 EUR", "Page end"]),
        (marked(b"of 900 EUR", b"of 300 EUR"), ["Fee of 300 EUR", "Page end"]),
        (marked(b"of 300 EUR or nothing", b"of 300 EUR"), ["Fee of 300 EUR", "Page end"]),
        (marked(b"of 300 EUR", b"OF 300 EUR"), ["Fee of 300 EUR", "Page end"]),
        (marked(b"", b"of", b"1 0 0 1 44 100 Tm (of) Tj 1 0 0 1 44.2 100 Tm "), ["Fee of", "Page end"]),
        # The same letters in another order, or one of them once more or once less
        (marked(b"of 45 EUR", b"of 54 EUR"), ["Fee of 54 EUR", "Page end"]),
        (marked(b"45", b"54"), ["Fee 54", "Page end"]),
        (marked(b"no on", b"on no"), ["Fee on no", "Page end"]),
        (marked(b"1000", b"100"), ["Fee 100", "Page end"]),
        (marked(b"44", b"4"), ["Fee 4", "Page end"]),
        (marked(b"4", b"44"), ["Fee 44", "Page end"]),
    ],
)
@pytest.mark.parametrize("rotation", [0, 90])
def test_replacement_text_counts_where_it_says_the_letters_that_are_drawn(
    tmp_path: Path, source: bytes, lines: list[str], rotation: int
) -> None:
    path = tmp_path / "marked.pdf"
    with pymupdf.open(stream=source) as made:
        made[0].set_rotation(rotation)
        made.save(path)
    with open_pdf(path) as opened:
        page = opened.read_page(1)
        chunk = RegisterChunk(fragment_ids=[one.id for one in page.fragments], chunk_type="text")
        operations = PageOperations(page=1, operations=[chunk], confidence=1.0, engine="test", engine_version="1")
        report = verified(opened, assemble([(page, operations)]), {1: operations})
    assert [one.text for one in page.fragments] == lines
    assert report.ok, report.failures


def typed(path: Path, texts: Sequence[tuple[float, float, str]]) -> Path:
    """Courier, whose blank is as wide as any sign."""

    def draw(page: pymupdf.Page) -> None:
        for x, y, text in texts:
            page.insert_text((x, y), text, fontsize=10, fontname="cour")

    return drawn(path, draw)


COPIES = {
    "signs missing from the second": (["K2-1901", "K2 1901"], ["K2-1901"]),
    "signs missing from the first": (["56 4", "56.4"], ["56.4"]),
    "the same": (["Kruger", "Kruger"], ["Kruger"]),
    "a part": (["Company/Brand", "   p  y      "], ["Company/Brand"]),
    "other signs": (["Kruger", "Hefty "], ["Kruger", "Hefty"]),
    "one other sign": (["126.3", "126.8"], ["126.3", "126.8"]),
    "each lacks one": (["1 26.3", "1-26 3"], ["1 26.3", "1-26 3"]),
}


@pytest.mark.parametrize(("texts", "read"), COPIES.values(), ids=COPIES)
def test_a_line_that_is_drawn_again_is_read_once_and_proved(
    tmp_path: Path, texts: Sequence[str], read: Sequence[str]
) -> None:
    """Other lines stand between, so that the PDF library itself leaves nothing out."""
    first, second = ((60.0, 80.0, text) for text in texts)
    between = [(60.0, 200.0 + 20 * n, f"Nothing of this stands there, line {n}.") for n in range(3)]
    with open_pdf(typed(tmp_path / "again.pdf", [first, *between, second])) as source:
        page = exact(source)
        assert sorted(f.text for f in page.fragments if f.box.y < 0.2) == sorted(read)
        report = verified(source, *extracted(source))
    assert report.failures == []


def test_the_same_sign_beside_itself_is_no_copy(tmp_path: Path) -> None:
    """Lines that overlap by a blank, of which the second has only signs that the first has too."""
    texts = [(60.0, 80.0, "on no  "), (60.0, 200.0, "Something else."), (96.0, 80.0, "no no")]
    with open_pdf(typed(tmp_path / "beside.pdf", texts)) as source:
        assert sorted(f.text for f in exact(source).fragments if f.box.y < 0.2) == ["no no", "on no"]


def test_the_same_word_a_third_of_a_sign_further_is_no_copy(tmp_path: Path) -> None:
    texts = [(60.0, 80.0, "nonono"), (60.0, 200.0, "Something else."), (63.0, 80.0, "nono")]
    with open_pdf(typed(tmp_path / "shifted.pdf", texts)) as source:
        assert sorted(f.text for f in exact(source).fragments if f.box.y < 0.2) == ["nono", "nonono"]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_lines_are_divided_at_their_gaps_and_at_rules_whichever_way_the_page_is_turned(
    tmp_path: Path, turn: int
) -> None:
    """The page is displayed upright; in its file it stands in the four ways."""
    texts = [(40.0, 60.0, "Location:      Madill"), (40.0, 90.0, "Aggregates: ..... 312"), (40.0, 120.0, "left right")]

    def draw(page: pymupdf.Page) -> None:
        page.set_rotation(turn)
        back = page.derotation_matrix
        for x, y, text in texts:
            page.insert_text(pymupdf.Point(x, y) * back, text, fontsize=11, rotate=turn)
        x = 40.0 + pymupdf.get_text_length("left", fontsize=11) + 1.5
        page.draw_line(pymupdf.Point(x, 105) * back, pymupdf.Point(x, 130) * back)

    with open_pdf(drawn(tmp_path / "turned.pdf", draw)) as source:
        page = exact(source)
        assert [f.text for f in page.fragments] == ["Location:", "Madill", "Aggregates: .....", "312", "left", "right"]
        assert [len(f.char_x) for f in page.fragments] == [len(f.text) + 1 for f in page.fragments]
        assert all(a.box.right < b.box.x for a, b in pairwise(page.fragments) if a.box.y == b.box.y)
        assert verified(source, *extracted(source)).failures == []


SMALL, LARGE = 7.0, 10.0
# Small letters are most without the blanks, large ones with them. The reader makes the second line anew from its
# characters, as it ends in the sign of a currency.
MIXED_LINES = ["1 2 3 4 5", "1 2 3 4 $"]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    def draw(page: pymupdf.Page) -> None:
        for number, text in enumerate(MIXED_LINES):
            writer = pymupdf.TextWriter(page.rect)
            _, end = writer.append((60, 80 + 40 * number), "abcdef", fontsize=SMALL)
            writer.append(end, text, fontsize=LARGE)
            writer.write_text(page)

    return drawn(tmp_path / "mixed.pdf", draw)


def test_blanks_are_no_characters_of_a_lines_main_type_for_the_reader_and_for_the_proof(mixed: Path) -> None:
    with open_pdf(mixed) as source:
        assert [(f.text, f.size) for f in exact(source).fragments] == [(f"abcdef{text}", SMALL) for text in MIXED_LINES]
        assert verified(source, *extracted(source)).failures == []


@pytest.mark.parametrize(
    ("version", "sizes", "wrong"),
    [
        ("pdf-7/mupdf-1", (LARGE, SMALL), 0),
        ("pdf-1/mupdf-1", (LARGE, SMALL), 0),
        ("pdf-7/mupdf-1", (SMALL + 1, SMALL), 1),
        ("pdf-7/mupdf-1", (LARGE + 1, LARGE + 1), 2),
        ("pdf-8/mupdf-1", (LARGE, SMALL), 1),
        ("pdf-8/mupdf-1", (SMALL, LARGE), 1),
        ("pdf-10/mupdf-1", (LARGE, SMALL), 1),
    ],
)
def test_an_earlier_readers_main_type_may_have_counted_blanks(
    mixed: Path, version: str, sizes: Sequence[float], wrong: int
) -> None:
    with open_pdf(mixed) as source, PdfiumReader(mixed) as second:
        file = exact(source)
        told = [f.model_copy(update={"size": size}) for f, size in zip(file.fragments, sizes, strict=True)]
        stored = file.model_copy(update={"fragments": told, "extractor_version": version})
        assert len(prove_page(source, second, 1, StoredPage(1, False, file.route, []), stored).wrong) == wrong
