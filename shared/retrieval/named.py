"""Finds the addresses and pages that a query names: "what does C7.6.2 say", "V1.1.6", "section 4.2", "Table 3", "page
12 of the handbook".

A plain number is not taken for an address: "98.5 dB" and "in 2009" would match sections everywhere. It counts with a
word or sign for "section" in front, with two dots or brackets, or as the whole query. A page counts where the query
also names its document, by words that only this document's name has, or where there is only one document.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from uuid import UUID

from shared.domain.knowledge import FoundSection
from shared.filters.selection import Filters, Selection
from shared.lexical.profiles import document_names, spoken_name
from shared.lexical.tokenizer import tokenize
from shared.retrieval.lookup import chunks_with_items
from shared.retrieval.trace import Tracer
from shared.store.connect import Connection
from shared.store.search import first_of_pages, first_of_sections, load_chunks, section_chunks, sections_by_address
from shared.values.addresses import COUNTED, is_below, item_of, normalise

SECTIONS_MAX = 20
CHUNKS_PER_SECTION = 5
ITEM_CHUNKS = 50
PAGES_MAX = 20
CHUNKS_PER_PAGE = 30

_NUMBER = r"\d{1,4}(?:[.\-]\d{1,4}[a-z]?)*(?:\(\w{1,4}\))*"
_LABEL = (
    r"section|sect|sec|clause|rule|paragraph|para|subsection|requirement|req|control|chapter|subpart|part|article|art|"
    r"appendix|annex|table|tab|figure|fig|schedule|item|exhibit"
)
_PREFIX = r"(?:[A-Z]{1,4}[.\-]?\s?|[a-z]{1,4}[.\-]?)?"
LABELS = frozenset(_LABEL.split("|"))
# Controls are printed with a space as well: AC-2 (3).
_ENHANCED = r"[A-Za-z]{2,4}-\d{1,4}(?:\s?\(\d{1,2}\))+"
# IV.A.1, of an outline below Roman numbers; chapters may be counted in words.
_ROMAN = r"[IVXL]{1,6}(?:\.[A-Z]|\.\d{1,3})+"
_LABELLED = re.compile(
    rf"(?:§+\s*|\b(?i:{_LABEL})\b\.?\s+)(?:{_ENHANCED}|{_ROMAN}(?!\w)|(?i:{COUNTED})\b|{_PREFIX}{_NUMBER}(?:[A-Za-z]\b|(?:\.(?:[A-Za-z]|[ivx]{{2,5}})\b){{1,3}})?|[A-HJ-Z]\b(?!\s*\d))"
)
_WHOLE = re.compile(rf"{_NUMBER}|{_ROMAN}")
_CODE = re.compile(rf"(?<![\w.\-])(?:{_ENHANCED}|[A-Za-z]{{1,4}}[.\-]?{_NUMBER})(?![\w\-])")
_DOTTED = re.compile(
    r"(?<![\w.\-])\d{1,4}(?:(?:\.\d{1,4}){2,}(?:\(\w{1,4}\))*|(?:\.\d{1,4})?(?:\(\w{1,4}\)){2,})(?![\w\-])"
)
# An item of a section: 3.b, 3(b), 4.2(c).
_ITEM = re.compile(r"(?<![\w.\-])\d{1,4}(?:\.\d{1,4})?(?:\.[a-z]|\([a-z]{1,4}\))(?![\w\-(]|\.\w)")

_PAGE = re.compile(r"\b(?i:pages?|pp?\.)\s*(\d{1,4})(?![\w.]*\w)")


def named_addresses(query: str) -> list[str]:
    """Returns the normalised addresses that `query` names, in the query's order.

    One that another extends names a part of the document, not what is asked: of "section B9.1 of the 2026 rules section
    B" only b9.1 is left. An item, as in "compare section 3 with 3.b", extends none: both are asked for.
    """
    return list(_named(query))


def _named(query: str) -> dict[str, bool]:
    """The addresses, and whether the query says of each that it is one, as `section 3.b` does."""
    text = query.strip()
    whole = [text] if _WHOLE.fullmatch(text) else []
    spans = [m.span() for m in _LABELLED.finditer(text)]
    labelled = [text[a:b] for a, b in spans]
    rest = "".join(c if not any(a <= i < b for a, b in spans) else " " for i, c in enumerate(text))
    found = [*whole, *labelled, *_CODE.findall(rest), *_DOTTED.findall(rest), *_ITEM.findall(rest)]
    keys = [key for key in dict.fromkeys(map(normalise, found)) if key]
    said = set(map(normalise, labelled))
    return {
        key: key in said
        for key in keys
        if not any((is_below(other, key) and not _is_item(other)) or _has_letter(other, key) for other in keys)
    }


def _is_item(key: str) -> bool:
    """Whether it ends in the letter of an item; a control has figures in brackets of its own, as AC-2(3)."""
    named = item_of(key)
    return named is not None and named[1][-1].isalpha()


def _has_letter(address: str, letter: str) -> bool:
    """Whether `letter` is the letter that `address`, such as b9.1, begins with."""
    behind = address.removeprefix(letter).lstrip(".-")
    return letter.isalpha() and address.startswith(letter) and behind[:1].isdigit()


def named_pages(query: str) -> list[int]:
    """Numbers of the pages that `query` names, in its order."""
    return list(dict.fromkeys(int(number) for number in _PAGE.findall(query)))


def named_chunks(connection: Connection, query: str, selection: Selection, tracer: Tracer) -> dict[UUID, bool]:
    """Returns the first selected chunks of each section that the query names, subsections included; {} where it names
    none. True where the address is printed as it was asked for, False where that is an alias: `7.6.2` of `C7.6.2`.

    Chunks with items that are named come first, in the query's order; then sections by their printed address, by an
    alias, and last those whose item is not found. Of several sections, the first chunk of each comes before the second
    chunk of any.
    """
    keys = _named(query)
    if not keys:
        return {}
    found: dict[UUID, bool] = {}
    without_item: list[UUID] = []
    with tracer.step("lookup_section"):
        for key, is_said in keys.items():
            within, having = _chunks_of_item(connection, key, selection)
            found |= dict.fromkeys(having, True)
            without_item += within if is_said and not having else []
        sections = sections_by_address(connection, list(keys), selection.filters.values())
        printed, aliases = ([one.section.id for one in sections if one.exact is exact] for exact in (True, False))
        for some, exact in ((printed, True), (aliases, False), (without_item, False)):
            chunks = first_of_sections(connection, some, selection, SECTIONS_MAX, CHUNKS_PER_SECTION) if some else []
            found |= dict.fromkeys((c for c in chunks if c not in found), exact)
    tracer.body.notes["named_addresses"] = list(keys)
    return found


def lookup_named(
    connection: Connection, asked: str, recursive: bool, filters: Filters, tracer: Tracer
) -> tuple[list[FoundSection], list[UUID]]:
    """For what is no address by itself and names one, with its document or without, as `GPL-3 section 8`: (sections,
    chunk ids), of that document where one is told. Both are empty where there is none."""
    keys = [key for key in named_addresses(asked) if key != normalise(asked)]
    with tracer.step("lookup_named"):
        sections = sections_by_address(connection, keys, filters.values()) if keys else []
        names = document_names(connection, {one.document.id for one in sections})
        meant = _named_document(asked, names)
        sections = [one for one in sections if meant is None or one.document.id == meant]
        if not _names_one(asked, names.values()):
            sections = []
        ids = section_chunks(connection, sections, recursive) if sections else []
    if sections:
        tracer.body.notes["address_key"] = " ".join(keys)
    return sections, ids


def _names_one(asked: str, names: Iterable[str]) -> bool:
    """Whether the words beside the address, if there are any, name one of the documents: another one may be meant."""
    beside = {term for term in tokenize(asked).counts if term.isalpha()} - tokenize(" ".join(LABELS)).counts.keys()
    return not beside or any(beside & tokenize(spoken_name(name)).counts.keys() for name in names)


def _chunks_of_item(connection: Connection, key: str, selection: Selection) -> tuple[list[UUID], list[UUID]]:
    """Of an address that names an item, as `3.b`, and that no section has: the sections that it may be in, and the
    selected chunks of theirs with the item. ([], []) for other addresses."""
    named, values = item_of(key), selection.filters.values()
    if named is None or sections_by_address(connection, [key], values):
        return [], []
    sections = [one.section.id for one in sections_by_address(connection, [named[0]], values)]
    ids = first_of_sections(connection, sections, selection, SECTIONS_MAX, ITEM_CHUNKS) if sections else []
    return sections, chunks_with_items(load_chunks(connection, ids), ids, named[1])


def chunks_of_named_pages(
    connection: Connection, query: str, documents: Collection[UUID], selection: Selection, tracer: Tracer
) -> list[UUID]:
    """Returns the first selected chunks of each page that the query names, in the document that it names.

    That is the one of `documents` whose name shares most words with the query. [] where no document or no page is
    named.
    """
    pages = named_pages(query)
    if not pages or not documents:
        return []
    with tracer.step("lookup_page"):
        meant = _named_document(query, document_names(connection, documents))
        found = first_of_pages(connection, meant, pages, selection, PAGES_MAX, CHUNKS_PER_PAGE) if meant else []
    tracer.body.notes["named_pages"] = pages
    return found


def _named_document(query: str, names: Mapping[UUID, str]) -> UUID | None:
    """The document whose name shares most words with the query, rare words counting more; the only one where there is
    one."""
    asked = tokenize(query).counts.keys()
    words = {document: asked & tokenize(spoken_name(name)).counts.keys() for document, name in names.items()}
    if len(names) < 2:
        return next(iter(names), None)
    named = Counter(word for shared in words.values() for word in shared)
    weights = {d: sum(1 / named[word] for word in shared if named[word] < len(names)) for d, shared in words.items()}
    best = sorted(weights, key=lambda d: -weights[d])
    return best[0] if weights[best[0]] > weights[best[1]] else None
