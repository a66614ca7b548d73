"""Questions for an earlier version of a document: "what did the previous edition say about 5.3", "the 2025 edition".

A search reads current versions alone, and nothing printed in an older one says that it is older. So such words choose
the versions, are no words to look for, and count only where versions of a document are linked: "the previous edition"
is otherwise what a passage may speak of.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from shared.retrieval.editions import Edition, KnownVersion, choose, may_choose, patterns, read_editions, without
from shared.retrieval.requests import LookupRequest, SearchRequest
from shared.retrieval.trace import Tracer
from shared.retrieval.vector import EmbeddedQuery
from shared.store.connect import Connection, Row
from shared.store.search import earlier_versions, known_versions

_EARLIER = re.compile(
    r"\b(?:(?:according to|in|of|from|by|under|to|with|than|since) )?(?:(?:the|its|their|our|this) )?"
    r"(previous|prior|preceding|superseded|former|earlier|older|last) "
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
    found, compares = _EARLIER.search(text), bool(_COMPARES.search(text))
    # "The last edition" is the newest one, except where something is compared with it.
    if found is None or (found[1].lower() == "last" and not compares):
        return None
    rest = " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())
    return VersionWish(rest if re.search(r"\w", rest) else text, bool(found[2]), compares)


def of_versions(
    connection: Connection, request: SearchRequest, query: EmbeddedQuery | None, tracer: Tracer
) -> tuple[SearchRequest, EmbeddedQuery | None]:
    """The request with the versions that its query asks for pinned, without the words that say so, and its vector."""
    text, documents = _wished(connection, request, request.query, tracer)
    if not documents:
        return request, query
    meant = request.model_copy(update={"query": text, "documents": documents})
    if query is None:
        return meant, None
    with tracer.step("embed_query"):
        vector = query.embed_as(query.embedder_version, text)
    return meant, query if vector is None else replace(query, text=text, vector=vector)


def lookup_of_versions(connection: Connection, request: LookupRequest, tracer: Tracer) -> LookupRequest:
    """The same for a section's address: "5.3 in the previous edition", "5.3 in the 2025 edition"."""
    text, documents = _wished(connection, request, request.address, tracer)
    return request.model_copy(update={"address": text, "documents": documents}) if documents else request


def _wished(
    connection: Connection, request: SearchRequest | LookupRequest, text: str, tracer: Tracer
) -> tuple[str, Sequence[UUID]]:
    """What is left to look for, and the versions that are meant; none where the request says itself which are, or
    where only current ones are, which are read anyway."""
    if request.documents is not None or request.include_superseded:
        return text, []
    rest, chosen = text, list[UUID]()
    if wish := read_wish(text):
        with tracer.step("read_versions"):
            earlier = earlier_versions(connection)
        rest, chosen = wish.text, [one for found in earlier.values() for one in (found if wish.several else found[:1])]
        chosen += list(earlier) if wish.compares else []
    elif may_choose(text := " ".join(text.split()), editions := read_editions(text)):
        with tracer.step("read_versions"):
            known = [_known(row) for row in known_versions(connection, patterns(text, editions))]
        rest, chosen = _of_editions(text, editions, known)
    if chosen:
        tracer.body.notes["versions"] = [str(one) for one in chosen]
    return rest, chosen


def _of_editions(text: str, editions: Sequence[Edition], known: Sequence[KnownVersion]) -> tuple[str, list[UUID]]:
    """The same for editions that are named. Who compares one with nothing that is named means the current one."""
    found = choose(text, editions, known) if known else {}
    chosen = list(dict.fromkeys(one for ids in found.values() for one in ids))
    older = {one.document for one in known if one.id in chosen and not one.current}
    if not older:
        return text, []
    if _COMPARES.search(text):
        chosen += [one.id for one in known if one.document in older and one.current and one.id not in chosen]
    rest = without(text, list(found))
    return rest if re.search(r"\w", rest) else text, chosen


def _known(row: Row) -> KnownVersion:
    names = [name for name in (row["name"], row["source_title"], row["called"]) if name]
    return KnownVersion(
        row["id"], row["logical_document_id"], row["version_index"], row["is_current"], row["version_label"], names,
        row["document_date"], row["document_date_unit"],
    )  # fmt: skip
