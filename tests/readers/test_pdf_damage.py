"""Files that are damaged or odd: each opens and can be read, or is refused with a sentence. Nothing else comes out."""

import pickle
import random
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path

import pymupdf
import pytest

from shared.errors import RefusedFile
from shared.ingestion.limits import memory_limit, page_deadline
from shared.readers.pdf.document import open_pdf
from shared.readers.source import PagedSource
from shared.rereading.pdfium import PdfiumReader
from tests.readers.made import FADE, pdf

ROOT = Path(__file__).parents[2]
BASES = (ROOT / "samples/kestrel-cup-2025.pdf", ROOT / "samples/tarnwick-price-list-2026.pdf")
VARIANTS = 70
SECONDS_EACH = 20

TREES = {
    "no kids": b"<</Type/Pages/Count 1>>",
    "kids that are null": b"<</Type/Pages/Kids null/Count 3>>",
    "no kid in the list": b"<</Type/Pages/Kids[]/Count 2>>",
    "five of one": b"<</Type/Pages/Kids[3 0 R]/Count 5>>",
    "a negative count": b"<</Type/Pages/Kids[3 0 R]/Count -1>>",
    "a count of 10^8": b"<</Type/Pages/Kids[3 0 R]/Count 100000000>>",
    "a count of 2^31 - 1": b"<</Type/Pages/Kids[3 0 R]/Count 2147483647>>",
    "a count of 14 digits": b"<</Type/Pages/Kids[3 0 R]/Count 99999999999999>>",
    "a count that is text": b"<</Type/Pages/Kids[3 0 R]/Count(one)>>",
    "no count": b"<</Type/Pages/Kids[3 0 R]>>",
    "itself as its kid": b"<</Type/Pages/Kids[2 0 R]/Count 1>>",
    "a kid that is not there": b"<</Type/Pages/Kids[9 0 R]/Count 1>>",
    "nothing": b"null",
    "a list": b"[3 0 R]",
}


def outcome(path: Path) -> str:
    """What a file comes to: it is read by both readers, or why it is refused, as another process gets it."""
    try:
        with open_pdf(path) as source, PdfiumReader(path) as second:
            if source.is_blank:
                return "blank"
            _ = source.title, source.outline
            for page in {1, source.page_count}:
                try_page(source, second, page)
            return "read"
    except RefusedFile as refusal:
        return str(pickle.loads(pickle.dumps(refusal)))  # noqa: S301 our own


def try_page(source: PagedSource, second: PdfiumReader, page: int) -> None:
    """A page that cannot be read is refused alone."""
    second.glyphs(page)
    with suppress(RefusedFile):
        source.read_page(page, characters=True)
    with suppress(RefusedFile):
        source.pictures(page)
        list(source.raw_pages(page))


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_a_page_tree_that_cannot_be_is_no_exception_of_the_library(tmp_path: Path, tree: bytes) -> None:
    path = tmp_path / "tree.pdf"
    path.write_bytes(pdf(tree))
    said = outcome(path)
    assert said == "blank" or "damaged beyond repair" in said or "no readable pages" in said
    path.write_bytes(pdf())
    assert outcome(path) == "read"


def test_a_page_that_the_file_has_lost_does_not_take_the_others_with_it(tmp_path: Path) -> None:
    path = tmp_path / "half.pdf"
    path.write_bytes(pdf(b"<</Type/Pages/Kids[3 0 R 17 9 0 R]/Count 3>>"))
    with open_pdf(path) as source:
        assert not source.is_blank
        assert [fragment.text for fragment in source.read_page(1).fragments] == ["Hello page"]
        assert source.read_page(3).fragments == []


ODD = {
    "a note": pdf(content=b"", entries=b"/Annots[<</Type/Annot/Subtype/Text/Rect[20 20 40 40]/Contents(note)>>]"),
    "a field of a form": pdf(
        content=b"", entries=b"/Annots[<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/Rect[20 20 180 40]>>]"
    ),
    "a shading": pdf(content=b"/S sh", resources=FADE),
    "a filled box": pdf(content=b"10 10 50 50 re f"),
}


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_a_page_without_text_is_not_taken_for_a_damaged_file(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "odd.pdf"
    path.write_bytes(data)
    with open_pdf(path) as source:
        assert not source.is_blank
        assert source.read_page(1).fragments == []


def test_nothing_at_all_is_blank(tmp_path: Path) -> None:
    path = tmp_path / "blank.pdf"
    path.write_bytes(pdf(content=b""))
    with open_pdf(path) as source:
        assert source.is_blank


def variants(data: bytes) -> Iterator[bytes]:
    """Cut off, with bytes changed, with a piece repeated or missing; the same each time."""
    for seed in range(VARIANTS):
        rng, changed = random.Random(seed), bytearray(data)
        at, length = rng.randrange(len(data)), rng.randrange(1, 5000)
        if seed % 4 == 0:
            del changed[at:]
        elif seed % 4 == 1:
            for _ in range(rng.choice((1, 10, 100, 2000))):
                changed[rng.randrange(len(changed))] = rng.randrange(256)
        elif seed % 4 == 2:
            del changed[at : at + length]
        else:
            source = rng.randrange(len(data))
            changed[at:at] = data[source : source + length]
        yield bytes(changed)


def outcomes(data: bytes, folder: Path) -> list[str]:
    """Of every variant, under the limits that a worker has; run in a process of its own."""
    found: list[str] = []
    for number, variant in enumerate(variants(data)):
        path = folder / f"{number}.pdf"
        path.write_bytes(variant)
        with page_deadline(SECONDS_EACH), memory_limit():
            found.append(outcome(path))
        path.unlink()
    return found


def plain(path: Path) -> bytes:
    """The first pages without compression: changes hit objects rather than streams."""
    with pymupdf.open(path) as document:
        document.select(range(3))
        return document.tobytes(expand=255, garbage=4)


@pytest.mark.parametrize(
    "data", [BASES[0].read_bytes(), plain(BASES[0]), plain(BASES[1])], ids=["packed", "plain rules", "plain prices"]
)
def test_a_damaged_copy_is_read_or_refused_and_nothing_else(tmp_path: Path, data: bytes) -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        found = Counter(pool.submit(outcomes, data, tmp_path).result())
    assert sum(found.values()) == VARIANTS
    assert found["read"] > 5
    said = set(found) - {"read", "blank"}
    assert all(sentence.startswith("The ") and sentence.endswith(".") for sentence in said), said
    assert said


def test_text_that_resembles_a_pdf_is_refused_though_the_library_opens_it_as_text(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"# A file\n\nIt begins with 1 0 obj and\ntrailer ends it. " * 20)
    with pytest.raises(RefusedFile, match="damaged beyond repair"):
        open_pdf(path)
