"""What the application and the infrastructure agree on: the stage list, event keys and environment names.

Standard library only, because `stacks/` may import nothing else of the application.
"""

from dataclasses import dataclass
from typing import Final

EVENT_SCHEMA: Final = 1
PAGES_PER_SHARD: Final = 8


@dataclass(frozen=True)
class Stage:
    """One step of ingestion, as the state machine and the local runner both read it.

    `mapped` stages run once per shard of pages; a mapped stage with `barrier` starts only when every shard has left
    the stage before, because it looks at the whole document. `timeout_s` bounds one attempt; `attempts` counts the first try.
    `memory_mb` is the Lambda's memory and the limit of a local worker process.
    """

    name: str
    mapped: bool
    timeout_s: int
    attempts: int
    memory_mb: int
    barrier: bool = False


STAGES: Final[tuple[Stage, ...]] = (
    Stage("register", mapped=False, timeout_s=120, attempts=3, memory_mb=1024),
    Stage("render", mapped=True, timeout_s=300, attempts=3, memory_mb=2048),
    Stage("parse", mapped=True, timeout_s=300, attempts=3, memory_mb=2048),
    Stage("extract", mapped=True, timeout_s=600, attempts=3, memory_mb=2048, barrier=True),
    Stage("finalize", mapped=False, timeout_s=600, attempts=3, memory_mb=3008),
    Stage("embed", mapped=False, timeout_s=900, attempts=3, memory_mb=1024),
    Stage("publish", mapped=False, timeout_s=120, attempts=3, memory_mb=1024),
)
MARK_FAILED: Final = Stage("mark_failed", mapped=False, timeout_s=60, attempts=5, memory_mb=512)

# What `register` may answer: only `run` goes on to the other stages.
OUTCOME_RUN: Final = "run"
OUTCOME_DUPLICATE: Final = "duplicate"
OUTCOME_REFUSED: Final = "refused"

INCOMING_PREFIX: Final = "incoming/"
WORK_PREFIX: Final = "work/"


def incoming_key(organization_id: str, knowledge_base_id: str, upload_id: str) -> str:
    return f"{INCOMING_PREFIX}{organization_id}/{knowledge_base_id}/{upload_id}/source"


def work_prefix(organization_id: str, knowledge_base_id: str, document_id: str, ingestion_id: str) -> str:
    return f"{WORK_PREFIX}{organization_id}/{knowledge_base_id}/{document_id}/{ingestion_id}/"


class Env:
    """Names of the environment variables that handlers and the local runtime read."""

    HOME: Final = "AUTRI_HOME"
    DATABASE_URL: Final = "AUTRI_DATABASE_URL"
    DATABASE_SECRET_ARN: Final = "AUTRI_DATABASE_SECRET_ARN"  # noqa: S105 a variable's name
    OWNER_SECRET_ARN: Final = "AUTRI_OWNER_SECRET_ARN"  # noqa: S105 a variable's name
    BUCKET: Final = "AUTRI_BUCKET"
    EMBEDDER: Final = "AUTRI_EMBEDDER"
    EMBEDDING_MODEL_ID: Final = "AUTRI_EMBEDDING_MODEL_ID"
    RUNTIME: Final = "AUTRI_RUNTIME"
    LOG_LEVEL: Final = "AUTRI_LOG_LEVEL"
