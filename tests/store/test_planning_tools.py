"""The tools of a model that plans: what each gives, side by side, in a window, in one trace, inside pins."""

import json
import threading
import time
from collections.abc import Generator
from itertools import pairwise
from typing import Any
from uuid import UUID, uuid4

import pytest

from shared.answering.agent.outcomes import ToolOutcome
from shared.answering.agent.planning import CALLS_AT_ONCE, PlanBudget, plan_evidence
from shared.answering.agent.tools import AgentTools
from shared.answering.events import AskEvent, tell_nobody
from shared.answering.service import ask
from shared.domain.chat import ToolCall
from shared.domain.draft import CellDraft, ChunkDraft, DocumentDraft, TableDraft
from shared.domain.geometry import PageBox
from shared.domain.listening import HungUp, Listening, listened_to_by
from shared.domain.scope import Identity, Scope
from shared.library.traces import get_trace, list_traces
from shared.readers.sheets import cells
from shared.retrieval.requests import AskRequest
from shared.runtime import Runtime
from shared.store.draft import commit_draft
from shared.store.plans import spent_today
from tests.adapters.chat_server import ChatServer, Said, Told, running_chat
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base, run_all, upload
from tests.store.seeding import Passage, add_base, add_document
from tests.store.test_planned_answers import WIDTH, calling
from tests.store.test_written_answers import PRICE, answering, saying

GRID = [
    ["Model", "Mass (kg)", "Price", "Colour"],
    ["Kite", "1,250.5", "€12", "red"],
    ["Heron", "—", "€9", "red or blue"],
    ["Crane", "980", "€30", ""],
]


@pytest.fixture(scope="module")
def scope(runtime: Runtime, identity: Identity) -> Scope:
    return add_base(runtime, identity, "planning tools")


@pytest.fixture(scope="module")
def versions(runtime: Runtime, scope: Scope) -> list[UUID]:
    """Two versions of a document, the older first."""
    old = add_document(runtime, scope, "Rules", [Passage("The rear wing must not be wider than 900 mm.")],
                       embedder=runtime.embedder)  # fmt: skip
    new = add_document(runtime, scope, "Rules", [Passage("The rear wing must not be wider than 1050 mm.")],
                       version_of=old, embedder=runtime.embedder)  # fmt: skip
    return [old, new]


@pytest.fixture(scope="module")
def table(runtime: Runtime, scope: Scope) -> list[UUID]:
    """The chunks of a table: the whole, then its rows."""
    document = add_document(runtime, scope, "Price list", [Passage("x")])
    box = [PageBox(x=0, y=0, w=1, h=1, page=1)]
    texts = [" | ".join(row) for row in GRID]
    labelled = [" | ".join(f"{a}: {b}" for a, b in zip(GRID[0], row, strict=True)) for row in GRID[1:]]
    chunks = [ChunkDraft(section=None, chunk_type="table", content="\n".join(texts), boxes=box, table=0)] + [
        ChunkDraft(section=None, chunk_type="table_row", content=text, boxes=box, table=0, row=at, labelled=told)
        for at, (text, told) in enumerate(zip(texts[1:], labelled, strict=True), start=1)
    ]
    grid = [[CellDraft(text=cell, boxes=box) for cell in row] for row in GRID]
    tables = [TableDraft(header_rows=1, rows=grid, caption="Prices", first_page=1, last_page=1)]
    draft = DocumentDraft(sections=[], chunks=chunks, tables=tables, confidence=1)
    with runtime.database.transaction(scope) as connection:
        commit_draft(connection, scope, document, draft, "Price list", "test")
        rows = connection.execute("select id from chunks where document_id = %s order by ordinal", (document,))
        return [row["id"] for row in rows]


@pytest.fixture
def server() -> Generator[ChatServer]:
    with running_chat() as found:
        yield found


def tools_of(runtime: Runtime, identity: Identity, scope: Scope, kind: type[AgentTools] = AgentTools,
             documents: list[UUID] | None = None) -> AgentTools:  # fmt: skip
    request = AskRequest(question=WIDTH, documents=documents)
    return kind(runtime, identity, request, scope.knowledge_base_ids, uuid4())


