"""A bundle as one page of HTML."""

from collections.abc import Sequence

from markupsafe import Markup

from shared.domain.geometry import Box, PageBox, SheetBox
from shared.domain.notebooks import NotebookSource
from shared.lab.bundles.content import Content, version_words
from shared.lab.bundles.pictures import Crop
from shared.lab.notebook.markup import element, paragraphs, picture
from shared.lab.pages import whole_page


def page_of(content: Content) -> bytes:
    return whole_page(content.title, body_of(content))


def body_of(content: Content) -> Markup:
    sources = [source_item(one, content.crops.get(one.number, ())) for one in content.sources]
    listed = (element("h2", "Sources"), element("ol", *sources, class_="sources")) if sources else ()
    head = (element("h1", content.title), element("p", content.lead, class_="lead"))
    return Markup("\n").join((*head, *content.blocks, *listed))


def source_item(source: NotebookSource, crops: Sequence[Crop]) -> Markup:
    """Document, version, page, boxes, what stands there, its picture, and what was noted since against it."""
    label = version_words(source.version.label, source.version.index)
    older = "" if source.version.is_current else ", not the newest"
    page = f"page {source.page}" if source.page and any(isinstance(box, PageBox) for box in source.boxes) else ""
    where = " · ".join(part for part in (f"{label}{older}", source.section, page) if part)
    said = f"of {source.document}, where it says: {source.text[:200]}"
    return element(
        "li",
        element("p", element("b", str(source.number), class_="citation"), " ", element("b", source.document)),
        element("p", where, class_="place"),
        element("blockquote", paragraphs(source.text)),
        *(picture(crop.data, "image/jpeg", f"Page {crop.page} {said}") for crop in crops),
        element("p", "; ".join(box_words(box) for box in source.boxes), class_="box"),
        *(element("p", f"Corrected by {one.author}: {one.text}", class_="cell-warning") for one in source.corrected_by),
        id=f"source-{source.number}",
    )


def box_words(box: Box) -> str:
    """Where it is: of a page in shares of its width and height, from the top left."""
    if isinstance(box, PageBox):
        return f"page {box.page}: x {box.x:.4f}, y {box.y:.4f}, w {box.w:.4f}, h {box.h:.4f}"
    if isinstance(box, SheetBox):
        return f"sheet {box.sheet}: {box.range}"
    return f"characters {box.start} to {box.end}"
