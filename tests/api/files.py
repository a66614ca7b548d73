"""Small PDFs made on the spot."""

import pymupdf

PARTS = ("Wings", "Wheels and tyres", "Brakes")
RULES = ("The {word} of page {page} weighs {page} kg.", "Its colour is free.", "It may be replaced during the event.")


def three_pages(word: str) -> bytes:
    """Headings C1 to C3, each on a page of its own, with three numbered rules; the first one contains `word`."""
    with pymupdf.open() as document:
        for number, part in enumerate(PARTS, 1):
            page = document.new_page()
            page.insert_text((72, 160 + 40 * number), f"C{number} {part}", fontsize=18, fontname="hebo")
            for rule, text in enumerate(RULES, 1):
                line = f"C{number}.{rule} {text.format(word=word, page=number)}"
                page.insert_text((72, 300 + 60 * rule), line, fontsize=10)
        return document.tobytes()
