"""MCP over HTTP as the SDK's own client speaks it, to the application under uvicorn."""

import base64
import io
from collections.abc import Iterator
from typing import Any

import anyio
import httpx2
import psycopg
import pytest
from mcp.client.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolResult, ImageContent, PromptReference, TextContent
from PIL import Image

from functions.api.app import create_app
from functions.api.identity import development_identity
from shared.answering.agent.arguments import ARGUMENTS, CHOOSE, description_of
from shared.domain.scope import Identity
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.conftest import as_superuser
from tests.live import serving
from tests.patience import PATIENCE_S
from tests.pipeline import make_knowledge_base, run_all, upload

MODES = ("legacy", "auto")
SECRET = "zirconium"
WRITES = {"add_note", "make_dataset", "change_steps", "keep_plot"}


class Tools:
    """Calls of one assistant, a connection each."""

    def __init__(self, url: str, token: str, mode: str = "auto") -> None:
        self._url, self._token, self._mode = f"{url}/mcp", token, mode

    def run(self, use: Any) -> Any:
        async def connect() -> Any:
            headers = {"Authorization": f"Bearer {self._token}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as http,
                McpClient(streamable_http_client(self._url, http_client=http), mode=self._mode) as client,
            ):
                return await use(client)

        return anyio.run(connect)

    def result(self, name: str, /, **arguments: Any) -> CallToolResult:
        return self.run(lambda client: client.call_tool(name, arguments))

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        found = self.result(name, **arguments)
        assert not found.is_error, found.content
        assert found.structured_content is not None
        return found.structured_content

    def refusal(self, uri: str) -> str:
        """Why a resource is not read."""

        async def read(client: McpClient) -> str:
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            return str(refused.value)

        return self.run(read)

    def error(self, name: str, /, **arguments: Any) -> str:
        found = self.result(name, **arguments)
        assert found.is_error
        assert isinstance(found.content[0], TextContent)
        return found.content[0].text


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> str:
    made = make_knowledge_base(runtime, identity, "bronze")
    for part in ("bronze", "bronze alloy"):
        run_all(runtime, upload(runtime, identity, made, three_pages(part), "bronze.pdf"))
    return str(made)


@pytest.fixture(scope="module")
def foreign(runtime: Runtime, other_identity: Identity) -> dict[str, str]:
    made = make_knowledge_base(runtime, other_identity, SECRET)
    event = run_all(runtime, upload(runtime, other_identity, made, three_pages(SECRET), f"{SECRET}.pdf"))
    return {"base": str(made), "document": event["document_id"]}


@pytest.fixture(scope="module")
def url(runtime: Runtime) -> Iterator[str]:
    with serving(create_app(runtime, development_identity(runtime), local=True)) as address:
        yield address


def make_key(client: Client, **fields: Any) -> str:
    answer = client.post("/v1/keys", json={"name": "assistant"} | fields)
    assert answer.status_code == 201, answer.text
    return answer.json()["secret"]


@pytest.fixture(scope="module")
def tools(url: str, client: Client, base: str) -> Tools:
    return Tools(url, make_key(client, scope="write"))


@pytest.mark.parametrize("mode", MODES)
def test_an_assistant_of_either_revision_lists_tools_with_schemas_and_searches(
    url: str, client: Client, base: str, mode: str
) -> None:
    one = Tools(url, make_key(client, scope="read"), mode)
    listed = one.run(lambda c: c.list_tools()).tools
    assert {"search", "look_up", "ask", "get_chunk", "compare_versions", "add_note"} <= {tool.name for tool in listed}
    for tool in listed:
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name not in WRITES)
    found = one.call("search", query="bronze", knowledge_bases=["bronze"])
    assert any("bronze" in passage["text"] for passage in found["passages"])
    assert {passage["document"] for passage in found["passages"]} == {"bronze.pdf"}


