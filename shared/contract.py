"""The contract between application and infrastructure: the list of stages, event keys, names of environment variables.

Standard library only, because `stacks/` may import nothing else of the application.
"""

from dataclasses import dataclass
from typing import Final, Literal

EVENT_SCHEMA: Final = 1
PAGES_PER_SHARD: Final = 8
MAX_UPLOAD_BYTES: Final = 512 * 1024 * 1024
# An archive of a whole organization, as a request brings it.
MAX_ARCHIVE_BYTES: Final = 64 * 1024**3


@dataclass(frozen=True)
class Stage:
    """One stage of ingestion, for the state machine and the local runner alike.

    `mapped` stages run once per shard of pages; a mapped stage with `barrier` starts only when every shard has finished
    the stage before, because it needs the whole document. `timeout_s` limits one attempt; `attempts` includes the first
    one. `memory_mb` is the Lambda function's memory. `page_timeout_s` limits one page of a mapped stage: a hundred
    times longer than any known page takes; where OCR may run, three times as long as the densest page takes on a core
    of its own.
    """

    name: str
    mapped: bool
    timeout_s: int
    attempts: int
    memory_mb: int
    barrier: bool = False
    page_timeout_s: int = 12


STAGES: Final[tuple[Stage, ...]] = (
    Stage("register", mapped=False, timeout_s=120, attempts=3, memory_mb=1024),
    Stage("render", mapped=True, timeout_s=300, attempts=3, memory_mb=2048),
    Stage("parse", mapped=True, timeout_s=720, attempts=3, memory_mb=2048, page_timeout_s=60),
    Stage("extract", mapped=True, timeout_s=600, attempts=3, memory_mb=2048, barrier=True),
    Stage("finalize", mapped=False, timeout_s=900, attempts=3, memory_mb=3008),
    Stage("embed", mapped=False, timeout_s=900, attempts=3, memory_mb=1024),
    Stage("publish", mapped=False, timeout_s=120, attempts=3, memory_mb=1024),
)
MARK_FAILED: Final = Stage("mark_failed", mapped=False, timeout_s=60, attempts=5, memory_mb=512)

# The time limit of a run from its admission on: days, as a model that throttles is waited for.
RUN_LIMIT_S: Final = 7 * 24 * 3600
# The time limit of one stage or shard on one machine.
STEP_LIMIT_S: Final = 6 * 3600
# How often the runner of one machine resumes a run that has made no progress since its last interruption.
MAX_TAKEOVERS: Final = 8

# The keys of every event, and those that a shard of pages adds.
EVENT_FIELDS: Final = ("schema", "organization_id", "knowledge_base_id", "document_id", "ingestion_id")
SHARD_FIELDS: Final = (*EVENT_FIELDS, "shard", "first_page", "last_page")
ISOLATED_FIELD: Final = "isolated"

# Names of `shared.errors` classes, as the state machine sees them. The first are never retried; the second wait for a
# service that is paused or throttles, which does not count as a failed attempt.
PERMANENT_ERRORS: Final = (
    "BadInput", "BadFilter", "RefusedFile", "UnreadFormat", "NotFound", "Conflict", "ChangedMeanwhile", "Forbidden",
    "LeaseLost", "SourceChanged", "Damaged", "NoLonger", "PlanExhausted", "BudgetSpent", "BelongsNowhere", "TooMany",
)  # fmt: skip
TRANSIENT_ERRORS: Final = (
    "Unavailable", "StoreUnavailable", "DatabaseAway", "Contended", "StorageFull", "Busy", "StillReading",
)  # fmt: skip

# The outcomes of `register`: only `run` continues with the other stages.
OUTCOME_RUN: Final = "run"
OUTCOME_DUPLICATE: Final = "duplicate"
OUTCOME_REFUSED: Final = "refused"

# The error of a refused protected document, by which clients know that they should ask for its password.
PASSWORD_MISSING: Final = (
    "The PDF is protected by a password. Give the password with --password, or beside the document in the browser."  # noqa: S105 a sentence
)
PASSWORD_WRONG: Final = "The password does not open this PDF. Check it and give it again."  # noqa: S105 a sentence
PASSWORD_ERRORS: Final = frozenset({PASSWORD_MISSING, PASSWORD_WRONG})

