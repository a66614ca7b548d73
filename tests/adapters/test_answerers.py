"""Models that answer, over real HTTP: one contract for each protocol, and what each error says."""

import base64
import json
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from shared.adapters.aws.bedrock_answerer import BedrockAnswerer, converse_request
from shared.adapters.aws.models import find_model
from shared.adapters.chat.anthropic_chat import VERSION, AnthropicAnswerer
from shared.adapters.chat.calls import ATTEMPTS, ChatEndpoint, sse_data
from shared.adapters.chat.openai_chat import OpenAiAnswerer
from shared.adapters.local.answerers import load_answerer
from shared.bootstrap import local_runtime
from shared.domain.chat import ChatRequest, ChatTurn, ToolCall, ToolResult, ToolSpec
from shared.domain.listening import HungUp, Listening, listened_to_by
from shared.domain.model_calls import Price, Usage
from shared.errors import BadInput, Unavailable
from shared.ports import Answerer
from shared.settings import LocalSettings
from tests.adapters.chat_server import KEY, MODEL, ChatServer, Fault, Refusal, Said, running_chat
from tests.aws.bedrock import FakeBedrock
from tests.aws.converse import Behaviour
from tests.patience import PATIENCE_S

PRICE = Price(input=1.0, cache_read=0.1, cache_write=1.25, output=5.0)
OUTPUT = ToolSpec("write_answer", "Writes.", {"type": "object", "properties": {"said": {"type": "string"}}})
LOOK = ToolSpec("look_up", "Looks up.", {"type": "object", "properties": {"address": {"type": "string"}}})
LATE = "has not finished in the time that the model .* AUTRI_ANSWER_SECONDS"
ASKED = ChatRequest("Be brief.", (ChatTurn("user", "How wide?"),))
Make = Callable[[ChatServer, list[float]], Answerer]


def openai(server: ChatServer, waits: list[float], key: str = KEY) -> OpenAiAnswerer:
    headers = {"Authorization": f"Bearer {key}"}
    endpoint = ChatEndpoint(
        "OpenAI", f"{server.url}/v1/chat/completions", MODEL, headers, "OPENAI_API_KEY", waits.append
    )
    return OpenAiAnswerer(MODEL, endpoint, PRICE)


def anthropic(server: ChatServer, waits: list[float], key: str = KEY) -> AnthropicAnswerer:
    headers = {"x-api-key": key, "anthropic-version": VERSION}
    endpoint = ChatEndpoint("Anthropic", f"{server.url}/v1/messages", MODEL, headers, "ANTHROPIC_API_KEY", waits.append)
    return AnthropicAnswerer(MODEL, endpoint, PRICE)


@pytest.fixture
def server() -> Generator[ChatServer]:
    with running_chat() as found:
        yield found


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture(params=[openai, anthropic])
def make(request: pytest.FixtureRequest) -> Make:
    return request.param


@pytest.fixture
def model(make: Make, server: ChatServer, waits: list[float]) -> Answerer:
    return make(server, waits)


def soon(seconds: float = PATIENCE_S) -> float:
    return time.monotonic() + seconds


def test_text_is_heard_in_its_parts_and_counted(server: ChatServer, model: Answerer) -> None:
    server.script = [Said('At most 1050 mm. "Größe" 日本.')]
    heard = list[str]()
    reply = model.chat(ASKED, soon(), heard.append)
    assert reply.text == "".join(heard) == 'At most 1050 mm. "Größe" 日本.'
    assert len(heard) > 2
    assert (reply.calls, reply.stop) == ((), "end")
    assert (reply.usage.cache_read_tokens, reply.usage.output_tokens) == (40, 20)
    assert 0 < reply.usd == pytest.approx(PRICE.usd(reply.usage))


def test_what_a_model_thinks_is_paid_for_where_it_is_in_the_total_alone(server: ChatServer, waits: list[float]) -> None:
    server.script = [Said("1050 mm.", thought=300)]
    reply = openai(server, waits).chat(ASKED, soon())
    assert (reply.usage.input_tokens, reply.usage.cache_read_tokens, reply.usage.output_tokens) == (60, 40, 320)
    assert reply.usd == pytest.approx(PRICE.usd(reply.usage))


