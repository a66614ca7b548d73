"""Small PDFs made on the spot."""

import pymupdf

PARTS = ("Wings", "Wheels and tyres", "Brakes")
DOUBTED = ("flywheel", "gudgeon", "tappet")
RULES = ("The {word} of page {page} weighs {page} kg.", "Its colour is free.", "It may be replaced during the event.")


def three_pages(word: str, drawn: bool = False) -> bytes:
    """Headings C1 to C3, each on a page of its own, with three numbered rules; the first one contains `word`. `drawn`
    adds a figure to the last page."""
    with pymupdf.open() as document:
        for number, part in enumerate(PARTS, 1):
            page = document.new_page()
            page.insert_text((72, 160 + 40 * number), f"C{number} {part}", fontsize=18, fontname="hebo")
            for rule, text in enumerate(RULES, 1):
                line = f"C{number}.{rule} {text.format(word=word, page=number)}"
                page.insert_text((72, 300 + 60 * rule), line, fontsize=10)
        if drawn:
            _draw(document[-1], 550)
        return document.tobytes()


def doubtful() -> bytes:
    """Three pages with a heading and three rules; the first two are invisible, which is a flag on each of them."""
    with pymupdf.open() as document:
        for number, word in enumerate(DOUBTED, 1):
            page, mode = document.new_page(), 3 if number < len(DOUBTED) else 0
            page.insert_text((72, 100), f"C{number} The {word}", fontsize=18, fontname="hebo", render_mode=mode)
            for rule in range(1, 4):
                line = f"C{number}.{rule} The {word} of class {rule} is inspected before each race of the season."
                page.insert_text((72, 140 + 50 * rule), line, fontsize=10, render_mode=mode)
        return document.tobytes()


def with_figure() -> bytes:
    """One page of text with a drawing, two crossing red lines in a frame, and its caption."""
    with pymupdf.open() as document:
        page = document.new_page()
        page.insert_text((72, 100), "C1 Course", fontsize=18, fontname="hebo")
        page.insert_text((72, 140), "The marks of the course are laid an hour before the start.", fontsize=10)
        _draw(page, 200)
        return document.tobytes()


def _draw(page: pymupdf.Page, top: float) -> None:
    red = (1, 0, 0)
    page.draw_rect((100, top, 400, top + 200), color=red, width=2)
    page.draw_line((100, top), (400, top + 200), color=red, width=2)
    page.draw_bezier((100, top + 200), (200, top - 20), (300, top + 220), (400, top), color=red, width=2)
    page.insert_text((150, top + 220), "Figure 2: The course and its marks", fontsize=10)
