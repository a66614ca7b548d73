"""Pages whose lines hold nothing but dots, spaces, hyphens or digits take no longer than others."""

import time
from pathlib import Path

import pytest

from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.extraction.validate import validate_operations
from shared.lexical.tokenizer import read_tokens
from shared.readers.pdf.document import open_pdf
from shared.readers.sketch import sketch_page
from tests.readers.made import pdf

CHARACTERS = 24_000
PAGE_S = 2.0


def page_of(unit: str, lines: int) -> bytes:
    text = (unit * CHARACTERS)[: CHARACTERS // lines].encode()
    rows = [b"1 0 0 1 5 %d Tm (Words %s end) Tj" % (190 - 180 * row // lines, text) for row in range(lines)]
    return pdf(content=b"BT /F %s Tf " % (b"0.01" if lines == 1 else b"0.3") + b"\n".join(rows) + b" ET")


@pytest.mark.parametrize("lines", [1, 24])
@pytest.mark.parametrize("unit", [".", " ", "-", "0", ". ", "1.", "a", "- "])
def test_a_page_of_one_sign_takes_two_seconds_at_most(tmp_path: Path, unit: str, lines: int) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(page_of(unit, lines))
    begun = time.process_time()
    with open_pdf(path) as source:
        file, whole = source.read_page(1), source.read_page(1, characters=True)
    operations = extract_page(file, build_profile([sketch_page(file)], []))
    assert validate_operations(file, operations) == []
    draft = assemble([(file, operations)])
    content = " ".join(chunk.content for chunk in draft.chunks)
    assert list(read_tokens(content))
    assert time.process_time() - begun < PAGE_S
    read = sum(len(fragment.text) for fragment in whole.fragments)
    assert unit == " " or read >= CHARACTERS