def test_an_output_is_one_json_object_whatever_the_protocol(server: ChatServer, model: Answerer) -> None:
    wanted = json.dumps({"said": "At most 1050 mm."})
    server.script = [Said(wanted)]
    heard = list[str]()
    reply = model.chat(replace(ASKED, output=OUTPUT), soon(), heard.append)
    assert reply.text == "".join(heard) == wanted
    assert (reply.calls, reply.stop) == ((), "end")
    assert server.told[0].output == OUTPUT.parameters


def test_calls_and_their_results_go_forth_and_back(server: ChatServer, model: Answerer) -> None:
    calls = (("look_up", {"address": "C7.6"}), ("look_up", {"address": "C8"}), ("look_up", '{"address": "C9'))
    server.script = [Said("I look.", calls), Said("Done.")]
    first = model.chat(replace(ASKED, tools=(LOOK,)), soon())
    assert [call.arguments for call in first.calls] == [{"address": "C7.6"}, {"address": "C8"}, None]
    assert first.calls[2].raw == '{"address": "C9'
    assert (first.stop, first.text) == ("tools", "I look.")
    results = tuple(ToolResult(call.id, f"result {at}", failed=at == 2) for at, call in enumerate(first.calls))
    turns = (*ASKED.turns, ChatTurn("assistant", first.text, first.calls), ChatTurn("user", results=results))
    assert model.chat(replace(ASKED, turns=turns, tools=(LOOK,)), soon()).text == "Done."
    said = " ".join(text for _, text in server.told[1].turns)
    assert [one in said for one in ("C7.6", "C8", "result 0", "result 1", "result 2")] == [True] * 5


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"name": "look_up", "arguments": {"address": "C7"}}', {"address": "C7"}),
        ('<tool_call>\n{"name": "look_up", "parameters": {"address": "C7"}}\n</tool_call>\n', {"address": "C7"}),
        ('{"name": "erase", "arguments": {"address": "C7"}}', None),
        ('{"name": "look_up", "arguments": "C7"}', None),
        ('I would call {"name": "look_up", "arguments": {"address": "C7"}}', None),
        ('["look_up"]', None),
    ],
)
def test_a_call_that_a_server_leaves_as_text_is_one_where_it_is_all_that_was_said(
    server: ChatServer, waits: list[float], text: str, arguments: dict[str, str] | None
) -> None:
    model = openai(server, waits)
    server.script = [Said(text), Said(text)]
    reply = model.chat(replace(ASKED, tools=(LOOK,)), soon())
    assert [call.arguments for call in reply.calls] == ([arguments] if arguments else [])
    assert (reply.text, reply.stop) == (("", "tools") if arguments else (text, "end"))
    # Nothing was offered, so nothing is called.
    assert model.chat(ASKED, soon()).calls == ()


def test_a_picture_goes_with_its_result_where_the_model_sees(server: ChatServer, model: Answerer) -> None:
    call = ToolCall("c1", "look_up", {"address": "C7"})
    result = ToolResult("c1", "a passage", image=b"\xff\xd8jpeg")
    turns = (*ASKED.turns, ChatTurn("assistant", "", (call,)), ChatTurn("user", results=(result,)))
    server.script = [Said("Seen.")] * 2
    assert model.chat(replace(ASKED, turns=turns, tools=(LOOK,)), soon()).text == "Seen."
    printed = base64.b64encode(b"\xff\xd8jpeg").decode()
    assert printed in json.dumps(server.asked[0])
    assert "a passage" in json.dumps(server.asked[0])
    # The result of a call stands right behind it, whatever follows.
    roles = [turn["role"] for turn in server.asked[0]["messages"]]
    assert roles[roles.index("assistant") + 1] in ("tool", "user")