# Key prefixes: what an upload ticket may write, where a customer's own role puts files, what only `register` writes
# (the sources), what the stages produce.
INCOMING_PREFIX: Final = "incoming/"
DROP_PREFIX: Final = "drop/"
SOURCES_PREFIX: Final = "sources/"
WORK_PREFIX: Final = "work/"
# All prefixes with data of documents. Below them: organization, knowledge base, then the upload or the document.
UPLOAD_PREFIXES: Final = (INCOMING_PREFIX, SOURCES_PREFIX)
STORED_PREFIXES: Final = (*UPLOAD_PREFIXES, WORK_PREFIX)
# Those that an archive holds.
ARCHIVED_PREFIXES: Final = (SOURCES_PREFIX, WORK_PREFIX)


# Added to the name of a dropped file that is refused: the object that says why.
REFUSED_SUFFIX: Final = ".refused.json"


# What is to be told to somebody outside: an event reads it, and a day later it is gone.
OUTBOX_PREFIX: Final = "outbox/"


# What is to be fetched from the web, and what came of it: the requests name the two objects that may be written.
FETCHING_PREFIX: Final = "fetching/"
FETCHED_PREFIX: Final = "fetched/"


# What has webhooks told at once, and when there is something to be told next; a day later it is gone.
SENDING_PREFIX: Final = "sending/"
WAKE_PREFIX: Final = f"{SENDING_PREFIX}now/"
SENDING_DUE: Final = f"{SENDING_PREFIX}due.json"


# What has a digest follow its sources soon; a day later it is gone.
DIGESTING_PREFIX: Final = "digesting/"


# Archives that somebody has asked for, and the requests; a week later they are gone.
REQUESTS_PREFIX: Final = "requests/"
EXPORTS_PREFIX: Final = "exports/"
# What asks for an import, the archive that is sent for it, and what became of it; gone after a week as well.
IMPORTS_PREFIX: Final = "imports/"
IMPORTED_ARCHIVES: Final = f"{IMPORTS_PREFIX}*/archive.autri.zip"
IMPORT_OUTCOMES: Final = f"{IMPORTS_PREFIX}*/outcome.json"
# Everything of archives on their way. Below them: organization, then the job.
TRANSFER_PREFIXES: Final = (REQUESTS_PREFIX, EXPORTS_PREFIX, IMPORTS_PREFIX)
# What starts a deletion that goes on after its request: an object per deletion, gone with what it deletes.
ERASING_PREFIX: Final = "erasing/"
# The longest that a Lambda function runs.
EXPORT_LIMIT_S: Final = 900


def export_request_key(organization_id: str, export_id: str) -> str:
    return f"{REQUESTS_PREFIX}{organization_id}/{export_id}.json"


def export_archive_key(organization_id: str, export_id: str) -> str:
    return f"{EXPORTS_PREFIX}{organization_id}/{export_id}/archive.autri.zip"


def export_outcome_key(organization_id: str, export_id: str) -> str:
    """What became of it: written last."""
    return f"{EXPORTS_PREFIX}{organization_id}/{export_id}/outcome.json"


def import_folder(organization_id: str) -> str:
    """Below it, a folder for each import."""
    return f"{IMPORTS_PREFIX}{organization_id}/"


def import_request_key(organization_id: str, import_id: str) -> str:
    return f"{IMPORTS_PREFIX}{organization_id}/{import_id}/request.json"


def import_archive_key(organization_id: str, import_id: str) -> str:
    """Where the archive is sent to. Its event starts the import."""
    return f"{IMPORTS_PREFIX}{organization_id}/{import_id}/archive.autri.zip"


def import_outcome_key(organization_id: str, import_id: str) -> str:
    return f"{IMPORTS_PREFIX}{organization_id}/{import_id}/outcome.json"


def erasing_key(organization_id: str, erasure_id: str) -> str:
    """Its event starts the deletion."""
    return f"{ERASING_PREFIX}{organization_id}/{erasure_id}.json"


def digesting_key(organization_id: str, knowledge_base_id: str) -> str:
    """Its event has the digest of the knowledge base follow its sources."""
    return f"{DIGESTING_PREFIX}{organization_id}/{knowledge_base_id}.json"


def outbox_key(message_id: str) -> str:
    return f"{OUTBOX_PREFIX}{message_id}.json"


def fetching_key(fetch_id: str) -> str:
    """Its event makes the function outside the network fetch."""
    return f"{FETCHING_PREFIX}{fetch_id}.json"


def fetched_keys(fetch_id: str) -> tuple[str, str]:
    """The bytes that came, and what is said of them: written last."""
    return f"{FETCHED_PREFIX}{fetch_id}/body", f"{FETCHED_PREFIX}{fetch_id}/answer.json"


def loopback_callback(port: int) -> str:
    """The address on the person's own machine that the hosted login sends a code to (RFC 8252, 7.3)."""
    return f"http://localhost:{port}/callback"


