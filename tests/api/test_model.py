"""The model that answers: chosen on one machine without a restart, its key told to nobody and sent nowhere else."""

import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from functions.api.app import create_app
from functions.api.identity import development_identity
from shared.bootstrap import process_runtime
from shared.domain.chat import Capabilities, ChatReply, ChatRequest
from shared.domain.model_choice import ModelState, ModelWish
from shared.domain.plans import PlanSettings
from shared.domain.scope import Identity
from shared.errors import BadInput
from shared.library.model import try_model
from shared.ports import Heard, NoModels, unheard
from shared.runtime import Runtime
from shared.store.plans import spent_today
from tests.adapters.chat_server import KEY, MODEL, ChatServer, Said, Told, running_chat
from tests.api.conftest import Client, Run

ONE, OTHER = "/v1/model", "/v1/model/test"
VARIABLES = ("AUTRI_MODEL", "AUTRI_MODEL_KEY", "AUTRI_MODEL_USD_PER_MILLION", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")


def counts(told: Told) -> Said:
    """A model that does what the trial asks for."""
    if told.tools:
        return Said(calls=((told.tools[0], {"numbers": ["one"]}),))
    return Said('{"numbers": ["one", "two", "three", "four", "five"]}')


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with running_chat() as chat:
        chat.mind = counts
        yield chat


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, client: Client) -> Iterator[None]:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    yield
    monkeypatch.delenv("AUTRI_MODEL", raising=False)
    assert client.delete(ONE).status_code == 200


def wish(server: ChatServer, **more: str) -> dict[str, str]:
    return {"service": "openai", "model": MODEL, "url": f"{server.url}/v1"} | more


def choose(client: Client, server: ChatServer, **more: str) -> ModelState:
    answer = client("PUT", ONE, json=wish(server, **more))
    assert answer.status_code == 200, answer.text
    return ModelState.model_validate(answer.json())


def test_a_chosen_model_answers_without_a_restart_and_is_forgotten_without_one(
    client: Client, runtime: Runtime, server: ChatServer
) -> None:
    assert client.get(ONE).json()["source"] == "none"
    assert runtime.answerer is None
    state = choose(client, server, key=KEY)
    assert (state.source, state.model, state.key, state.may_change) == ("settings", MODEL, "settings", True)
    assert runtime.answerer is not None
    assert runtime.answerer.name == f"openai:{MODEL}"
    assert client.delete(ONE).json()["source"] == "none"
    assert runtime.answerer is None
    acts = [entry["act"] for entry in client.get("/v1/audit").json()["items"]]
    assert acts[:2] == ["model.choose", "model.choose"]


def test_trying_says_what_the_model_can_do_and_keeps_nothing(client: Client, server: ChatServer) -> None:
    tried = client.post(OTHER, json=wish(server, key=KEY)).json()
    assert {name: tried[name] for name in ("ok", "tools", "json_schema", "streaming")} == {
        "ok": True, "tools": "yes", "json_schema": "yes", "streaming": "yes"
    }  # fmt: skip
    assert client.get(ONE).json()["source"] == "none"
    server.refused_fields = {"tools"}
    assert client.post(OTHER, json=wish(server, key=KEY)).json()["tools"] == "no"
    server.refused_fields = {"response_format"}
    assert client.post(OTHER, json=wish(server, key=KEY)).json()["json_schema"] == "no"


def test_trying_is_counted_to_the_days_budget_and_ends_with_it(
    runtime: Runtime, identity: Identity, server: ChatServer
) -> None:
    def spent() -> float:
        with runtime.database.transaction(identity.scope()) as connection:
            return spent_today(connection)

    asked = ModelWish.model_validate(wish(server, key=KEY, usd_per_million="1000,1000"))
    before = spent()
    within = replace(runtime, limits=PlanSettings("unlimited", before + 0.01))
    tried = try_model(within, identity, asked)
    assert tried.ok
    assert spent() > before + 0.01
    calls = len(server.asked)
    assert "may spend" in str(try_model(within, identity, asked).problem)
    assert len(server.asked) == calls


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"key": "sk-wrong"}, "does not accept"),
        ({"key": KEY, "model": "made-up-2"}, "does not exist"),
        ({"key": KEY, "url": "http://127.0.0.1:1/v1"}, "does not answer at http://127.0.0.1:1"),
    ],
)
def test_what_goes_wrong_is_the_result_of_trying(
    client: Client, server: ChatServer, more: dict[str, str], says: str
) -> None:
    answer = client.post(OTHER, json=wish(server) | more)
    assert answer.status_code == 200
    assert not answer.json()["ok"]
    assert says in answer.json()["problem"]