def test_a_server_that_takes_no_pictures_is_sent_none_from_then_on(server: ChatServer, waits: list[float]) -> None:
    model = openai(server, waits)
    call = ToolCall("c1", "look_up", {"address": "C7"})
    result = ToolResult("c1", "a passage", image=b"jpeg")
    turns = (*ASKED.turns, ChatTurn("assistant", "", (call,)), ChatTurn("user", results=(result,)))
    server.first, server.script = [Refusal(400, "This model does not support image_url content.")], [Said("Read.")]
    assert model.chat(replace(ASKED, turns=turns, tools=(LOOK,)), soon()).text == "Read."
    assert not model.capabilities.images
    assert ["image_url" in json.dumps(body) for body in server.asked] == [True, False]


def test_turns_that_grow_are_kept_in_the_services_cache(server: ChatServer, waits: list[float]) -> None:
    model = anthropic(server, waits)
    server.script = [Said("Here.")] * 2
    model.chat(ASKED, soon())
    reply = model.chat(replace(ASKED, grows=True), soon())
    points = ["cache_control" in body["messages"][-1]["content"][-1] for body in server.asked]
    assert points == [False, True]
    assert all("cache_control" in body["system"][-1] for body in server.asked)
    assert (reply.usage.cache_read_tokens, reply.usage.cache_write_tokens) == (40, 10)
    assert reply.usd == pytest.approx((60 * 1.0 + 40 * 0.1 + 10 * 1.25 + 20 * 5.0) / 1e6)
    made = converse_request(find_model(HAIKU), replace(ASKED, grows=True))
    assert [list(block) for block in made["messages"][-1]["content"]] == [["text"], ["cachePoint"]]
    assert [list(b) for b in converse_request(find_model(HAIKU), ASKED)["messages"][-1]["content"]] == [["text"]]


def test_whoever_leaves_ends_a_call_whose_service_is_silent(server: ChatServer, model: Answerer) -> None:
    server.script, server.pause_s = [Said("Late.")], 30
    who, started = Listening(), time.monotonic()
    threading.Timer(0.3, who.leave).start()
    with listened_to_by(who), pytest.raises(HungUp):
        model.chat(ASKED, soon())
    assert time.monotonic() - started < 25
    assert len(server.asked) == 1


def test_a_reply_that_is_cut_off_says_so(server: ChatServer, model: Answerer) -> None:
    server.script = [Said("At most 10", cut_off=True)]
    assert model.chat(ASKED, soon()).stop == "length"


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 502, 503, 504, 529])
def test_what_is_busy_is_asked_again(server: ChatServer, model: Answerer, waits: list[float], status: int) -> None:
    server.first = [Refusal(status, "Busy."), Refusal(status, "Busy.", headers={"Retry-After": "2"})]
    server.script = [Said("Here.")]
    assert model.chat(ASKED, soon()).text == "Here."
    assert len(waits) == 2
    assert 0 <= waits[0] <= 0.5
    assert waits[1] == 2


def test_what_stays_busy_is_unavailable(server: ChatServer, model: Answerer, waits: list[float]) -> None:
    server.first = [Refusal(503, "Busy.")] * 10
    with pytest.raises(Unavailable, match=r"does not answer at http.*503, Busy.*ask again"):
        model.chat(ASKED, soon())
    assert len(server.asked) == ATTEMPTS == len(waits) + 1


def test_no_try_begins_that_the_deadline_forbids(server: ChatServer, model: Answerer) -> None:
    server.first = [Refusal(429, "Busy.", headers={"Retry-After": "60"})]
    with pytest.raises(Unavailable):
        model.chat(ASKED, soon(5))
    assert len(server.asked) == 1


@pytest.mark.parametrize("fault", ["cut", "garbage", "error_event", "nonsense"])
def test_a_stream_that_breaks_is_no_reply_and_is_not_begun_anew(
    server: ChatServer, model: Answerer, fault: Fault
) -> None:
    server.script = [Said("At most 1050 mm, as rule C7.6.2 says.", fault=fault)]
    heard = list[str]()
    with pytest.raises(Unavailable):
        model.chat(ASKED, soon(), heard.append)
    assert "".join(heard)
    assert len(server.asked) == 1


