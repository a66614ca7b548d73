"""The index: a tree of files with at most fifty lines, as a B-tree has pages. Topics that are alike stand in the same
file; one that is full is divided by theme, and neighbours that have shrunk are one again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

import numpy as np

from shared.digest.extracting import title_of
from shared.digest.lines import CitedSource, FileLine
from shared.digest.saving import INDEX_PATH, Author, DigestWriter
from shared.digest.topics import divide
from shared.digest.units import DigestUnit, normalised
from shared.domain.digest import CITATIONS_MAX, INDEX_LINES
from shared.domain.ids import new_id
from shared.ports import Vectors

# A title and the line of its version stand above them.
ENTRIES_MAX: Final = INDEX_LINES - 2
# Neighbours with so few together are one file again.
FEW: Final = ENTRIES_MAX // 2
TOLD: Final = 160
SYSTEM: Final = Author("system", "Autri")


@dataclass(frozen=True)
class Listed:
    """A topic as an index lists it: `about` in a few words; where its summary is; the documents that name it."""

    title: str
    about: str
    path: str
    documents: tuple[UUID, ...]
    centroid: Vectors


@dataclass
class _Node:
    """An index file: of topics, or of further index files."""

    id: UUID
    topics: list[UUID] = field(default_factory=list[UUID])
    nodes: list["_Node"] = field(default_factory=list["_Node"])

    def all_topics(self) -> list[UUID]:
        return [*self.topics, *(one for node in self.nodes for one in node.all_topics())]

    def leaves(self) -> Iterator["_Node"]:
        if not self.nodes:
            yield self
        for node in self.nodes:
            yield from node.leaves()


def write_index(writer: DigestWriter, listed: Mapping[UUID, Listed], dimensions: int) -> None:
    """Brings the index files in line with the topics that there are; touches those alone whose lines change."""
    tree = _Tree(_stored(writer), listed, dimensions)
    tree.follow()
    kept: set[UUID] = set()
    _write(writer, tree, tree.root, None, kept)
    writer.remove([file for file in writer.of_tier("index") if file.id not in kept])


class _Tree:
    def __init__(self, root: _Node, listed: Mapping[UUID, Listed], dimensions: int) -> None:
        self.root, self.listed, self.dimensions = root, listed, dimensions

    def centroid(self, node: _Node) -> Vectors:
        seen = [self.listed[one].centroid for one in node.all_topics()]
        return normalised([vector for vector in seen if vector.any()], self.dimensions)

    def follow(self) -> None:
        for leaf in self.root.leaves():
            leaf.topics = [one for one in leaf.topics if one in self.listed]
        there = set(self.root.all_topics())
        for topic in self.listed:
            if topic not in there:
                self._add(topic)
        self._shrink(self.root)

    def _add(self, topic: UUID) -> None:
        way = [self.root]
        while way[-1].nodes:
            own = self.listed[topic].centroid
            way.append(max(way[-1].nodes, key=lambda node: float(self.centroid(node) @ own)))
        way[-1].topics.append(topic)
        while way:
            node = way.pop()
            if max(len(node.topics), len(node.nodes)) <= ENTRIES_MAX:
                continue
            one, other = self._halves(node)
            if way:
                node.topics, node.nodes = one.topics, one.nodes
                way[-1].nodes.append(other)
            else:
                node.topics, node.nodes = [], [one, other]

    def _halves(self, node: _Node) -> tuple[_Node, _Node]:
        known = {one: self.listed[one].centroid for one in node.topics}
        inner = {one.id: one for one in node.nodes}
        known |= {one.id: self.centroid(one) for one in node.nodes}
        left, right = divide([DigestUnit(key, None, ("",), "", centroid=vector) for key, vector in known.items()])
        first, second = (
            _Node(
                new_id(),
                [unit.id for unit in side if unit.id not in inner],
                [inner[unit.id] for unit in side if unit.id in inner],
            )
            for side in (left, right)
        )
        return first, second

    def _shrink(self, node: _Node) -> None:
        for child in node.nodes:
            self._shrink(child)
        node.nodes = [child for child in node.nodes if child.topics or child.nodes]
        leaves = sorted((one for one in node.nodes if not one.nodes), key=lambda one: len(one.topics))
        while len(leaves) > 1 and len(leaves[0].topics) + len(leaves[1].topics) <= FEW:
            small, other = leaves[0], leaves[1]
            other.topics += small.topics
            node.nodes.remove(small)
            leaves = sorted(leaves[1:], key=lambda one: len(one.topics))
        if len(node.nodes) == 1:
            only = node.nodes[0]
            node.topics, node.nodes = only.topics, only.nodes


def _stored(writer: DigestWriter) -> _Node:
    files = {file.id: file for file in writer.of_tier("index")}
    root = next((file for file in files.values() if file.row["path"] == INDEX_PATH), None)

    def node_of(key: UUID) -> _Node:
        entries = [one.statement_id for one in files[key].lines if one.kind == "entry" and one.statement_id]
        return _Node(key, [e for e in entries if e not in files], [node_of(e) for e in entries if e in files])

    return node_of(root.id) if root else _Node(new_id())


def _write(writer: DigestWriter, tree: _Tree, node: _Node, parent: UUID | None, kept: set[UUID]) -> None:
    kept.add(node.id)
    entries = [(tree.listed[one].title, _topic_entry(one, tree.listed[one])) for one in node.topics]
    for child in node.nodes:
        _write(writer, tree, child, node.id, kept)
        entries.append((writer.files[child.id].row["title"], _node_entry(writer, tree, child)))
    for topic in node.topics:
        for tier in ("summary", "description"):
            if (file := writer.of_topic(topic, tier)) is not None:
                writer.place(file, node.id)
    file = writer.files.get(node.id)
    former = file.title if file else None
    title = FileLine("title", "Index", origin="system", author=SYSTEM.name)
    if parent is not None:
        title = _name(tree, node, former)
    own = [file.id] if file else []
    moved = file is None or former is None or former.text != title.text
    path = INDEX_PATH if parent is None else writer.path_of("index", title.text, own) if moved else file.row["path"]
    lines = [title, *(line for _, line in sorted(entries, key=lambda one: (one[0].casefold(), one[1].text)))]
    writer.save(file, "index", lines, SYSTEM, path=path, parent_id=parent, new=node.id)


def _topic_entry(topic: UUID, listed: Listed) -> FileLine:
    text = f"{listed.title} | {listed.about} | {listed.path}"
    return FileLine("entry", text, _documents(listed.documents), "system", SYSTEM.name, statement_id=topic)


def _node_entry(writer: DigestWriter, tree: _Tree, node: _Node) -> FileLine:
    topics = [tree.listed[one] for one in node.all_topics()]
    file = writer.files[node.id].row
    named = [source.id for source in writer.files[node.id].title.sources]
    told, documents = list[str](), dict.fromkeys(named)
    for one in topics:
        # What is not cited is not named: a deletion would leave it.
        if len(documents | dict.fromkeys(one.documents)) <= CITATIONS_MAX and len("; ".join(told)) < TOLD:
            told.append(one.title)
            documents |= dict.fromkeys(one.documents)
    text = f"{file['title']} | {len(topics)} topics: {title_of('; '.join(told))} | {file['path']}"
    return FileLine("entry", text, _documents([*documents]), "system", SYSTEM.name, statement_id=node.id)


def _name(tree: _Tree, node: _Node, former: FileLine | None) -> FileLine:
    """As its most central topic is called; as before, while it has that topic."""
    topics = [tree.listed[one] for one in node.all_topics()]
    middle = tree.centroid(node)
    same = [one for one in topics if former and one.title == former.text]
    named = same[0] if same else topics[int(np.argmax([float(one.centroid @ middle) for one in topics]))]
    return FileLine("title", named.title, _documents(named.documents), "system", SYSTEM.name)


def _documents(ids: tuple[UUID, ...] | list[UUID]) -> tuple[CitedSource, ...]:
    return tuple(CitedSource("document", one, one) for one in ids[:CITATIONS_MAX])
