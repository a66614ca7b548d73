"""Settings, read from the environment when a runtime is built, never at import."""

from pathlib import Path
from typing import Final, Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.contract import HOME_DEFAULT, PlanName

OPENAI_URL: Final = "https://api.openai.com/v1"
ANTHROPIC_URL: Final = "https://api.anthropic.com"
VOYAGE_URL: Final = "https://api.voyageai.com/v1"


class LocalSettings(BaseSettings):
    """The one-machine runtime."""

    # Set to nothing is not set: `${ANTHROPIC_BASE_URL:-}` of a file of Compose.
    model_config = SettingsConfigDict(env_prefix="AUTRI_", extra="ignore", env_ignore_empty=True)

    home: Path = Field(default=Path(HOME_DEFAULT), description="where data lives")
    workers: int = Field(default=2, ge=1, le=64, description="worker processes for mapped stages")
    threads: int | None = Field(default=None, ge=1, description="per worker process; default: as many as it may take")
    database_url: str | None = Field(default=None, description="use this Postgres instead of the embedded one")
    ocr: Literal["auto", "tesseract", "onnx", "off"] = Field(
        default="auto", description="who reads pictures of pages: tesseract where installed, else the bundled models"
    )
    ocr_languages: str = Field(default="", description="tesseract's, e.g. eng+deu; default: those installed")
    embedder: str = Field(
        default="", description="of new knowledge bases: onnx:/FOLDER, openai:MODEL, voyage:MODEL or bedrock:MODEL"
    )
    former_embedders: str = Field(default="", description="others whose vectors are searched: onnx:/A,onnx:/B")
    embedder_usd_per_million: float = Field(default=0.0, ge=0, description="tokens of a service, as it charges them")
    embedder_shortens: bool = Field(default=False, description="ask a service for the dimensions that are named")
    # By the names that other programs read, too.
    openai_api_key: SecretStr | None = Field(default=None, validation_alias="OPENAI_API_KEY")
    openai_base_url: str = Field(default=OPENAI_URL, validation_alias="OPENAI_BASE_URL")
    voyage_api_key: SecretStr | None = Field(default=None, validation_alias="VOYAGE_API_KEY")
    voyage_base_url: str = Field(default=VOYAGE_URL, validation_alias="VOYAGE_BASE_URL")
    model: str = Field(
        default="", description="that answers: openai:NAME@https://HOST/v1, anthropic:NAME or bedrock:ID; default: none"
    )
    further_models: str = Field(default="", description="that may answer instead, as AUTRI_MODEL names them: A,B")
    model_key: SecretStr | None = Field(default=None, description="of the address that AUTRI_MODEL names")
    anthropic_api_key: SecretStr | None = Field(default=None, validation_alias="ANTHROPIC_API_KEY")
    anthropic_base_url: str = Field(default=ANTHROPIC_URL, validation_alias="ANTHROPIC_BASE_URL")
    model_usd_per_million: str = Field(default="", description="tokens of that model, as it charges them: INPUT,OUTPUT")
    answer_seconds: float = Field(
        default=120.0, gt=0, description="what a model may take for an answer; one on a slow machine needs more"
    )
    tokenizer: Path | None = Field(
        default=None, description="the model's tokenizer.json, by which budgets are counted; default: an estimate"
    )
    extraction_model_id: str = Field(
        default="global.anthropic.claude-haiku-4-5-20251001-v1:0", description="Bedrock model of the bedrock engine"
    )
    fetch_from: str = Field(
        default="", description="hosts of the own network whose pages may be fetched: wiki.example:80,10.0.0.7:8080"
    )
    cors_origins: str = Field(
        default="", description="whose pages may call /v1 with a token: https://a.example,https://b.example"
    )
    webhooks_to: str = Field(
        default="", description="hosts of the own network that webhooks may reach, by http too: 127.0.0.1:9000"
    )
    default_plan: PlanName = Field(default="unlimited", description="of organizations that were given none")
    model_usd_per_day: float | None = Field(default=None, ge=0, description="of one organization; default: any")


class CloudSettings(BaseSettings):
    """A Lambda handler."""

    model_config = SettingsConfigDict(env_prefix="AUTRI_", extra="ignore")

    bucket: str
    database_secret_arn: str | None = None
    database_url: str | None = None
    state_machine_arn: str = ""
    run_slots: int = Field(default=1, ge=1, description="runs at once, of all organizations")
    run_slots_per_organization: int = Field(default=1, ge=1, description="runs at once of one organization")
    public_origin: str = Field(default="", description="where people open the deployment; set where people are served")
    self_sign_up: bool = Field(default=False, description="whether who belongs nowhere may make an organization")
    vault_prefix: str = ""
    vault_key_arn: str = ""
    embedding_model_id: str = "amazon.titan-embed-text-v2:0"
    embedding_dimensions: int = 1024
    rerank_model_id: str = ""
    extraction_model_id: str = ""
    answering_model_id: str = ""
    further_model_ids: str = Field(default="", description="others that answer where somebody asks again, by commas")
    ocr: Literal["auto", "textract", "off"] = "auto"
    default_plan: PlanName = "unlimited"
    model_usd_per_day: float | None = None
    # Where an answer is sent as a whole the front door closes after 30 seconds, and retrieval takes some of them.
    answer_seconds: float = Field(default=22.0, gt=0, description="what a model may take for an answer")
    silent_answer_seconds: float = Field(
        default=22.0, gt=0, description="the same of an answer of which nothing is sent before its end"
    )
    fetch_wait_s: float | None = Field(default=None, description="for a web page; none is fetched where it is not said")
    webhooks_key_arn: str = Field(
        default="", description="the key of webhooks' secrets; there are none where it is not"
    )
