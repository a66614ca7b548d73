"""Addresses that a query names: "what does C7.6.2 say", "V1.1.6", "section 4.2", "Table 3".

A plain number is no address by itself: "98.5 dB" and "in 2009" would match sections all over. It counts with a word or
sign that says section in front, with two dots, or as the whole query.
"""

import re
from uuid import UUID

from shared.extraction.addresses import normalise
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import section_chunks, sections_by_address
from shared.store.selection import Filters

SECTIONS_MAX = 5
CHUNKS_PER_SECTION = 5

_NUMBER = r"\d{1,4}(?:[.\-]\d{1,4}[a-z]?)*(?:\(\w{1,4}\))*"
_LABEL = (
    r"section|sect|sec|clause|rule|paragraph|para|subsection|requirement|req|control|chapter|part|article|art|"
    r"appendix|annex|table|tab|figure|fig|schedule|item|exhibit"
)
_PREFIX = r"(?:[A-Z]{1,4}[.\-]?\s?|[a-z]{1,4}[.\-]?)?"
_LABELLED = re.compile(rf"(?:§+\s*|\b(?i:{_LABEL})\b\.?\s+)(?:{_PREFIX}{_NUMBER}|[A-HJ-Z]\b(?!\s*\d))")
_CODE = re.compile(rf"(?<![\w.\-])[A-Za-z]{{1,4}}[.\-]?{_NUMBER}(?![\w\-])")
_DOTTED = re.compile(r"(?<![\w.\-])\d{1,4}(?:\.\d{1,4}){2,}(?:\(\w{1,4}\))*(?![\w\-])")


def named_addresses(query: str) -> list[str]:
    """Keys of the addresses that `query` names, in its order."""
    text = query.strip()
    whole = [text] if re.fullmatch(_NUMBER, text) else []
    spans = [m.span() for m in _LABELLED.finditer(text)]
    labelled = [text[a:b] for a, b in spans]
    rest = "".join(c if not any(a <= i < b for a, b in spans) else " " for i, c in enumerate(text))
    found = [*whole, *labelled, *_CODE.findall(rest), *_DOTTED.findall(rest)]
    return [key for key in dict.fromkeys(map(normalise, found)) if key]


def named_chunks(connection: Connection, query: str, filters: Filters, tracer: Tracer) -> list[UUID]:
    """The first chunks of each section that the query names, those below it included; [] where it names none."""
    keys = named_addresses(query)
    if not keys:
        return []
    with tracer.step("lookup_section"):
        sections = sections_by_address(connection, keys, filters)[:SECTIONS_MAX]
        each = [section_chunks(connection, [s], True, filters.types)[:CHUNKS_PER_SECTION] for s in sections]
    found = list(dict.fromkeys(chunk for chunks in each for chunk in chunks))
    tracer.body.notes["named_addresses"] = keys
    if found:
        tracer.looked_up(found)
    return found