def test_a_reply_that_only_calls_tools_is_heard_to_begin(server: ChatServer, model: Answerer) -> None:
    server.script = [Said(calls=(("look_up", {"address": "C7"}),), fault="cut")]
    heard = list[str]()
    with pytest.raises(Unavailable):
        model.chat(replace(ASKED, tools=(LOOK,)), soon(), heard.append)
    assert heard == [""]


def test_a_stream_without_an_end_is_left_at_the_deadline(server: ChatServer, model: Answerer) -> None:
    server.script = [Said("At most 1050 mm.", fault="endless")]
    started = time.monotonic()
    with pytest.raises(Unavailable, match=LATE):
        model.chat(ASKED, soon(1))
    assert time.monotonic() - started < 25
    assert server.hung_up.wait(PATIENCE_S)


def test_a_model_that_still_reads_at_the_deadline_is_slow_and_not_gone(server: ChatServer, model: Answerer) -> None:
    server.script, server.pause_s = [Said("At most 1050 mm.")], 30
    with pytest.raises(Unavailable, match=LATE) as raised:
        model.chat(ASKED, soon(1))
    assert "does not answer" not in str(raised.value)
    assert len(server.asked) == 1


def test_whoever_listens_may_end_the_call(server: ChatServer, model: Answerer) -> None:
    server.pause_s = 0.02
    server.script = [Said("word " * 200)]

    def heard(_part: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.chat(ASKED, soon(), heard)
    assert server.hung_up.wait(PATIENCE_S)


@pytest.mark.parametrize(
    ("refusal", "says"),
    [
        (Refusal(401, "Incorrect API key provided."), "does not accept .*_API_KEY .*401"),
        (Refusal(404, "No such model."), "refuses the model made-up-1.*404.*Check the model's name"),
        (Refusal(400, "This is too long."), "400, This is too long"),
        (Refusal(400, "The prompt has 5000 tokens, and the context size is 4096."), "5000 tokens.*--ctx-size 16384"),
        (Refusal(400, "Too much.", "context_length_exceeded"), "reads at once.*--ctx-size 16384"),
        (Refusal(429, "Quota.", "insufficient_quota"), "no credit is left"),
        (Refusal(400, "Your credit balance is too low."), "no credit is left"),
    ],
)
def test_a_refusal_is_said_with_what_to_do_and_is_final(
    server: ChatServer, model: Answerer, refusal: Refusal, says: str
) -> None:
    server.first = [refusal]
    with pytest.raises(BadInput, match=says):
        model.chat(ASKED, soon())
    assert len(server.asked) == 1


def test_the_key_is_in_no_message(server: ChatServer, make: Make, waits: list[float]) -> None:
    server.key = "another"
    with pytest.raises(BadInput) as raised:
        make(server, waits).chat(ASKED, soon())
    assert KEY not in str(raised.value)


def test_nobody_there_is_unavailable(make: Make, waits: list[float]) -> None:
    gone = ChatServer(url="http://127.0.0.1:9")
    with pytest.raises(Unavailable, match="does not answer"):
        make(gone, waits).chat(ASKED, soon())


@pytest.mark.parametrize(
    ("field", "left"), [("response_format", "json_schema"), ("stream_options", ""), ("max_completion_tokens", "")]
)
def test_what_a_small_server_does_not_take_is_left_out_from_then_on(
    server: ChatServer, waits: list[float], field: str, left: str
) -> None:
    model = openai(server, waits)
    server.refused_fields = {field}
    server.mind = lambda told: Said('{"said": "1050 mm"}')
    for _ in range(2):
        assert model.chat(replace(ASKED, output=OUTPUT), soon()).text == '{"said": "1050 mm"}'
    assert [field in body for body in server.asked] == [True, False, False]
    assert model.capabilities.json_schema == (left != "json_schema")
    if left:
        assert '"said"' in server.told[0].system


def test_a_model_without_tools_is_refused_with_what_to_do(server: ChatServer, waits: list[float]) -> None:
    server.refused_fields = {"tools"}
    with pytest.raises(BadInput, match=r"calls no tools.*Choose one"):
        openai(server, waits).chat(replace(ASKED, tools=(LOOK,)), soon())


def test_events_are_read_as_the_standard_has_them() -> None:
    lines = [": comment", "event: x", "data: a", "data:b", "", "", "id: 4", "data: c"]
    assert list(sse_data(lines)) == ["a\nb", "c"]


# The environment.


def settings(**given: Any) -> LocalSettings:
    return LocalSettings().model_copy(
        update={
            "model": "", "model_key": None, "openai_api_key": None, "anthropic_api_key": None,
            "model_usd_per_million": "", "model_usd_per_day": None, **given,
        }
    )  # fmt: skip


def test_no_name_is_no_model() -> None:
    assert load_answerer(settings()) is None


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"model": "gpt"}, "no model's name. Write openai:NAME@"),
        ({"model": "bedrock:x@https://host"}, "no model's name"),
        ({"model": "openai:gpt-5"}, "Set OPENAI_API_KEY"),
        ({"model": "anthropic:claude-x"}, "Set ANTHROPIC_API_KEY"),
        ({"model": "bedrock:acme.unknown-1"}, "no entry in models.toml"),
        ({"model": "openai:x@http://127.0.0.1:1/v1", "model_usd_per_million": "cheap"}, "INPUT|input and of output"),
        ({"model": "openai:x@https://host.example/v1", "model_usd_per_day": 1.0}, "AUTRI_MODEL_USD_PER_MILLION"),
    ],
)
def test_a_name_that_cannot_be_used_says_what_to_set(given: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        load_answerer(settings(**given))


def test_a_key_of_openai_is_not_sent_to_another_address(server: ChatServer) -> None:
    server.key = None
    server.mind = lambda told: Said("Here.")
    model = load_answerer(settings(model=f"openai:{MODEL}@{server.url}/v1", openai_api_key=SecretStr("sk-real")))
    assert model is not None
    assert model.chat(ASKED, soon()).text == "Here."
    server.key = "sk-real"
    with pytest.raises(BadInput, match="AUTRI_MODEL_KEY"):
        model.chat(ASKED, soon())
    own = load_answerer(settings(model=f"openai:{MODEL}@{server.url}/v1", model_key=SecretStr("sk-real")))
    assert own is not None
    assert own.chat(ASKED, soon()).text == "Here."


def test_the_environment_says_where_anthropic_is(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.key, server.mind = "sk-proxy", lambda told: Said("Here.")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{server.url}/")
    model = load_answerer(settings(model=f"anthropic:{MODEL}", anthropic_api_key=SecretStr("sk-proxy")))
    assert model is not None
    assert model.chat(ASKED, soon()).text == "Here."


def test_what_is_set_to_nothing_in_the_environment_is_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "AUTRI_MODEL_USD_PER_DAY")
    for name in names:
        monkeypatch.setenv(name, "")
    found = LocalSettings()
    assert (found.anthropic_base_url, found.openai_base_url) == (
        "https://api.anthropic.com",
        "https://api.openai.com/v1",
    )
    assert (found.anthropic_api_key, found.model_usd_per_day) == (None, None)


def test_a_deployment_of_azure_is_called_by_its_version_and_takes_the_key_by_its_own_header(server: ChatServer) -> None:
    server.key, server.mind = "azure-key", lambda told: Said("Here.")
    name = f"openai:{MODEL}@{server.url}/openai/deployments/made-up?api-version=2024-10-21"
    model = load_answerer(settings(model=name, model_key=SecretStr("azure-key")))
    assert model is not None
    assert model.chat(ASKED, soon()).text == "Here."


def test_prices_come_from_the_environment_or_the_table_and_ones_own_costs_nothing() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=1_000_000)
    named = load_answerer(settings(model="openai:x", openai_api_key=SecretStr("k"), model_usd_per_million="0.25,2"))
    unknown = load_answerer(settings(model="openai:x", openai_api_key=SecretStr("k")))
    listed = load_answerer(settings(model="anthropic:claude-haiku-4-5-20251001", anthropic_api_key=SecretStr("k")))
    own = load_answerer(settings(model="openai:x@http://localhost:11434/v1"))
    assert named
    assert unknown
    assert listed
    assert own
    assert [one.price is not None for one in (named, unknown, listed, own)] == [True, False, True, True]
    assert find_model("anthropic.claude-haiku-4-5-20251001-v1:0").price.usd(usage) == 6.0


