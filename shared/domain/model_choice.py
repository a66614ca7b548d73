"""Which model answers, who decided it, and how it is chosen."""

import re
from typing import Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from shared.errors import BadInput

Service = Literal["openai", "anthropic", "bedrock"]
Told = Literal["yes", "no", "unknown"]
NAME: Final = re.compile(r"(?P<service>openai|anthropic|bedrock):(?P<model>[^\s@]+)(?:@(?P<url>https?://\S+))?")
OWN_MACHINE: Final = re.compile(r"https?://(?:localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)")
NAME_FORM: Final = "openai:NAME@https://HOST/v1 (without @ for OpenAI's own), anthropic:NAME or bedrock:ID"


class ModelWish(BaseModel):
    """A model to answer with. `openai` is whatever speaks OpenAI's Chat Completions, at `url` or at OpenAI's own.

    `key`: the service's; left out, the one that is kept for the same service and address is used. Bedrock takes the
    credentials of the process. `usd_per_million`: what a million tokens cost, `INPUT,OUTPUT`, where it is not known.
    """

    model_config = ConfigDict(extra="forbid")

    service: Service
    model: str = Field(min_length=1, max_length=300, pattern=r"^[^\s@]+$")
    url: str | None = Field(default=None, max_length=500, pattern=r"^https?://[^\s@]+$", description="as far as /v1")
    key: SecretStr | None = Field(default=None, min_length=1, max_length=1000)
    usd_per_million: str = Field(default="", max_length=50, pattern=r"^(\d+(\.\d+)?,\d+(\.\d+)?)?$")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.service == "bedrock" and (self.url or self.key):
            raise ValueError("Bedrock takes neither an address nor a key: it is called with the process' credentials")
        if self.key and self.url and self.url.startswith("http:") and not OWN_MACHINE.match(self.url):
            raise ValueError("the key would be sent in the clear; use https, or an endpoint on this machine")
        return self

    @property
    def name(self) -> str:
        """As in `AUTRI_MODEL`."""
        return f"{self.service}:{self.model}" + (f"@{self.url}" if self.url else "")

    @property
    def place(self) -> str:
        """Where its key is sent to: a key that was kept for one place goes to no other."""
        return f"{self.service}@{self.url or ''}"


class ModelState(BaseModel):
    """Which model answers, and by whose decision: the environment's, a choice in the settings, the deployment's file.

    `fixed` names the environment variables that decide; they win over what was chosen. `key` says where the key comes
    from, never what it is. `problem`: why the model cannot be called as it is set. Prices are US dollars.
    `further`: other models, which answer in a conversation where somebody asks for another answer.
    """

    service: Service | None = None
    model: str | None = None
    url: str | None = None
    source: Literal["environment", "settings", "deployment", "none"]
    key: Literal["environment", "settings", "credentials", "none"] = "none"
    fixed: list[str] = []
    may_change: bool = False
    usd_per_million: str = ""
    price_known: bool = False
    problem: str | None = None
    embedder: str = ""
    embedder_fixed: bool = False
    extraction_model: str = ""
    further: list[str] = []


class TriedModel(BaseModel):
    """What came of asking a model once for an object by its schema, and once to call a tool.

    `streaming`: whether the reply came in parts. `problem` says what to do where nothing came.
    """

    ok: bool
    name: str
    took_ms: int
    usd: float = 0.0
    price_known: bool = False
    json_schema: Told = "unknown"
    tools: Told = "unknown"
    streaming: Told = "unknown"
    problem: str | None = None


def read_name(name: str) -> ModelWish:
    """The wish that a name as in `AUTRI_MODEL` is. Raises BadInput with the forms that there are."""
    matched = NAME.fullmatch(name.strip())
    if matched is None or (matched["service"] == "bedrock" and matched["url"]):
        raise BadInput(f"{name} is no model's name. Write {NAME_FORM}.")
    return ModelWish.model_validate(matched.groupdict())
