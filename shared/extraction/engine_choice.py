"""Decides which pages the model groups, and which it gets as a picture, by rules over measurements of the page."""

from typing import Final, Literal

from shared.domain.operations import PageOperations
from shared.domain.page import PageFile

Engine = Literal["layout", "bedrock", "auto"]

# With the engine `auto`, the model gets pages where the layout engine's confidence is below this (docs/decisions/0010).
AUTO_BELOW: Final = 0.90
# A page with more fragments may need more operations than fit in one answer (8,192 tokens; a cell takes about 11).
MAX_FRAGMENTS: Final = 700
# A picture helps where much of the page is drawn, or where there is too little text to infer a layout from. The limits
# are those of the tenth of pages with the most drawing and the tenth with the least text (251 pages,
# docs/decisions/0010).
IMAGE_SHARE: Final = 0.05
SPARSE_DENSITY: Final = 4.0


def wants_model(engine: Engine, page: PageFile, layout: PageOperations) -> bool:
    """Whether the model groups this page. Never for a page without text, which has nothing to group."""
    if engine == "layout" or not page.fragments:
        return False
    return engine == "bedrock" or layout.confidence < AUTO_BELOW


def fits_model(page: PageFile) -> bool:
    return len(page.fragments) <= MAX_FRAGMENTS


def wants_image(page: PageFile) -> bool:
    """Whether figures cover IMAGE_SHARE of the page's area, or it has less than SPARSE_DENSITY characters per square
    inch."""
    drawn = sum(image.box.w * image.box.h for image in page.images)
    return drawn >= IMAGE_SHARE or page.text_density < SPARSE_DENSITY