def test_a_passage_is_read_with_its_neighbours_and_its_place_on_the_page(tools: Tools) -> None:
    hit = tools.call("search", query="bronze", k=1)["passages"][0]
    found = tools.result("get_chunk", chunk_id=hit["chunk_id"], neighbours=2, page_image=True)
    said = found.structured_content
    assert said is not None
    assert said["passage"]["text"] == hit["text"]
    assert 1 <= len(said["before"]) + len(said["after"]) <= 4
    image = next(part for part in found.content if isinstance(part, ImageContent))
    with Image.open(io.BytesIO(base64.b64decode(image.data))) as crop:
        assert crop.format == "JPEG"
        # Of the page's width a line of text has more than a tenth, of its height less than half.
        assert crop.width > 100
        assert crop.height < crop.width * 1.2


def documents_of_bronze(tools: Tools) -> list[str]:
    """The ids of the two documents, the newer first: each has one version, as nobody has linked them."""
    trees = tools.call("list_documents", knowledge_base="bronze")["items"]
    assert [(len(tree["versions"]), tree["older_versions"]) for tree in trees] == [(1, 0)] * 2
    return [tree["versions"][0]["id"] for tree in trees]


def test_a_tool_that_a_planning_model_has_too_is_told_in_the_same_words(tools: Tools) -> None:
    listed = {tool.name: tool for tool in tools.run(lambda c: c.list_tools()).tools}
    for name in ARGUMENTS:
        if name != CHOOSE:
            assert listed[name].description == description_of(name)


def test_a_knowledge_base_is_found_by_its_id_its_slug_and_its_name(tools: Tools, base: str) -> None:
    found = [tools.call("search", query="bronze", knowledge_bases=[name], k=1) for name in (base, "bronze", " BRONZE ")]
    assert len({one["passages"][0]["chunk_id"] for one in found}) == 1
    assert "Give a slug of list_knowledge_bases: " in tools.error("search", query="bronze", knowledge_bases=["silver"])


def test_lists_go_on_where_the_cursor_says(tools: Tools) -> None:
    first = tools.call("list_documents", knowledge_base="bronze", limit=1)
    second = tools.call("list_documents", knowledge_base="bronze", limit=1, cursor=first["next_cursor"])
    assert len({page["items"][0]["logical_document_id"] for page in (first, second)}) == 2
    assert second["next_cursor"] is None
    assert "cursor" in tools.error("list_documents", cursor="x")


def test_two_versions_are_compared_and_only_what_differs_is_told(tools: Tools) -> None:
    new, old = documents_of_bronze(tools)
    found = tools.call("compare_versions", before=old, after=new)
    assert found["items"]
    assert any("alloy" in (item["after"] or "") and "alloy" not in (item["before"] or "") for item in found["items"])
    one = tools.call("compare_versions", before=old, after=new, limit=1)
    assert one["items"] == found["items"][:1]
    if one["next_cursor"]:
        rest = tools.call("compare_versions", before=old, after=new, cursor=one["next_cursor"])
        assert [*one["items"], *rest["items"]] == found["items"]


def test_a_question_that_nothing_answers_is_told_why_and_what_is_nearest(tools: Tools, base: str) -> None:
    found = tools.call("ask", question="What does Hamlet say of bronze?", knowledge_bases=[base])
    assert (found["insufficient_evidence"], found["statements"], found["citations"]) == (True, [], [])
    lacking = found["insufficiency"]
    assert (lacking["reason"], lacking["missing"], lacking["searched"]) == ("not_named", ["Hamlet"], [base])
    nearest = [passage["chunk_id"] for passage in found["nearest"]]
    assert nearest
    assert nearest == lacking["nearest"][: len(nearest)]
    assert "no passage names Hamlet" in found["answer"]


def test_errors_say_what_to_do(tools: Tools) -> None:
    assert "list_knowledge_bases: bronze" in tools.error("search", query="x", knowledge_bases=["silver"])
    assert "empty" in tools.error("ask", question=" ")
    assert "needs a model that calls tools" in tools.error("ask", question="What is the pressure?", plan=True)
    assert "colour" in tools.error("search", query="x", where="colour = red")
    assert "query" in tools.error("search", query="x" * 5000)
    assert "recency_days" in tools.error("search", query="x", recency_days=-1)
    assert "NUL" in tools.error("search", query="x", columns=["a\0"])