def called(tools: AgentTools, name: str, **arguments: Any) -> tuple[ToolOutcome, Any]:
    outcome = tools.call(ToolCall("c", name, json.loads(json.dumps(arguments, default=str))))
    return outcome, None if outcome.failed else json.loads(outcome.text)


def test_a_table_is_a_small_data_set_with_types_units_and_the_passage_of_each_row(
    runtime: Runtime, identity: Identity, scope: Scope, table: list[UUID]
) -> None:
    tools = tools_of(runtime, identity, scope)
    outcome, said = called(tools, "table_rows", chunk_id=table[2], limit=2)
    columns = [(one["label"], one["type"], one["unit"]) for one in said["columns"]]
    assert columns == [
        ("Model", "text", None), ("Mass (kg)", "quantity", "kg"), ("Price", "quantity", "EUR"), ("Colour", "text", None)
    ]  # fmt: skip
    assert [row["cells"] for row in said["rows"]] == [["Kite", 1250.5, 12, "red"], ["Heron", None, 9, "red or blue"]]
    assert said["decimals"] == {"Mass (kg)": [1, None]}
    assert [one.get("decimals") for one in said["columns"]] == [None, None, 0, None]
    assert [row["chunk_id"] for row in said["rows"]] == [str(one) for one in table[1:3]]
    assert outcome.chunk_ids == (*table[1:3],)
    assert (said["caption"], said["rows_in_all"]) == ("Prices", 3)
    _, rest = called(tools, "table_rows", chunk_id=table[0], cursor=said["next_cursor"])
    assert [row["cells"] for row in rest["rows"]] == [["Crane", 980, 30, None]]
    assert rest["decimals"] == {"Mass (kg)": [0]}
    assert rest["next_cursor"] is None


def test_a_row_that_is_read_has_its_headers(
    runtime: Runtime, identity: Identity, scope: Scope, table: list[UUID]
) -> None:
    passages = called(tools_of(runtime, identity, scope), "get_chunk", chunk_id=table[1], neighbours=1)[1]["passages"]
    assert [one["text"] for one in passages] == [
        "\n".join(" | ".join(row) for row in GRID), "Model: Kite | Mass (kg): 1,250.5 | Price: €12 | Colour: red",
        "Model: Heron | Mass (kg): — | Price: €9 | Colour: red or blue",
    ]  # fmt: skip


def test_a_search_tells_the_rows_that_are_no_passages_and_has_those_first_that_alone_have_its_words(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch, server: ChatServer
) -> None:
    for name, value in (("PASSAGE_ROWS", 101), ("BLOCK_ROWS", 400)):
        monkeypatch.setattr(cells, name, value)
    base = make_knowledge_base(runtime, identity, "long orders")
    rows = [f"ORD-{at:05d},{'Zanetti' if at == 700 else 'Meier'}\n" for at in range(1_000)]
    data = "".join(["id,customer\n", *rows]).encode()
    document = run_all(runtime, upload(runtime, identity, base, data, "orders.csv"))["document_id"]
    question = "Who is the customer of ORD-00700?"
    tools = AgentTools(runtime, identity, AskRequest(question=question), [base], uuid4())
    outcome, said = called(tools, "search", query="ORD-00700")
    row = said["passages"][0]
    place = {"document_id": document, "document": "orders.csv", "sheet": "Sheet1", "range": "A702:B702"}
    assert row == place | {"chunk_id": row["chunk_id"], "text": "id: ORD-00700 | customer: Zanetti"}
    assert outcome.chunk_ids == tuple(UUID(one["chunk_id"]) for one in said["passages"])
    assert "rows_behind" not in said
    beside = called(tools, "search", query="Meier")[1]["rows_behind"]
    assert "can be chosen as passages can" in beside["note"]
    assert (len(beside["rows"]), beside["more"]) == (10, True)
    assert "rows_behind" not in called(tools, "search", query="nothing like it")[1]
    # What the first search found of them is told before the first call, and read once.
    server.mind = calling([("search", {"query": "Zanetti"})])
    with answering(runtime, server) as with_model:
        request = AskRequest(question=question, knowledge_base_ids=[base], plan=True)
        answer = ask(with_model, identity, request)
    assert "customer: Zanetti" in server.told[0].turns[0][1]
    assert answer.rows_behind
    assert [hit.range for hit in answer.rows_behind.hits] == ["A702:B702"]
    steps = [step.name for step in get_trace(runtime, identity, answer.trace_id).steps]
    assert steps.count("read_blocks") == 1


