"""Files that a customer's own role puts below `drop/`: what their keys say, taking them in, saying why one is refused.

`drop/{knowledge base id}/NAME.pdf` is a document of its own, `drop/{knowledge base id}/{document}/{label}.pdf` a
version of the document of that name. The key names the knowledge base and nothing else is believed: its row says whose
it is.
"""

import json
from datetime import UTC, datetime
from pathlib import PurePath
from typing import NamedTuple, Self
from uuid import UUID

from shared.contract import DROP_PREFIX, REFUSED_SUFFIX
from shared.domain.ids import new_id
from shared.domain.scope import Scope
from shared.errors import BadInput, NotFound
from shared.ingestion.arrival.file_checks import check_file
from shared.readers.registry import EXTENSIONS, check_name
from shared.runtime import Runtime
from shared.store import ingestions
from shared.store.admission import organization_of

NAME_MAX = 255
LABEL_MAX = 80
HOW = "Put files at drop/KNOWLEDGE_BASE_ID/NAME.pdf, or versions at drop/KNOWLEDGE_BASE_ID/DOCUMENT/LABEL.pdf."


class DropPlace(NamedTuple):
    """What the key of a dropped file says: `folder` is the name of the document that it is a version of, `label` what
    the version is called."""

    knowledge_base_id: UUID
    filename: str
    folder: str | None
    label: str | None

    @classmethod
    def from_key(cls, key: str) -> Self:
        """Raises BadInput for a key that is none of the two."""
        base, *names = key.removeprefix(DROP_PREFIX).split("/")
        if not key.startswith(DROP_PREFIX) or len(names) not in (1, 2) or not all(name.strip() for name in names):
            raise BadInput(f"{key} is no place for a file. {HOW}")
        try:
            knowledge_base_id = UUID(base)
        except ValueError as error:
            raise BadInput(f"{base!r} is not the id of a knowledge base. {HOW}") from error
        if any(len(name) > NAME_MAX or "\0" in name for name in names):
            raise BadInput(f"A name has more than {NAME_MAX} characters. Give the file or its folder a shorter one.")
        if len(names) == 1:
            return cls(knowledge_base_id, names[0], None, None)
        folder, filename = names
        label = _without_ending(filename)
        if len(label) > LABEL_MAX:
            raise BadInput(f"The version {label!r} has more than {LABEL_MAX} characters. Give the file a shorter name.")
        return cls(knowledge_base_id, filename, folder, label)


def take_in(runtime: Runtime, key: str, size: int, version: str | None) -> bool:
    """Queues a dropped file, or says beside it why not; returns whether it is new. Reads none of its bytes.

    The same version of an object is taken in once, however often it is told of. Raises StoreUnavailable.
    """
    if key.endswith((REFUSED_SUFFIX, "/")):
        return False
    try:
        version = version or runtime.blobs.latest_version(key)
        place = DropPlace.from_key(key)
        check_file(place.filename, size)
        check_name(place.filename)
        return _queue(runtime, place, key, size, version)
    except BadInput as error:
        refuse(runtime, key, str(error))
    except NotFound:
        # It is gone: taken in and taken away by a run that ended before this was told.
        return False
    return False


def refuse(runtime: Runtime, key: str, reason: str) -> None:
    """Writes an object beside the dropped file that says why it is refused and what to do; the file stays."""
    said = {"file": key, "refused": reason, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    runtime.blobs.put(key + REFUSED_SUFFIX, json.dumps(said, ensure_ascii=False).encode(), "application/json")


def forget(runtime: Runtime, key: str, version: str | None) -> None:
    """Takes the dropped file away, of which the bytes are in custody by now, and what was said of a former one. Another
    version that was dropped meanwhile stays."""
    runtime.blobs.delete(key, version)
    runtime.blobs.delete(key + REFUSED_SUFFIX)


def _queue(runtime: Runtime, place: DropPlace, key: str, size: int, version: str | None) -> bool:
    with runtime.database.unscoped() as connection:
        organization = organization_of(connection, place.knowledge_base_id)
    if organization is None:
        raise BadInput(f"There is no knowledge base {place.knowledge_base_id}. {HOW}")
    scope = Scope(organization_id=organization, knowledge_base_ids=(place.knowledge_base_id,))
    row = {
        **place._asdict(),
        "organization_id": organization,
        "id": new_id(),
        "size": size,
        "engine": "layout",
        "drop_key": key,
        "drop_version": version,
        "source_key": key,
    }
    with runtime.database.transaction(scope) as connection:
        return ingestions.insert_dropped(connection, row)


def _without_ending(filename: str) -> str:
    ending = PurePath(filename).suffix
    return filename.removesuffix(ending) if ending.lower() in EXTENSIONS else filename
