"""Markdown as people write it in cells: no HTML of theirs, no pictures, and links that lead nowhere unsaid."""

import re
from collections.abc import Callable
from typing import Final
from uuid import UUID

from markupsafe import Markup

Cite = Callable[[UUID], Markup]
CITED: Final = re.compile(r"\]\(chunk:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)", re.IGNORECASE)


def cited_chunks(text: str) -> list[UUID]:
    """The chunks that links of the text name, each once, in their order."""
    return list(dict.fromkeys(UUID(found) for found in CITED.findall(text)))


def render_words(text: str, cite: Cite) -> Markup:
    """The text as HTML; a link to `chunk:ID` is its words with what `cite` gives behind them."""
    from shared.lab.notebook.words_parser import words_parser

    return Markup(words_parser().render(text, {"cite": cite, "open": []}))  # noqa: S704 the parser escapes, and see its rules