# Bedrock, over its wire format.

HAIKU = "eu.anthropic.claude-haiku-5-5"


def test_bedrock_is_asked_for_one_tool_and_caches_its_instructions(bedrock: FakeBedrock) -> None:
    bedrock.converse.answer_as = lambda body: [
        {"toolUse": {"toolUseId": "t1", "name": "write_answer", "input": {"said": "1050 mm"}}}
    ]
    heard = list[str]()
    reply = BedrockAnswerer(HAIKU).chat(replace(ASKED, output=OUTPUT), soon(), heard.append)
    assert json.loads(reply.text) == {"said": "1050 mm"}
    assert len(heard) > 2
    assert "".join(heard) == reply.text
    assert (reply.stop, reply.calls) == ("end", ())
    assert 0 < reply.usd == pytest.approx(find_model(HAIKU).price.usd(reply.usage))
    (body,) = bedrock.converse.requests
    assert body["toolConfig"]["toolChoice"] == {"tool": {"name": "write_answer"}}
    assert body["toolConfig"]["tools"][0]["toolSpec"]["inputSchema"]["json"] == OUTPUT.parameters
    assert [list(block) for block in body["system"]] == [["text"], ["cachePoint"]]
    assert "temperature" not in body["inferenceConfig"]


def test_bedrock_gets_calls_and_results_as_it_wants_them() -> None:
    call = ToolCall("t1", "look_up", {"address": "C7"})
    turns = (
        *ASKED.turns,
        ChatTurn("assistant", "I look.", (call,)),
        ChatTurn("user", results=(ToolResult("t1", "no", True),)),
    )
    made = converse_request(find_model(HAIKU), replace(ASKED, turns=turns, tools=(LOOK,)))
    called = {"toolUseId": "t1", "name": "look_up", "input": {"address": "C7"}}
    result = {"toolUseId": "t1", "status": "error", "content": [{"text": "no"}]}
    pictured = replace(ASKED, turns=(ChatTurn("user", results=(ToolResult("t1", "yes", image=b"jpeg"),)),))
    shown = converse_request(find_model(HAIKU), pictured)["messages"][0]["content"][0]["toolResult"]["content"]
    assert shown == [{"text": "yes"}, {"image": {"format": "jpeg", "source": {"bytes": b"jpeg"}}}]
    assert made["messages"][1:] == [
        {"role": "assistant", "content": [{"text": "I look."}, {"toolUse": called}]},
        {"role": "user", "content": [{"toolResult": result}]},
    ]  # fmt: skip
    assert "toolChoice" not in made["toolConfig"]


