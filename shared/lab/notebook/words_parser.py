"""The parser of cells' words, loaded with the first of them."""

import re
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup, escape

from shared.lab.notebook.words import CITED

SCHEMES: Final = re.compile(r"(https?://|mailto:|chunk:)", re.IGNORECASE)
# Who follows a link tells nobody where from, and lends it no standing.
REL: Final = "noopener noreferrer nofollow"


class _Parser(MarkdownIt):
    """Knows no addresses but those that lead to pages, mail and chunks."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 the parser asks for it by this name
        return SCHEMES.match(url) is not None


def words_parser() -> MarkdownIt:
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
