"""The composition root: the only module that chooses adapters."""

import base64
import hashlib
import json
import logging
import os
import threading
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from psycopg.conninfo import make_conninfo

from shared.adapters.dns import look_up_txt
from shared.contract import WAKE_PREFIX, Env, digesting_key, erasing_key
from shared.domain.ids import new_id
from shared.domain.model_choice import ModelState
from shared.domain.plans import PlanSettings
from shared.errors import BadInput
from shared.ports import (
    Answerer,
    BlobStore,
    Embedder,
    Fetcher,
    Grouper,
    IdentityReranker,
    Models,
    NoMailer,
    NoModels,
    Ocr,
    Reranker,
    TokenCounter,
)
from shared.runtime import Embedders, Runtime, no_fetching
from shared.settings import CloudSettings, LocalSettings
from shared.store.admission import Slots
from shared.store.connect import Database
from shared.store.provision import Login
from shared.values.tokens import EstimatedTokens

if TYPE_CHECKING:
    from shared.adapters.aws.s3 import S3BlobStore

logger = logging.getLogger("autri.erasing")
# Named and not imported, as it imports its runtime from here (a test starts it).
# For the function outside the network to start, and for a receiver to answer.
POST_WAIT_S: Final = 30.0
WORKER: Final = "shared.worker"


def local_runtime(dsn: str, home: Path) -> Runtime:
    """A runtime over files in `home` and the Postgres at `dsn`."""
    from shared.adapters.local.cores import count_cores
    from shared.adapters.local.files import FileBlobStore
    from shared.adapters.local.outbox import Outbox
    from shared.adapters.local.room import describe_full
    from shared.adapters.local.vault import SealedFolder, key_in
    from shared.adapters.local.workflow import PolledWorkflow
    from shared.adapters.sealing import FernetSealer
    from shared.adapters.web import WebFetcher, WebPoster

    vault = SealedFolder(home / "vault")
    settings = LocalSettings()
    models = chosen_model(home)
    # Two statements of one search run at once where there is a core for each.
    database = Database(dsn, describe_full=partial(describe_full, home), twins=count_cores() - 1)
    blobs = FileBlobStore(home / "blobs")
    runtime = Runtime(
        database,
        blobs,
        PolledWorkflow(),
        vault,
        local_embedders(home),
        WORKER,
        _local_ocr,
        _local_grouper,
        mailer=Outbox(home / "outbox.jsonl"),
        fetch=WebFetcher(_listed(settings.fetch_from)),
        post=WebPoster(_listed(settings.webhooks_to)),
        sealer=FernetSealer(partial(key_in, home / "webhooks.key")),
        limits=PlanSettings(settings.default_plan, settings.model_usd_per_day),
        load_answerer=models.load,
        load_token_counter=partial(_token_counter, settings.tokenizer),
        models=models,
        load_further_answerers=local_further_answerers,
        answer_seconds=settings.answer_seconds,
        silent_answer_seconds=settings.answer_seconds,
    )
    runtime.start_erasure = partial(_erase_here, runtime)
    return runtime


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def _erase_here(runtime: Runtime, organization: UUID, erasure: UUID) -> None:
    """In the background of this process; where it ends before, maintenance of a server goes on with it."""
    from shared.archive.erasure_run import run_erasure

    def run() -> None:
        try:
            while run_erasure(runtime, organization, erasure):
                continue
        except Exception as error:  # noqa: BLE001 a thread has nobody to raise to, and maintenance starts it again
            logger.warning("the deletion %s stopped: %s: %s", erasure, type(error).__name__, error)

    threading.Thread(target=run, name="autri-erasing", daemon=True).start()


@cache
def process_runtime() -> Runtime:
    """The runtime of this process, built from its environment: that of a Lambda function, or of a local worker."""
    if os.environ.get(Env.BUCKET):
        return _cloud_runtime(CloudSettings())  # read from the environment
    settings = LocalSettings()
    if settings.database_url is None:
        raise RuntimeError(f"{Env.DATABASE_URL} is not set for this worker process")
    return local_runtime(settings.database_url, settings.home)


