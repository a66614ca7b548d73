"""What a digest costs: `python -m tests.bench.digest WORKSPACE [SET…]`.

Writes docs/benchmarks/digest.md. Per set of real files: building from nothing, RUNS times, as seconds of a clock and of
this process's processor (the database's own processor is in the clock's alone); then RUNS times a note that is added,
revised and deleted, each followed by an update: seconds, and files touched of those there are; a person's statement in
the longest file; and the time in which a reader who lists the files after a change sees what is stale. Then as often a
new version of one of the documents, the one of middle size, with a sentence more where it is a text: the same three,
and statements that are stale until the update. A page of what has none is 3,000 characters. No model.
"""

import hashlib
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from shared.digest.editing import edit_file
from shared.digest.service import digest_status, list_digest_files
from shared.digest.updates import update_digest
from shared.domain.digest import DigestUpdate, StatementEdit, UpdateWish
from shared.domain.notes import NewNote
from shared.ingestion.posting.notes import post_note
from shared.library.documents import delete_document
from tests.bench.__main__ import TARGET, table
from tests.bench.retrieval_data import CORPORA, Workspace, open_workspace
from tests.pipeline import run_all, scope_of, upload

RUNS: Final = 5
PAGE_CHARACTERS: Final = 3_000
SETS: Final[dict[str, Callable[[], list[Path]]]] = {
    "asvs": lambda: sorted((CORPORA / "regs-owasp-asvs").glob("*-en.pdf")),
    "ntsb": lambda: sorted((CORPORA / "pdf-ntsb-nih-docugami").rglob("*.pdf")),
    "rust book": lambda: sorted((CORPORA / "markdown-rust-book" / "current").rglob("*.md")),
    "web pages": lambda: sorted((CORPORA / "html-readability").rglob("source.html")),
}
NOTE: Final = """# Coffee machine of the workshop

The coffee machine of the workshop is descaled on every first Monday of the month by whoever came in first.

Its water filter lasts for {months} months, after which a lamp begins to blink below the display.
"""


def main(home: Path, only: Sequence[str] = ()) -> None:
    parts = [
        "# What a digest costs",
        "`python -m tests.bench.digest WORKSPACE` wrote this page; nothing here is typed by hand. What each figure is"
        f" stands in that module. Medians of {RUNS} runs on two cores that other work shared.",
    ]
    with open_workspace(home) as workspace:
        for name in only or SETS:
            parts += _measure(workspace, name, SETS[name]())
    page = "\n\n".join(parts) + "\n"
    TARGET.mkdir(parents=True, exist_ok=True)
    (TARGET / "digest.md").write_text(page)
    print(page)


