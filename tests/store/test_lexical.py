"""The lexical index: BM25 scores, statistics that stay right, isolation."""

import math
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
import pytest

from shared.domain.scope import Identity, Scope
from shared.filters.selection import Filters, Selection
from shared.lexical import index as lexical
from shared.lexical.fields import weigh_fields
from shared.lexical.keys import LEVELS, slot
from shared.lexical.query import read_query
from shared.lexical.search import lexical_candidates
from shared.lexical.statistics import chunk_totals, complete_word, term_histograms
from shared.lexical.tokenizer import term_number
from shared.runtime import Runtime
from shared.store.connect import Connection
from shared.store.named_queries import load_queries
from tests.store.seeding import Passage, add_base, add_document, index_document, replace_passages

TEXTS = [
    "The rear wing is wide",
    "The front wing is wide and low and wide",
    "Tyres are supplied by the organiser before the first practice session",
    "Wing wing wing",
]


CHANGE = "update chunks set index_text = index_text || ' floor', index_hash = index_hash || 'x' where document_id = %s"


def passages(texts: Sequence[str]) -> list[Passage]:
    return [Passage(t) for t in texts]


def scores(connection: Connection, query: str) -> dict[str, float]:
    found = lexical_candidates(connection, read_query(connection, query), Selection(Filters()), 100).candidates
    query_contents = "select id, content from chunks where id = any (%s)"
    rows = connection.execute(query_contents, ([c.chunk_id for c in found],)).fetchall()
    contents = {r["id"]: r["content"] for r in rows}
    return {contents[c.chunk_id]: c.score for c in found}


def statistics(connection: Connection) -> tuple[dict[int, int], int, int]:
    """(document frequency per term, chunks, length) as the index keeps them, sums and what is not folded yet."""
    rows = connection.execute(
        "select slot, count from lexical_counts"
        " union all select s.slot, s.count from lexical_documents d, unnest(d.slots, d.counts) s (slot, count)"
        "   where not d.folded"
        " union all select s.slot, -s.count from lexical_removed r, unnest(r.slots, r.counts) s (slot, count)"
    ).fetchall()
    counts: Counter[int] = Counter()
    for row in rows:
        counts[row["slot"] & -LEVELS] += row["count"]
    total = connection.execute(
        "select sum(chunks)::int n, sum(length)::int l from (select chunks, length from lexical_totals"
        " union all select chunks, length from lexical_documents where not folded"
        " union all select -chunks, -length from lexical_removed) s"
    ).fetchone()
    assert total is not None
    return {slot: n for slot, n in counts.items() if n}, total["n"] or 0, total["l"] or 0


def counted(connection: Connection) -> tuple[dict[int, int], int, int]:
    """The same, counted from the chunks."""
    rows = connection.execute("select index_text, content, keywords from chunks").fetchall()
    made = [weigh_fields(r, "en") for r in rows]
    frequencies = Counter(slot(term_number(t)) for m in made for t in m.counts)
    return dict(frequencies), len(made), sum(round(m.length) for m in made)


@pytest.fixture
def scope(runtime: Runtime, identity: Identity, request: pytest.FixtureRequest) -> Scope:
    return add_base(runtime, identity, request.node.name[:60])


def test_scores_are_bm25(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Doc", passages(TEXTS))
    with runtime.database.transaction(scope) as connection:
        found = scores(connection, "wing organiser")
        made = {t: weigh_fields({"index_text": f"Doc\n{t}", "content": t, "keywords": []}, "en") for t in TEXTS}
    mean = sum(m.length for m in made.values()) / len(made)
    for text, terms in made.items():
        expected = 0.0
        for term in ("wing", "organis"):
            frequency = sum(term in m.counts for m in made.values())
            rarity = math.log(1 + (len(made) - frequency + 0.5) / (frequency + 0.5))
            count = terms.counts.get(term, 0)
            expected += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * terms.length / mean))
        assert found[text] == pytest.approx(expected, rel=1e-3)