def test_every_tool_says_in_words_which_argument_is_missing_or_not_taken(tools: Tools) -> None:
    for tool in tools.run(lambda c: c.list_tools()).tools:
        said = tools.error(tool.name, colour="red")
        assert said.startswith(f"{tool.name} takes no `colour`. It takes: "), said
        assert all(name in said for name in tool.input_schema.get("properties", {}))
        needed = tool.input_schema.get("required", [])
        if needed:
            said = tools.error(tool.name)
            assert all(f"`{name}`: is missing (" in said for name in needed), said
            assert "validation error" not in said
            assert "pydantic" not in said


def test_what_clients_add_or_leave_out_by_null_is_not_refused(tools: Tools) -> None:
    assert tools.call("list_knowledge_bases", _meta={}, _reason="none") == tools.call("list_knowledge_bases")
    found = tools.call("search", query="bronze", k=None, where=None)
    assert found["passages"] == tools.call("search", query="bronze")["passages"] != []
    assert "`question`: should be a valid string (one question" in tools.error("ask", question=None)


def test_a_tool_that_is_not_there_is_not_told_by_its_arguments(tools: Tools) -> None:
    assert "takes no" not in tools.error("paint", colour="red")


def test_an_argument_that_does_not_fit_is_told_with_what_is_expected(tools: Tools) -> None:
    assert "`k`: should be less than or equal to 100 (how many passages at most)" in tools.error("search", k=500)
    said = tools.error("search", query="x", types=["picture"])
    assert "`types.0`: should be 'text', 'list'" in said
    # What `types` is for says nothing of one of them.
    assert " (" not in said
    some = "2f9c964c-da3e-4605-9c8f-3eef1f5bda35"
    said = tools.error("plot_dataset", dataset_id=some, form="a bar for each")
    assert "`form`: should be an object (what is drawn of it)" in said
    assert "a bar for each" not in said
    assert "`form.mark`: should be 'bar', 'line'" in tools.error("plot_dataset", dataset_id=some, form={"mark": "pie"})
    said = tools.error("read_dataset", dataset_id=some, steps=[{"op": "limit", "rows": 5, "columns": []}])
    assert "`steps.0.limit`: there is no `columns` here; there are op, rows" in said


def test_a_note_is_added_found_and_the_same_again_no_second_one(tools: Tools) -> None:
    made = tools.call("add_note", knowledge_base="bronze", text="Patina is a thin layer.", title="Patina")
    assert tools.call("add_note", knowledge_base="bronze", text="Patina is a thin layer.", title="Patina")["duplicate"]
    found = tools.call("search", query="patina layer", k=1)["passages"][0]
    assert found["document_id"] == made["document_id"]


def test_datasets_are_listed_read_transformed_and_traced_to_what_was_printed(
    tools: Tools, client: Client, runtime: Runtime, identity: Identity
) -> None:
    base = make_knowledge_base(runtime, identity, "tin")
    run_all(runtime, upload(runtime, identity, base, b"Model,Mass (kg)\nKite,3\nHeron,5\n", "tin.csv"))
    (table,) = tools.call("list_tables", knowledge_base=str(base))["items"]
    wanted = {"knowledge_base_id": str(base), "table_ids": [table["table_id"]]}
    made = client.post("/v1/datasets", json=wanted).json()["id"]
    assert [one["id"] for one in tools.call("list_datasets", knowledge_base=str(base))["items"]] == [made]
    steps = [{"op": "filter", "where": "[Mass (kg)] > 4"}]
    assert tools.call("read_dataset", dataset_id=made, steps=steps)["rows"] == [["Heron", 5.0]]
    assert len(tools.call("read_dataset", dataset_id=made)["rows"]) == 2
    (cell,) = tools.call("dataset_sources", dataset_id=made, row=0, column=1, steps=steps)["cells"]
    assert cell["text"] == "5"
    assert "Heron" in tools.call("get_chunk", chunk_id=cell["chunk_id"])["passage"]["text"]
    assert "There is no dataset" in tools.error("read_dataset", dataset_id=str(base))


