"""A proposed schema: what was read, as the attributes that it seems to be, for people to accept or change."""

from pydantic import BaseModel, Field

from shared.domain.attribute_schema import Declaration, Example


class PrintedName(BaseModel):
    """A name as it is printed, normalised, that was taken for a proposed attribute."""

    name: str
    count: int
    documents: int
    units: list[str] = Field(description="as printed, most frequent first")


class SeenText(BaseModel):
    text: str
    count: int


class Proposed(BaseModel):
    """A declaration that what was read suggests. `recommended`: it is frequent enough to be accepted unseen.

    `conflicts` say what does not fit together. `maybe` are printed names that may mean the same and were not merged.
    """

    declaration: Declaration
    recommended: bool
    count: int
    documents: int
    coverage: float = Field(description="of the documents that have any attribute")
    low: float | None = Field(default=None, description="in the canonical unit")
    high: float | None = None
    distinct: int = Field(default=0, description="different texts, of those counted")
    texts: list[SeenText] = []
    names: list[PrintedName]
    conflicts: list[str] = []
    maybe: list[str] = []
    examples: list[Example] = []


class Proposal(BaseModel):
    """Most covering first. `version` is that of the schema beside which it stands: what is declared is not proposed."""

    version: int
    documents: int
    proposed: list[Proposed]
