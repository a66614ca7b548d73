"""Counts and orders against the same in plain Python: of bases of several tenants, with documents and passages that do
not answer, values that a chunk has twice and numbers that are ranges; and how the database comes by them."""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any, Literal, LiteralString, get_args
from uuid import UUID

import psycopg
import pytest

from shared.domain.facets import Facet
from shared.domain.review import NewDecision
from shared.domain.scope import Identity, Scope
from shared.filters import selection as selections
from shared.filters.facets.count import count_facets
from shared.filters.ordering import order_matches, read_order
from shared.filters.selection import Filters, select_chunks
from shared.filters.text import read_where
from shared.library.reviews import decide
from shared.runtime import Runtime
from tests.store.seeding import add_base
from tests.store.test_filters import add_chunks

COLOURS = ("red", "Red", "green", "blue", "mauve")
Way = Literal["listed", "listed late", "tested"]


@dataclass(frozen=True)
class Truth:
    """A chunk as it was made; `mass` are the ends of each of its masses in kg, equal where it is one number, `span` is
    one at most. `scores` are bare numbers, `dose` is in kg and printed in g as well, `level` is bare or in g."""

    content: str
    colours: list[str]
    mass: list[tuple[float, float]]
    span: list[tuple[float, float]]
    scores: list[float]
    dose: float | None
    level: float | None
    rank: float | None
    made: datetime | None
    quiet: bool | None

    @property
    def values(self) -> list[tuple[str, object]]:
        dose = None if self.dose is None else f"{self.dose:g} kg" if self.dose > 30 else f"{1000 * self.dose:.0f} g"
        many: list[tuple[str, object]] = [
            *(("colour", one) for one in self.colours),
            *(("mass", printed(*one)) for one in self.mass),
            *(("span", printed(*one)) for one in self.span),
            *(("score", one) for one in self.scores),
        ]
        level = f"{self.level:g} g" if self.level is not None and self.level > 6 else self.level
        single = {"level": level, "rank": self.rank, "made": self.made, "quiet": self.quiet, "dose": dose}
        return [*many, *((name, value) for name, value in single.items() if value is not None)]


def printed(low: float, high: float) -> str:
    return f"{low:g} kg" if low == high else f"{low:g}–{high:g} kg"


@dataclass
class World:
    scope: Scope
    answering: dict[str, Truth] = field(default_factory=dict[str, Truth])


WHERE: dict[str | None, Callable[[Truth], bool]] = {
    None: lambda _: True,
    "colour = red": lambda one: "red" in lowered(one),
    "rank >= 40": lambda one: one.rank is not None and one.rank >= 40,
    "not colour = red and rank < 70": lambda one: "red" not in lowered(one) and one.rank is not None and one.rank < 70,
    "quiet = yes or colour = blue": lambda one: one.quiet is True or "blue" in lowered(one),
    "mass exists": lambda one: bool(one.mass),
    "span >= 20 kg": lambda one: any(high >= 20 for _, high in one.span),
    "rank > 1000": lambda _: False,
}


def lowered(one: Truth) -> set[str]:
    return {colour.lower() for colour in one.colours}


def drawn(random: Random, content: str) -> Truth:
    masses = [float(random.randint(1, 60)) for _ in range(random.choice((0, 1, 1, 1, 2)))]
    start = float(random.randint(1, 40))
    return Truth(
        content,
        random.sample(COLOURS, random.choice((0, 1, 1, 1, 2))),
        [(mass, mass + random.choice((0, 0, 0, 7))) for mass in masses],
        [(start, start + random.choice((0, 0, 0, 9)))] if random.random() < 0.7 else [],
        [float(random.randint(1, 12)) for _ in range(random.choice((0, 1, 3)))],
        float(random.randint(1, 60)) if random.random() < 0.7 else None,
        float(random.randint(1, 12)) if random.random() < 0.7 else None,
        float(random.randint(1, 100)) if random.random() < 0.8 else None,
        datetime(random.randint(2015, 2025), random.randint(1, 12), 3, tzinfo=UTC) if random.random() < 0.5 else None,
        random.choice((True, False, None)),
    )


def make_world(runtime: Runtime, who: Identity, seed: int, bases: int) -> World:
    """Each base has a document that answers, a superseded and a rejected one, one that is not served, and rejected
    passages."""
    random, made = Random(seed), list[Scope]()
    world = World(Scope(organization_id=who.organization_id, user_id=who.user_id))
    for base in range(bases):
        scope = add_base(runtime, who, f"counted {base}")
        made.append(scope)
        for kind in ("answers", "answers too", "superseded", "rejected", "unserved"):
            truths = [drawn(random, f"{kind} {base} {place}") for place in range(45)]
            document = add_chunks(runtime, scope, kind, [(one.content, one.values) for one in truths])
            _settle(runtime, scope, document, kind)
            if kind.startswith("answers"):
                left_out = set(random.sample([one.content for one in truths], 6))
                _reject(runtime, who, scope, document, left_out)
                world.answering |= {one.content: one for one in truths if one.content not in left_out}
    world.scope = world.scope.model_copy(update={"knowledge_base_ids": tuple(s.knowledge_base_ids[0] for s in made)})
    return world