def _measure(workspace: Workspace, name: str, files: list[Path]) -> Iterator[str]:
    base = workspace.ingest(f"digest {name}", files)
    with workspace.runtime.database.transaction(scope_of(workspace.identity, base)) as connection:
        found = connection.execute(
            "select (select sum(page_count) from documents) as pages, (select count(*) from documents) as documents,"
            " sum(char_length(content)) as characters, count(*) as chunks from chunks where chunk_type <> 'table'"
        ).fetchone()
    assert found is not None
    pages = max(int(found["pages"] or 0), int(found["characters"]) // PAGE_CHARACTERS)
    clock, processor = zip(*(_build(workspace, base) for _ in range(RUNS)), strict=True)
    status = digest_status(workspace.runtime, workspace.identity, base)
    entries = list_digest_files(workspace.runtime, workspace.identity, base)
    yield f"## {name}"
    yield (
        f"{found['documents']} documents, {pages} pages, {found['chunks']:,} chunks: {status.topics} topics in"
        f" {status.files} files, {status.statements:,} statements; the fullest index has"
        f" {max(one.size for one in entries if one.tier == 'index')} lines, summary"
        f" {max(one.size for one in entries if one.tier == 'summary'):,}, description"
        f" {max(one.size for one in entries if one.tier == 'description'):,} characters."
    )
    lines: list[list[Any]] = [
        ["built from nothing", f"{_middle(clock):.2f}", f"{_middle(processor):.2f}", "all"],
        [
            "per 1,000 pages",
            f"{1000 * _middle(clock) / pages:.1f}",
            f"{1000 * _middle(processor) / pages:.1f}",
            "",
        ],
    ]
    replaced = sorted(files, key=lambda file: file.stat().st_size)[len(files) // 2]
    first = _document(workspace, base, replaced.read_bytes())
    runs = [_follow(workspace, base, run) | _replace(workspace, base, replaced, first, run) for run in range(RUNS)]
    for step in ("nothing changed", "note added", "note revised", "statement edited", "note deleted", "new version"):
        told = [run[step] for run in runs]
        touched = statistics.median(one[2] for one in told)
        said = (f"{_middle([one[0] for one in told]):.3f}", f"{_middle([one[1] for one in told]):.3f}")
        lines.append([step, *said, f"{touched:g} of {status.files}"])
    yield table(["update", "seconds", "processor", "files touched"], lines)
    seen = _middle([run["seen"][0] for run in runs])
    yield f"Stale as soon as the deletion is there: the first listing behind it says so, in {1000 * seen:.0f} ms."
    stale, listed = statistics.median(run["outdated"][2] for run in runs), _middle([run["outdated"][0] for run in runs])
    yield (
        f"The new version is of `{replaced.name}`, {replaced.stat().st_size:,} bytes: {stale:g} statements are stale"
        f" as soon as it is there, by a listing of {1000 * listed:.0f} ms, and none behind the update."
    )


def _build(workspace: Workspace, base: UUID) -> tuple[float, float]:
    with workspace.runtime.database.transaction(scope_of(workspace.identity, base)) as connection:
        connection.execute("delete from digests")
    clock, processor = time.perf_counter(), time.process_time()
    while _update(workspace, base).more:
        pass
    return time.perf_counter() - clock, time.process_time() - processor


def _follow(workspace: Workspace, base: UUID, run: int) -> dict[str, tuple[float, float, int]]:
    """What an update takes behind each step: seconds, processor, files touched."""
    who = (workspace.runtime, workspace.identity)
    told = {"nothing changed": _timed(workspace, base)}
    note = post_note(*who, base, NewNote(text=NOTE.format(months=run + 2)))
    told["note added"] = _timed(workspace, base)
    revised = post_note(*who, base, NewNote(text=NOTE.format(months=run + 20), version_of=note.id))
    told["note revised"] = _timed(workspace, base)
    told["statement edited"] = _edit(workspace, base, run)
    for one in (note.id, revised.id):
        delete_document(*who, one)
    started = time.perf_counter()
    stale = sum(one.stale for one in list_digest_files(*who, base))
    assert stale > 0
    told["seen"] = (time.perf_counter() - started, 0.0, stale)
    told["note deleted"] = _timed(workspace, base)
    return told


def _edit(workspace: Workspace, base: UUID, run: int) -> tuple[float, float, int]:
    """A person's statement in the longest description."""
    listed = list_digest_files(workspace.runtime, workspace.identity, base, "description")
    file = max(listed, key=lambda one: one.statements)
    clock, processor = time.perf_counter(), time.process_time()
    wish = StatementEdit(text=f"Somebody wrote this for the run number {run}.", uncited=True)
    edit_file(workspace.runtime, workspace.identity, base, file.id, wish)
    return time.perf_counter() - clock, time.process_time() - processor, 1


def _document(workspace: Workspace, base: UUID, data: bytes) -> UUID:
    with workspace.runtime.database.transaction(scope_of(workspace.identity, base)) as connection:
        row = connection.execute(
            "select id from documents where source_hash = %s", (hashlib.sha256(data).hexdigest(),)
        ).fetchone()
    assert row is not None
    return row["id"]


def _replace(
    workspace: Workspace, base: UUID, file: Path, first: UUID, run: int
) -> dict[str, tuple[float, float, int]]:
    who, data = (workspace.runtime, workspace.identity), file.read_bytes()
    text = b"" if file.suffix == ".pdf" else f"\n\nThis is the text as it was read for the run number {run}.\n".encode()
    # Behind a PDF's end nothing is read: another file that says the same.
    sent = data + (text or f"\n% run {run}\n".encode())
    run_all(workspace.runtime, upload(*who, base, sent, file.name, version_of=first, label=f"run {run}"))
    started = time.perf_counter()
    stale = sum(one.stale for one in list_digest_files(*who, base))
    told = {"outdated": (time.perf_counter() - started, 0.0, stale), "new version": _timed(workspace, base)}
    assert sum(one.stale for one in list_digest_files(*who, base)) == 0
    return told


def _timed(workspace: Workspace, base: UUID) -> tuple[float, float, int]:
    clock, processor = time.perf_counter(), time.process_time()
    done = _update(workspace, base)
    touched = len(done.added) + len(done.changed) + len(done.removed)
    return time.perf_counter() - clock, time.process_time() - processor, touched


def _update(workspace: Workspace, base: UUID) -> DigestUpdate:
    return update_digest(workspace.runtime, workspace.identity, base, UpdateWish())


def _middle(values: Sequence[float]) -> float:
    return statistics.median(values)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
