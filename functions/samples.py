"""The sample knowledge bases of `samples/`, uploaded as any other file is, with their questions as gold."""

import hashlib
import json
import logging
import time
import tomllib
from pathlib import Path
from typing import Any
from uuid import UUID

from shared.domain.evaluation import GoldInput, GoldPlace
from shared.domain.scope import Identity
from shared.errors import AutriError
from shared.evaluation.gold import import_gold
from shared.ingestion.uploads import UploadRequest, create_upload, get_ingestion, receive_upload
from shared.library.knowledge_bases import NewKnowledgeBase, create_knowledge_base, list_knowledge_bases
from shared.runtime import Runtime

logger = logging.getLogger("autri.samples")

FOLDER = Path(__file__).parent.parent / "samples"
QUESTIONS = "questions.jsonl"
PIECE_BYTES = 1 << 20


def build_samples(runtime: Runtime, identity: Identity, done: Path) -> None:
    """Uploads the samples and their questions into their knowledge bases, once: `done` is written when all are sent.

    An interrupted start is completed by the next one; samples that somebody deleted later are not created again.
    """
    if done.exists():
        return
    manifest = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))
    try:
        for wanted in manifest["knowledge_base"]:
            _build(runtime, identity, wanted)
    except AutriError as error:
        logger.warning("the samples could not be built, the next start tries again: %s", error)
    else:
        done.touch()


def _build(runtime: Runtime, identity: Identity, wanted: dict[str, Any]) -> None:
    new = NewKnowledgeBase(name=wanted["name"], description=wanted["description"])
    known = {base.name: base for base in list_knowledge_bases(runtime, identity)}
    made = known.get(new.name) or create_knowledge_base(runtime, identity, new)
    import_gold(runtime, identity, made.id, sample_questions(wanted), QUESTIONS)
    documents: dict[str, UUID] = {}
    for document in wanted["document"]:
        earlier = documents.get(document.get("version_of", ""))
        naming = {key: document.get(key) for key in ("title", "label")}
        documents[document["file"]] = upload_file(
            runtime, identity, made.id, FOLDER / document["file"], version_of=earlier, **naming
        )


def sample_questions(wanted: dict[str, Any]) -> list[GoldInput]:
    """The questions about the documents of a knowledge base of the manifest, and those that no sample answers: gold to
    measure with, and examples to click."""
    titles = {document["file"]: document["title"] for document in wanted["document"]}
    lines = (FOLDER / QUESTIONS).read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [
        GoldInput(
            question=one["question"],
            kind="answerable" if one["expected"] else "negative",
            expected=[GoldPlace(**place | {"document": titles[place["document"]]}) for place in one["expected"]],
            answer=one["answer"],
        )
        for one in found
        if all(place["document"] in titles for place in one["expected"])
    ]


def upload_file(
    runtime: Runtime,
    identity: Identity,
    knowledge_base_id: UUID,
    path: Path,
    *,
    version_of: UUID | None = None,
    title: str | None = None,
    label: str | None = None,
) -> UUID:
    """Upload one file and wait until it is registered; returns its document's id."""
    data = path.read_bytes()
    request = UploadRequest(
        filename=path.name,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        knowledge_base_id=knowledge_base_id,
        version_of=version_of,
        title=title,
        label=label,
    )
    ticket = create_upload(runtime, identity, request)
    pieces = (data[i : i + PIECE_BYTES] for i in range(0, len(data), PIECE_BYTES))
    receive_upload(runtime, identity, ticket.upload_id, pieces)
    return _registered(runtime, identity, ticket.upload_id, path.name)


def _registered(runtime: Runtime, identity: Identity, upload_id: UUID, name: str) -> UUID:
    """However long it takes: a machine may be busy. Raises AutriError where the file becomes no document."""
    while True:
        ingestion = get_ingestion(runtime, identity, upload_id)
        if ingestion.document_id is not None:
            return ingestion.document_id
        if ingestion.finished_at is not None:
            raise AutriError(f"{name}: {ingestion.error}")
        time.sleep(0.1)
