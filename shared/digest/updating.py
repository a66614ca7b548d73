"""An update of a digest: what has changed of its sources is read, its topics are composed anew, and files whose lines
are others by that are written. One transaction, which holds the digest."""

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mode
from typing import Final
from uuid import UUID, uuid5

import numpy as np

from shared import telemetry
from shared.digest.composing import Composed, compose_description, compose_summary, in_place
from shared.digest.extracting import title_of
from shared.digest.indexing import SYSTEM, Listed, write_index
from shared.digest.lines import EXTRACTED, CitedSource, FileLine, total_size
from shared.digest.material import METHOD, Material
from shared.digest.naming import own_name
from shared.digest.reported import reported_units
from shared.digest.saving import Author, ChangedFiles, DigestWriter
from shared.digest.topics import Topic, assign, divide, likeness_least, nearest
from shared.digest.units import DigestUnit
from shared.domain.digest import CHARACTERS, CITATIONS_MAX, DigestUpdate, Tier
from shared.domain.ids import new_id
from shared.store import digest as reads
from shared.store import digest_writes as rows
from shared.store.connect import Connection, Row
from shared.store.digest_sources import current_documents, embedder_of, fingerprint, logical_documents
from shared.store.documents import hold_documents
from shared.store.events import latest_events

# Units that one transaction reads: others wait for the digest that long.
UNITS_AT_ONCE: Final = 400
# Topics that go together take at most this share of a file's limit, so that they are not divided again soon.
TOGETHER: Final = 0.6
ABOUT: Final = 150
# What a topic is called of which all documents are gone, and not what people wrote about it.
OF_PEOPLE: Final = "What people wrote"
AGENT: Final = Author("agent", "Autri")
TIERS: Final[tuple[Tier, Tier]] = ("summary", "description")


@dataclass
class _Files:
    """A topic's files as they are to be. `kept`: what people wrote, by tier, and what a model wrote of its summary."""

    topic: Topic
    kept: dict[Tier, list[FileLine]] = field(default_factory=dict[Tier, list[FileLine]])
    title: FileLine = field(default_factory=lambda: FileLine("title", "Untitled"))
    composed: dict[Tier, Composed] = field(default_factory=dict[Tier, Composed])


def update_files(
    connection: Connection, organization_id: UUID, base: UUID, *, units: int = UNITS_AT_ONCE
) -> DigestUpdate:
    """Brings the files in line with at most so many new or changed units."""
    with telemetry.work("digest.update", knowledge_base_id=base) as span:
        done = _update_files(connection, organization_id, base, units)
        files = len(done.added) + len(done.changed) + len(done.removed)
        span.note(units=done.units, topics=done.topics, files=files, more=done.more)
        return done


def _update_files(connection: Connection, organization_id: UUID, base: UUID, most: int) -> DigestUpdate:
    started = time.monotonic()
    state = rows.lock_digest(connection, organization_id, base)
    method = method_of(embedder_of(connection, base))
    mark, stale = mark_of(method, fingerprint(connection, base)), rows.stale_topics(connection, base)
    update, read, done = None, 0, ChangedFiles([], [], [])
    if state["sources_hash"] != mark or stale:
        update = _Update(connection, organization_id, base, state, stale)
        read, done = update.run(most), update.writer.done
    changed = bool(done.added or done.changed or done.removed)
    more = update is not None and update.more
    rows.note_state(connection, base, method, "" if more else mark, changed=changed)
    files = reads.file_rows(connection, base)
    return DigestUpdate(
        revision=state["revision"] + changed,
        topics=len({file["topic_id"] for file in files} - {None}),
        files=len(files),
        added=sorted(done.added),
        changed=sorted(set(done.changed) - set(done.added)),
        removed=sorted(done.removed),
        units=read,
        seconds=round(time.monotonic() - started, 3),
        more=more,
    )


def mark_of(method: str, known: str) -> str:
    """By which an update knows that nothing has changed since."""
    return hashlib.sha256(f"{method} {known}".encode()).hexdigest()


