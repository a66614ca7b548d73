"""A page as a model reads it: one line per fragment, compact, and every word of the document quoted as data."""

import json
import statistics
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from shared.domain.model_calls import GroupingContext
from shared.domain.page import Fragment, PageFile, PageImage
from shared.prompts.loader import Prompt, load_prompt

GRID: Final = 100
INSTRUCTIONS: Final = "group_page"
PAGE_VARIABLES: Final = frozenset(
    {"document", "page", "sections", "previous_tail", "heading_sizes", "body_size", "fragments", "images"}
)
CORRECTION_VARIABLES: Final = frozenset({"errors"})
NOTHING: Final = "none"


def prompts() -> tuple[Prompt, Prompt, Prompt]:
    """Instructions (the same for every page, hence cached), page, correction."""
    return (
        load_prompt(INSTRUCTIONS),
        load_prompt("page", PAGE_VARIABLES),
        load_prompt("correction", CORRECTION_VARIABLES),
    )


def prompt_version() -> str:
    return "+".join(prompt.version for prompt in prompts())


def page_text(page: PageFile, context: GroupingContext) -> str:
    """The user's turn for one page."""
    body = body_size(page.fragments)
    return prompts()[1].fill(
        document=quote(context.document),
        page=str(page.page),
        sections=" > ".join(quote(title) for title in context.sections) or NOTHING,
        previous_tail=quote(context.previous_tail) if context.previous_tail else NOTHING,
        heading_sizes=", ".join(f"{size:g}" for size in context.heading_sizes) or NOTHING,
        body_size=f"{body:g}",
        fragments="\n".join(_fragment_lines(page.fragments, body)),
        images="\n".join(_image_lines(page.images)) or NOTHING,
    )


def correction_text(errors: Iterable[str]) -> str:
    return prompts()[2].fill(errors="\n".join(f"- {quote(error)}" for error in errors))


def quote(text: str) -> str:
    """A JSON string that can close no tag."""
    return json.dumps(text, ensure_ascii=False).replace("<", "\\u003c")


def body_size(fragments: Sequence[Fragment]) -> float:
    """The type size of most characters, to half a point; 0 for a page without text."""
    sizes = [_size(fragment) for fragment in fragments for _ in range(0, len(fragment.text), 10)]
    return statistics.mode(sizes) if sizes else 0.0


def _fragment_lines(fragments: Iterable[Fragment], body: float) -> Iterator[str]:
    """`f12 x y right "text" size? flags?`: places on a grid of 100 × 100, the size where it is not the body's."""
    for fragment in fragments:
        box = fragment.box
        marks = [*([f"{_size(fragment):g}"] if _size(fragment) != body else []), *_flags(fragment)]
        place = f"{round(box.x * GRID)} {round(box.y * GRID)} {round(box.right * GRID)}"
        yield " ".join([fragment.id.partition(".")[2], place, quote(fragment.text), *marks])


def _flags(fragment: Fragment) -> Iterator[str]:
    for name in ("bold", "italic", "mono", "superscript", "invisible"):
        if getattr(fragment, name):
            yield name
    if fragment.direction != "ltr":
        yield fragment.direction


def _image_lines(images: Iterable[PageImage]) -> Iterator[str]:
    for image in images:
        box = image.box
        edges = (box.x, box.y, box.right, box.bottom)
        yield " ".join([image.id.partition(".")[2], image.kind, *(str(round(edge * GRID)) for edge in edges)])


def _size(fragment: Fragment) -> float:
    return round(fragment.size * 2) / 2