def test_documents_are_listed_with_the_tree_of_their_versions(
    runtime: Runtime, identity: Identity, scope: Scope, versions: list[UUID]
) -> None:
    _, said = called(tools_of(runtime, identity, scope), "list_documents")
    rules = next(one for one in said["documents"] if one["name"] == "Rules")
    assert [one["document_id"] for one in rules["versions"]] == [str(one) for one in versions]
    assert [one["current"] for one in rules["versions"]] == [False, True]


def test_each_tool_leaves_out_what_is_not_pinned(
    runtime: Runtime, identity: Identity, scope: Scope, versions: list[UUID], table: list[UUID]
) -> None:
    old, new = versions
    free, pinned = tools_of(runtime, identity, scope), tools_of(runtime, identity, scope, documents=[new])
    with runtime.database.transaction(scope) as connection:
        row = connection.execute("select id from chunks where document_id = %s", (old,)).fetchone()
    assert row is not None
    for name, arguments in (
        ("get_chunk", {"chunk_id": row["id"], "neighbours": 0}),
        ("compare_versions", {"before": old, "after": new}),
        ("compare_versions", {"before": new, "after": old}),
        ("table_rows", {"chunk_id": table[0]}),
        ("search", {"query": "rear wing", "documents": [old]}),
    ):
        assert not called(free, name, **arguments)[0].failed, name
        refused = called(pinned, name, **arguments)[0]
        assert refused.failed, name
        assert "There is no" in refused.text
    _, listed = called(pinned, "list_documents")
    assert [[v["document_id"] for v in one["versions"]] for one in listed["documents"]] == [[str(new)]]
    _, found = called(pinned, "search", query="rear wing", include_superseded=True)
    assert {one["document_id"] for one in found["passages"]} == {str(new)}


def test_a_model_that_sees_nothing_is_told_so_and_a_source_without_pages_has_no_picture(
    runtime: Runtime, identity: Identity, scope: Scope, table: list[UUID]
) -> None:
    blind = tools_of(runtime, identity, scope)
    request = AskRequest(question=WIDTH)
    seeing = AgentTools(runtime, identity, request, scope.knowledge_base_ids, uuid4(), sees=True)
    for tools, says in ((blind, "given no pictures"), (seeing, "There is none")):
        outcome, said = called(tools, "get_chunk", chunk_id=table[0], page_image=True)
        assert says in said["page_image"]
        assert outcome.image is None


class Waiting(AgentTools):
    """Calls wait for one another, and are counted while they run; the later ones end first."""

    together: threading.Barrier
    running = most = 0
    lock = threading.Lock()

    def call(self, call: ToolCall) -> ToolOutcome:
        with Waiting.lock:
            Waiting.running += 1
            Waiting.most = max(Waiting.most, Waiting.running)
        try:
            if call.name == "search":
                Waiting.together.wait(PATIENCE_S)
                time.sleep(0.05 if (call.arguments or {})["query"] == "a" else 0)
            return ToolOutcome(f"result of {(call.arguments or {}).get('query')}")
        finally:
            with Waiting.lock:
                Waiting.running -= 1


def test_calls_of_a_turn_run_side_by_side_and_are_told_in_the_order_asked(
    runtime: Runtime, identity: Identity, scope: Scope, server: ChatServer
) -> None:
    Waiting.together = threading.Barrier(CALLS_AT_ONCE)
    asked = ["a", "b", "c", "d", "e", "f"]
    server.mind = calling([("search", {"query": one}) for one in asked])
    events = list[AskEvent]()
    with answering(runtime, server) as with_model:
        assert with_model.answerer is not None
        tools = tools_of(with_model, identity, scope, Waiting)
        plan_evidence(with_model, identity, with_model.answerer, WIDTH, tools, [], events.append)
    assert [one.data["arguments"]["query"] for one in events] == asked
    results = [text for role, text in server.told[1].turns if role == "tool"]
    assert results == [f"result of {one}" for one in asked]
    assert Waiting.most == CALLS_AT_ONCE


