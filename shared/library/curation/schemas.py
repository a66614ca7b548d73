"""Versions of a schema: what holds, what a change would do, the change itself, and its history."""

from uuid import UUID

from shared.access import changing, check_knowledge_base, reading
from shared.domain.attribute_schema import (
    AttributeCounts,
    AttributeSchema,
    BackfillEstimate,
    Declaration,
    Demotion,
    NewSchema,
    Promotion,
    SchemaCandidate,
    SchemaDiff,
    SchemaState,
    SchemaVersion,
    changed_names,
)
from shared.domain.scope import Identity
from shared.errors import BadInput, Conflict, NotFound
from shared.extraction.attributes.declared import printed_names
from shared.filters import declared
from shared.library.curation.checking import check_schema
from shared.library.curation.diff import diff_schemas
from shared.library.curation.proposal import propose_one
from shared.runtime import Runtime
from shared.store import attribute_schema as rows
from shared.store import knowledge_bases
from shared.store.audit import note
from shared.store.connect import Connection
from shared.store.edits import name_of
from shared.store.observed import load_examples

# More attributes than a schema has.
ALL = 100_000


def get_schema(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> SchemaState:
    """What holds now, with what is stored of each attribute. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return _state(connection, knowledge_base_id)


def put_schema(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wanted: NewSchema) -> SchemaState:
    """Makes the next version; documents that are there are read for what changed, in the background.

    Raises NotFound, BadInput for declarations that cannot be, Conflict where another version came meanwhile.
    """
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        present = _lock(connection, knowledge_base_id, wanted.version)
        _store(connection, identity, knowledge_base_id, present, wanted.attributes, wanted.why)
        return _state(connection, knowledge_base_id)


def preview_schema(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wanted: NewSchema) -> SchemaDiff:
    """What `put_schema` would change, and what it would read; nothing is stored. Raises as that does."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        present = rows.load_schema(connection, knowledge_base_id)
        _check_version(present, wanted.version)
        after = _next(present, check_schema(wanted.attributes))
        estimate = _estimate(connection, knowledge_base_id, present, after)
    return diff_schemas(present, after).model_copy(update={"estimate": estimate})


def promote(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wanted: Promotion) -> SchemaState:
    """Declares a candidate: by `declaration`, or as what was read of it suggests.

    Raises NotFound for a name that nothing was read under, BadInput where nothing is declared yet.
    """
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        present = _lock(connection, knowledge_base_id, None)
        if present.is_open:
            raise BadInput(
                "Nobody has declared attributes here, so that all that are read count already. Accept a schema first:"
                " autri schema propose."
            )
        added = wanted.declaration or propose_one(connection, knowledge_base_id, wanted.name)
        if added is None:
            raise NotFound(
                f"Nothing was read under the name `{wanted.name}`. `autri schema show --candidates` lists what was;"
                " to declare it all the same, give the declaration."
            )
        others = [one for one in present.attributes if one.name != added.name]
        _store(connection, identity, knowledge_base_id, present, (*others, added), wanted.why)
        return _state(connection, knowledge_base_id)


def demote(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wanted: Demotion) -> SchemaState:
    """Takes an attribute out: no filter finds it from now on, and its values become candidates. Raises NotFound."""
    with changing(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        present = _lock(connection, knowledge_base_id, None)
        if present.find(wanted.name) is None:
            raise NotFound(f"`{wanted.name}` is not declared. Declared are: {_names(present)}.")
        kept = tuple(one for one in present.attributes if one.name != wanted.name)
        _store(connection, identity, knowledge_base_id, present, kept, wanted.why)
        return _state(connection, knowledge_base_id)


def list_versions(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, before: int, limit: int
) -> list[SchemaVersion]:
    """Newest first, before the version `before` (0: all). Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return rows.list_versions(connection, knowledge_base_id, before, limit)


def diff_versions(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, before: int | None, after: int | None
) -> SchemaDiff:
    """From one version (by default the one before) to another (by default the present one); 0 is what was before the
    first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        after = rows.load_schema(connection, knowledge_base_id).version if after is None else after
        before = max(0, after - 1) if before is None else before
        both = [rows.schema_at(connection, knowledge_base_id, version) for version in (before, after)]
    old, new = both
    if old is None or new is None:
        missing = before if old is None else after
        raise NotFound(f"There is no version {missing} of this schema. `autri schema history` lists them.")
    return diff_schemas(old, new)


def list_candidates(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, limit: int) -> list[SchemaCandidate]:
    """Values that no filter finds, by printed name; the most frequent first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        return rows.list_candidates(connection, knowledge_base_id, limit)


def _lock(connection: Connection, knowledge_base_id: UUID, expected: int | None) -> AttributeSchema:
    rows.lock_schema(connection, knowledge_base_id)
    present = rows.load_schema(connection, knowledge_base_id)
    if expected is not None:
        _check_version(present, expected)
    return present


def _check_version(present: AttributeSchema, expected: int) -> None:
    if present.version != expected:
        raise Conflict(
            f"The schema is at version {present.version} by now, and this change is of version {expected}."
            " Load it again, and look whether your change is still wanted."
        )


def _next(present: AttributeSchema, attributes: tuple[Declaration, ...]) -> AttributeSchema:
    return AttributeSchema(version=present.version + 1, attributes=attributes)


def _store(
    connection: Connection,
    identity: Identity,
    knowledge_base_id: UUID,
    present: AttributeSchema,
    attributes: tuple[Declaration, ...],
    why: str,
) -> None:
    after = _next(present, check_schema(attributes))
    if not present.is_open and after.attributes == present.attributes:
        raise BadInput(f"This is version {present.version} as it is: nothing would change.")
    author = {"author_id": identity.user_id, "by": name_of(connection, identity)}
    before = None if present.is_open else present.version
    names = changed_names(present.attributes, after.attributes)
    labels = _labels(present, after, names)
    affected = rows.find_affected(connection, knowledge_base_id, before, names, labels)
    rows.add_version(connection, knowledge_base_id, after, why, author)
    rows.spare_others(connection, knowledge_base_id, before, after.version, affected.documents)
    rows.begin_backfill(connection, knowledge_base_id, after.version, names)
    _forget_date(connection, knowledge_base_id, after)
    note(
        connection,
        identity,
        "schema.change",
        knowledge_base_id,
        knowledge_base_id,
        version=after.version,
        changed=names,
    )


def _forget_date(connection: Connection, knowledge_base_id: UUID, after: AttributeSchema) -> None:
    """Recency does not count from an attribute that is declared no longer."""
    base = knowledge_bases.get_knowledge_base(connection, knowledge_base_id)
    if base and base.date_attribute and after.find(base.date_attribute) is None:
        knowledge_bases.set_date_attribute(connection, knowledge_base_id, None)


def _labels(before: AttributeSchema, after: AttributeSchema, names: list[str]) -> list[str]:
    """Everything that is printed for these attributes, before or after."""
    wanted = set(names)
    found = [one for schema in (before, after) for one in schema.attributes if one.name in wanted]
    return sorted({name for one in found for name in printed_names(one)})


def _estimate(
    connection: Connection, knowledge_base_id: UUID, present: AttributeSchema, after: AttributeSchema
) -> BackfillEstimate:
    before = None if present.is_open else present.version
    names = changed_names(present.attributes, after.attributes)
    affected = rows.find_affected(connection, knowledge_base_id, before, names, _labels(present, after, names))
    seconds = affected.chunks * rows.seconds_per_chunk(connection, knowledge_base_id)
    return BackfillEstimate(
        names=names, documents=len(affected.documents), chunks=affected.chunks, seconds=round(seconds, 1)
    )


def _state(connection: Connection, knowledge_base_id: UUID) -> SchemaState:
    schema = rows.load_schema(connection, knowledge_base_id)
    base = knowledge_bases.get_knowledge_base(connection, knowledge_base_id)
    read = {one.name: one for one in declared.list_attributes(connection, knowledge_base_id, "", ALL)}
    refused = rows.count_refused(connection, knowledge_base_id)
    names = [one.name for one in schema.attributes] or list(read)
    declared_names = [one.name for one in schema.attributes]
    examples = load_examples(connection, knowledge_base_id, declared_names, is_open=True)
    return SchemaState(
        knowledge_base_id=knowledge_base_id,
        version=schema.version,
        open=schema.is_open,
        attributes=list(schema.attributes),
        counts=[
            AttributeCounts(
                name=name,
                count=read[name].count,
                documents=read[name].documents,
                values=read[name].values,
                refused=refused.get(name, {}),
                examples=examples.get(name, []),
            )
            for name in names
            if name in read
        ],
        documents=base.documents if base else 0,
        backfill=rows.find_backfill(connection, knowledge_base_id),
    )


def _names(schema: AttributeSchema) -> str:
    return ", ".join(one.name for one in schema.attributes) or "none"
