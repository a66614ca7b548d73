"""Administration of knowledge bases: create, list, change."""

import re
import unicodedata
from collections.abc import Sequence
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.access import changing, check_knowledge_base, find_knowledge_base, reading
from shared.domain.attributes import DeclaredAttribute
from shared.domain.characters import OneLine
from shared.domain.ids import new_id
from shared.domain.knowledge import KnowledgeBase
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.filters import declared
from shared.plans.quota import check_new_knowledge_base
from shared.runtime import Runtime
from shared.store import knowledge_bases as rows
from shared.store import permissions
from shared.store.attributes import date_names
from shared.store.audit import note
from shared.store.connect import Connection

NAME_MAX = 120
DESCRIPTION_MAX = 2000
SLUG_MAX = 60
ATTRIBUTE_MAX = 200
NAMED_MAX = 20
# Several knowledge bases may have one name.
NAMES_READ = 1000
NAMES_TOLD = 12


class NewKnowledgeBase(BaseModel):
    """What a knowledge base is made from. Agents choose by the description: say what is in it and what it is for."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: OneLine = Field(min_length=1, max_length=NAME_MAX)
    description: str = Field(default="", max_length=DESCRIPTION_MAX)


class KnowledgeBaseChange(BaseModel):
    """What may change; a field that is left out stays. The slug, which addresses contain, never changes.

    `date_attribute` is an attribute with dates, from which recency counts in passages that have it; null: none. With
    `approved_only` only documents that somebody approved answer.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    name: OneLine | None = Field(default=None, min_length=1, max_length=NAME_MAX)
    description: str | None = Field(default=None, max_length=DESCRIPTION_MAX)
    date_attribute: OneLine | None = Field(default=None, min_length=1, max_length=ATTRIBUTE_MAX)
    approved_only: bool | None = None


def slug_of(name: str) -> str:
    """`Räng rules (2026)` → `rang-rules-2026`; a name without any Latin letter or digit gets a random slug."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain)[:SLUG_MAX].strip("-")
    return slug or f"kb-{new_id().hex[-8:]}"


def create_knowledge_base(runtime: Runtime, identity: Identity, wanted: NewKnowledgeBase) -> KnowledgeBase:
    """Raises Conflict when the organization has one whose name gives the same slug, PlanExhausted where its plan has
    no room for another."""
    slug = slug_of(wanted.name)
    with changing(runtime, identity) as connection:
        made = rows.add_knowledge_base(connection, identity, wanted.model_dump() | {"slug": slug})
        if made is None:
            raise Conflict(f"A knowledge base `{slug}` exists already. Use it, or choose another name.")
        check_new_knowledge_base(connection, identity.organization_id, runtime.limits)
        note(connection, identity, "knowledge_base.create", made, made, slug=slug)
        rows.open_organization(connection)
        return find_knowledge_base(connection, made)


def list_knowledge_bases(
    runtime: Runtime, identity: Identity, after: UUID | None = None, limit: int = 100
) -> list[KnowledgeBase]:
    """Oldest first, from behind `after`."""
    with reading(runtime, identity) as connection:
        found = rows.list_knowledge_bases(connection, after, limit, identity.within)
        return _with_rights(connection, identity, found)


def get_knowledge_base(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> KnowledgeBase:
    """Raises NotFound."""
    with reading(runtime, identity) as connection:
        return _with_rights(connection, identity, [find_knowledge_base(connection, knowledge_base_id)])[0]


def find_named(runtime: Runtime, identity: Identity, names: Sequence[str]) -> list[UUID]:
    """The ids of knowledge bases that are called so: by id, slug or name, in any letter case. Nothing is counted.

    Raises NotFound for a name that none or several have, with some of those that there are.
    """
    folded = [name.strip().lower() for name in names]
    with reading(runtime, identity) as connection:
        known = rows.named_knowledge_bases(connection, folded, NAMES_READ, identity.within) if folded else []
        same = [[b.id for b in known if one in (str(b.id), b.slug.lower(), b.name.lower())] for one in folded]
        wrong = next((at for at, found in enumerate(same) if len(found) != 1), None)
        if wrong is not None:
            others = rows.named_knowledge_bases(connection, [], NAMES_TOLD, identity.within)
            there = ", ".join(one.slug for one in others) or "none"
            what = "Several knowledge bases are" if same[wrong] else "No knowledge base that you can see is"
            raise NotFound(f"{what} called `{names[wrong]}`. Give a slug of list_knowledge_bases: {there}.")
    return [found[0] for found in same]


def check_slug(runtime: Runtime, identity: Identity, slug: str) -> None:
    """Raises NotFound where none of the knowledge bases that the identity sees has this slug."""
    after: UUID | None = None
    while found := list_knowledge_bases(runtime, identity, after):
        if any(base.slug == slug for base in found):
            return
        after = found[-1].id
    raise NotFound(f"There is no knowledge base “{slug}”. It may have been deleted, or belong to another organization.")


def _with_rights(connection: Connection, identity: Identity, found: list[KnowledgeBase]) -> list[KnowledgeBase]:
    """Says of each whether the identity may change it; the last act in its transaction, as it narrows the scope."""
    permissions.narrow_to_writable(connection)
    kept = permissions.read_only(connection)
    editor = identity.role != "viewer"
    return [base.model_copy(update={"may_write": editor and base.id not in kept}) for base in found]


def list_attributes(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, after: str, limit: int
) -> list[DeclaredAttribute]:
    """Attributes that filters may name, sorted by name, after the name `after`. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return declared.list_attributes(connection, knowledge_base_id, after, limit)


def change_knowledge_base(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, change: KnowledgeBaseChange
) -> KnowledgeBase:
    """Raises NotFound, and BadInput for a date attribute that the knowledge base has no dates of."""
    with changing(runtime, identity) as connection:
        rows.change_knowledge_base(connection, knowledge_base_id, change.name, change.description)
        if "date_attribute" in change.model_fields_set:
            check_knowledge_base(connection, knowledge_base_id)
            _check_date_attribute(connection, knowledge_base_id, change.date_attribute)
            rows.set_date_attribute(connection, knowledge_base_id, change.date_attribute)
        if change.approved_only is not None:
            check_knowledge_base(connection, knowledge_base_id)
            rows.set_approved_only(connection, knowledge_base_id, change.approved_only)
        changed = sorted(change.model_fields_set)
        note(connection, identity, "knowledge_base.change", knowledge_base_id, knowledge_base_id, changed=changed)
        return find_knowledge_base(connection, knowledge_base_id)


def _check_date_attribute(connection: Connection, knowledge_base_id: UUID, name: str | None) -> None:
    known = date_names(connection, knowledge_base_id)
    if name is not None and name not in known:
        listed = ", ".join(known[:NAMED_MAX]) or "none"
        raise BadInput(f"`{name}` is no attribute with dates here. Those that are: {listed}.")