def test_an_assistant_keeps_a_dataset_its_steps_and_a_plot_where_it_may_write(
    url: str, tools: Tools, client: Client, runtime: Runtime, identity: Identity
) -> None:
    base = make_knowledge_base(runtime, identity, "zinc")
    run_all(runtime, upload(runtime, identity, base, b"Model,Mass (kg)\nKite,3\nHeron,5\nGull,6\n", "zinc.csv"))
    (table,) = tools.call("list_tables", knowledge_base="zinc")["items"]
    wanted = {"knowledge_base": "zinc", "tables": [table["table_id"]], "name": "Masses"}
    reader = Tools(url, make_key(client, scope="read"))
    assert "made to read" in reader.error("make_dataset", **wanted)
    assert client.get("/v1/datasets", params={"knowledge_base_id": str(base)}).json()["items"] == []
    made = tools.call("make_dataset", **wanted)
    assert (made["name"], [one["unit"] for one in made["source_columns"]]) == ("Masses", [None, "kg"])
    heavy = {"dataset_id": made["id"], "steps": [{"op": "filter", "where": "[Mass (kg)] > 4"}], "revision": 1}
    assert "made to read" in reader.error("change_steps", **heavy)
    assert tools.call("change_steps", **heavy)["revision"] == 2
    assert "revision" in tools.error("change_steps", **heavy)
    unfit = heavy | {"steps": [{"op": "select", "columns": ["Wings"]}], "revision": 2}
    assert "Wings" in tools.error("change_steps", **unfit)
    rows = client.get(f"/v1/datasets/{made['id']}/rows").json()["rows"]
    assert rows == [["Heron", 5.0], ["Gull", 6.0]]
    form = {"mark": "bar", "x": {"field": "Model"}, "y": {"field": "Mass (kg)"}}
    assert "made to read" in reader.error("keep_plot", dataset_id=made["id"], form=form)
    kept = tools.result("keep_plot", dataset_id=made["id"], form=form, name="Heavy ones", picture=True)
    assert isinstance(kept.content[1], ImageContent)
    assert base64.b64decode(kept.content[1].data).startswith(b"\x89PNG")
    (plot,) = client.get("/v1/plots", params={"knowledge_base_id": str(base)}).json()["items"]
    assert kept.structured_content is not None
    assert kept.structured_content["plot"]["id"] == plot["id"]
    assert plot["name"] == "Heavy ones"
    cells = tools.call("plot_cells", plot_id=plot["id"], mark=0)["cells"]
    assert {cell["text"] for cell in cells} & {"5", "6"}
    acts = [one["act"] for one in client.get("/v1/audit").json()["items"]]
    assert {"dataset.create", "dataset.change", "plot.add"} <= {*acts}


def test_documents_and_passages_are_resources(tools: Tools, base: str) -> None:
    listed = tools.run(lambda c: c.list_resources()).resources
    text = tools.run(lambda c: c.read_resource(next(r.uri for r in listed if r.name == "bronze.pdf"))).contents[0].text
    assert "bronze" in text
    chunk = text.rpartition("[autri://chunks/")[2].partition("]")[0]
    passage = tools.run(lambda c: c.read_resource(f"autri://chunks/{chunk}")).contents[0].text
    assert chunk in passage
    assert "is no id" in tools.refusal("autri://chunks/7")


def test_prompts_hold_what_was_asked(tools: Tools) -> None:
    names = {prompt.name for prompt in tools.run(lambda c: c.list_prompts()).prompts}
    assert names == {"answer_with_citations", "what_changed"}
    got = tools.run(lambda c: c.get_prompt("what_changed", {"document": "bronze.pdf"}))
    assert "bronze.pdf" in got.messages[0].content.text


@pytest.mark.parametrize("mode", MODES)
def test_a_prompt_that_is_not_there_or_lacks_something_is_the_askers_error(url: str, client: Client, mode: str) -> None:
    tools = Tools(url, make_key(client, scope="read"), mode)

    async def ask(client: McpClient, name: str) -> MCPError:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, {})
        return refused.value

    found = [tools.run(lambda c, name=name: ask(c, name)) for name in ("what_is", "what_changed")]
    assert [one.code for one in found] == [INVALID_PARAMS] * 2
    assert "answer_with_citations, what_changed" in str(found[0])
    assert "needs: document" in str(found[1])