def _settle(runtime: Runtime, scope: Scope, document: UUID, kind: str) -> None:
    states: dict[str, LiteralString] = {
        "superseded": "is_current = false",
        "rejected": "review = 'rejected'",
        "unserved": "serving = false, is_current = false",
    }
    counted = "chunk_count = (select count(*) from chunks c where c.document_id = documents.id)"
    with runtime.database.transaction(scope) as connection:
        state = states.get(kind, "serving = true")
        connection.execute(f"update documents set {counted}, {state} where id = %s", (document,))  # noqa: S608


def _reject(runtime: Runtime, who: Identity, scope: Scope, document: UUID, contents: set[str]) -> None:
    with runtime.database.transaction(scope) as connection:
        query = "select id from chunks where document_id = %s and content = any (%s)"
        ids = [row["id"] for row in connection.execute(query, (document, list(contents)))]
    assert len(ids) == len(contents)
    decide(runtime, who, scope.knowledge_base_ids[0], NewDecision(verdict="rejected", chunk_ids=ids))


@pytest.fixture(scope="module")
def worlds(runtime: Runtime, identity: Identity, other_identity: Identity) -> dict[str, World]:
    return {
        "ours": make_world(runtime, identity, 1, 2),
        "theirs": make_world(runtime, other_identity, 2, 1),
    }


@pytest.fixture(params=get_args(Way))
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Way:
    """Few chunks are listed; as of many, each index tests what it finds, or they are listed for counts and orders."""
    if request.param != "listed":
        monkeypatch.setattr(selections, "LISTED_MAX", 0)
        monkeypatch.setattr(selections, "EXPECTED_MAX", -1)
    if request.param == "tested":
        monkeypatch.setattr(selections, "LOOKED_UP_MAX", -1)
    return request.param


@pytest.mark.parametrize("whose", ["ours", "theirs"])
@pytest.mark.parametrize("where", WHERE)
@pytest.mark.usefixtures("way")
def test_each_count_is_that_of_plain_python(
    runtime: Runtime, worlds: dict[str, World], whose: str, where: str | None
) -> None:
    world = worlds[whose]
    kept = [one for one in world.answering.values() if WHERE[where](one)]
    with runtime.database.transaction(world.scope, snapshot=True) as connection:
        selection = select_chunks(connection, Filters(where=read_where(where)))
        counted = count_facets(connection, selection, None, None)
    assert counted.chunks == len(kept)
    found = {one.name: one for one in counted.attributes if one.name != "level" or one.unit is None}
    assert set(found) == (
        {"colour", "mass", "span", "score", "dose", "level", "rank", "made", "quiet"} if kept else set()
    )
    if not kept:
        return
    assert len(kept) > 20
    colours = Counter(colour for one in kept for colour in lowered(one))
    assert {value.value.lower(): value.count for value in found["colour"].values} == colours
    assert found["colour"].chunks == sum(bool(one.colours) for one in kept)
    quiet = Counter(str(one.quiet).lower() for one in kept if one.quiet is not None)
    assert {value.value: value.count for value in found["quiet"].values} == quiet
    ranks = [one.rank for one in kept if one.rank is not None]
    check_ranges(found["rank"], [[(rank, rank)] for rank in ranks])
    check_ranges(found["mass"], [one.mass for one in kept if one.mass])
    check_ranges(found["span"], [one.span for one in kept if one.span])
    check_ranges(found["score"], [[(score, score) for score in one.scores] for one in kept if one.scores])
    check_ranges(found["dose"], [[(one.dose, one.dose)] for one in kept if one.dose is not None], of(found["dose"]))
    check_ranges(found["level"], [[(one.level, one.level)] for one in kept if one.level is not None])
    (grams,) = [one for one in counted.attributes if one.name == "level" and one.unit == "g"]
    check_ranges(grams, [[(one.level, one.level)] for one in kept if one.level is not None and one.level > 6])
    check_ranges(found["made"], [[(one.made.timestamp(),) * 2] for one in kept if one.made is not None])


@contextmanager
def _apart(_: object) -> Generator[None]:
    yield


def of(facet: Facet) -> float:
    """How many of the unit of the facet's ranges a kilogram is."""
    return {"kg": 1.0, "g": 1000.0}[facet.unit or ""]


def check_ranges(facet: Facet, chunks: list[list[tuple[float, float]]], unit: float = 1.0) -> None:
    """Of each chunk the ends of its values: it counts once for each range that one of them reaches into."""
    assert facet.chunks == len(chunks)
    assert len(facet.ranges) > 2
    ends = [(moment(one.low) / unit, moment(one.high) / unit) for one in facet.ranges]
    assert ends[0][0] <= min(low for values in chunks for low, _ in values)
    assert ends[-1][1] >= max(high for values in chunks for _, high in values)
    right = [sum(any(a < high and b >= low for a, b in values) for values in chunks) for low, high in ends]
    assert [one.count for one in facet.ranges] == right


