"""The caller's identity, and the scope of data that it may see. A scope is derived from an identity, never from client
input."""

from typing import Final, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

Role = Literal["owner", "admin", "editor", "viewer"]
# Each may what the one before it may.
ROLES: Final[tuple[Role, ...]] = ("viewer", "editor", "admin", "owner")


class Scope(BaseModel):
    """What the database lets a transaction see: one organization and some of its knowledge bases.

    An empty `knowledge_base_ids` means none, not all.
    """

    model_config = ConfigDict(frozen=True)

    organization_id: UUID
    user_id: UUID | None = None
    key_id: UUID | None = None
    knowledge_base_ids: tuple[UUID, ...] = ()


class Identity(BaseModel):
    """A signed-in user, as `resolve_identity` answers; or who acts with a key, whose scope has narrowed the role. A
    machine's key is its own user. `read_only`: by a token or key that was made to read, and changes not even what is
    one's own. `groups_untold`: the identity provider left out which groups the person is in. `within`: narrowed to
    these knowledge bases, as a model's tools are to those of the question; None: not narrowed. `locale`: how numbers
    are written for whoever reads, as `de` or `pt-BR`; None: as in English."""

    model_config = ConfigDict(frozen=True)

    organization_id: UUID
    user_id: UUID
    role: Role
    key_id: UUID | None = None
    read_only: bool = False
    groups_untold: bool = False
    within: tuple[UUID, ...] | None = None
    locale: str | None = None

    @property
    def is_machine(self) -> bool:
        return self.key_id == self.user_id

    def scope(self, *knowledge_bases: UUID) -> Scope:
        """The organization with these of its knowledge bases alone; with none of them unless they are named."""
        return Scope(
            organization_id=self.organization_id,
            user_id=self.user_id,
            key_id=self.key_id,
            knowledge_base_ids=knowledge_bases,
        )