def test_results_of_long_ago_are_shortened_and_what_is_chosen_stays_in_sight(
    runtime: Runtime, identity: Identity, scope: Scope, versions: list[UUID], server: ChatServer
) -> None:
    def mind(told: Told) -> Said:
        results = [text for role, text in told.turns if role == "tool"]
        if len(results) == 1:
            chosen = json.loads(results[0])["passages"][0]["chunk_id"]
            return Said(calls=(("choose_evidence", {"chunk_ids": [chosen], "done": False}),))
        return Said(calls=(("search", {"query": "rear wing", "include_superseded": True}),))

    server.mind = mind
    with answering(runtime, server) as with_model:
        assert with_model.answerer is not None
        tools = tools_of(with_model, identity, scope)
        budget = PlanBudget(turns=5, tokens=10**9, window=400)
        made = plan_evidence(with_model, identity, with_model.answerer, WIDTH, tools, [], tell_nobody, budget)
    turns = [[text for role, text in one.turns if role == "tool"] for one in server.told]
    whole, last = json.loads(turns[1][0]), turns[-1]
    first = json.loads(last[0])
    assert "Call it again" in first["note"]
    assert [one["chunk_id"] for one in first["passages"]] == [whole["passages"][0]["chunk_id"]]
    assert first["passages"][0]["text"] == whole["passages"][0]["text"]
    assert set(first["chunk_ids"]) == {one["chunk_id"] for one in whole["passages"][1:]}
    assert json.loads(last[-1])["passages"]
    assert str(made.chunk_ids[0]) == whole["passages"][0]["chunk_id"]


def test_what_a_request_begins_with_stays_the_same_from_turn_to_turn(
    runtime: Runtime, identity: Identity, scope: Scope, versions: list[UUID], server: ChatServer
) -> None:
    server.mind = calling([("search", {"query": "rear wing"})], [("list_documents", {})])
    with answering(runtime, server) as with_model:
        answer = ask(with_model, identity, AskRequest(
            question=WIDTH, knowledge_base_ids=[*scope.knowledge_base_ids], plan=True
        ))  # fmt: skip
    planning = [body for body in server.asked if "tools" in body]
    for before, after in pairwise(planning):
        assert json.dumps(after["tools"]) == json.dumps(before["tools"])
        assert after["messages"][: len(before["messages"])] == before["messages"]
    calls = get_trace(runtime, identity, answer.trace_id).notes["plan"]["calls"]
    assert [one["cache_read_tokens"] for one in calls] == [40] * len(planning)


def test_a_planned_answer_is_one_trace_with_the_steps_of_its_searches(
    runtime: Runtime, identity: Identity, scope: Scope, versions: list[UUID], server: ChatServer
) -> None:
    server.mind = calling([("search", {"query": "rear wing"}), ("look_up", {"address": "C7"}), ("list_documents", {})])
    before = {one.id for one in list_traces(runtime, identity)}
    with answering(runtime, server) as with_model:
        request = AskRequest(question=WIDTH, knowledge_base_ids=[*scope.knowledge_base_ids], plan=True)
        answer = ask(with_model, identity, request)
    assert {one.id for one in list_traces(runtime, identity)} - before == {answer.trace_id}
    search, look_up, listing = get_trace(runtime, identity, answer.trace_id).notes["plan"]["tools"]
    assert {"embed_query", "read_chunks"} <= {step["name"] for step in search["steps"]}
    assert "lookup_section" in {step["name"] for step in look_up["steps"]}
    assert listing["steps"] == []


def test_whoever_leaves_while_the_model_is_silent_ends_its_call_and_is_charged_for_what_it_read(
    runtime: Runtime, identity: Identity, scope: Scope, versions: list[UUID], server: ChatServer
) -> None:
    server.mind, server.pause_s = saying(("It may be 1050 mm wide.", "1050 mm")), 30
    request = AskRequest(question=WIDTH, knowledge_base_ids=[*scope.knowledge_base_ids])
    who = Listening()

    def leave(event: AskEvent) -> None:
        if event.name == "evidence":
            threading.Timer(0.5, who.leave).start()

    def spent() -> float:
        with runtime.database.transaction(identity.scope()) as connection:
            return spent_today(connection)

    before, started = spent(), time.monotonic()
    with answering(runtime, server, PRICE) as with_model, listened_to_by(who), pytest.raises(HungUp):
        ask(with_model, identity, request, leave)
    assert time.monotonic() - started < 20
    assert spent() > before
