"""Resolves a name, slug or id that a person typed to an object, or raises a helpful error."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from functions.cli.api import ApiClient
from functions.cli.output import count, shorten
from shared.errors import BadInput, NotFound

SHOWN = 8
CHUNK_SHOWN = 60


def find_knowledge_base(api: ApiClient, wanted: str) -> dict[str, Any]:
    """By id, slug or name. Raises NotFound that says which exist and how to make one."""
    known = list(api.items("/knowledge-bases"))
    folded = wanted.casefold().strip()
    for field in ("id", "slug", "name"):
        found = [kb for kb in known if kb[field].casefold() == folded]
        if len(found) == 1:
            return found[0]
        if found:
            slugs = ", ".join(kb["slug"] for kb in found)
            raise NotFound(f"Several knowledge bases are called `{wanted}`. Give one of their slugs: {slugs}.")
    how = f"To make it: autri kb create {_quoted(wanted)}"
    raise NotFound(f"There is no knowledge base `{wanted}`. {_those_there_are(known)} {how}")


def find_knowledge_bases(api: ApiClient, wanted: Sequence[str]) -> list[dict[str, Any]]:
    return [find_knowledge_base(api, name) for name in wanted]


def find_document(api: ApiClient, wanted: str, kb: str | None = None) -> dict[str, Any]:
    """By id or by name; among documents of one name the current version. Raises NotFound, saying what there is."""
    base = find_knowledge_base(api, kb)["id"] if kb else None
    known = list(api.items("/documents", knowledge_base_id=base))
    folded = wanted.casefold().strip()
    found = [d for d in known if d["id"] == folded] or [d for d in known if d["name"].casefold() == folded]
    current = [d for d in found if d["version"]["is_current"]] if len(found) > 1 else found
    if len(current) == 1:
        return current[0]
    if found:
        ids = ", ".join(
            f"{d['id']} (of {d['created_at'][:10]}, {_extent(d)})" for d in current[:SHOWN] or found[:SHOWN]
        )
        raise NotFound(f"Several documents are called `{wanted}`. Give the id of one: {ids}.")
    raise NotFound(f"There is no document `{wanted}`. `autri documents list` shows those there are, with their ids.")


def _extent(document: dict[str, Any]) -> str:
    return count(document["pages"], "page") if document["pages"] else count(document["chunks"] or 0, "chunk")


def find_chunk(api: ApiClient, wanted: str, base_id: str, document_id: str | None = None) -> str:
    """The id of a passage, by its id or by the address of a section that has just one. Raises NotFound, and BadInput
    that says which there are."""
    if _is_id(wanted):
        return wanted
    wish = {"address": wanted, "knowledge_base_ids": [base_id], "documents": [document_id] if document_id else []}
    hits = api.call("POST", "/lookup", {name: value for name, value in wish.items() if value})["hits"]
    chunks = [hit["chunk"] for hit in hits if hit["chunk"]["chunk_type"] != "heading"] or [hit["chunk"] for hit in hits]
    if len(chunks) == 1:
        return str(chunks[0]["id"])
    if chunks:
        there = "".join(f"\n  {one['id']}  {shorten(one['content'], CHUNK_SHOWN)}" for one in chunks[:SHOWN])
        raise BadInput(f"{count(len(chunks), 'passage')} stand under {wanted}. Give the id of one:{there}")
    raise NotFound(f"There is no passage {wanted}. Give its id, or its address: `autri lookup` and `search` show both.")


def _is_id(wanted: str) -> bool:
    try:
        UUID(wanted)
    except ValueError:
        return False
    return True


def find_named(api: ApiClient, kind: str, wanted: str) -> dict[str, Any]:
    """One of `kind`, "datasets" or "plots", by id, or by a name that it alone has. Raises NotFound, BadInput."""
    there = list(api.items(f"/{kind}"))
    found = [one for one in there if wanted == one["id"]] or [one for one in there if wanted == one["name"]]
    one = kind.removesuffix("s")
    if len(found) > 1:
        raise BadInput(f"{len(found)} {kind} are called {wanted}: take an id. `autri {one} list` shows them.")
    if not found:
        raise NotFound(f"There is no {one} {wanted}. `autri {one} list` shows those there are.")
    return found[0]


def find_member(api: ApiClient, wanted: str) -> dict[str, Any]:
    """By id or address, members and those who are invited. Raises NotFound."""
    folded = wanted.casefold().strip()
    for one in api.items("/members"):
        if folded in (one["id"], one["email"].casefold()):
            return one
    raise NotFound(f"There is no member `{wanted}`. `autri members list` shows those there are.")


def _those_there_are(known: Sequence[dict[str, Any]]) -> str:
    if not known:
        return "There is none yet."
    more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
    return f"There is: {', '.join(kb['slug'] for kb in known[:SHOWN])}{more}."


def _quoted(name: str) -> str:
    return name if name.replace("-", "").isalnum() else f'"{name}"'
