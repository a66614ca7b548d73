"""Questions over mails, sheets, web pages, Office files, notebooks, Markdown, records and notes.

`python -m tests.bench.other_questions WORKSPACE FILES [shown|counted [NAME.toml]]`: what `search` finds and
what `ask` quotes, without a model. FILES has a folder of files for each collection of the questions, which say where
they come from; they are ingested where they are missing. Half of the questions, drawn by SEED, or the collections that
say `looked_at`, is printed one by one; the other is only counted, so that nobody mends what it asks. Where a collection
has its questions by kind, kinds are counted, too.
"""

import json
import random
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from shared.answering.service import ask
from shared.domain.knowledge import Answer, Hit
from shared.domain.notes import NewNote
from shared.domain.records import KindSchema, NewRecord
from shared.ingestion.posting.notes import post_note
from shared.ingestion.posting.records import post_records, put_kind
from shared.retrieval.requests import AskRequest, SearchRequest
from shared.retrieval.service import search
from tests.bench.retrieval_data import Workspace, open_workspace

QUESTIONS: Final = Path(__file__).with_suffix(".toml")
SEED: Final = 176
# Kind, file, the field that tells its entries apart, and how many are taken.
RECORDS: Final = (
    ("monarch", "monarchs.json", "name", 20),
    ("antibiotic", "burtin.json", "Bacteria", 20),
    ("car", "cars.json", "Name", 80),
)
NOTES_MAX: Final = 25
_RELEASE: Final = re.compile(r"^(?=Notmuch \d[^\n]*\n=+\n)", re.M)


def main(home: Path, files: Path, wanted: str = "shown", name: str = QUESTIONS.name) -> None:
    written = tomllib.loads(QUESTIONS.with_name(name).read_text(encoding="utf-8"))
    collections: list[dict[str, Any]] = written["collection"]
    whole: Counter[str] = Counter()
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    with open_workspace(home) as workspace:
        for collection in collections:
            asked = half(collection, wanted)
            kinds = kinds_of(collection)
            if not asked:
                continue
            base = fill(workspace, collection["name"], files / collection["name"])
            found = Counter[str]()
            for question in asked:
                outcome = [*put(workspace, base, question, shown=wanted == "shown")]
                found.update(outcome)
                by_kind[kinds.get(question[0], "")].update(outcome)
            print(f"{wanted}, {collection['name']}: {_told(found)}", flush=True)
            whole.update(found)
    for kind in filter(None, by_kind):
        print(f"{wanted}, {kind}: {_told(by_kind[kind])}")
    print(f"{wanted}, all: {_told(whole)}")


def kinds_of(collection: Mapping[str, Any]) -> dict[str, str]:
    """The kind of each question's text, where the questions stand by kind."""
    questions: Any = collection["questions"]
    if not isinstance(questions, dict):
        return {}
    return {question[0]: kind for kind, some in questions.items() for question in some}


