"""Reads one PDF through the layout engine and prints or draws what came out, for the eye.

python -m tests.bench.extraction FILE.pdf [--pages 1-5] [--draw DIRECTORY]
"""

import argparse
import io
import time
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw

from shared.domain.draft import DocumentDraft
from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.domain.sketch import Profile
from shared.extraction.assemble import assemble
from shared.extraction.layout import extract_page
from shared.extraction.profile import build_profile
from shared.readers.pdf.document import PdfSource, open_pdf
from shared.readers.sketch import sketch_page

COLOURS = {
    "heading": "#d62728", "text": "#1f77b4", "list": "#17becf", "table": "#2ca02c", "table_row": "#98df8a",
    "caption": "#ff7f0e", "figure": "#9467bd", "footnote": "#8c564b", "code": "#7f7f7f", "formula": "#bcbd22",
}  # fmt: skip


class Extracted(NamedTuple):
    """A document on its way through the engine, with CPU seconds per step."""

    pages: list[PageFile]
    profile: Profile
    operations: list[PageOperations]
    draft: DocumentDraft
    seconds: dict[str, float]


def extract(source: PdfSource) -> Extracted:
    """All steps from source to draft, timed."""
    marks = [time.process_time()]
    pages = [source.read_page(n) for n in range(1, source.page_count + 1)]
    marks.append(time.process_time())
    profile = build_profile(map(sketch_page, pages), source.outline)
    marks.append(time.process_time())
    operations = [extract_page(page, profile) for page in pages]
    marks.append(time.process_time())
    draft = assemble(zip(pages, operations, strict=True))
    marks.append(time.process_time())
    names = ("read", "profile", "layout", "assemble")
    seconds = {name: b - a for name, a, b in zip(names, marks, marks[1:], strict=False)}
    return Extracted(pages, profile, operations, draft, seconds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--pages", default="")
    parser.add_argument("--draw", type=Path)
    arguments = parser.parse_args()
    with open_pdf(arguments.file) as source:
        found = extract(source)
        wanted = _range(arguments.pages, source.page_count)
        _print(found, wanted)
        if arguments.draw:
            for page in wanted:
                _draw(source, found.draft, page, arguments.draw)


def _range(text: str, count: int) -> range:
    first, _, last = text.partition("-")
    return range(int(first or 1), int(last or first or count) + 1)


def _print(found: Extracted, wanted: range) -> None:
    draft = found.draft
    for chunk in draft.chunks:
        pages = sorted({box.page for box in chunk.boxes if box.kind == "page"})
        if not pages or pages[0] not in wanted:
            continue
        section = draft.sections[chunk.section] if chunk.section is not None else None
        place = f"{section.depth}:{section.address or section.title[:20]}" if section else "-"
        print(f"p{pages[0]:<3} {chunk.chunk_type:9} [{place}] {chunk.content[:150]!r}")
    for skip in draft.skipped:
        if skip.page in wanted:
            print(f"p{skip.page:<3} skip {skip.reason}: {skip.text[:80]!r}")
    count = len(found.pages)
    print({name: f"{1000 * seconds / count:.2f} ms/page" for name, seconds in found.seconds.items()})
    print(f"{count} pages, {len(draft.sections)} sections, {len(draft.chunks)} chunks, {len(draft.tables)} tables, "
          f"confidence {draft.confidence}, unclaimed {sum(p.unclaimed for p in draft.pages)}")  # fmt: skip


def _draw(source: PdfSource, draft: DocumentDraft, page: int, directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    image = Image.open(io.BytesIO(source.render_page(page, 90).image))
    pen = ImageDraw.Draw(image)
    for chunk in draft.chunks:
        for box in chunk.boxes:
            if box.kind == "page" and box.page == page:
                grow = 3 if chunk.chunk_type == "table" else 0
                corners = (box.x * image.width - grow, box.y * image.height - grow,
                           box.right * image.width + grow, box.bottom * image.height + grow)  # fmt: skip
                pen.rectangle(corners, outline=COLOURS.get(chunk.chunk_type, "#000000"), width=2)
    for skip in draft.skipped:
        box = skip.box
        if box.kind == "page" and box.page == page:
            corners = (box.x * image.width, box.y * image.height, box.right * image.width, box.bottom * image.height)
            pen.rectangle(corners, outline="#bbbbbb", width=2)
    image.save(directory / f"{Path(source.name).stem}-{page}.png")


if __name__ == "__main__":
    main()