def is_due(connection: Connection, base: UUID) -> bool:
    """Whether an update would find anything to do; never of a knowledge base that says nothing."""
    state = reads.get_state(connection, base)
    if state is None:
        return bool(current_documents(connection, base) or latest_events(connection, base, 1))
    mark = mark_of(method_of(embedder_of(connection, base)), fingerprint(connection, base))
    return state["sources_hash"] != mark or bool(rows.stale_topics(connection, base))


def method_of(embedder: str) -> str:
    return f"{METHOD} {embedder}"


class _Update:
    def __init__(self, connection: Connection, organization_id: UUID, base: UUID, state: Row, stale: set[UUID]) -> None:
        self._connection, self._base, self._state, self._stale = connection, base, state, stale
        self._own = {"organization_id": organization_id, "knowledge_base_id": base}
        self._embedder = embedder_of(connection, base)
        self.more = False
        self.writer = DigestWriter(connection, organization_id, base)
        self._hidden = rows.replaced_hashes(connection, base)

    def run(self, most: int) -> int:
        """Returns how many units were new or changed, and are read now."""
        connection = self._connection
        self._material = material = Material.load(connection, self._base, self._embedder)
        stored = {row["id"]: row for row in rows.list_units(connection, self._base)}
        if stored:
            material.dimensions = len(next(iter(stored.values()))["centroid"].to_numpy())
        held = hold_documents(connection, material.documents.keys())
        material.forget(material.documents.keys() - {*held})
        material.add_reported(reported_units(connection, self._base, material.dimensions))
        anew = self._state["method"] != method_of(self._embedder)
        due = [u for u in material.units.values() if anew or _differs(u, stored.get(u.id))]
        self.more = len(due) > most
        read, waiting = due[:most], {unit.id for unit in due[most:] if unit.id not in stored}
        material.read_vectors(connection, read)
        for unit in read:
            if unit.document_id is None:
                unit.centroid = np.zeros(material.dimensions, np.float32)
        self._sizes = Counter(unit.document_id for unit in material.units.values())
        dirty = self._place(stored, read, waiting)
        self._compose(dirty)
        self._merge(dirty)
        self._write(dirty, stored, {unit.id for unit in due[most:]})
        return len(read)

    def _place(self, stored: dict[UUID, Row], read: Sequence[DigestUnit], waiting: set[UUID]) -> set[UUID]:
        """Makes the topics of what is stored and what is new; returns those that are to be composed anew."""
        material, topics = self._material, dict[UUID, Topic]()
        reading = {unit.id for unit in read}
        dirty = {row["topic_id"] for key, row in stored.items() if key not in material.units} | self._stale
        for unit in material.units.values():
            if (row := stored.get(unit.id)) is None:
                continue
            topic = topics.setdefault(row["topic_id"], Topic(row["topic_id"]))
            topic.units.append(unit)
            if unit.id in reading:
                dirty.add(topic.id)
            else:
                unit.centroid = row["centroid"].to_numpy().astype(np.float32)
        for key, row in stored.items():
            if key not in material.units and row["document_id"] is not None:
                gone = topics.setdefault(row["topic_id"], Topic(row["topic_id"]))
                gone.former.append(row["centroid"].to_numpy().astype(np.float32))
        # What stood in topics whose units are all gone.
        for file in self.writer.files.values():
            if (key := file.row["topic_id"]) and key not in topics:
                topics[key] = Topic(key)
                dirty.add(key)
        known = list(topics.values())
        new = [unit for unit in read if unit.id not in stored]
        seen = [unit for unit in material.units.values() if unit.id not in waiting and unit.document_id]
        self._least = likeness_least([u for u in seen if u.centroid.size == material.dimensions], material.dimensions)
        former = self._former(stored, {unit.document_id for unit in new if unit.document_id})
        dirty |= assign([u for u in new if u.document_id], known, self._least, material.dimensions, former)
        for unit in new:
            if unit.document_id is None:
                dirty.add(self._place_reported(unit, known))
        self._topics = {topic.id: topic for topic in known}
        self._left = self._gone_to(stored)
        self._order = {key: place for place, key in enumerate(material.units)}
        return dirty

    def _former(self, stored: dict[UUID, Row], new: set[UUID]) -> dict[UUID, UUID]:
        """The topic that most units of a new document's former version stood in."""
        there = defaultdict[UUID, list[UUID]](list)
        for row in stored.values():
            if row["document_id"] is not None and row["document_id"] not in new:
                there[row["document_id"]].append(row["topic_id"])
        logical = logical_documents(self._connection, [*there, *new])
        topics = defaultdict[UUID, list[UUID]](list)
        for document, own in there.items():
            if document in logical:
                topics[logical[document]] += own
        return {one: mode(topics[logical[one]]) for one in new if topics.get(logical.get(one, one))}

    def _gone_to(self, stored: dict[UUID, Row]) -> dict[UUID, dict[UUID, UUID]]:
        """Of each topic the documents that have just left it, and the topic where most of the version stands that is
        current instead: one that was read long before it was linked stands elsewhere."""
        left = defaultdict[UUID, set[UUID]](set)
        for key, row in stored.items():
            if key not in self._material.units and row["document_id"] is not None:
                left[row["topic_id"]].add(row["document_id"])
        places = [(u.document_id, topic.id) for topic in self._topics.values() for u in topic.units if u.document_id]
        gone = set[UUID]().union(*left.values())
        logical = logical_documents(self._connection, gone | {one for one, _ in places}) if gone else {}
        there = defaultdict[UUID, list[UUID]](list)
        for document, topic in places:
            there[logical.get(document, document)].append(topic)
        to = {one: mode(there[logical[one]]) for one in gone if there.get(logical.get(one, one))}
        return {topic: {one: to[one] for one in some if one in to} for topic, some in left.items()}

    def _follow(self, dirty: set[UUID]) -> dict[UUID, dict[Tier, list[FileLine]]]:
        """What is kept of each topic's files: what people wrote of a version goes where the next one stands, and with
        the last unit all that they wrote."""
        kept = {key: {tier: self._kept(key, tier) for tier in TIERS} for key in dirty}
        for key in sorted(dirty & self._left.keys(), key=str):
            left = self._left[key]
            for tier in TIERS:
                for line in [one for one in kept[key][tier] if one.origin == "user"]:
                    documents = {one.document_id for one in line.sources}
                    places = {left.get(one) for one in documents if one} if documents else set[UUID | None]()
                    if not self._topics[key].units:
                        places = places - {None} or {*left.values()}
                    goal = places.pop() if len(places) == 1 else None
                    if goal is None or goal == key:
                        continue
                    if goal not in kept:
                        dirty.add(goal)
                        kept[goal] = {one: self._kept(goal, one) for one in TIERS}
                    kept[key][tier].remove(line)
                    kept[goal][tier].append(line)
        return kept

    def _place_reported(self, unit: DigestUnit, known: list[Topic]) -> UUID:
        same = [one for one in known if any(u.document_id is None and u.titles[0] == unit.titles[0] for u in one.units)]
        topic = min(same, key=lambda one: len(one.units), default=None)
        if topic is None:
            key = uuid5(self._base, unit.titles[0])
            topic = next((one for one in known if one.id == key), None) or Topic(key)
            known.append(topic)
        topic.units.append(unit)
        return topic.id

    def _compose(self, dirty: set[UUID]) -> None:
        self._files = dict[UUID, _Files]()
        kept = self._follow(dirty)
        for key in sorted(dirty, key=str):
            topic = self._topics[key]
            self._material.read_texts(self._connection, topic.units)
            self._settle(_Files(topic, kept[key]), dirty)

    def _settle(self, files: _Files, dirty: set[UUID]) -> None:
        """Composes the topic's files, and divides it as long as they would pass their limits."""
        topic = files.topic
        topic.units.sort(key=lambda unit: self._order[unit.id])
        self._fill(files)
        self._files[topic.id] = files
        if len(topic.units) < 2 or all(one.whole for one in files.composed.values()):
            return
        stays, leaves = divide(topic.units)
        other = _Files(Topic(new_id(), leaves))
        topic.units = stays
        goes = {key for unit in leaves for key in unit.chunk_ids} | {unit.document_id for unit in leaves}
        stands = {key for unit in stays for key in unit.chunk_ids} | {unit.document_id for unit in stays}
        for tier in TIERS:
            lines = files.kept[tier]
            moved = [one for one in lines if _stands_on(one, goes) and not _stands_on(one, stands)]
            other.kept[tier] = [one for one in moved if one.origin == "user"]
            files.kept[tier] = [one for one in lines if one not in moved and one.origin == "user"]
        self._topics[other.topic.id] = other.topic
        dirty.add(other.topic.id)
        self._settle(files, dirty)
        self._settle(other, dirty)

    def _fill(self, files: _Files, share: float = 1.0) -> None:
        units = [self._material.texts[unit.id] for unit in files.topic.units]
        files.title = self._title(files)
        room = {tier: int(CHARACTERS[tier] * share) for tier in TIERS}
        kept = files.kept
        if total_size([files.title, *kept["summary"]]) > room["summary"]:
            kept["summary"] = [one for one in kept["summary"] if one.origin == "user"]
        files.composed = {
            "summary": compose_summary(files.title, units, kept["summary"], self._hidden, room["summary"]),
            "description": compose_description(
                files.title, units, kept["description"], self._hidden, room["description"]
            ),
        }

    def _merge(self, dirty: set[UUID]) -> None:
        """Topics that have become small go to the one that they resemble most, where both fit easily."""
        for key in sorted(dirty, key=str):
            topic = self._topics[key]
            if topic.special or not topic.units or not self._is_small(self._files[key]):
                continue
            other = nearest(topic, self._topics.values(), self._least, self._material.dimensions)
            if other is None:
                continue
            self._material.read_texts(self._connection, other.units)
            former = self._files.get(other.id) or _Files(other, {tier: self._kept(other.id, tier) for tier in TIERS})
            units = sorted([*other.units, *topic.units], key=lambda unit: self._order[unit.id])
            people = {
                tier: [*former.kept[tier], *(one for one in self._files[key].kept[tier] if one.origin == "user")]
                for tier in TIERS
            }
            joined = _Files(Topic(other.id, units), people)
            self._fill(joined, TOGETHER)
            if not all(one.whole for one in joined.composed.values()):
                continue
            other.units = units
            joined.topic = other
            self._fill(joined)
            self._files[other.id] = joined
            dirty.add(other.id)
            topic.units = []
            self._files[key] = _Files(topic, {tier: [] for tier in TIERS})

    def _is_small(self, files: _Files) -> bool:
        told = [line for line in files.composed["description"].lines if line.kind == "statement"]
        return len(files.topic.units) <= 2 and total_size(told) < CHARACTERS["description"] / 5

    def _kept(self, topic_id: UUID, tier: Tier) -> list[FileLine]:
        """What people wrote; and of a summary what a model wrote, while all of it stands."""
        file = self.writer.of_topic(topic_id, tier)
        if file is None:
            return []
        written = [one for one in file.lines if one.origin == "agent" and one.kind == "statement"]
        stands = (
            self._state["writes"] and topic_id not in self._stale and all(one.author != EXTRACTED for one in written)
        )
        return [*(written if stands and tier == "summary" else []), *file.people]

    def _title(self, files: _Files) -> FileLine:
        """What a person called it; else as before, while one of its headings says so; else after its sections."""
        file = self.writer.of_topic(files.topic.id, "summary")
        if file and file.title.origin == "user":
            return file.title
        if file and self._state["writes"] and file.title.is_models and files.topic.id not in self._stale:
            return file.title
        units = files.topic.units
        if not units:
            return FileLine("title", OF_PEOPLE, (), "system", SYSTEM.name)
        titles = [title_of(title) for unit in units for title in unit.titles]
        text = file.title.text if file and file.title.text in titles else self._new_name(files.topic)
        named = [unit.document_id for unit in units if text in map(title_of, unit.titles)]
        documents = dict.fromkeys(one for one in named if one is not None)
        return FileLine("title", text, tuple(CitedSource("document", one, one) for one in [*documents][:CITATIONS_MAX]))

    def _new_name(self, topic: Topic) -> str:
        taken = {file.title.text for file in self.writer.of_tier("summary") if file.row["topic_id"] != topic.id}
        taken |= {one.title.text for key, one in self._files.items() if key != topic.id and one.topic.units}
        return own_name(topic, self._sizes, self._material.dimensions, taken)

    def _write(self, dirty: set[UUID], stored: dict[UUID, Row], unread: set[UUID]) -> None:
        base, written = self._base, list[UUID]()
        gone = [key for key in stored if key not in self._material.units]
        rows.remove_units(self._connection, base, gone)
        self._remove_empty(dirty)
        put = list[Row]()
        for key in sorted(dirty, key=str):
            topic, files = self._topics[key], self._files[key]
            own = [file for tier in TIERS if (file := self.writer.of_topic(key, tier))]
            put += [
                self._own | {
                    "topic_id": key, "document_id": unit.document_id, "id": unit.id,
                    # What was not read yet is read by the next update.
                    "content_hash": stored[unit.id]["content_hash"] if unit.id in unread else unit.content_hash,
                    "centroid": _half(unit),
                }
                for unit in topic.units
            ]  # fmt: skip
            written += self._write_topic(files, [file.id for file in own])
        rows.put_units(self._connection, put)
        rows.confirm_lines(self._connection, base, written)
        listed = {key: one for key, topic in self._topics.items() if (one := self._listed(topic)) is not None}
        write_index(self.writer, listed, self._material.dimensions)

    def _remove_empty(self, dirty: set[UUID]) -> None:
        """Topics of which nothing is left, and nothing that people wrote."""
        for key in sorted(dirty, key=str):
            kept = (line for lines in self._files[key].kept.values() for line in lines)
            if not self._topics[key].units and all(line.removed for line in kept):
                self.writer.remove([file for tier in TIERS if (file := self.writer.of_topic(key, tier))])
                del self._topics[key]
                dirty.discard(key)

    def _write_topic(self, files: _Files, own: Sequence[UUID]) -> list[UUID]:
        ids = list[UUID]()
        first = self.writer.of_topic(files.topic.id, "summary")
        same = first and first.title.text == files.title.text
        free = self.writer.path_of("summary", files.title.text, own)
        for tier in TIERS:
            file = self.writer.of_topic(files.topic.id, tier)
            path = file.row["path"] if file and same else free.replace("summaries/", f"{_folder(tier)}/", 1)
            lines = [files.title, *in_place(files.composed[tier].lines, file.lines if file else [])]
            author = AGENT if file is None or _says_more(file.lines, lines) else SYSTEM
            saved = self.writer.save(
                file,
                tier,
                lines,
                author,
                path=path,
                topic_id=files.topic.id,
                parent_id=file.row["parent_id"] if file else None,
            )
            ids.append(saved.id)
        return ids

    def _listed(self, topic: Topic) -> Listed | None:
        """As its index lists it: by its headings, of as many documents as a line cites."""
        file = self.writer.of_topic(topic.id, "summary")
        if file is None:
            return None
        documents = dict.fromkeys(source.id for source in file.title.sources)
        heads = dict[str, None]()
        told = [one for one in file.lines if one.kind == "statement" and one.text]
        first = next((one.text for one in sorted(told, key=lambda one: one.origin)), OF_PEOPLE)
        for unit in topic.units:
            cites = documents | ({unit.document_id: None} if unit.document_id else {})
            if len(cites) <= CITATIONS_MAX and len("; ".join(heads)) < ABOUT:
                documents, heads[title_of(unit.title)] = cites, None
        about = _cut("; ".join(heads) if len(heads) > 1 else first).replace("|", "/")
        centroid = topic.centroid(self._material.dimensions)
        return Listed(file.row["title"], about, file.row["path"], tuple(documents), centroid)


def _differs(unit: DigestUnit, row: Row | None) -> bool:
    return row is None or row["content_hash"] != unit.content_hash


def _stands_on(line: FileLine, ids: set[UUID | None]) -> bool:
    return any(source.id in ids for source in line.sources)


def _says_more(before: Sequence[FileLine], after: Sequence[FileLine]) -> bool:
    known = {(one.kind, one.text) for one in before}
    return any((one.kind, one.text) not in known for one in after if one.kind != "title")


def _cut(text: str) -> str:
    return text if len(text) <= ABOUT else text[:ABOUT].rsplit(" ", 1)[0] + " …"


def _folder(tier: Tier) -> str:
    return {"summary": "summaries", "description": "descriptions"}[tier]


def _half(unit: DigestUnit) -> str:
    return "[" + ",".join(f"{float(one):.5g}" for one in unit.centroid) + "]"
