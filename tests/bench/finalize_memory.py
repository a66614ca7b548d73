"""Peak memory of `finalize` alone, for one long document.

`python -m tests.bench.finalize_memory FILE.pdf [--pages 5000]` repeats the pages of FILE, registers, parses and
extracts them in this process (without images, which finalize does not read), then runs `finalize` in a process of its
own and prints the largest resident set that this process had, and the memory of its Lambda function.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from functions.local import local_store
from shared.bootstrap import process_runtime
from shared.contract import STAGES, Env
from shared.domain.scope import Identity
from shared.ingestion import extract, finalize, parse, register
from shared.ingestion.uploads import UploadRequest, create_upload, receive_upload
from shared.library.knowledge_bases import NewKnowledgeBase, create_knowledge_base
from shared.runtime import Runtime
from tests.bench.memory import repeat

FINALIZE = next(stage for stage in STAGES if stage.name == "finalize")


def main() -> None:
    if sys.argv[1:2] == ["--finalize"]:
        _finalize_here(json.loads(sys.argv[2]))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--pages", type=int, default=5000)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.file, arguments.pages)), flush=True)


def measure(file: Path, pages: int) -> dict[str, Any]:
    """Pages, chunks, seconds and peak bytes of finalize, and what its function has."""
    with tempfile.TemporaryDirectory(prefix="autri-") as name:
        folder = Path(name)
        made, home = repeat(file, pages, folder), folder / "home"
        with local_store(home) as system:
            event = _extracted(system.runtime, system.identity, made)
            environment = {**os.environ, Env.DATABASE_URL: system.dsn, Env.HOME: str(home)}
            command = [sys.executable, "-m", "tests.bench.finalize_memory", "--finalize", json.dumps(event)]
            done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return {"pages": pages, "memory_mb": FINALIZE.memory_mb, **json.loads(done.stdout.splitlines()[-1])}


def _extracted(runtime: Runtime, identity: Identity, file: Path) -> dict[str, Any]:
    """The event of a document of which every page was parsed and extracted."""
    base = create_knowledge_base(runtime, identity, NewKnowledgeBase(name="long", description="one long document")).id
    data = file.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    request = UploadRequest(filename=file.name, size=len(data), sha256=sha256, knowledge_base_id=base)
    ticket = create_upload(runtime, identity, request)
    receive_upload(runtime, identity, ticket.upload_id, [data])
    key = f"incoming/{identity.organization_id}/{base}/{ticket.upload_id}/source"
    event = register.run(runtime, {"key": key})
    plan = f"work/{identity.organization_id}/{base}/{event['document_id']}/{event['ingestion_id']}/plan.json"
    shards = json.loads(runtime.blobs.get(plan))
    for stage in (parse, extract):
        started = time.monotonic()
        for shard in shards:
            stage.run(runtime, shard)
        print(f"{stage.__name__}: {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    return event


def _finalize_here(event: dict[str, Any]) -> None:
    runtime = process_runtime()
    before, started = _peak_bytes(), time.monotonic()
    with runtime.database:
        done = finalize.run(runtime, event)
    seconds = round(time.monotonic() - started, 1)
    print(json.dumps({**done, "seconds": seconds, "peak_bytes": _peak_bytes(), "bytes_before": before}))


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
