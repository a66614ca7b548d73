"""Which pages go to the model, and which of them with a picture: rules over what was measured on the page."""

from typing import Final, Literal

from shared.domain.operations import PageOperations
from shared.domain.page import PageFile

Engine = Literal["layout", "bedrock", "auto"]

# `auto` sends pages of which the layout engine itself is less sure than this (docs/decisions/0010).
AUTO_BELOW: Final = 0.90
# A page with more fragments takes more operations than one answer holds (8,192 tokens; a cell takes about 11).
MAX_FRAGMENTS: Final = 700
# A picture helps where much of the page is drawn, or where so little text stands that its places say nothing: the
# tenth of all pages with the most drawing, and that with the least text (251 pages, docs/decisions/0010).
IMAGE_SHARE: Final = 0.05
SPARSE_DENSITY: Final = 4.0


def wants_model(engine: Engine, page: PageFile, layout: PageOperations) -> bool:
    """Whether the page's grouping is the model's to decide. A page without text has nothing to group."""
    if engine == "layout" or not page.fragments:
        return False
    return engine == "bedrock" or layout.confidence < AUTO_BELOW


def fits_model(page: PageFile) -> bool:
    return len(page.fragments) <= MAX_FRAGMENTS


def wants_image(page: PageFile) -> bool:
    """Figures on IMAGE_SHARE of the page's area or more, or less than SPARSE_DENSITY characters per square inch."""
    drawn = sum(image.box.w * image.box.h for image in page.images)
    return drawn >= IMAGE_SHARE or page.text_density < SPARSE_DENSITY
