"""Questions for an earlier version of a document: "what did the previous edition say about 5.3".

A search reads current versions alone, and nothing printed in an older one says that it is older. So such words choose
the versions, are no words to look for, and count only where versions of a document are linked: "the previous edition"
is otherwise what a passage may speak of.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from shared.retrieval.requests import LookupRequest, SearchRequest
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery
from shared.store.connect import Connection
from shared.store.search import earlier_versions

_EARLIER = re.compile(
    r"\b(?:(?:according to|in|of|from|by|under|to|with|than|since) )?(?:(?:the|its|their|our|this) )?"
    r"(?:previous|prior|preceding|superseded|former|earlier|older) "
    r"(?:edition|version|revision|release)(s?)\b(?:['’]s)?",
    re.IGNORECASE,
)
# Who compares asks for the current version too.
_COMPARES = re.compile(r"\b(?:chang(?:ed?|es)|differ\w*|compar\w+|since|than|versus|vs|unlike)\b", re.IGNORECASE)


@dataclass(frozen=True)
class VersionWish:
    """What a text asks for without the words that name versions; `several`: of all earlier ones, not of the last."""

    text: str
    several: bool
    compares: bool


def read_wish(text: str) -> VersionWish | None:
    """What `text` asks of earlier versions, in English words; None where it names none."""
    text = " ".join(text.split())
    found = _EARLIER.search(text)
    if found is None:
        return None
    rest = " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
    return VersionWish(rest if re.search(r"\w", rest) else text, bool(found[1]), bool(_COMPARES.search(text)))


def of_versions(
    connection: Connection, request: SearchRequest, query: EmbeddedQuery | None, tracer: Tracer
) -> tuple[SearchRequest, EmbeddedQuery | None]:
    """The request with the versions that its query asks for pinned, without the words that say so, and its vector."""
    wish = read_wish(request.query)
    documents = _wished(connection, request, wish, tracer)
    if wish is None or not documents:
        return request, query
    meant = request.model_copy(update={"query": wish.text, "documents": documents})
    if query is None:
        return meant, None
    with tracer.step("embed_query"):
        vector = query.embed_as(query.embedder_version, wish.text)
    return meant, query if vector is None else replace(query, text=wish.text, vector=vector)


def lookup_of_versions(connection: Connection, request: LookupRequest, tracer: Tracer) -> LookupRequest:
    """The same for a section's address: "5.3 in the previous edition"."""
    wish = read_wish(request.address)
    documents = _wished(connection, request, wish, tracer)
    return request.model_copy(update={"address": wish.text, "documents": documents}) if wish and documents else request


def _wished(
    connection: Connection, request: SearchRequest | LookupRequest, wish: VersionWish | None, tracer: Tracer
) -> Sequence[UUID]:
    """The versions that are meant; none where the request says itself which are."""
    if wish is None or request.documents is not None or request.include_superseded:
        return []
    with tracer.step("read_versions"):
        earlier = earlier_versions(connection)
    chosen = [one for found in earlier.values() for one in (found if wish.several else found[:1])]
    chosen += list(earlier) if wish.compares else []
    tracer.body.notes["versions"] = [str(one) for one in chosen]
    return chosen
