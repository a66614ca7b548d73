"""The model that answers, by its name in `AUTRI_MODEL`: `openai:NAME@https://…`, `anthropic:NAME`, `bedrock:ID`."""

from typing import Final
from urllib.parse import urlsplit, urlunsplit

from pydantic import SecretStr

from shared.adapters.chat.anthropic_chat import VERSION, AnthropicAnswerer
from shared.adapters.chat.calls import ChatEndpoint
from shared.adapters.chat.openai_chat import OpenAiAnswerer
from shared.domain.model_calls import Price
from shared.domain.model_choice import NAME, NAME_FORM, OWN_MACHINE
from shared.errors import BadInput
from shared.ports import Answerer
from shared.settings import OPENAI_URL, LocalSettings

OPENAI_KEY: Final = "OPENAI_API_KEY"
# What Azure's addresses of a deployment end with; they take keys by a header of their own.
AZURE: Final = "api-version="
FREE: Final = Price(input=0, cache_read=0, cache_write=0, output=0)


def load_answerer(settings: LocalSettings, key_name: str | None = None) -> Answerer | None:
    """The model that the environment names; None where it names none. `key_name`: what its key is called where it is
    not the environment's. Raises BadInput with what to set."""
    if not settings.model:
        return None
    matched = NAME.fullmatch(settings.model.strip())
    if matched is None or (matched["service"] == "bedrock" and matched["url"]):
        raise BadInput(
            f"AUTRI_MODEL={settings.model} is no model's name. Write {NAME_FORM}; or unset it, and questions are"
            " answered by quotations."
        )
    if matched["service"] == "bedrock":
        from shared.adapters.aws.bedrock_answerer import BedrockAnswerer

        return BedrockAnswerer(matched["model"])
    make = _anthropic if matched["service"] == "anthropic" else _openai
    answerer = make(matched["model"], matched["url"], settings, key_name)
    if settings.model_usd_per_day is not None and answerer.price is None:
        raise BadInput(
            f"AUTRI_MODEL_USD_PER_DAY bounds what models cost, and what {answerer.name} costs is not known. Set"
            " AUTRI_MODEL_USD_PER_MILLION=INPUT,OUTPUT (0,0 for one of your own)."
        )
    return answerer


def _openai(model: str, url: str | None, settings: LocalSettings, key_name: str | None) -> Answerer:
    """A key of OpenAI's is never sent to an address that the name gives: that one has a key of its own."""
    base = (url or settings.openai_base_url).rstrip("/")
    key = settings.model_key if url else settings.openai_api_key
    key_name = key_name or ("AUTRI_MODEL_KEY" if url else OPENAI_KEY)
    if base == OPENAI_URL and not key:
        raise BadInput(
            f"The model openai:{model} needs a key of OpenAI. Set {key_name}, or name an endpoint: @https://…."
        )
    address = urlsplit(base)
    headers: dict[str, str] = {}
    if key:
        secret = key.get_secret_value()
        headers = {"api-key": secret} if AZURE in address.query else {"Authorization": f"Bearer {secret}"}
    service = "OpenAI" if base == OPENAI_URL else "The endpoint"
    called = urlunsplit(address._replace(path=f"{address.path.rstrip('/')}/chat/completions"))
    endpoint = ChatEndpoint(service, called, model, headers, key_name)
    return OpenAiAnswerer(model, endpoint, _price(settings) or (FREE if OWN_MACHINE.match(base) else None))


def _anthropic(model: str, url: str | None, settings: LocalSettings, key_name: str | None) -> Answerer:
    key: SecretStr | None = settings.model_key if url else settings.anthropic_api_key
    key_name = key_name or ("AUTRI_MODEL_KEY" if url else "ANTHROPIC_API_KEY")
    if key is None:
        raise BadInput(f"The model anthropic:{model} needs a key of Anthropic. Set {key_name}.")
    headers = {"x-api-key": key.get_secret_value(), "anthropic-version": VERSION}
    base = (url or settings.anthropic_base_url).rstrip("/")
    endpoint = ChatEndpoint("Anthropic", f"{base}/v1/messages", model, headers, key_name)
    return AnthropicAnswerer(model, endpoint, _price(settings) or _listed_price(model))


def _price(settings: LocalSettings) -> Price | None:
    """Tokens that a cache has are counted as any others: what services take for them differs."""
    if not settings.model_usd_per_million:
        return None
    try:
        asked, written = (float(part) for part in settings.model_usd_per_million.split(","))
        return Price(input=asked, cache_read=asked, cache_write=asked, output=written)
    except ValueError as error:
        raise BadInput(
            f"AUTRI_MODEL_USD_PER_MILLION={settings.model_usd_per_million} is no price. Write what a million tokens of"
            " input and of output cost in US dollars: 0.25,2"
        ) from error


def _listed_price(model: str) -> Price | None:
    """Anthropic's own prices are those of a global profile on Bedrock, whose table knows some models."""
    from shared.adapters.aws.models import find_model

    for name in (f"anthropic.{model}", f"anthropic.{model}-v1:0"):
        try:
            return find_model(name).price
        except BadInput:
            continue
    return None