def test_a_prompts_argument_is_completed_by_what_the_caller_sees(
    tools: Tools, base: str, foreign: dict[str, str]
) -> None:
    def complete(argument: str, typed: str) -> list[str]:
        ref = PromptReference(type="ref/prompt", name="answer_with_citations")
        asked = {"name": argument, "value": typed}
        return tools.run(lambda c: c.complete(ref, asked)).completion.values

    assert complete("knowledge_base", "BRO") == ["bronze"]
    assert complete("document", "onze.p") == ["bronze.pdf"]
    assert complete("knowledge_base", SECRET[:4]) == complete("document", SECRET[:4]) == complete("question", "b") == []


def test_nothing_of_another_organization_is_seen_by_any_tool(tools: Tools, foreign: dict[str, str], base: str) -> None:
    bases = tools.call("list_knowledge_bases")["items"]
    assert foreign["base"] not in {one["id"] for one in bases}
    assert SECRET not in str(tools.call("search", query=SECRET))
    assert SECRET not in str(tools.call("search", sort="newest", k=100))
    assert "no document" in tools.error("search", query=SECRET, documents=[foreign["document"]]).lower()
    assert "No knowledge base" in tools.error("search", query=SECRET, knowledge_bases=[foreign["base"]])
    assert "No knowledge base" in tools.error("add_note", knowledge_base=SECRET, text="x")
    assert "There is no document" in tools.error("outline", document_id=foreign["document"])
    assert "There is no document" in tools.error("list_versions", document_id=foreign["document"])
    assert SECRET not in str(tools.run(lambda c: c.list_resources()))
    assert "There is no document" in tools.refusal(f"autri://documents/{foreign['document']}")


def test_a_key_of_some_knowledge_bases_sees_no_other(
    url: str, client: Client, runtime: Runtime, identity: Identity, base: str
) -> None:
    other = make_knowledge_base(runtime, identity, "copper")
    run_all(runtime, upload(runtime, identity, other, three_pages("copper"), "copper.pdf"))
    one = Tools(url, make_key(client, scope="read", knowledge_base_ids=[base]))
    assert [item["id"] for item in one.call("list_knowledge_bases")["items"]] == [base]
    assert "copper" not in str(one.call("search", query="copper"))
    assert "made to read" in one.error("add_note", knowledge_base="bronze", text="x")


def test_calls_are_counted_apart_from_questions(client: Client, tools: Tools) -> None:
    before = client.get("/v1/usage").json()
    tools.call("search", query="bronze")
    after = client.get("/v1/usage").json()
    assert after["mcp_calls"] == before["mcp_calls"] + 1
    assert after["lines"] == before["lines"]


def test_a_plan_without_assistants_refuses_them(client: Client, tools: Tools, url: str, owner_dsn: str) -> None:
    key = make_key(client, scope="read")
    given = "update organizations set plan = %s where slug = 'local'"
    with psycopg.connect(as_superuser(owner_dsn), autocommit=True) as connection:
        connection.execute(given, ["free"])
        try:
            said = client.post("/mcp", json={}, headers={"Authorization": f"Bearer {key}"})
            back = "http://127.0.0.1/back"
            named = client.post("/oauth/register", json={"redirect_uris": [back]}).json()["client_id"]
            wish = {"client_id": named, "redirect_uri": back, "code_challenge": "c" * 43}
            allowed = client.post("/v1/connections", json=wish)
            asked = {**wish, "response_type": "code", "code_challenge_method": "S256"}
            consent = client.get("/oauth/authorize", params=asked)
        finally:
            connection.execute(given, [None])
    assert [one.status_code for one in (said, allowed, consent)] == [402] * 3
    assert "does not include assistants" in said.json()["detail"]


def test_without_a_token_it_is_said_how_to_get_one(client: Client) -> None:
    said = client.post("/mcp", json={})
    assert said.status_code == 401


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_to_open_and_no_session_to_end(client: Client, method: str) -> None:
    assert client(method, "/mcp").status_code == 405
