"""The one way in which files of a digest are written: limits, support, versions and history are kept here."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final
from uuid import UUID

from shared.answering.composing import unfound_hit
from shared.answering.validating import check_sentence
from shared.answering.writing import evidence_of
from shared.digest.extracting import is_verbatim
from shared.digest.lines import FileLine, line_of
from shared.domain.digest import FOLDERS, Origin, Tier, limit_of, size_of
from shared.domain.ids import new_id
from shared.errors import BadInput
from shared.store import digest as reads
from shared.store import digest_writes as rows
from shared.store.connect import Connection, Row
from shared.store.digest_sources import chunk_texts
from shared.store.search import load_chunks, row_contexts

INDEX_PATH: Final = "index.md"
SLUG_MAX: Final = 60
_NUMBER: Final = re.compile(r"\d[\d.,]*")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Author:
    """Who changes files: the update itself (`agent`, or `system` for what only moves), or a person with their id."""

    origin: Origin
    name: str
    id: UUID | None = None


@dataclass
class StoredFile:
    """A file's row, and its lines as they stand, what people took out among them."""

    row: Row
    lines: list[FileLine]

    @property
    def id(self) -> UUID:
        return self.row["id"]

    @property
    def title(self) -> FileLine:
        return self.lines[0]

    @property
    def people(self) -> list[FileLine]:
        return [line for line in self.lines if line.origin == "user" and line.kind == "statement"]


@dataclass
class ChangedFiles:
    """What a transaction did: paths of files."""

    added: list[str]
    changed: list[str]
    removed: list[str]


