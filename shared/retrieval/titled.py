"""Finds the sections that a query names by their title: whose meaning or purpose it asks for ("what is meant by
assertion", "what is /srv for"), or whose title it is. A glossary, a policy and a manual define a thing below its name.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final
from uuid import UUID

from shared.filters.selection import Selection
from shared.lexical.tokenizer import read_tokens, tokenize
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import first_of_sections, titles_of_chunks

# A title that more sections have names none of them: "Introduction".
SECTIONS_MAX: Final = 4
CHUNKS_PER_SECTION: Final = 5
_ASKED: Final = re.compile(
    r"\W*(?:"
    r"(?:what|who)\s+(?:is|are|was|were)\s+(?:(?:meant|understood)\s+by\s+|the\s+(?:meaning|definition|purpose|role)\s+of\s+)?"
    r"(?P<being>.+?)(?:\s+(?:used\s+)?for)?"
    r"|what\s+(?:do|does)\s+(?P<doing>.+?)\s+(?:mean|stand\s+for)"
    r"|(?:define|explain|(?:meaning|definition|purpose)\s+of)\s+(?P<told>.+?)"
    r"|was\s+(?:ist|sind|bedeutet|bedeuten|heißt|versteht\s+man\s+unter)\s+(?P<german>.+?)"
    r")\W*",
    re.I | re.S,
)
# What a title says behind its name: "/opt : Add-on software", "Access control (AC)".
_BEHIND: Final = re.compile(r"[:(–—]|\s-\s")
_BETWEEN: Final = re.compile(r"[\W_]+")
_BRACKETS: Final = re.compile(r"\(([^()]+)\)")


def asked_term(query: str) -> str:
    """What `query` asks the meaning or the purpose of; else the whole of it."""
    found = _ASKED.fullmatch(query)
    return next((term for term in found.groups() if term), query) if found else query


def title_matcher(term: str) -> Callable[[str], bool]:
    """Tells of a title whether it is `term`, in whatever inflection, or names it before or within brackets."""
    wanted = tokenize(term).counts
    # An inflection begins alike: most titles are other ones, and need not be read. Codes have forms of their own.
    beginnings = {token.form[:3].lower() for token in read_tokens(term) if token.form.isalpha()}

    def matches(title: str) -> bool:
        letters = _BETWEEN.sub("", title.lower())
        alike = bool(wanted) and all(beginning in letters for beginning in beginnings)
        return alike and any(tokenize(name).counts == wanted for name in _names(title))

    return matches


def titled_chunks(
    connection: Connection, query: str, candidates: Sequence[UUID], selection: Selection, tracer: Tracer
) -> list[UUID]:
    """Returns the first selected chunks of the sections of `candidates` that the query names by their title,
    subsections included; [] where it names none, or too many."""
    term = asked_term(query)
    with tracer.step("lookup_title"):
        titles = titles_of_chunks(connection, candidates)
        is_named = title_matcher(term)
        named = [section for section, title in titles.items() if is_named(title)]
        if not 0 < len(named) <= SECTIONS_MAX:
            return []
        tracer.body.notes["named_title"] = term
        return first_of_sections(connection, named, selection, SECTIONS_MAX, CHUNKS_PER_SECTION)


def _names(title: str) -> Iterator[str]:
    yield title
    yield _BEHIND.split(title, maxsplit=1)[0]
    yield from _BRACKETS.findall(title)