def _token_counter(file: Path | None) -> TokenCounter:
    if file is None:
        return EstimatedTokens()
    from shared.adapters.local.tokenizer_file import TokenizerFile

    return TokenizerFile(file)


def local_embedders(home: Path) -> Embedders:
    """Those that this machine's environment names; models of its own are kept in `home`."""
    return Embedders(_local_embedder_version, partial(_local_embedder, home / "models"))


def named_embedder(home: Path, name: str) -> Embedder:
    """The embedder that `AUTRI_EMBEDDER=name` would make that of new knowledge bases. Raises BadInput."""
    from shared.adapters.local.embedders import named_version

    return _local_embedder(home / "models", named_version(name), name)


def _local_embedder_version() -> str:
    from shared.adapters.local.embedders import named_version

    return named_version(LocalSettings().embedder)


def _local_embedder(models: Path, version: str, *names: str) -> Embedder:
    """One of this machine or of a service, or one on Bedrock with this machine's credentials. `names` are known beside
    those of the environment. Raises BadInput for any other version."""
    from shared.adapters.local.embedders import load_named

    settings = LocalSettings()
    here = [name.strip() for name in (*names, settings.embedder, *settings.former_embedders.split(","))]
    if found := load_named(version, settings, models, here):
        return found
    from shared.adapters.aws.embedders import load_embedder as load_from_bedrock

    embedder = load_from_bedrock(version)
    _check_aws(f"The embedder {version}", "stay with the bundled one, which needs no network")
    return embedder


def _local_ocr() -> Ocr | None:
    """tesseract where it is installed, with the bundled models for pages that it is unsure of; else the bundled models
    alone; None where OCR is switched off or neither is installed."""
    from shared.adapters.local.ocr_models import find_models, models_version
    from shared.adapters.local.ocr_second_opinion import SecondOpinionOcr
    from shared.adapters.local.ocr_tesseract import TesseractOcr, find_tesseract

    settings = LocalSettings()
    program = find_tesseract() if settings.ocr in ("auto", "tesseract") else None
    models = find_models() if settings.ocr in ("auto", "onnx") else None
    tesseract = TesseractOcr(program, settings.ocr_languages) if program else None
    if models is None:
        return tesseract
    load = partial(_bundled_ocr, models)
    return SecondOpinionOcr(tesseract, load, models_version()) if tesseract else load()


def _bundled_ocr(models: Path) -> Ocr:
    from shared.adapters.local.ocr_onnx import OnnxOcr

    return OnnxOcr(models)


def _cloud_ocr(settings: CloudSettings) -> Ocr | None:
    from shared.adapters.aws.textract import TextractOcr

    return None if settings.ocr == "off" else TextractOcr()


def _local_grouper() -> Grouper:
    """Bedrock with this machine's credentials, where it has any. Raises BadInput with what to set."""
    from shared.adapters.aws.bedrock_grouper import BedrockGrouper

    _check_aws("The engine bedrock", "use --engine layout, which needs no network")
    return BedrockGrouper(LocalSettings().extraction_model_id)


def chosen_model(home: Path) -> Models:
    """The model that this machine's environment names, or that was chosen in its settings."""
    from shared.adapters.local.model_choice import ChosenModel
    from shared.adapters.local.vault import SealedFolder

    return ChosenModel(home, SealedFolder(home / "vault"), _check_bedrock)


def _check_bedrock(name: str) -> None:
    _check_aws(f"The model {name}", "choose none, and questions are answered by quotations")


def local_further_answerers() -> list[Answerer]:
    """The models of AUTRI_FURTHER_MODELS. Raises BadInput with what to set."""
    return [further_answerer(name) for name in further_names()]


def further_names() -> list[str]:
    """As AUTRI_FURTHER_MODELS has them."""
    return _listed(LocalSettings().further_models)