def test_a_word_of_the_context_counts_more_than_one_of_the_content(runtime: Runtime, scope: Scope) -> None:
    inside = Passage("The wing and the floor", context="Chapter")
    above = Passage("The chapter and the floor", context="Wing")
    add_document(runtime, scope, "Doc", [inside, above])
    with runtime.database.transaction(scope) as connection:
        assert list(scores(connection, "wing")) == [above.content, inside.content]


def test_statistics_stay_right_through_adding_changing_and_deleting(runtime: Runtime, scope: Scope) -> None:
    first = add_document(runtime, scope, "One", passages(TEXTS))
    second = add_document(runtime, scope, "Two", passages(["A wing of another kind", "Brakes"]))

    def check() -> None:
        with runtime.database.transaction(scope) as connection:
            assert statistics(connection) == counted(connection)

    check()
    replace_passages(runtime, scope, first, "One", passages([*TEXTS[:2], "A new rule about brakes"]))
    assert index_document(runtime, scope, first) == 1
    check()
    replace_passages(runtime, scope, first, "One", passages(TEXTS[:1]))
    assert index_document(runtime, scope, first) == 0
    check()
    with runtime.database.transaction(scope) as connection:
        connection.execute("delete from documents where id = %s", (second,))
    check()


def test_a_removed_share_is_subtracted_by_the_next_fold(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "One", passages(TEXTS))
    gone = add_document(runtime, scope, "Two", passages(["A wing of another kind", "Brakes"]))
    base = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as connection:
        assert read_query(connection, "brakes").words[0].frequency == 1
        connection.execute("delete from documents where id = %s", (gone,))
        assert read_query(connection, "brakes").words[0].frequency == 0
        assert lexical.reindex_stale(connection, base) == 0
        assert connection.execute("select count(*) n from lexical_removed").fetchone() == {"n": 0}
        assert statistics(connection) == counted(connection)


def test_shares_that_are_not_folded_count_each_and_the_first_eight_that_are_removed(
    runtime: Runtime, scope: Scope
) -> None:
    for name in ("One", "Two"):
        add_document(runtime, scope, name, passages(["The same"]))
    (base,), term = scope.knowledge_base_ids, slot(3)
    with runtime.database.transaction(scope) as connection:
        connection.execute("delete from lexical_totals")
        connection.execute(
            "update lexical_documents set folded = false, chunks = 20, language = 'en', slots = %s, counts = '{20}'",
            ([term],),
        )
        for _ in range(9):
            connection.execute(
                "insert into lexical_removed"
                " (organization_id, knowledge_base_id, language, chunks, length, slots, counts)"
                " values (%s, %s, 'en', 1, 1, %s, '{1}')",
                (scope.organization_id, base, [term]),
            )
        assert chunk_totals(connection) == {base: {"en": 20 + 20 - 8}}
        assert term_histograms(connection, [3]) == {3: {base: [20 + 20 - 8, *[0] * (LEVELS - 1)]}}


def test_the_levels_of_one_term_are_not_those_of_the_next(runtime: Runtime, scope: Scope) -> None:
    with runtime.database.transaction(scope) as connection:
        for number in (slot(3), slot(4), slot(4) + LEVELS - 1):
            connection.execute(
                "insert into lexical_counts (organization_id, knowledge_base_id, slot, count) values (%s, %s, %s, 1)",
                (scope.organization_id, scope.knowledge_base_ids[0], number),
            )
        found = term_histograms(connection, [3, 4])
    (base,) = scope.knowledge_base_ids
    nothing = [0] * (LEVELS - 2)
    assert found == {3: {base: [1, 0, *nothing]}, 4: {base: [1, *nothing, 1]}}


def words_of(connection: Connection, query: str) -> dict[str, int]:
    return {word.form: word.frequency for word in read_query(connection, query).words}


