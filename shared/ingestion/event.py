"""The events that stages pass on: ids and page numbers, never content."""

from collections.abc import Mapping
from typing import Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from shared.contract import EVENT_SCHEMA, INCOMING_PREFIX, plan_key, work_prefix
from shared.domain.scope import Scope
from shared.errors import BadInput


class Event(BaseModel):
    """One ingestion of one document version. `schema` is the version of this format."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="ignore")

    schema_version: Literal[1] = Field(default=EVENT_SCHEMA, alias="schema")
    organization_id: UUID
    knowledge_base_id: UUID
    document_id: UUID
    ingestion_id: UUID

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.organization_id, knowledge_base_ids=(self.knowledge_base_id,))

    @property
    def work(self) -> str:
        """Key prefix of this run's objects, ending in `/`."""
        return work_prefix(*(str(i) for i in self.ids))

    @property
    def plan_key(self) -> str:
        return plan_key(*(str(i) for i in self.ids))

    @property
    def ids(self) -> tuple[UUID, UUID, UUID, UUID]:
        return self.organization_id, self.knowledge_base_id, self.document_id, self.ingestion_id

    def to_dict(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


class ShardEvent(Event):
    """A range of pages, both ends included. `isolated`: the whole range failed before, so each page runs in its own
    process. `alone`: this is such a process; the range's own has what concerns the run, its time and its budget."""

    shard: int
    first_page: int = Field(ge=1)
    last_page: int = Field(ge=1)
    isolated: bool = False
    alone: bool = False

    @property
    def pages(self) -> range:
        return range(self.first_page, self.last_page + 1)


class Arrival(BaseModel):
    """An object that has arrived: below `incoming/` its key says whose it is, of a dropped one the queued row does."""

    model_config = ConfigDict(frozen=True)

    key: str
    organization_id: UUID
    knowledge_base_id: UUID
    upload_id: UUID

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> Self:
        """The event of admission, which has read its ids from the row; or the key alone. Raises BadInput unless that is
        `incoming/{org}/{kb}/{upload}/source`."""
        key = str(event.get("key", ""))
        if "ingestion_id" in event:
            ids = (event["organization_id"], event["knowledge_base_id"], event["ingestion_id"])
            organization, knowledge_base, upload = (UUID(str(one)) for one in ids)
            return cls(key=key, organization_id=organization, knowledge_base_id=knowledge_base, upload_id=upload)
        parts = key.removeprefix(INCOMING_PREFIX).split("/")
        try:
            if not key.startswith(INCOMING_PREFIX) or len(parts) != 4 or parts[3] != "source":
                raise ValueError(key)
            organization, knowledge_base, upload = map(UUID, parts[:3])
        except ValueError as error:
            raise BadInput(f"{key!r} is not the key of an upload. Announce uploads with POST /v1/uploads.") from error
        return cls(key=key, organization_id=organization, knowledge_base_id=knowledge_base, upload_id=upload)

    @property
    def scope(self) -> Scope:
        return Scope(organization_id=self.organization_id, knowledge_base_ids=(self.knowledge_base_id,))