def test_bedrock_that_is_busy_is_asked_again_and_what_it_refuses_is_final(
    bedrock: FakeBedrock, waits: list[float]
) -> None:
    bedrock.converse.answer_as = lambda body: [{"text": "Here."}]
    bedrock.converse.script = ["throttle", "unavailable"]
    assert BedrockAnswerer(HAIKU, waits.append).chat(ASKED, soon()).text == "Here."
    assert len(waits) == 2
    bedrock.converse.script = ["denied"]
    with pytest.raises(BadInput, match="Model access"):
        BedrockAnswerer(HAIKU, waits.append).chat(ASKED, soon())
    bedrock.converse.script, bedrock.converse.then = [], "throttle"
    with pytest.raises(Unavailable, match=r"busy|in time"):
        BedrockAnswerer(HAIKU).chat(ASKED, soon(3))


def test_bedrock_is_heard_before_it_has_said_all(bedrock: FakeBedrock) -> None:
    """The service goes on only when the first part has been heard."""
    heard, first = list[str](), threading.Event()
    bedrock.converse.answer_as = lambda body: [{"text": "Ein langer Satz über Maße. [1]"}]
    waits = iter([0])
    bedrock.converse.between = lambda: (
        next(waits, None) is not None or first.wait(PATIENCE_S) or pytest.fail("not heard")
    )

    def hear(part: str) -> None:
        heard.append(part)
        if part:
            first.set()

    reply = BedrockAnswerer(HAIKU).chat(ASKED, soon(), hear)
    assert "".join(heard) == reply.text == "Ein langer Satz über Maße. [1]"
    assert reply.usage.output_tokens > 0
    assert bedrock.converse.streamed == 1