def test_a_kept_key_is_readable_by_nobody_and_goes_to_no_other_address(
    client: Client, server: ChatServer, test_home: Path, database_name: str
) -> None:
    choose(client, server, key=KEY)
    home = test_home / database_name
    written = [home / "model.json", *(home / "vault").iterdir(), home / "vault.key"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}
    assert not any(KEY.encode() in path.read_bytes() for path in written)
    assert KEY not in client.get(ONE).text
    assert client.post(OTHER, json=wish(server)).json()["ok"]
    with running_chat() as elsewhere:
        elsewhere.mind = counts
        refused = client.post(OTHER, json=wish(server) | {"url": f"{elsewhere.url}/v1"}).json()
        assert "does not accept" in refused["problem"]
        assert choose(client, elsewhere).key == "none"
    assert choose(client, server).key == "none"


def test_a_damaged_choice_is_mended_by_choosing_anew_and_its_key_goes_nowhere(
    client: Client, server: ChatServer, test_home: Path, database_name: str
) -> None:
    choose(client, server, key=KEY)
    (test_home / database_name / "model.json").write_text('{"service": "op')
    assert "cannot be read" in client.get(ONE).json()["problem"]
    assert "does not accept" in client.post(OTHER, json=wish(server)).json()["problem"]
    assert choose(client, server).key == "none"