def half(collection: Mapping[str, Any], wanted: str) -> list[Sequence[Any]]:
    """Of those with an answer and of those without one, half each; where the collection says in which half it is, all
    or none."""
    written: Any = collection["questions"]
    questions: list[Sequence[Any]] = [*chain(*written.values())] if isinstance(written, dict) else written
    if (looked_at := collection.get("looked_at")) is not None:
        return questions if looked_at == (wanted == "shown") else []
    parts = [[q for q in questions if bool(q[1]) is answered] for answered in (True, False)]
    drawn = [q for part in parts for q in random.Random(SEED).sample(part, (len(part) + 1) // 2)]
    return [q for q in questions if (q in drawn) == (wanted == "shown")]


def fill(workspace: Workspace, name: str, folder: Path) -> UUID:
    if name != "records":
        return workspace.ingest(name, sorted(folder.iterdir()))
    base, present = workspace.knowledge_base(name)
    if not present:
        for kind, file, field, most in RECORDS:
            entries = json.loads((folder / file).read_text(encoding="utf-8"))[:most]
            fields: dict[str, Any] = {key: {} for one in entries for key in one}
            schema = KindSchema(schema={"type": "object", "properties": fields}, title_field=field)
            put_kind(workspace.runtime, workspace.identity, base, kind, schema)
            records = [NewRecord(kind=kind, key=f"{i} {one[field]}", values=one) for i, one in enumerate(entries)]
            post_records(workspace.runtime, workspace.identity, base, records)
        for text in _RELEASE.split((folder / "NEWS").read_text(encoding="utf-8"))[1 : NOTES_MAX + 1]:
            title, _, body = text.partition("\n")
            post_note(workspace.runtime, workspace.identity, base, NewNote(title=title, text=body.lstrip("=\n")))
    return base


def put(workspace: Workspace, base: UUID, question: Sequence[Any], *, shown: bool) -> Iterator[str]:
    """How the question ends, in one word, and for one that something answers where the passage is found."""
    text, file, *words = question
    answer = ask(workspace.runtime, workspace.identity, AskRequest(question=text, knowledge_base_ids=[base]))
    ended = judge(answer, file, words)
    yield ended
    place = 0
    if file:
        wanted = SearchRequest(query=text, knowledge_base_ids=[base], k=10)
        hits = search(workspace.runtime, workspace.identity, wanted).hits
        place = next((i for i, hit in enumerate(hits, 1) if _has(hit, hit.chunk.content, file, things_of(words)[0])), 0)
        yield from (f"hit@{k}" for k in (1, 5) if 0 < place <= k)
    if shown:
        lack = answer.insufficiency
        told = f"{lack.reason} {lack.missing}" if lack else _quoted(answer)
        print(f"{ended} @{place} {answer.confidence:.2f} | {text} | {told}", flush=True)


def judge(answer: Answer, file: str, wanted: Sequence[str | list[str]]) -> str:
    """Where two things are asked for, each has its list of words: both are first where the first two quotations have
    them."""
    if not file or answer.insufficient_evidence:
        return ("wrongly " if file else "rightly " if answer.insufficient_evidence else "not ") + "refused"
    hits = {hit.chunk.id: hit for hit in answer.citations}
    things = things_of(wanted)
    right = [[_has(hits[s.citations[0]], s.text, file, words) for s in answer.sentences] for words in things]
    # A release's title is quoted with what that release changed.
    first = len(things) + (hits[answer.sentences[0].citations[0]].chunk.chunk_type == "heading")
    if all(any(one[:first]) for one in right):
        return "first"
    return "further" if all(any(one[: 2 + len(things)]) for one in right) else "missed"


def things_of(wanted: Sequence[str | list[str]]) -> list[Sequence[str]]:
    """The words of each thing that is asked for."""
    lists = [one for one in wanted if isinstance(one, list)]
    return [*lists] if lists else [[one for one in wanted if isinstance(one, str)]]


def _has(hit: Hit, text: str, file: str, words: Sequence[str]) -> bool:
    """Whether it has all the words, of `a||b` either, and is of the file; records and notes are told by their words."""
    there = _plain(text)
    all_there = all(any(_plain(one) in there for one in word.split("||")) for word in words)
    return (hit.document.name == file or "." not in file) and all_there


def _plain(text: str) -> str:
    """Without what separates thousands and marks code."""
    return " ".join(re.sub(r"(?<=\d),(?=\d\d\d)|[`*]", "", text).lower().split())


def _quoted(answer: Answer) -> str:
    names = {hit.chunk.id: hit.document.name for hit in answer.citations}
    return " ‖ ".join(f"{names[s.citations[0]]}: {' '.join(s.text.split())[:150]}" for s in answer.sentences[:3])


def _told(found: Counter[str]) -> str:
    able = sum(found[one] for one in ("first", "further", "missed", "wrongly refused"))
    none = found["rightly refused"] + found["not refused"]
    return (
        f"first {found['first']}, any {found['first'] + found['further']} of {able}, refused wrongly "
        f"{found['wrongly refused']}, rightly {found['rightly refused']} of {none}; "
        f"hit@1 {found['hit@1']}, hit@5 {found['hit@5']}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