def test_a_question_is_read_with_the_nouns_of_the_property_that_it_asks_for(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Doc", passages(["Its span is 900 mm", "The width of the track", "A wide road"]))
    with runtime.database.transaction(scope) as connection:
        assert words_of(connection, "How wide is the wing?") == {"wide": 3, "wing": 0}
        assert words_of(connection, "wide wing") == {"wide": 1, "wing": 0}
        assert set(scores(connection, "How wide is it?")) == {
            "Its span is 900 mm",
            "The width of the track",
            "A wide road",
        }
        assert set(read_query(connection, "How wide is the wing?").rarities()) == {"wide", "wing"}


def test_a_place_or_a_time_is_looked_for_by_what_forms_call_it(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Doc", passages(["Location: Belen", "Date: 3 May", "It was built"]))
    with runtime.database.transaction(scope) as connection:
        assert words_of(connection, "Where was it built?") == {"built": 1, "where": 1}
        assert set(scores(connection, "When was it built?")) == {"Date: 3 May", "It was built"}
        assert words_of(connection, "where") == {}


def test_what_a_question_is_built_with_is_not_looked_for(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Doc", passages(["It may be used in May 2026, and must be kept"]))
    with runtime.database.transaction(scope) as connection:
        assert words_of(connection, "How many wings may it have?") == {"wings": 0}
        assert words_of(connection, "What was used in May?") == {"used": 1, "may": 1}
        assert words_of(connection, "What happens to the wings?") == {"wings": 0}
        assert words_of(connection, "Has anybody another wing, unless something else?") == {"wing": 0}
        assert words_of(connection, "Is nothing a wing? Must May be hot, or None?") == {
            "wing": 0,
            "may": 1,
            "hot": 0,
            "none": 0,
        }
        assert words_of(connection, "What does 'unless' mean, and \"yet\"?") == {"unless": 0, "mean": 0, "yet": 0}
        assert words_of(connection, "anything else") == {"anything": 0, "else": 0}
        assert words_of(connection, "must") == {"must": 1}
        assert words_of(connection, "On which day did the races take place?") == {"races": 0, "when": 0}


def test_a_word_joined_with_a_number_beside_it_weighs_nothing_where_it_is_nowhere(
    runtime: Runtime, scope: Scope
) -> None:
    add_document(runtime, scope, "Doc", passages(["It delivers 70 cfm, see section 4"]))
    with runtime.database.transaction(scope) as connection:
        assert "least.70" not in read_query(connection, "at least 70 cfm").rarities()
        assert "recent.10.q" not in read_query(connection, "the most recent 10-Q").rarities()
        assert {"ta.99", "section.4"} <= read_query(connection, "TA-99 and section 4").rarities().keys()


def test_a_period_weighs_what_its_year_and_quarter_do(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Doc", passages(["The third quarter of 2022 was Q3"]))
    with runtime.database.transaction(scope) as connection:
        assert set(read_query(connection, "profit in 3Q22").rarities()) == {"profit", "q3", "2022"}
        assert set(read_query(connection, "profit in FY22").rarities()) == {"profit", "2022"}


def test_words_complete_a_beginning_before_they_are_folded(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Doc", passages(["The keelson is bolted"]))
    with runtime.database.transaction(scope) as connection:
        word = term_number("keelson")
        assert complete_word(connection, "keels", 5) == [word]
        connection.execute("delete from lexical_words where word = 'keelson'")
        assert complete_word(connection, "keels", 5) == []
        connection.execute(
            "update lexical_documents set folded = false, words = '{keelson}', word_terms = array[%s::integer]", (word,)
        )
        assert complete_word(connection, "keels", 5) == [word]


def test_a_deleted_document_leaves_no_word_behind_and_takes_none_that_others_have(
    runtime: Runtime, scope: Scope
) -> None:
    long = "A wing of another kind, of which much more is said here than of any other one, and brakes that glow"
    wing = slot(term_number("wing"))

    def folded() -> tuple[set[str], set[int]]:
        """All words that are kept, and the levels that `wing` has anywhere."""
        with runtime.database.transaction(scope) as connection:
            lexical.reindex_stale(connection, scope.knowledge_base_ids[0])
            unfolded = connection.execute("select count(*) n from lexical_documents where not folded").fetchone()
            assert unfolded == {"n": 0}
            words = connection.execute("select word from lexical_words").fetchall()
            levels = connection.execute("select slot from lexical_counts where slot & -16 = %s", [wing]).fetchall()
        return {row["word"] for row in words}, {row["slot"] for row in levels}

    add_document(runtime, scope, "One", passages(TEXTS))
    before = folded()
    gone = add_document(runtime, scope, "Two", passages([long]))
    both = folded()
    assert {"brakes", "glow"} <= both[0] - before[0]
    assert both[1] > before[1], "a level of a term that stays will be gone"
    with runtime.database.transaction(scope) as connection:
        connection.execute("delete from documents where id = %s", (gone,))
    assert folded() == before


def looked_at(plan: dict[str, Any]) -> float:
    """Rows that a plan's nodes gave, and those that they found and dropped."""
    rows = plan["Actual Rows"] + sum(number for name, number in plan.items() if name.startswith("Rows Removed by"))
    return plan["Actual Loops"] * rows + sum(map(looked_at, plan.get("Plans", ())))


def test_what_is_forgotten_of_a_long_document_is_looked_for_and_not_compared_with_everything(
    runtime: Runtime, owner_dsn: str, scope: Scope
) -> None:
    """However much the planner knows of the tables: as many rows are looked at as there are words, not their square."""
    terms = range(1, 5001)
    values = {
        "slots": [slot(term) for term in terms],
        "terms": list(terms),
        "words": [f"w{term}" for term in terms],
        "knowledge_base_id": scope.knowledge_base_ids[0],
    }
    statements = load_queries("lexical_statistics")
    with runtime.database.transaction(scope) as connection:
        connection.execute(
            "insert into lexical_counts select organization_id, id, slot, 0"
            " from knowledge_bases, unnest(%(slots)s::integer[]) slot where id = %(knowledge_base_id)s",
            values,
        )
        connection.execute(
            "insert into lexical_words select organization_id, id, word, term"
            " from knowledge_bases, unnest(%(words)s::text[], %(terms)s::integer[]) w (word, term)"
            " where id = %(knowledge_base_id)s",
            values,
        )
        connection.execute(
            "insert into lexical_removed"
            " (organization_id, knowledge_base_id, language, chunks, length, slots, counts)"
            " select organization_id, id, 'en', 1, 1, %(slots)s, %(terms)s from knowledge_bases"
            " where id = %(knowledge_base_id)s",
            values,
        )
    for known in (False, True):
        if known:
            with psycopg.connect(owner_dsn, autocommit=True) as owner:
                owner.execute("analyze lexical_counts, lexical_words, lexical_removed")
        for name in ("forget_words", "forget_counts"):
            with runtime.database.transaction(scope) as connection:
                values["removed"] = [row["id"] for row in connection.execute("select id from lexical_removed")]
                explain = f"explain (analyze, format json) {statements[name]}"
                told = connection.execute(explain, values).fetchone()
                connection.rollback()
            assert told is not None
            plan = told["QUERY PLAN"][0]["Plan"]
            assert looked_at(plan) < 20 * len(terms), f"{name} {known}: {plan}"


def test_a_knowledge_base_goes_with_its_index(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "One", passages(TEXTS))
    with runtime.database.transaction(scope) as connection:
        connection.execute("delete from knowledge_bases where id = any (%s)", (list(scope.knowledge_base_ids),))
        assert statistics(connection) == ({}, 0, 0)
        assert connection.execute("select count(*) n from lexical_removed").fetchone() == {"n": 0}


def test_a_document_without_chunks_is_brought_up_to_date_once(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Empty", [])
    base = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as connection:
        connection.execute("update lexical_documents set tokenizer_version = 'before'")
        assert [lexical.reindex_stale(connection, base) for _ in range(2)] == [1, 0]


@pytest.mark.parametrize("factor", [0.5, 2])
def test_maintenance_of_one_knowledge_base_finds_its_documents_with_an_old_pivot_and_no_others(
    runtime: Runtime, identity: Identity, factor: float
) -> None:
    scopes = [add_base(runtime, identity, f"{name} {factor}") for name in ("Ours", "Beside")]
    for scope in scopes:
        add_document(runtime, scope, "One", passages(TEXTS))
    both = tuple(scope.knowledge_base_ids[0] for scope in scopes)
    with runtime.database.transaction(scopes[0].model_copy(update={"knowledge_base_ids": both})) as connection:
        connection.execute("update lexical_documents set pivot = pivot * %s", (factor,))
        assert [lexical.reindex_stale(connection, base) for base in (*both, *both)] == [1, 1, 0, 0]


def test_rows_of_another_tokenizer_are_made_anew_by_maintenance(runtime: Runtime, scope: Scope) -> None:
    for name in ("One", "Two", "Three"):
        add_document(runtime, scope, name, passages(TEXTS))
    base = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as connection:
        connection.execute("update chunk_lexical set tokenizer_version = 'before'")
        connection.execute("update lexical_documents set tokenizer_version = 'before'")
        assert [lexical.reindex_stale(connection, base, 2) for _ in range(3)] == [2, 1, 0]
        left = connection.execute("select count(*) n from chunk_lexical where tokenizer_version = 'before'").fetchone()
        assert left == {"n": 0}
        assert statistics(connection) == counted(connection)


def test_indexing_again_changes_nothing(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", passages(TEXTS))
    assert index_document(runtime, scope, document) == 0


def test_keywords_are_found_and_a_change_of_them_is_indexed(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", [Passage("Plain text", keywords=["aerofoil"])])
    with runtime.database.transaction(scope) as connection:
        assert list(scores(connection, "aerofoils")) == ["Plain text"]
        connection.execute("update chunks set keywords = '{spoiler}' where document_id = %s", (document,))
    assert index_document(runtime, scope, document) == 1
    with runtime.database.transaction(scope) as connection:
        assert scores(connection, "aerofoil") == {}
        assert list(scores(connection, "spoiler")) == ["Plain text"]


def test_two_documents_are_published_at_once_without_waiting(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "First", passages(["Wing"]))
    one = add_document(runtime, scope, "One", passages(["Wings and tyres"]))
    two = add_document(runtime, scope, "Two", passages(["Wings and brakes"]))
    base = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as open_one:
        open_one.execute(CHANGE, (one,))
        assert lexical.index_chunks(open_one, base, one) == 1
        with runtime.database.transaction(scope) as open_two:
            open_two.execute("set local lock_timeout = '1s'")
            open_two.execute(CHANGE, (two,))
            assert lexical.index_chunks(open_two, base, two) == 1
    with runtime.database.transaction(scope) as connection:
        assert statistics(connection) == counted(connection)


def test_one_document_indexed_twice_at_once_is_counted_once(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", passages(TEXTS))
    with runtime.database.transaction(scope) as connection:
        connection.execute("update chunks set index_hash = index_hash || 'x' where document_id = %s", (document,))
    threads = [threading.Thread(target=index_document, args=(runtime, scope, document)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with runtime.database.transaction(scope) as connection:
        assert statistics(connection) == counted(connection)


def wait_for_a_waiter(connection: Connection) -> None:
    """Until another transaction waits for one of the connection's locks."""
    for _ in range(500):
        asked = "select count(*) n from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))"
        if connection.execute(asked).fetchone() != {"n": 0}:
            return
        time.sleep(0.01)
    raise AssertionError("nobody waits")


def test_who_holds_the_document_indexes_it_while_another_waits_to(runtime: Runtime, scope: Scope) -> None:
    document = add_document(runtime, scope, "Doc", passages(TEXTS))
    other = threading.Thread(target=index_document, args=(runtime, scope, document))
    with runtime.database.transaction(scope) as connection:
        connection.execute("set local lock_timeout = '2s'")
        connection.execute(CHANGE, (document,))
        connection.execute("select 1 from documents where id = %s for update", (document,))
        other.start()
        wait_for_a_waiter(connection)
        assert lexical.index_chunks(connection, scope.knowledge_base_ids[0], document) == len(TEXTS)
    other.join()
    with runtime.database.transaction(scope) as connection:
        assert statistics(connection) == counted(connection)


def test_a_document_that_is_being_changed_or_deleted_is_passed_over_by_maintenance(
    runtime: Runtime, scope: Scope
) -> None:
    held, _ = (add_document(runtime, scope, name, passages(TEXTS)) for name in ("Held", "Free"))
    with runtime.database.transaction(scope) as connection:
        connection.execute("update lexical_documents set tokenizer_version = 'before'")
    base = scope.knowledge_base_ids[0]
    with runtime.database.transaction(scope) as holder, runtime.database.transaction(scope) as maintenance:
        holder.execute("select 1 from documents where id = %s for update", (held,))
        maintenance.execute("set local lock_timeout = '2s'")
        assert lexical.reindex_stale(maintenance, base) == 1
        left = maintenance.execute("select document_id from lexical_documents where tokenizer_version = 'before'")
        assert [row["document_id"] for row in left] == [held]


def test_scores_follow_when_the_mean_length_drifts(runtime: Runtime, scope: Scope) -> None:
    add_document(runtime, scope, "Short", passages(["wing", "tyre"]))
    long = [f"{'wing ' * (i % 3 + 1)}{'floor and tyre ' * 40}{i}" for i in range(9)]
    add_document(runtime, scope, "Long", passages(long))
    with runtime.database.transaction(scope) as connection:
        rows = connection.execute("select pivot, length from chunk_lexical").fetchall()
        base = connection.execute("select pivot from lexical_bases").fetchone()
        assert base is not None
        mean = sum(r["length"] for r in rows) / len(rows)
        assert {r["pivot"] for r in rows} == {base["pivot"]}
        assert 0.5 <= mean / base["pivot"] <= 1.5
        kept = connection.execute("select chunk_id, impacts::text v from chunk_lexical order by 1").fetchall()
        connection.execute("delete from chunk_lexical")
        documents = [r["id"] for r in connection.execute("select id from documents")]
        for document in documents:
            lexical.index_chunks(connection, scope.knowledge_base_ids[0], document)
        fresh = connection.execute("select chunk_id, impacts::text v from chunk_lexical order by 1").fetchall()
    for old, new in zip(kept, fresh, strict=True):
        assert _values(old["v"]) == pytest.approx(_values(new["v"]), rel=1e-3)


def test_another_organization_sees_nothing_of_the_index(
    runtime: Runtime, scope: Scope, other_identity: Identity
) -> None:
    add_document(runtime, scope, "Doc", passages(TEXTS))
    foreign = Scope(organization_id=other_identity.organization_id, knowledge_base_ids=scope.knowledge_base_ids)
    without: tuple[UUID, ...] = ()
    for wrong in (foreign, scope.model_copy(update={"knowledge_base_ids": without})):
        with runtime.database.transaction(wrong) as connection:
            assert scores(connection, "wing") == {}
            assert statistics(connection) == ({}, 0, 0)


def _values(text: str) -> list[float]:
    return [float(part.split(":")[1]) for part in text.partition("}")[0][1:].split(",")]