def test_the_environment_wins_and_says_so(
    client: Client, runtime: Runtime, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(client, server, key=KEY)
    monkeypatch.setenv("AUTRI_MODEL", f"openai:other@{server.url}/v1")
    runtime.forget_answerer()
    state = client.get(ONE).json()
    assert (state["source"], state["model"], state["fixed"]) == ("environment", "other", ["AUTRI_MODEL"])
    assert (state["may_change"], state["key"]) == (False, "none")
    refused = client("PUT", ONE, json=wish(server))
    assert (refused.status_code, "AUTRI_MODEL is set" in refused.json()["detail"]) == (409, True)


@pytest.mark.parametrize(
    "wrong",
    [
        {"service": "bedrock", "url": "https://host.example/v1"},
        {"service": "openai", "url": "http://host.example/v1", "key": "sk-secret"},
        {"service": "openai", "url": "file:///etc/passwd"},
        {"service": "openai", "url": "http://user@127.0.0.1/v1"},
        {"service": "openai"},
    ],
)
def test_what_cannot_be_called_is_not_chosen_and_no_key_is_echoed(client: Client, wrong: dict[str, str]) -> None:
    answer = client("PUT", ONE, json={"model": "x"} | wrong)
    assert answer.status_code == 422
    assert "sk-secret" not in answer.text
    assert client.get(ONE).json()["source"] == "none"


def test_a_deployment_shows_its_model_and_nobody_changes_it_there(
    runtime: Runtime, identity: Identity, client_of: Callable[[Identity], Client]
) -> None:
    app = create_app(runtime, lambda _: identity, local=False)
    assert Client(app)("PUT", ONE, json={"service": "openai", "model": "x"}).status_code == 405
    assert Client(app).post(OTHER).status_code in (404, 405)
    with pytest.raises(Exception, match="deployment's file decides"):
        NoModels().forget()
    refused = client_of(identity.model_copy(update={"role": "editor"})).get(ONE)
    assert refused.status_code == 403


def test_a_deployment_that_names_several_models_offers_and_shows_each(
    runtime: Runtime, identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual, other = "eu.anthropic.claude-haiku-5-5", "anthropic.claude-haiku-5-5"
    for name, value in {
        "BUCKET": "none", "DATABASE_URL": "postgresql://none", "ANSWERING_MODEL_ID": usual, "FURTHER_MODEL_IDS": other
    }.items():  # fmt: skip
        monkeypatch.setenv(f"AUTRI_{name}", value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    deployed = process_runtime.__wrapped__()
    state = deployed.models.state()
    assert (state.model, state.further, state.may_change) == (usual, [f"bedrock:{other}"], False)
    several = replace(
        runtime, load_answerer=deployed.load_answerer, load_further_answerers=deployed.load_further_answerers
    )
    listed = Client(create_app(several, lambda _: identity, local=False)).get("/v1/models").json()["items"]
    assert [(one["name"], one["usual"]) for one in listed] == [
        (f"bedrock:{usual}", True), (f"bedrock:{other}", False), ("quotations", False)
    ]  # fmt: skip


def test_a_foreign_page_changes_no_model(runtime: Runtime, server: ChatServer) -> None:
    client = Client(create_app(runtime, development_identity(runtime), local=True))
    foreign = {"Origin": "https://evil.example"}
    assert client("PUT", ONE, json=wish(server), headers=foreign).status_code == 403
    assert client.post(OTHER, json=wish(server), headers=foreign).status_code == 403
    assert server.asked == []


def test_the_command_line_sets_tries_shows_and_clears(
    run: Run, server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = tmp_path / "key"
    key.write_text(f"{KEY}\n")
    name = f"openai:{MODEL}@{server.url}/v1"
    assert run("model", "show").out.startswith("answers     no model")
    monkeypatch.setenv("AUTRI_FURTHER_MODELS", "openai:kestrel@http://127.0.0.1:9/v1")
    assert "or          openai:kestrel@http://127.0.0.1:9/v1, where another" in run("model", "show").out
    refused = run("model", "test", name)
    assert (refused.code, "does not answer" in refused.out) == (1, True)
    assert run("model", "set", name, "--key-file", str(key), "--price", "0.25,2", "--json").json["key"] == "settings"
    tried = run("model", "test")
    assert (tried.code, "tools: yes, JSON schema: yes, streaming: yes" in tried.out) == (0, True)
    shown = run("model", "show").out
    assert MODEL in shown
    assert KEY not in shown
    assert "0.25,2" in shown
    assert run("model", "clear", "--json").json["source"] == "none"
    assert "Write openai:NAME@" in run("model", "set", "gpt").err


def test_doctor_asks_the_model_that_is_set(run: Run, server: ChatServer) -> None:
    def row() -> dict[str, object]:
        checks = run("doctor", "--json", "--port", "1").json["checks"]
        return next(check for check in checks if check["name"] == "answers")

    assert "quotations" in str(row()["found"])
    server.key = None
    run("model", "set", f"openai:{MODEL}@{server.url}/v1")
    answering = row()
    assert (answering["ok"], str(answering["found"]).startswith(f"openai:{MODEL} answers in")) == (True, True)
    server.key = "another"
    refused = row()
    assert (refused["ok"], refused["found"]) == (False, f"openai:{MODEL}")
    assert "does not accept" in str(refused["remedy"])
    run("model", "clear")


def test_each_model_that_may_answer_is_asked_by_doctor_and_by_the_server(
    run: Run, server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def row() -> dict[str, object]:
        checks = run("doctor", "--json", "--port", "1").json["checks"]
        return next(check for check in checks if check["name"] == "further answers")

    monkeypatch.delenv("AUTRI_FURTHER_MODELS", raising=False)
    assert (row()["ok"], str(row()["found"]).startswith("none")) == (True, True)
    assert "quotations" in run("model", "check").out
    server.key = None
    usual, further = f"openai:{MODEL}", f"openai:{MODEL}@{server.url}/v1"
    run("model", "set", further)
    monkeypatch.setenv(
        "AUTRI_FURTHER_MODELS", f"{further},openai:made-up-2@{server.url}/v1,openai:gone@http://127.0.0.1:1/v1"
    )
    found = row()
    assert (found["ok"], found["needed"]) == (False, False)
    assert str(found["found"]).startswith(f"{usual} answers in")
    assert f"openai:made-up-2@{server.url}/v1 does not answer; openai:gone" in str(found["found"])
    assert "does not exist" in str(found["remedy"])
    assert "does not answer at http://127.0.0.1:1" in str(found["remedy"])
    checked = run("model", "check", "--json")
    assert [(one["name"], one["ok"]) for one in checked.json["items"]] == [
        (usual, True), (usual, True), ("openai:made-up-2", False), ("openai:gone", False)
    ]  # fmt: skip
    assert checked.code == 1
    monkeypatch.setenv("AUTRI_FURTHER_MODELS", "gpt")
    told = run("model", "check", "--json").json["items"]
    assert [(one["name"], one["ok"]) for one in told] == [(usual, True), ("gpt", False)]
    assert "is no model's name" in told[1]["problem"]
    monkeypatch.delenv("AUTRI_FURTHER_MODELS")
    assert run("model", "check").code == 0
    run("model", "clear")


def test_a_deployment_says_which_of_its_models_it_may_not_call(runtime: Runtime, identity: Identity) -> None:
    class Refused:
        name, capabilities, price = "bedrock:eu.anthropic.claude-haiku-5-5", Capabilities(), None

        def chat(self, request: ChatRequest, deadline: float, heard: Heard = unheard) -> ChatReply:
            raise BadInput("Bedrock refuses the model. Open it in the Bedrock console of this region (Model access).")

    deployed = replace(runtime, models=NoModels(), load_further_answerers=lambda: [Refused()])
    client = Client(create_app(deployed, lambda _: identity, local=False))
    (told,) = client.post("/v1/model/check").json()["items"]
    assert (told["ok"], told["name"]) == (False, Refused.name)
    assert "Model access" in told["problem"]