def incoming_key(organization_id: str, knowledge_base_id: str, upload_id: str) -> str:
    return f"{INCOMING_PREFIX}{organization_id}/{knowledge_base_id}/{upload_id}/source"


def source_key(organization_id: str, knowledge_base_id: str, upload_id: str) -> str:
    """The key of the uploaded source, which no ticket can write to: the only copy that is ever read."""
    return f"{SOURCES_PREFIX}{organization_id}/{knowledge_base_id}/{upload_id}/source"


def upload_prefixes(organization_id: str, knowledge_base_id: str, upload_id: str) -> tuple[str, ...]:
    """The prefixes of an upload's file."""
    return tuple(f"{prefix}{organization_id}/{knowledge_base_id}/{upload_id}/" for prefix in UPLOAD_PREFIXES)


def document_prefix(organization_id: str, knowledge_base_id: str, document_id: str) -> str:
    """The prefix of everything that a document's runs produced."""
    return f"{WORK_PREFIX}{organization_id}/{knowledge_base_id}/{document_id}/"


def work_prefix(organization_id: str, knowledge_base_id: str, document_id: str, ingestion_id: str) -> str:
    return f"{document_prefix(organization_id, knowledge_base_id, document_id)}{ingestion_id}/"


def opened_key(organization_id: str, knowledge_base_id: str, document_id: str) -> str:
    """The decrypted copy of a protected source; kept with the document through all its runs."""
    return f"{document_prefix(organization_id, knowledge_base_id, document_id)}opened.pdf"


def plan_key(organization_id: str, knowledge_base_id: str, document_id: str, ingestion_id: str) -> str:
    """The page plan: a JSON array with one event per shard, which the distributed map reads."""
    return work_prefix(organization_id, knowledge_base_id, document_id, ingestion_id) + "plan.json"


def figure_key(work: str, page: int, box: tuple[float, float, float, float]) -> str:
    """The cropped image of the figure at `box` (x, y, w, h; 0..1) of a page. It is named by its place, since it belongs
    to one run, while a chunk id outlives runs."""
    place = "-".join(f"{round(10_000 * side)}" for side in box)
    return f"{work}figures/{page}-{place}.jpg"


def picture_key(work: str, picture: str) -> str:
    """A picture in a source without pages, as JPEG, by its id: once, however often the source shows it."""
    return f"{work}pictures/{picture}.jpg"


def kept_key(work: str, page: int) -> str:
    """The rows of a part that are kept beside it."""
    return f"{work}rows/{page}.json.z"


# What an organization may be given; what each allows stands in `shared/domain/plans.py`.
PlanName = Literal["free", "personal", "pro", "enterprise", "unlimited"]

# Where assistants connect by MCP.
MCP_PATH: Final = "/mcp"
# Whose answers leave while they are made, as a REST API names resources; all others are sent when they are whole.
STREAMED_PATHS: Final = (
    "/v1/ask",
    "/v1/ask/{rest+}",
    "/v1/threads/{thread}/ask",
    "/v1/threads/{thread}/messages/{message}/answers",
)
# What needs DuckDB or what draws plots, and files of any size: on AWS a function of its own, which streams too
# (docs/decisions/0119-the-lab-on-aws.md).
LAB_PATHS: Final = (
    MCP_PATH,
    f"/v1{MCP_PATH}",
    "/v1/datasets",
    "/v1/datasets/{rest+}",
    "/v1/plots",
    "/v1/plots/{rest+}",
    "/v1/knowledge-bases/{knowledge_base}/tables",
    *(f"/v1/exports/tables.{kind}" for kind in ("csv", "xlsx", "parquet")),
    "/v1/notebooks",
    "/v1/notebooks/{rest+}",
    "/v1/bundles",
    "/v1/shared/{secret}",
    "/v1/shared/{secret}/bundle",
    "/v1/knowledge-bases/{knowledge_base}/digest:export",
)
# Of a package that a layer holds compressed, behind its name.
PACKED_SUFFIX: Final = ".tar.xz"
# Where assistants get and give back tokens, before they have any.
OAUTH_OPEN: Final = ("/oauth/token", "/oauth/register", "/oauth/revoke")
# What an API key begins with, by which it is told from the hosted login's tokens.
API_KEY_PREFIX: Final = "autri_"
# The longest life of a session in a browser and of the refresh token behind it, in seconds.
SESSION_S: Final = 30 * 24 * 3600
# Where the command line waits for the hosted login to come back: Cognito wants every address named, so a few ports.
LOOPBACK_PORTS: Final = (8765, 18765, 28765)
# What an access token may do: each asks for it when it signs in. ID tokens and sessions are the person's own.
TOKEN_RESOURCE: Final = "autri"  # noqa: S105 a name
READ_SCOPE: Final = f"{TOKEN_RESOURCE}/read"
WRITE_SCOPE: Final = f"{TOKEN_RESOURCE}/write"
# What a pool keeps of a directory's groups, as its tokens name it (functions/auth/groups.py), and who writes it.
DIRECTORY_GROUPS: Final = "custom:groups"
GROUPS_ELSEWHERE: Final = "custom:groups_elsewhere"
DIRECTORY_NAME: Final = "Entra"

