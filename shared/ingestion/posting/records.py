"""Declaring kinds of records, and posting records one by one or many at once."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from pydantic_core import to_json

from shared.access import changing, check_knowledge_base, reading
from shared.domain.records import KEY_MAX, KindSchema, NewRecord, PostedRecord, PostedRecords, RecordKind
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.ingestion.posting.announced import FILENAME_MAX, Posting, announce
from shared.ingestion.told import telling
from shared.plans import quota
from shared.runtime import Runtime
from shared.store import posted
from shared.store.audit import note
from shared.store.connect import Row

if TYPE_CHECKING:
    from shared.ingestion.posting.walk import Posted

KINDS_MAX: Final = 100


class _Wanted(NamedTuple):
    kind: str
    key: str
    title: str
    values: Mapping[str, Any]
    values_hash: str


def put_kind(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, name: str, kind: KindSchema) -> RecordKind:
    """Declares a kind of records, or changes it; records that are there stay as they were posted. Raises NotFound, and
    BadInput for what is no schema."""
    from shared.ingestion.posting.schemas import check_schema

    with changing(runtime, identity, [knowledge_base_id]) as connection:
        schema = check_schema(kind.json_schema)
        for field in (kind.key_field, kind.title_field):
            if field is not None and field not in schema["properties"]:
                raise BadInput(f"The schema has no field {field!r}; name one of {', '.join(schema['properties'])}.")
        known = {row["name"] for row in posted.list_kinds(connection, knowledge_base_id)}
        if name not in known and len(known) >= KINDS_MAX:
            raise BadInput(f"A knowledge base has at most {KINDS_MAX} kinds of records; delete one that is not needed.")
        row = {"name": name, "schema": schema, "key_field": kind.key_field, "title_field": kind.title_field}
        stored = posted.put_kind(connection, knowledge_base_id, row)
        note(connection, identity, "record_kind.put", None, knowledge_base_id, fields=len(schema["properties"]))
    if stored is None:
        raise NotFound(f"There is no knowledge base {knowledge_base_id}.")
    return RecordKind.model_validate({field: stored[field] for field in _KIND})


def list_kinds(runtime: Runtime, identity: Identity, knowledge_base_id: UUID) -> list[RecordKind]:
    """By name. Raises NotFound."""
    with reading(runtime, identity) as connection:
        check_knowledge_base(connection, knowledge_base_id)
        rows = posted.list_kinds(connection, knowledge_base_id)
    return [RecordKind.model_validate({field: row[field] for field in _KIND}) for row in rows]


def remove_kind(runtime: Runtime, identity: Identity, knowledge_base_id: UUID, name: str) -> None:
    """No more records of it are taken; those that are there stay. Raises NotFound."""
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        if not posted.remove_kind(connection, knowledge_base_id, name):
            raise NotFound(f"There is no kind {name!r} in this knowledge base.")
        note(connection, identity, "record_kind.delete", None, knowledge_base_id)


def post_records(
    runtime: Runtime, identity: Identity, knowledge_base_id: UUID, wanted: Sequence[NewRecord]
) -> PostedRecords:
    """Stores records and serves them. All are checked before the first one is stored.

    A record with a key that is there is its next version; with the same values as its latest version it is none. Raises
    NotFound; BadInput that names the record and the field; PlanExhausted.
    """
    from shared.ingestion.posting.walk import walk_all

    started = time.perf_counter()
    with changing(runtime, identity, [knowledge_base_id]) as connection:
        kinds = {row["name"]: row for row in posted.list_kinds(connection, knowledge_base_id)}
        checked = [_checked(kinds, one, number) for number, one in enumerate(wanted, 1)]
        _check_keys(checked)
        quota.check_room(connection, identity.organization_id, runtime.limits)
        latest = posted.latest_records(connection, knowledge_base_id, [(one.kind, one.key) for one in checked])
        before = [latest.get((one.kind, one.key)) for one in checked]
        new = [number for number, one in enumerate(checked) if not _is_there(one, before[number])]
        postings = [
            _posting(knowledge_base_id, kinds[checked[number].kind], checked[number], before[number]) for number in new
        ]
        announced = announce(runtime, connection, identity, postings)
        note(connection, identity, "record.post", None, knowledge_base_id, records=len(announced))
    with telling(runtime, identity, knowledge_base_id):
        stored = dict(zip(new, walk_all(runtime, identity, announced), strict=True))
    if announced:
        runtime.tell_digest(identity.organization_id, knowledge_base_id)
    return PostedRecords(
        records=[_answer(one, before[number], stored.get(number)) for number, one in enumerate(checked)],
        stored=len(announced),
        duplicates=len(checked) - len(announced),
        seconds=time.perf_counter() - started,
    )


_KIND: Final = ("name", "schema", "key_field", "title_field", "revision", "updated_at")


def _checked(kinds: Mapping[str, Row], one: NewRecord, number: int) -> _Wanted:
    from shared.ingestion.posting.schemas import check_values

    kind = kinds.get(one.kind)
    if kind is None:
        there = f"Declared are {', '.join(kinds)}" if kinds else "None is declared"
        raise BadInput(f"Record {number}: there is no kind {one.kind!r}. {there}; declare it first.")
    given = one.values.get(kind["key_field"]) if kind["key_field"] else None
    key = one.key or (str(given) if isinstance(given, str | int) and not isinstance(given, bool) else None)
    if not key:
        wanted = f"the field {kind['key_field']!r}" if kind["key_field"] else "`key`"
        raise BadInput(f"Record {number} ({one.kind}) has no key. Give it {wanted}, by which it is known again.")
    if len(key) > KEY_MAX:
        raise BadInput(f"Record {number} ({one.kind}): its key has more than {KEY_MAX} characters; take a shorter one.")
    check_values(kind["schema"], one.values, f"Record {number} ({one.kind} {key})")
    said = one.values.get(kind["title_field"]) if kind["title_field"] else None
    title = " ".join(str(said).split())[:FILENAME_MAX] if said else f"{kind['schema'].get('title') or one.kind} {key}"
    written = json.dumps(one.values, ensure_ascii=False, sort_keys=True, allow_nan=False)
    return _Wanted(one.kind, key, title, one.values, hashlib.sha256(written.encode()).hexdigest())


def _check_keys(checked: Sequence[_Wanted]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for number, one in enumerate(checked, 1):
        if (first := seen.setdefault((one.kind, one.key), number)) != number:
            raise BadInput(f"Records {first} and {number} are both {one.kind} {one.key}; post one of them.")


def _posting(knowledge_base_id: UUID, kind: Row, one: _Wanted, before: Row | None) -> Posting:
    stored = {
        "kind": one.kind,
        "key": one.key,
        "title": one.title,
        "revision": before["version_index"] + 1 if before else 1,
        "schema": kind["schema"],
        "values": one.values,
    }
    return Posting(
        knowledge_base_id=knowledge_base_id,
        filename=f"{one.kind} {one.key}".replace("/", "-").replace("\\", "-")[:FILENAME_MAX] + ".json",
        title=one.title,
        # The standard library indents in Python, twenty times as slowly.
        data=to_json(stored, indent=1),
        posted={"source_type": "record", "kind": one.kind, "key": one.key, "values_hash": one.values_hash},
        version_of=before["id"] if before else None,
    )


def _is_there(one: _Wanted, before: Row | None) -> bool:
    return before is not None and before["values_hash"] == one.values_hash and before["status"] == "ready"


def _answer(one: _Wanted, before: Row | None, stored: "Posted | None") -> PostedRecord:
    """`before` is the record's latest version, `stored` what was stored of it; at least one is there."""
    known = before or {"id": None, "version_index": 0}
    return PostedRecord(
        id=stored.document_id if stored else known["id"],
        kind=one.kind,
        key=one.key,
        title=one.title,
        revision=known["version_index"] + (stored is not None),
        status="ready",
        duplicate=stored is None,
    )
