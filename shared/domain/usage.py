"""What a model call used and what that costs."""

from pydantic import BaseModel, ConfigDict, Field

PER_MILLION = 1_000_000


class Usage(BaseModel):
    """Tokens as the model's provider counts them: `input_tokens` are those neither read from nor written to a cache."""

    model_config = ConfigDict(frozen=True)

    input_tokens: int = Field(default=0, ge=0)
    cache_read_tokens: int = Field(default=0, ge=0)
    cache_write_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    cache_read: float = Field(ge=0)
    cache_write: float = Field(ge=0)
    output: float = Field(ge=0)

    def usd(self, usage: Usage) -> float:
        """What `usage` costs."""
        parts = (
            self.input * usage.input_tokens,
            self.cache_read * usage.cache_read_tokens,
            self.cache_write * usage.cache_write_tokens,
            self.output * usage.output_tokens,
        )
        return sum(parts) / PER_MILLION

    def times(self, factor: float) -> "Price":
        return Price(**{name: value * factor for name, value in self.model_dump().items()})
