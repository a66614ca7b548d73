"""Models of `/v1`: how people come to belong to an organization without an invitation."""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, StringConstraints

from shared.domain.characters import OneLine
from shared.domain.people import NAME_MAX, StrictBody

# RFC 1035, 2.3.4: labels of at most 63 characters, 253 together; at least two labels, as in `example.com`.
DOMAIN = r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$"
GROUP_MAX = 128
# Where the record stands, below the domain; and what it says before the token.
RECORD, PREFIX = "_autri", "autri-verification="
# Addresses at these say nothing about who somebody works for.
_PERSONAL = """
    126.com 163.com aol.com comcast.net fastmail.com free.fr freenet.de gmail.com gmx.at gmx.ch gmx.de gmx.net
    googlemail.com hey.com hotmail.co.uk hotmail.com hotmail.de hotmail.fr icloud.com laposte.net libero.it
    live.com mac.com mail.com mail.ru mailbox.org me.com msn.com naver.com orange.fr outlook.com outlook.de pm.me
    posteo.de proton.me protonmail.com qq.com rediffmail.com rocketmail.com sina.com t-online.de tutanota.com
    verizon.net web.de yahoo.co.jp yahoo.co.uk yahoo.com yahoo.de yahoo.fr yandex.com yandex.ru ymail.com zoho.com
"""
PERSONAL_MAIL = frozenset(_PERSONAL.split())

Granted = Literal["viewer", "editor", "admin"]


def _lowered(domain: object) -> object:
    return domain.lower() if isinstance(domain, str) else domain


def _company(domain: str) -> str:
    if domain in PERSONAL_MAIL:
        raise ValueError("people of all kinds have addresses there: invite them one by one")
    return domain


def _without_spaces(group: str) -> str:
    """Groups arrive divided by spaces; Cognito takes none in a name (CreateGroup)."""
    if " " in group:
        raise ValueError("a group's name has no spaces: write it as the token does")
    return group


DomainName = Annotated[
    str, BeforeValidator(_lowered), StringConstraints(max_length=253, pattern=DOMAIN), AfterValidator(_company)
]


class NewDomain(StrictBody):
    """A domain of the organization's own, and as what its people join."""

    domain: DomainName
    role: Granted = "viewer"


class Domain(BaseModel):
    """`token` has to stand in the DNS before it is `verified_at`; then whoever has a verified address of it joins."""

    id: UUID
    domain: str
    role: Granted
    token: str
    verified_at: datetime | None

    @property
    def record_name(self) -> str:
        return f"{RECORD}.{self.domain}"

    @property
    def record_value(self) -> str:
        return PREFIX + self.token


class ClaimedDomain(Domain):
    """With the TXT record that proves it."""

    txt_name: str
    txt_value: str


class NewGroupRole(StrictBody):
    """A group of the identity provider, and what its people are at least."""

    group: Annotated[OneLine, AfterValidator(_without_spaces)] = Field(min_length=1, max_length=GROUP_MAX)
    role: Granted


class GroupRole(BaseModel):
    """What people are while their token names the group; their own role where that is more."""

    id: UUID
    group: str
    role: Granted


class NewOrganization(StrictBody):
    """A new organization, by its short name and as people read it."""

    slug: Annotated[str, StringConstraints(pattern=r"^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$")]
    name: OneLine = Field(min_length=1, max_length=NAME_MAX)
