"""What 1,000 pages ask of each stage: the figures of `stacks/estimate/measured.toml`.

`python -m tests.bench.page_costs FILE.pdf…` runs the real stages one after the other in this process, over an embedded
Postgres and a folder, and prints per stage and page: seconds, seconds in the database, objects read and written.
Objects are counted as S3 would charge them: a copy and a listing as a write. Embedding is replaced by vectors of zeros,
since its time on AWS is Bedrock's; `characters` is what would be embedded. A Lambda function of the stage's memory has
about one core (1,769 MB); nothing but a bill tells the true figure.
"""

import argparse
import dataclasses
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np

from shared.adapters.local.postgres import APPLICATION, OWNER, EmbeddedPostgres
from shared.bootstrap import local_runtime
from shared.contract import STAGES
from shared.domain.model_calls import Usage
from shared.ports import BlobStore, Embedder
from shared.readers.pdf.document import open_pdf
from shared.runtime import Embedders, Runtime
from shared.store.connect import database_seconds
from shared.store.identities import resolve_identity
from shared.store.migrate import migrate
from shared.store.provision import LOCAL_ISSUER, LOCAL_SUBJECT, provision_local
from tests.pipeline import make_knowledge_base, run_stage, shards, upload

READS = {"get", "size", "exists", "local_copy", "latest_version"}
WRITES = {"put", "put_file", "copy", "list", "entries"}


class CountingStore:
    """A blob store that counts its calls."""

    def __init__(self, store: Any) -> None:
        self._store, self.calls = store, Counter[str]()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        def counted(*arguments: Any, **options: Any) -> Any:
            self.calls["reads" if name in READS else "writes" if name in WRITES else "free"] += 1
            return method(*arguments, **options)

        return counted


class ZeroEmbedder:
    """Vectors of zeros at once, and how many characters they would have been made of."""

    version, dimensions = "zeros", 8

    def __init__(self) -> None:
        self.characters = 0

    def embed_passages(self, texts: list[str], record: Callable[[Usage, float], None]) -> Any:
        self.characters += sum(map(len, texts))
        return np.zeros((len(texts), self.dimensions), dtype=np.float32)


def measure(runtime: Runtime, store: CountingStore, files: list[Path]) -> dict[str, dict[str, float]]:
    """Per stage the sums over all files."""
    with runtime.database.unscoped() as connection:
        identity = resolve_identity(connection, LOCAL_ISSUER, LOCAL_SUBJECT)
    assert identity is not None
    base, sums = make_knowledge_base(runtime, identity, "costs"), {stage.name: dict[str, float]() for stage in STAGES}
    for file in files:
        event = upload(runtime, identity, base, file.read_bytes(), file.name)
        for stage in STAGES:
            for work in shards(runtime, event) if stage.mapped else [event]:
                store.calls.clear()
                started, in_database = time.perf_counter(), database_seconds()
                answer = run_stage(runtime, stage.name, work)
                spent = {
                    "seconds": time.perf_counter() - started,
                    "database_seconds": database_seconds() - in_database,
                    **store.calls,
                    "calls": 1,
                }
                for key, value in spent.items():
                    sums[stage.name][key] = sums[stage.name].get(key, 0) + value
                event = answer if stage is STAGES[0] else event
    return sums


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+", type=Path)
    files: list[Path] = parser.parse_args().files
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name,
        EmbeddedPostgres(Path(name) / "pg") as postgres,
    ):
        migrate(postgres.dsn(OWNER))
        provision_local(postgres.dsn(OWNER))
        runtime, embedder = local_runtime(postgres.dsn(APPLICATION), Path(name)), ZeroEmbedder()
        store = CountingStore(runtime.blobs)
        embedders = Embedders(lambda: embedder.version, lambda _: cast(Embedder, embedder))
        counted = dataclasses.replace(runtime, blobs=cast(BlobStore, store), embedders=embedders)
        measured, pages = measure(counted, store, files), sum(map(count_pages, files))
        for stage, sums in measured.items():
            per_page = {key: round(value / pages, 5) for key, value in sums.items() if key != "free"}
            print(stage, json.dumps(per_page), flush=True)
        print(json.dumps({"pages": pages, "documents": len(files), "characters": round(embedder.characters / pages)}))


def count_pages(file: Path) -> int:
    with open_pdf(file) as source:
        return source.page_count


if __name__ == "__main__":
    main()