class DigestWriter:
    """The files of one digest within a transaction that holds it; with `only`, that one alone: an edit of one file
    takes no longer in a large digest."""

    def __init__(self, connection: Connection, organization_id: UUID, base: UUID, only: UUID | None = None) -> None:
        self._connection, self._base = connection, base
        self._own = {"organization_id": organization_id, "knowledge_base_id": base}
        self._now = rows.transaction_time(connection)
        lines = defaultdict[UUID, list[FileLine]](list)
        for row in reads.list_lines(connection, base, None if only is None else [only], removed=True):
            lines[row["file_id"]].append(line_of(row))
        found = reads.file_rows(connection, base, only)
        self.files = {row["id"]: StoredFile(row, lines[row["id"]]) for row in found}
        self._of_topics: dict[tuple[UUID | None, str], UUID] = {
            (file.row["topic_id"], file.row["tier"]): file.id for file in self.files.values()
        }
        self.done = ChangedFiles([], [], [])

    def of_topic(self, topic_id: UUID, tier: Tier) -> StoredFile | None:
        """Found at once: an update asks for the files of each topic."""
        found = self._of_topics.get((topic_id, tier))
        return None if found is None else self.files[found]

    def of_tier(self, tier: Tier) -> list[StoredFile]:
        return [file for file in self.files.values() if file.row["tier"] == tier]

    def path_of(self, tier: Tier, title: str, own: Collection[UUID] = ()) -> str:
        """A free one in the folders of topics, or of indexes, for both files of a topic (`own`) alike."""
        folders = [FOLDERS["index"]] if tier == "index" else [FOLDERS["summary"], FOLDERS["description"]]
        taken = {file.row["path"] for key, file in self.files.items() if key not in own}
        slug = _slug(title)
        names = (slug if n == 1 else f"{slug}-{n}" for n in range(1, len(taken) + 2))
        name = next(name for name in names if not any(f"{folder}/{name}.md" in taken for folder in folders))
        return f"{FOLDERS[tier]}/{name}.md"

    def save(
        self,
        file: StoredFile | None,
        tier: Tier,
        lines: Sequence[FileLine],
        author: Author,
        *,
        path: str,
        topic_id: UUID | None = None,
        parent_id: UUID | None = None,
        summary: str | None = None,
        new: UUID | None = None,
    ) -> StoredFile:
        """Writes the file where its lines or its path are others; its title is the first line. Raises BadInput where it
        would pass its limit, or where the agent says what its sources do not bear out. `new` is the id of a new one."""
        before = file.lines if file else []
        lines = _identified(lines, before)
        self._cite_anew(lines, before)
        same = [one.key for one in lines] == [one.key for one in before]
        if file and same and path == file.row["path"]:
            self.place(file, parent_id)
            file.lines = lines
            return file
        kept = {one.row_id for one in lines if one.row_id}
        self._check(tier, [one for one in lines if one.row_id is None])
        version = _next_version(file.row["version"] if file else None, tier, before, lines)
        content = self._content(version, lines)
        if size_of(tier, content) > limit_of(tier):
            raise BadInput(_too_long(tier, content, path))
        written = [
            one if one.row_id else replace(one, row_id=new_id(), statement_id=one.statement_id or new_id())
            for one in lines
        ]
        number = file.row["number"] + 1 if file else 1
        file_id = file.id if file else new or new_id()
        row = self._own | {
            "id": file_id, "tier": tier, "path": path, "title": lines[0].text,
            "topic_id": topic_id, "parent_id": parent_id, "content": content,
            "content_hash": sha256(content.encode()).hexdigest(), "number": number, "version": version,
            "changed_by": author.origin, "updated_at": self._now,
        }  # fmt: skip
        rows.put_file(self._connection, row | {"file_id": file_id}, new=file is None)
        if ended := [one.row_id for one in before if one.row_id and one.row_id not in kept]:
            rows.end_lines(self._connection, self._base, ended, number - 1)
        self._add_lines(row, [one for one in written if one.row_id not in kept])
        ids = [one.row_id for one in written if one.row_id]
        rows.place_lines(self._connection, self._base, ids)
        rows.add_version(
            self._connection,
            self._own | {
                "file_id": file_id, "number": number, "version": version, "changed_by": author.origin,
                "author": author.name, "previous_hash": file and file.row["content_hash"],
                "new_hash": row["content_hash"], "change_summary": summary or _summary(before, written),
                "lines": [one.row_id for one in written if not one.removed],
            },
        )  # fmt: skip
        (self.done.changed if file else self.done.added).append(path)
        self._of_topics[topic_id, tier] = file_id
        self.files[file_id] = StoredFile(row, written)
        return self.files[file_id]

    def remove(self, files: Iterable[StoredFile]) -> None:
        """Files that say nothing more go with their history: it would keep what their sources said."""
        gone = list(files)
        rows.remove_files(self._connection, self._base, [file.id for file in gone])
        for file in gone:
            self.done.removed.append(file.row["path"])
            del self.files[file.id]
            self._of_topics.pop((file.row["topic_id"], file.row["tier"]), None)

    def place(self, file: StoredFile, parent_id: UUID | None) -> None:
        """Which index lists it."""
        if parent_id and parent_id != file.row["parent_id"]:
            rows.move_file(self._connection, self._base, file.id, parent_id)
            file.row["parent_id"] = parent_id

    def _cite_anew(self, lines: Sequence[FileLine], before: Sequence[FileLine]) -> None:
        """Headings and the like that stay, and have their words from another source now: no version of its own."""
        former = {one.row_id: _cited(one) for one in before if one.kind != "statement"}
        moved = [one for one in lines if one.row_id in former and _cited(one) != former[one.row_id]]
        rows.cite_anew(
            self._connection, self._base, [one.row_id for one in moved if one.row_id], self._citations(moved)
        )

    def _content(self, version: str, lines: Sequence[FileLine]) -> str:
        shown = [
            {
                "kind": one.kind, "text": one.text,
                "citations": [{"kind": source.kind, "source_id": source.id} for source in one.sources],
            }
            for one in lines if not one.removed
        ]  # fmt: skip
        return reads.rendered(version, self._now, shown)

    def _add_lines(self, file: Row, lines: Sequence[FileLine]) -> None:
        added = [
            self._own | {
                "id": one.row_id, "file_id": file["id"], "statement_id": one.statement_id, "kind": one.kind,
                "ordinal": 0, "text": one.text, "origin": one.origin, "author": one.author,
                "uncited": one.uncited, "removed": one.removed, "instead_of": one.instead_of,
                "first_version": file["number"],
            }
            for one in lines
        ]  # fmt: skip
        rows.add_lines(self._connection, added, self._citations(lines))

    def _citations(self, lines: Sequence[FileLine]) -> list[Row]:
        return [
            self._own | {
                "line_id": one.row_id, "ordinal": place, "kind": source.kind, "source_id": source.id,
                "document_id": source.document_id, "content_hash": source.content_hash,
            }
            for one in lines
            for place, source in enumerate(one.sources)
        ]  # fmt: skip

    def _check(self, tier: Tier, lines: Sequence[FileLine]) -> None:
        """What the agent states, its sources bear out; what a person states without any is marked so."""
        for one in lines:
            stated = one.kind == "statement" and not one.removed
            if stated and not one.sources and not (one.origin == "user" and one.uncited):
                raise BadInput(f"A statement in the {tier} cites nothing: {one.text[:80]!r}. Cite what it stands on.")
        for one, why in self.unborne(lines):
            raise BadInput(f"A statement in the {tier} is not borne out: {one.text[:80]!r}: {why}.")

    def unborne(self, lines: Iterable[FileLine]) -> list[tuple[FileLine, str]]:
        """What of the agent's statements the passages that they cite do not bear out, each with why. What is read of a
        passage is what is read for an answer: a row under its table's headers, with names and headings."""
        stated = [one for one in lines if one.kind == "statement" and one.origin == "agent" and not one.removed]
        cited = {one: [source.id for source in one.sources if source.kind == "chunk"] for one in stated}
        texts = chunk_texts(self._connection, {key for keys in cited.values() for key in keys})
        found, doubted = dict[FileLine, str](), dict[FileLine, list[UUID]]()
        for one, keys in cited.items():
            if missing := [key for key in keys if key not in texts]:
                found[one] = f"there is no chunk {missing[0]}"
            elif not is_verbatim(one.text, [texts[key]["content"] for key in keys]):
                doubted[one] = keys
        found |= self._unborne_by_words(doubted)
        return [(one, found[one]) for one in cited if one in found]

    def _unborne_by_words(self, cited: Mapping[FileLine, Sequence[UUID]]) -> dict[FileLine, str]:
        """What the chunks do not bear out that each cites, and why; all are read at once."""
        read = [*{key for keys in cited.values() for key in keys}]
        if not cited:
            return {}
        chunks, rows = load_chunks(self._connection, read), row_contexts(self._connection, read)[0]
        found: dict[FileLine, str] = {}
        for one, keys in cited.items():
            hits = [unfound_hit(chunks[key]) for key in dict.fromkeys(keys) if key in chunks]
            evidence = {str(key): borne for key, borne in evidence_of(hits, rows).items()}
            if error := check_sentence({"text": one.text, "evidence": [*evidence]}, evidence):
                found[one] = error.why
        return found


