"""Verifies figures: the picture's box is drawn in the source, and the figure's row agrees with its chunk."""

from collections.abc import Callable, Sequence

from shared.domain.geometry import Box, PageBox, TextBox
from shared.domain.page import PageFile, PartPicture
from shared.domain.raw_page import RawPictures
from shared.domain.verify import StoredFigure
from shared.verify import wording
from shared.verify.boxes import are_equal, edges_around, edges_of, told
from shared.verify.chunks import Boxed, by_page
from shared.verify.ground import Edges
from shared.verify.page import ProvenPage, is_picture
from shared.verify.pieces import Piece
from shared.verify.report import Checked


def check_figure(
    checked: Checked, boxed: Boxed, figure: StoredFigure | None, page: ProvenPage, drawn: Callable[[int], RawPictures]
) -> None:
    """The first box is around a picture of the page and the labels."""
    first, labels = boxed[0]
    if page.file is None:
        return
    if isinstance(first, PageBox):
        _check_drawn(checked, first, labels, page, drawn)
    elif not any(_is_all_of(first, picture) for picture in page.file.pictures):
        checked.fail("figure", first.page, "a picture of the part", str(first.model_dump()))
    caption = wording.running(by_page(boxed[1:]))
    expected = (first.page, caption)
    if figure is None or (figure.page, figure.caption) != expected or figure.box != first:
        checked.fail("figure", first.page, str(expected), str(figure and (figure.page, figure.caption)))


def _is_all_of(box: Box, picture: PartPicture) -> bool:
    """Whether a box is the whole of a picture that a part has, where it stands. That the source has it there is proved
    with the part's file."""
    if not isinstance(box, TextBox) or box.picture is None:
        return False
    place, area = picture.place, box.picture
    whole = (area.x, area.y, area.w, area.h) == (0, 0, 1, 1)
    return whole and (area.id, box.start, box.end) == (picture.id, place.start, place.end)


def _check_drawn(
    checked: Checked, first: PageBox, labels: Sequence[Piece], page: ProvenPage, drawn: Callable[[int], RawPictures]
) -> None:
    if page.file is None:
        return
    stored = edges_of(first)
    found = [picture for picture in _pictures(page.file) if are_equal(edges_around([picture, *labels]), stored)]
    if not found:
        checked.fail("box", first.page, "a picture of the page with the figure's labels", told(stored))
    else:
        pictures = drawn(first.page)
        if not any(is_picture(picture, pictures, page.frame) for picture in found):
            checked.fail("figure", first.page, "a picture of the source", told(found[0]))


def _pictures(file: PageFile) -> list[Edges]:
    return [Edges(one.box.x, one.box.y, one.box.x + one.box.w, one.box.y + one.box.h) for one in file.images]