def moment(end: Any) -> float:
    return end if isinstance(end, float) else datetime(end.year, end.month, end.day, tzinfo=UTC).timestamp()


@pytest.mark.usefixtures("way")
def test_types_are_counted_by_themselves(runtime: Runtime, worlds: dict[str, World]) -> None:
    world = worlds["ours"]
    lists = {content for content in world.answering if content.endswith("3")}
    with runtime.database.transaction(world.scope) as connection:
        connection.execute("update chunks set chunk_type = 'list' where content like '%%3'")
    with runtime.database.transaction(world.scope, snapshot=True) as connection:
        selection = select_chunks(connection, Filters(types=("list",)))
        counted = count_facets(connection, selection, None, ["quiet"])
    assert counted.chunks == len(lists) > 8
    quiet = Counter(str(world.answering[one].quiet).lower() for one in lists if world.answering[one].quiet is not None)
    assert {value.value: value.count for value in counted.attributes[0].values} == quiet


KEYS: dict[str, Callable[[Truth], list[Any]]] = {
    "mass": lambda one: [low for low, _ in one.mass],
    "span": lambda one: [low for low, _ in one.span],
    "score": lambda one: one.scores,
    "dose": lambda one: [] if one.dose is None else [one.dose],
    "rank": lambda one: [] if one.rank is None else [one.rank],
    "colour": lambda one: sorted(lowered(one)),
    "made": lambda one: [] if one.made is None else [one.made],
    "quiet": lambda one: [] if one.quiet is None else [one.quiet],
}


@pytest.mark.parametrize("limit", [7, 500])
@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("by", KEYS)
@pytest.mark.parametrize("where", [None, "colour = red", "not colour = red and rank < 70"])
@pytest.mark.usefixtures("way")
def test_an_order_is_that_of_plain_python(
    runtime: Runtime, worlds: dict[str, World], where: str | None, by: str, direction: str, limit: int
) -> None:
    world, values = worlds["ours"], KEYS[by]
    with runtime.database.transaction(world.scope, snapshot=True) as connection:
        ids = {row["content"]: row["id"] for row in connection.execute("select id, content from chunks")}
        selection = select_chunks(connection, Filters(where=read_where(where)))
        found = order_matches(connection, selection, read_order(f"{by} {direction}"), limit)
    kept = [one for one in world.answering.values() if WHERE[where](one)]
    best, descending = (max if direction == "desc" else min), direction == "desc"
    having = sorted((one for one in kept if values(one)), key=lambda one: ids[one.content])
    having.sort(key=lambda one: best(values(one)), reverse=descending)
    expected = [ids[one.content] for one in having][:limit]
    assert found[: len(expected)] == expected
    assert set(found[len(expected) :]) <= {ids[one.content] for one in kept if not values(one)}
    assert len(found) == min(limit, len(kept))


def test_values_are_counted_in_one_pass_by_hash_and_orders_walk_an_index(
    runtime: Runtime, worlds: dict[str, World], owner_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selections, "LISTED_MAX", 0)
    monkeypatch.setattr(selections, "EXPECTED_MAX", -1)
    with psycopg.connect(owner_dsn, autocommit=True) as owner:
        owner.execute("analyze chunk_attributes")
    with runtime.database.transaction(worlds["ours"].scope, snapshot=True) as connection:
        plans, settings = list[str](), list[tuple[str, ...]]()
        execute = connection.execute

        def set_now() -> tuple[str, ...]:
            names = ("enable_sort", "enable_indexscan", "enable_bitmapscan")
            return tuple(row[name] for name in names for row in execute(f"show {name}".encode()))

        def explained(query: Any, values: Any = None, **options: Any) -> Any:
            text = query if isinstance(query, str) else query.as_string(connection)
            if "tally as" in text or "as best" in text:
                rows = execute(b"explain " + text.encode(), values).fetchall()
                plans.append("\n".join(row["QUERY PLAN"] for row in rows))
                settings.append(set_now())
            return execute(query, values, **options)

        monkeypatch.setattr(connection, "execute", explained)
        monkeypatch.setattr("shared.filters.ordering.together", _apart)
        everything = select_chunks(connection, Filters())
        count_facets(connection, everything, None, ["rank", "quiet", "made"])
        order_matches(connection, everything, read_order("rank desc"), 10)
        few = select_chunks(connection, Filters(where=read_where("colour = red")))
        order_matches(connection, few, read_order("colour desc"), 10)
        settings.append(set_now())
    tally, walk = plans
    scanned = tally[tally.index("CTE tally") : tally.index("chunk_attributes")]
    assert "HashAggregate" in scanned
    assert "Sort" not in scanned
    assert tally.count(" on chunk_attributes ") == 1
    assert "using chunk_attributes_by_printed" in walk
    assert "Presorted Key: t.printed_number" in walk
    assert settings == [("off", "off", "on"), ("off", "on", "off"), ("on", "on", "on")]