def _identified(lines: Sequence[FileLine], before: Sequence[FileLine]) -> list[FileLine]:
    """Lines that stood there keep their rows; one that says otherwise what the same sources say is the same
    statement."""
    free = defaultdict[object, list[FileLine]](list)
    for one in before:
        free[one.key].append(one)
    found: list[FileLine] = []
    for one in lines:
        former = free[one.key].pop(0) if free[one.key] else None
        ids = (former.statement_id, former.row_id) if former else (one.statement_id, None)
        found.append(replace(one, statement_id=ids[0], row_id=ids[1]))
    left = [one for ones in free.values() for one in ones if one.sources]
    for place, one in enumerate(found):
        if one.row_id or one.statement_id:
            continue
        like = next((o for o in left if o.kind == one.kind and _cited(o) == _cited(one)), None)
        if like:
            left.remove(like)
            found[place] = replace(one, statement_id=like.statement_id)
    return found


def _next_version(former: str | None, tier: Tier, before: Sequence[FileLine], after: Sequence[FileLine]) -> str:
    """Major: a topic (of an index) or a heading was added or removed; minor: a statement; patch: wording alone."""
    if former is None:
        return "1.0.0"
    major, minor, patch = map(int, former.split("."))
    if _topics(tier, before) != _topics(tier, after):
        return f"{major + 1}.0.0"
    if not _reworded(before, after):
        return f"{major}.{minor + 1}.0"
    return f"{major}.{minor}.{patch + 1}"


def _topics(tier: Tier, lines: Sequence[FileLine]) -> set[object]:
    if tier == "index":
        return {one.statement_id for one in lines if one.kind == "entry"}
    return {one.text for one in lines if one.kind == "heading"}


def _reworded(before: Sequence[FileLine], after: Sequence[FileLine]) -> bool:
    """Whether the same statements stand on the same sources, with the same numbers and most of their words."""
    old = {one.statement_id: one for one in before if one.kind == "statement" and not one.removed}
    new = {one.statement_id: one for one in after if one.kind == "statement" and not one.removed}
    return old.keys() == new.keys() and all(_says_the_same(old[key], new[key]) for key in old)


def _says_the_same(old: FileLine, new: FileLine) -> bool:
    if _cited(old) != _cited(new) or sorted(_NUMBER.findall(old.text)) != sorted(_NUMBER.findall(new.text)):
        return False
    words, now = set(_WORD.findall(old.text.casefold())), set(_WORD.findall(new.text.casefold()))
    return len(words & now) * 2 >= len(words | now)


def _cited(line: FileLine) -> frozenset[tuple[str, UUID]]:
    return frozenset(source.key for source in line.sources)


def _summary(before: Sequence[FileLine], after: Sequence[FileLine]) -> str:
    """In numbers: a history's words outlive what they are about."""
    old = {(one.kind, one.statement_id): one for one in before if not one.removed and one.kind != "title"}
    new = {(one.kind, one.statement_id): one for one in after if not one.removed and one.kind != "title"}
    told = [
        _counted(len([key for key in new if key not in old]), "added"),
        _counted(len([key for key in old if key not in new]), "removed"),
        _counted(len([key for key in new if key in old and new[key].key != old[key].key]), "changed"),
    ]
    return ", ".join(filter(None, told)) or "title or order changed"


def _counted(count: int, what: str) -> str:
    return f"{count} {'line' if count == 1 else 'lines'} {what}" if count else ""


def _slug(title: str) -> str:
    return "-".join(_WORD.findall(title.casefold()))[:SLUG_MAX].strip("-_") or "topic"


def _too_long(tier: Tier, content: str, path: str) -> str:
    what = "lines" if tier == "index" else "characters"
    return (
        f"{path} would have {size_of(tier, content):,} {what}; at most {limit_of(tier):,} are allowed."
        " Shorten or take out a statement, or put it into the topic's description."
    )
