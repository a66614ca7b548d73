"""Markdown as people write it in cells: no HTML of theirs, no pictures, and links that lead nowhere unsaid."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final
from uuid import UUID

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

Cite = Callable[[UUID], Markup]
SCHEMES: Final = re.compile(r"(https?://|mailto:|chunk:)", re.IGNORECASE)
CITED: Final = re.compile(r"\]\(chunk:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)", re.IGNORECASE)
# Who follows a link tells nobody where from, and lends it no standing.
REL: Final = "noopener noreferrer nofollow"


def cited_chunks(text: str) -> list[UUID]:
    """The chunks that links of the text name, each once, in their order."""
    return list(dict.fromkeys(UUID(found) for found in CITED.findall(text)))


def render_words(text: str, cite: Cite) -> Markup:
    """The text as HTML; a link to `chunk:ID` is its words with what `cite` gives behind them."""
    return Markup(_parser().render(text, {"cite": cite, "open": []}))  # noqa: S704 the parser escapes, and see its rules


class _Parser(MarkdownIt):
    """Knows no addresses but those that lead to pages, mail and chunks."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 the parser asks for it by this name
        return SCHEMES.match(url) is not None


def _parser() -> MarkdownIt:
    found = _Parser("commonmark", {"html": False}).enable(["table", "strikethrough"])
    found.add_render_rule("image", _alternative)
    found.add_render_rule("link_open", _link_open)
    found.add_render_rule("link_close", _link_close)
    return found


def _alternative(_: RendererHTML, tokens: Sequence[Token], at: int, __: Any, ___: Any) -> str:
    """Of a picture its words alone: nothing is loaded from elsewhere."""
    return str(escape(tokens[at].content))


def _link_open(_: RendererHTML, tokens: Sequence[Token], at: int, __: Any, env: Any) -> str:
    """What closes it waits in `env`."""
    href = str(tokens[at].attrGet("href") or "")
    found = CITED.fullmatch(f"]({href})")
    if found is not None:
        env["open"].append(f"</span>{env['cite'](UUID(found[1]))}")
        return '<span class="cited">'
    if not SCHEMES.match(href) or href.lower().startswith("chunk:"):
        env["open"].append("</span>")
        return "<span>"
    env["open"].append("</a>")
    return str(Markup('<a href="{}" rel="{}" target="_blank">').format(href, REL))


def _link_close(_: RendererHTML, __: Sequence[Token], ___: int, ____: Any, env: Any) -> str:
    return str(env["open"].pop())