def further_answerer(name: str) -> Answerer:
    """One of AUTRI_FURTHER_MODELS. Raises BadInput with what to set."""
    from shared.adapters.local.answerers import load_answerer

    if loaded := load_answerer(LocalSettings().model_copy(update={"model": name})):
        return loaded
    raise BadInput("AUTRI_FURTHER_MODELS names an empty model.")


def _cloud_answerer(settings: CloudSettings) -> Answerer | None:
    if not settings.answering_model_id:
        return None
    from shared.adapters.aws.bedrock_answerer import BedrockAnswerer

    return BedrockAnswerer(settings.answering_model_id)


def _cloud_further_answerers(settings: CloudSettings) -> list[Answerer]:
    names = _listed(settings.further_model_ids)
    if not names:
        return []
    from shared.adapters.aws.bedrock_answerer import BedrockAnswerer

    return [BedrockAnswerer(name) for name in names]


def _deployed_model(settings: CloudSettings) -> ModelState:
    named = settings.answering_model_id
    return ModelState(
        service="bedrock" if named else None,
        model=named or None,
        source="deployment",
        key="credentials" if named else "none",
        price_known=bool(named),
        embedder=f"{settings.embedding_model_id}/{settings.embedding_dimensions}",
        embedder_fixed=True,
        extraction_model=settings.extraction_model_id,
        further=[f"bedrock:{name}" for name in _listed(settings.further_model_ids)],
    )


def _check_aws(what: str, otherwise: str) -> None:
    """Raises BadInput with what to set where this machine cannot call Bedrock."""
    from boto3 import Session

    session = Session()
    lacking = [
        *([] if session.get_credentials() else ["AWS credentials (AWS_PROFILE, or AWS_ACCESS_KEY_ID and its secret)"]),
        *([] if session.region_name else ["a region (AWS_REGION)"]),
    ]
    if lacking:
        raise BadInput(
            f"{what} calls a model on Amazon Bedrock and needs {' and '.join(lacking)}."
            f" Set them and start again, or {otherwise}."
        )


def _cloud_grouper(settings: CloudSettings) -> Grouper:
    from shared.adapters.aws.bedrock_grouper import BedrockGrouper

    if not settings.extraction_model_id:
        raise BadInput("This deployment names no model to extract with; use layout as the engine.")
    return BedrockGrouper(settings.extraction_model_id)


def _cloud_embedders(settings: CloudSettings) -> Embedders:
    from shared.adapters.aws.embedders import embedder_version, load_embedder

    find_default = partial(embedder_version, settings.embedding_model_id, settings.embedding_dimensions)
    return Embedders(find_default, partial(load_embedder, profile=settings.embedding_model_id))


def _cloud_reranker(settings: CloudSettings) -> Reranker:
    if not settings.rerank_model_id:
        return IdentityReranker()
    from shared.adapters.aws.bedrock_reranker import BedrockReranker

    return BedrockReranker(settings.rerank_model_id)


