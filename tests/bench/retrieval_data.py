"""A workspace for retrieval measurements: an embedded Postgres that keeps what was ingested, and the corpora."""

import os
import re
import xml.etree.ElementTree as ET  # our own development files
from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from shared.adapters.local.postgres import OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.domain.scope import Identity, Scope
from shared.runtime import Runtime
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from tests.pipeline import make_knowledge_base, run_all, scope_of, upload
from tests.store.seeding import Passage, add_document

CORPORA = Path(os.environ.get("AUTRI_CORPORA", Path(__file__).parents[3] / "shared" / "corpora"))


@dataclass(frozen=True)
class Workspace:
    """A runtime with the local developer's identity."""

    runtime: Runtime
    identity: Identity

    def knowledge_base(self, name: str) -> tuple[UUID, bool]:
        """(its id, whether it was there already)."""
        organization = Scope(organization_id=self.identity.organization_id)
        with self.runtime.database.transaction(organization) as connection:
            row = connection.execute("select id from knowledge_bases where name = %s", (name,)).fetchone()
        return (row["id"], True) if row else (make_knowledge_base(self.runtime, self.identity, name), False)

    def documents(self, base: UUID) -> dict[str, UUID]:
        """Ids by file name."""
        with self.runtime.database.transaction(scope_of(self.identity, base)) as connection:
            rows = connection.execute("select name, id from documents").fetchall()
        return {row["name"]: row["id"] for row in rows}

    def ingest(self, name: str, files: list[Path]) -> UUID:
        """A knowledge base of PDFs, through the real stages; once per workspace."""
        base, present = self.knowledge_base(name)
        for file in [] if present else files:
            run_all(self.runtime, upload(self.runtime, self.identity, base, file.read_bytes(), file.name))
        return base

    def seed(self, name: str, documents: Mapping[str, Sequence[Passage]]) -> UUID:
        """A knowledge base of plain passages."""
        base, present = self.knowledge_base(name)
        scope = scope_of(self.identity, base)
        for key, passages in {} if present else documents.items():
            add_document(self.runtime, scope, key, passages, embedder=self.runtime.embedder)
        return base


@contextmanager
def open_workspace(home: Path) -> Generator[Workspace]:
    home.mkdir(parents=True, exist_ok=True)
    with EmbeddedPostgres(home / "postgres") as server:
        migrate(server.dsn(OWNER))
        provision_local(server.dsn(OWNER))
        runtime = local_runtime(server.dsn(), home)
        with runtime.database:
            with runtime.database.unscoped() as connection:
                identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
            assert identity is not None
            yield Workspace(runtime, identity)


@dataclass(frozen=True)
class Cranfield:
    """Texts by number, queries by position (which is what the judgements count), relevance above 0."""

    texts: dict[str, str]
    queries: dict[str, str]
    relevant: dict[str, dict[str, int]]


def cranfield() -> Cranfield:
    folder = CORPORA / "ir-cranfield"
    documents = ET.fromstring(f"<all>{_well_formed(folder / 'cran.all.1400.xml')}</all>").iter("doc")  # noqa: S314 our own file
    texts = {_text(d, "docno"): f"{_text(d, 'title')}\n{_text(d, 'text')}" for d in documents}
    topics = ET.fromstring(f"<all>{_well_formed(folder / 'cran.qry.xml')}</all>").iter("top")  # noqa: S314 our own file
    queries = {str(place): _text(t, "title") for place, t in enumerate(topics, start=1)}
    relevant: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "cranqrel.trec.txt").read_text().splitlines():
        query, _, document, grade = line.split()
        if int(grade) > 0:
            relevant[query][document] = int(grade)
    return Cranfield(texts, queries, dict(relevant))


def _well_formed(file: Path) -> str:
    return re.sub(r"&(?!\w+;)|<\?xml[^>]*\?>", " ", file.read_text())


def _text(element: ET.Element, tag: str) -> str:
    return " ".join((element.findtext(tag) or "").split())
