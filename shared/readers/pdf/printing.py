"""HTML laid out as a PDF, without a browser. It stands among the readers, which alone touch PyMuPDF."""

import io
from datetime import datetime
from typing import Any, Final

import pymupdf

A4: Final = (0.0, 0.0, 595.0, 842.0)
MARGINS: Final = (50.0, 54.0, -50.0, -54.0)
GREY: Final = (0.36, 0.39, 0.45)


def print_html(html: str, css: str, title: str, made_at: datetime) -> bytes:
    """Numbered pages of A4. Images are those within `html` (`data:`). The same arguments give the same bytes: its time
    is `made_at`, in UTC."""
    story = pymupdf.Story(html=html, user_css=css)
    out = io.BytesIO()
    writer = pymupdf.DocumentWriter(out)
    page, place, more = pymupdf.Rect(A4), pymupdf.Rect(A4) + MARGINS, 1
    while more:
        device = writer.begin_page(page)
        more, _ = story.place(place)
        story.draw(device)
        writer.end_page()
    writer.close()
    return _finished(out.getvalue(), title, made_at)


def _finished(data: bytes, title: str, made_at: datetime) -> bytes:
    stamp = f"D:{made_at:%Y%m%d%H%M%S}Z"
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for page in document:
            _number(page, document.page_count)
        document.set_metadata({"title": title, "producer": "autri", "creationDate": stamp, "modDate": stamp})
        return document.tobytes(garbage=3, deflate=True, no_new_id=True)


def _number(page: Any, pages: int) -> None:
    page.insert_text((A4[2] / 2 - 16, A4[3] - 28), f"{page.number + 1} / {pages}", fontsize=8, color=GREY)