def _cloud_runtime(settings: CloudSettings) -> Runtime:
    from shared.adapters.aws.outbox import BucketOutbox
    from shared.adapters.aws.s3 import S3BlobStore
    from shared.adapters.aws.step_functions import StepFunctionsWorkflow
    from shared.adapters.aws.vault import SecretsManagerVault

    arn = settings.database_secret_arn or ""
    dsn = settings.database_url or _dsn_from_secret(arn)
    database = Database(dsn, max_size=1, find_passwords=None if settings.database_url else partial(_passwords_of, arn))
    workflow = StepFunctionsWorkflow(settings.state_machine_arn)
    vault = SecretsManagerVault(settings.vault_prefix, settings.vault_key_arn)
    blobs = S3BlobStore(settings.bucket)
    load_answerer = partial(_cloud_answerer, settings)
    fetch: Fetcher = no_fetching
    if settings.fetch_wait_s is not None:
        from shared.adapters.aws.fetching import BucketFetcher

        fetch = BucketFetcher(blobs, settings.fetch_wait_s)
    runtime = Runtime(
        database,
        blobs,
        workflow,
        vault,
        _cloud_embedders(settings),
        WORKER,
        partial(_cloud_ocr, settings),
        partial(_cloud_grouper, settings),
        partial(_cloud_reranker, settings),
        Slots(settings.run_slots, settings.run_slots_per_organization),
        BucketOutbox(blobs) if settings.public_origin else NoMailer(),
        look_up_txt=look_up_txt,
        self_sign_up=settings.self_sign_up,
        start_erasure=partial(_erase_elsewhere, blobs),
        fetch=fetch,
        limits=PlanSettings(settings.default_plan, settings.model_usd_per_day, os.environ.get("AWS_REGION")),
        load_answerer=load_answerer,
        models=NoModels(load_answerer, _deployed_model(settings)),
        load_further_answerers=partial(_cloud_further_answerers, settings),
        answer_seconds=settings.answer_seconds,
        silent_answer_seconds=settings.silent_answer_seconds,
    )
    runtime.wake_sending = partial(_send_elsewhere, blobs)
    runtime.wake_digest = partial(_digest_elsewhere, blobs)
    if settings.webhooks_key_arn:
        _add_webhooks(runtime, blobs, settings)
    return runtime


def _add_webhooks(runtime: Runtime, blobs: "S3BlobStore", settings: CloudSettings) -> None:
    from shared.adapters.aws.fetching import BucketPoster
    from shared.adapters.sealing import FernetSealer

    runtime.post = BucketPoster(blobs, settings.fetch_wait_s or POST_WAIT_S)
    runtime.sealer = FernetSealer(partial(_webhooks_key, settings.webhooks_key_arn))


def _webhooks_key(arn: str) -> bytes:
    """A key of Fernet's form out of the secret's text, which a generator of passwords made."""
    from shared.adapters.aws.secrets import read_secret

    return base64.urlsafe_b64encode(hashlib.sha256(read_secret(arn).encode()).digest())


def _send_elsewhere(blobs: BlobStore) -> None:
    """By way of the bucket: the object is an event, which starts the function that sends."""
    blobs.put(f"{WAKE_PREFIX}{new_id()}.json", b"{}", "application/json")


def _digest_elsewhere(blobs: BlobStore, organization: UUID, base: UUID) -> None:
    """By way of the bucket, as above: maintenance is started for that digest alone."""
    blobs.put(digesting_key(str(organization), str(base)), b"{}", "application/json")


def _erase_elsewhere(blobs: BlobStore, organization: UUID, erasure: UUID) -> None:
    """By way of the bucket: the object is an event, which starts a function that may delete."""
    blobs.put(erasing_key(str(organization), str(erasure)), b"{}", "application/json")


def owner_dsn() -> str:
    """The owner's connection string, for the functions migrate and maintain, which alone may read that secret."""
    return _dsn_from_secret(os.environ[Env.OWNER_SECRET_ARN])


def application_login() -> Login:
    """The application's login, as its secret has it now."""
    return _read_json_secret(os.environ[Env.DATABASE_SECRET_ARN])


def store_application_login(login: Login) -> None:
    """Makes this the secret's current value. Only the migrate function may."""
    from shared.adapters.aws.secrets import write_secret

    write_secret(os.environ[Env.DATABASE_SECRET_ARN], json.dumps(login))


def _passwords_of(arn: str) -> list[str]:
    from shared.adapters.aws.secrets import read_versions

    return [str(json.loads(text)["password"]) for text in read_versions(arn)]


def _read_json_secret(arn: str) -> dict[str, Any]:
    from shared.adapters.aws.secrets import read_secret

    return json.loads(read_secret(arn))


def _dsn_from_secret(arn: str) -> str:
    """A connection string from a secret `{host,port,dbname,username,password,sslmode}`."""
    secret = _read_json_secret(arn)
    return make_conninfo(
        host=secret["host"],
        port=secret.get("port", 5432),
        dbname=secret["dbname"],
        user=secret["username"],
        password=secret["password"],
        sslmode=secret.get("sslmode", "verify-full"),
    )