def test_bedrock_calls_several_tools_and_says_something_beside_them(bedrock: FakeBedrock) -> None:
    wanted = [
        {"text": "I look."},
        {"toolUse": {"toolUseId": "t1", "name": "look_up", "input": {"address": "C7"}}},
        {"toolUse": {"toolUseId": "t2", "name": "look_up", "input": '{"address": '}},
        {"toolUse": {"toolUseId": "t3", "name": "look_up", "input": ""}},
    ]
    bedrock.converse.answer_as = lambda body: wanted
    heard = list[str]()
    reply = BedrockAnswerer(HAIKU).chat(replace(ASKED, tools=(LOOK,)), soon(), heard.append)
    assert ("".join(heard), reply.text, reply.stop) == ("I look.", "I look.", "tools")
    assert [(c.id, c.arguments) for c in reply.calls] == [("t1", {"address": "C7"}), ("t2", None), ("t3", {})]


@pytest.mark.parametrize("how", ["fails_within", "hangs_up_within", "ends_within"])
def test_a_reply_of_bedrock_that_breaks_off_is_not_begun_anew(
    bedrock: FakeBedrock, waits: list[float], how: Behaviour
) -> None:
    bedrock.converse.answer_as = lambda body: [{"text": "Half of this sentence is heard."}]
    bedrock.converse.script = [how]
    heard = list[str]()
    with pytest.raises(Unavailable, match="broke off"):
        BedrockAnswerer(HAIKU, waits.append).chat(ASKED, soon(), heard.append)
    assert "".join(heard)
    assert (len(bedrock.converse.requests), waits) == (1, [])


def test_a_reply_of_bedrock_that_only_calls_tools_is_heard_to_begin(bedrock: FakeBedrock) -> None:
    bedrock.converse.answer_as = lambda body: [{"toolUse": {"toolUseId": "t1", "name": "look_up", "input": {}}}]
    heard = list[str]()
    BedrockAnswerer(HAIKU).chat(replace(ASKED, tools=(LOOK,)), soon(), heard.append)
    assert heard == [""]


def test_who_hears_bedrock_may_end_it(bedrock: FakeBedrock) -> None:
    bedrock.converse.answer_as = lambda body: [{"text": "Half of this sentence is heard."}]

    def leave(_part: str) -> None:
        raise HungUp

    with pytest.raises(HungUp):
        BedrockAnswerer(HAIKU).chat(ASKED, soon(), leave)


def test_a_model_on_bedrock_that_does_not_stream_is_asked_so_once(bedrock: FakeBedrock) -> None:
    bedrock.converse.answer_as = lambda body: [{"text": "Here."}]
    bedrock.converse.script = ["no_streaming"]
    model, heard = BedrockAnswerer(HAIKU), list[str]()
    assert model.capabilities.streaming
    for _ in range(2):
        assert model.chat(ASKED, soon(), heard.append).text == "Here."
    assert not model.capabilities.streaming
    assert (heard, bedrock.converse.streamed) == (["Here.", "Here."], 1)


def test_the_owner_of_a_machine_says_how_long_a_model_may_take(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AUTRI_ANSWER_SECONDS", "900")
    runtime = local_runtime("host=/nowhere", tmp_path)
    assert (runtime.answer_seconds, runtime.silent_answer_seconds) == (900.0, 900.0)