# The data folder on one machine, relative to the working directory.
HOME_DEFAULT: Final = ".autri"


class Env:
    """Names of the environment variables that handlers and the local runtime read."""

    THREADS: Final = "AUTRI_THREADS"
    HOME: Final = "AUTRI_HOME"
    DATABASE_URL: Final = "AUTRI_DATABASE_URL"
    DATABASE_SECRET_ARN: Final = "AUTRI_DATABASE_SECRET_ARN"  # noqa: S105 a variable's name
    OWNER_SECRET_ARN: Final = "AUTRI_OWNER_SECRET_ARN"  # noqa: S105 a variable's name
    BUCKET: Final = "AUTRI_BUCKET"
    VAULT_PREFIX: Final = "AUTRI_VAULT_PREFIX"
    VAULT_KEY_ARN: Final = "AUTRI_VAULT_KEY_ARN"
    STATE_MACHINE_ARN: Final = "AUTRI_STATE_MACHINE_ARN"
    RUN_SLOTS: Final = "AUTRI_RUN_SLOTS"
    RUN_SLOTS_PER_ORGANIZATION: Final = "AUTRI_RUN_SLOTS_PER_ORGANIZATION"
    EMBEDDING_DIMENSIONS: Final = "AUTRI_EMBEDDING_DIMENSIONS"
    WORKERS: Final = "AUTRI_WORKERS"
    EMBEDDING_MODEL_ID: Final = "AUTRI_EMBEDDING_MODEL_ID"
    EXTRACTION_MODEL_ID: Final = "AUTRI_EXTRACTION_MODEL_ID"
    RERANK_MODEL_ID: Final = "AUTRI_RERANK_MODEL_ID"
    ANSWERING_MODEL_ID: Final = "AUTRI_ANSWERING_MODEL_ID"
    FURTHER_MODEL_IDS: Final = "AUTRI_FURTHER_MODEL_IDS"
    LOG_LEVEL: Final = "AUTRI_LOG_LEVEL"
    OCR: Final = "AUTRI_OCR"
    OCR_LANGUAGES: Final = "AUTRI_OCR_LANGUAGES"
    PUBLIC_ORIGIN: Final = "AUTRI_PUBLIC_ORIGIN"
    LOGIN_URL: Final = "AUTRI_LOGIN_URL"
    ISSUER: Final = "AUTRI_ISSUER"
    TOKEN_KEYS_URL: Final = "AUTRI_TOKEN_KEYS_URL"  # noqa: S105 a variable's name
    CLIENT_ID: Final = "AUTRI_CLIENT_ID"
    POOL_ID: Final = "AUTRI_POOL_ID"
    FEDERATED: Final = "AUTRI_FEDERATED"
    SELF_SIGN_UP: Final = "AUTRI_SELF_SIGN_UP"
    CORS_ORIGINS: Final = "AUTRI_CORS_ORIGINS"
    CLI_CLIENT_ID: Final = "AUTRI_CLI_CLIENT_ID"
    API_URL: Final = "AUTRI_API_URL"
    STATIC_BUCKET: Final = "AUTRI_STATIC_BUCKET"
    DEFAULT_PLAN: Final = "AUTRI_DEFAULT_PLAN"
    MODEL_USD_PER_DAY: Final = "AUTRI_MODEL_USD_PER_DAY"
    WEBHOOKS_TO: Final = "AUTRI_WEBHOOKS_TO"
    WEBHOOKS_KEY_ARN: Final = "AUTRI_WEBHOOKS_KEY_ARN"
    FETCH_FROM: Final = "AUTRI_FETCH_FROM"
    FETCH_WAIT_S: Final = "AUTRI_FETCH_WAIT_S"
    ANSWER_SECONDS: Final = "AUTRI_ANSWER_SECONDS"
    SILENT_ANSWER_SECONDS: Final = "AUTRI_SILENT_ANSWER_SECONDS"
    SESSIONS_TABLE: Final = "AUTRI_SESSIONS_TABLE"
