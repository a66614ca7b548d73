"""Gold and evaluations through the API and the CLI: kept, measured slice by slice, read back, refused where wrong."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from functions.cli.main import call
from shared.domain.ids import new_id
from shared.domain.scope import Identity
from shared.errors import Unavailable
from shared.evaluation import runs
from shared.runtime import Runtime
from tests.api.conftest import Client
from tests.api.files import three_pages
from tests.live import serving
from tests.pipeline import make_knowledge_base, run_all, upload

Json = dict[str, Any]
Run = Callable[..., tuple[int, str, str]]

ON_PAGE_2, ON_PAGE_9 = ({"document": "parts.pdf", "page": page} for page in (2, 9))
ANSWERED: Json = {"question": "What does the bronze of page 2 weigh?", "expected": [ON_PAGE_2]}
LOST: Json = {"question": "What is free?", "expected": [ON_PAGE_9]}


@pytest.fixture(scope="module")
def base(runtime: Runtime, identity: Identity) -> str:
    made = make_knowledge_base(runtime, identity, new_id().hex)
    run_all(runtime, upload(runtime, identity, made, three_pages("bronze"), "parts.pdf"))
    return str(made)


@pytest.fixture
def place(base: str) -> str:
    return f"/v1/knowledge-bases/{base}"


def finished(client: Client, place: str, **wish: Any) -> Json:
    run: Json = client.post(f"{place}/evaluations", json=wish).json()
    while run["status"] != "done":
        run = client.post(f"{place}/evaluations/{run['id']}/continue").json()
    return run


def test_gold_is_kept_from_a_chunk_measured_and_forgotten(client: Client, place: str, base: str) -> None:
    assert client.post(f"{place}/evaluations", json={}).status_code == 422
    search = {"query": "bronze of page 2", "knowledge_base_ids": [base], "k": 1}
    hit = client.post("/v1/search", json=search).json()["hits"][0]["chunk"]
    body = {"question": ANSWERED["question"], "chunk_ids": [hit["id"]]}
    kept = client.post(f"{place}/gold", json=body)
    assert kept.status_code == 201
    [expected] = kept.json()["expected"]
    assert (expected["document"], expected["page"], expected["quote"]) == ("parts.pdf", 2, hit["content"])
    done = finished(client, place, indexes=["fts"], floors={"fts.recall@10": 1.0})
    assert (done["gold"], done["total"], done["measured"]) == ("stored", 1, 1)
    assert done["floors"] == [{"measure": "fts.recall@10", "least": 1.0, "value": 1.0, "met": True}]
    [result] = client.get(f"{place}/evaluations/{done['id']}/results").json()["items"]
    assert result["indexes"]["fts"]["found"][0]["chunk_id"] == hit["id"]
    assert client.delete(f"{place}/gold/{kept.json()['id']}").status_code == 200
    assert client.get(f"{place}/gold").json()["items"] == []


def test_a_run_over_a_file_takes_its_questions_in_several_requests(client: Client, place: str) -> None:
    wish = {"gold": "a.jsonl", "questions": [ANSWERED], "indexes": ["fts"]}
    run = client.post(f"{place}/evaluations", json=wish).json()
    more = client.post(f"{place}/evaluations/{run['id']}/questions", json={"questions": [LOST]}).json()
    assert (more["total"], more["measured"], more["status"]) == (2, 0, "running")
    while run["status"] != "done":
        run = client.post(f"{place}/evaluations/{run['id']}/continue").json()
    assert next(s["value"] for s in run["scores"] if s["metric"] == "recall@10") == 0.5
    listed = client.get(f"{place}/evaluations", params={"limit": 1}).json()
    assert listed["items"][0]["id"] == run["id"]
    worst = client.get(f"{place}/evaluations/{run['id']}/results", params={"limit": 1}).json()
    assert [r["question"] for r in worst["items"]] == [LOST["question"]]
    rest = client.get(f"{place}/evaluations/{run['id']}/results", params={"cursor": worst["next_cursor"]}).json()
    assert [r["question"] for r in rest["items"]] == [ANSWERED["question"]]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"question": "What?"}, "Say what answers"),
        ({"question": "What?", "kind": "negative", "expected": ANSWERED["expected"]}, "Say what answers"),
        ({"question": "  ", "kind": "negative"}, "question"),
        ({"question": "What?", "expected": [{"page": 2}]}, "document"),
    ],
)
def test_gold_that_says_nothing_is_refused(client: Client, place: str, body: Json, said: str) -> None:
    answer = client.post(f"{place}/gold", json=body)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_a_question_cannot_be_both_answered_and_negative(client: Client, place: str) -> None:
    first = client.post(f"{place}/gold", json={"question": "Who?", "kind": "negative"}).json()
    assert client.post(f"{place}/gold", json={**ANSWERED, "question": "who?"}).status_code == 409
    client.delete(f"{place}/gold/{first['id']}")


def test_a_floor_that_no_run_can_have_is_refused_before_measuring(client: Client, place: str) -> None:
    wish = {"gold": "a.jsonl", "questions": [ANSWERED], "floors": {"hybrid.recall@7": 0.5}}
    answer = client.post(f"{place}/evaluations", json=wish)
    assert answer.status_code == 422
    assert "hybrid.recall@7" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("floors", "named"),
    [
        (r'{"fts.mrr": NaN}', "floors"),
        (r'{"fts.mrr": 1e999}', "floors"),
        (r'{"\ud800": 0.5}', "surrogate"),
        (r'{"fts.mrr": 60}', "floors"),
    ],
)
def test_a_floor_is_a_measure_with_a_share(client: Client, place: str, floors: str, named: str) -> None:
    body = f'{{"gold": "a.jsonl", "questions": [{json.dumps(ANSWERED)}], "indexes": ["fts"], "floors": {floors}}}'
    answer = client.post(f"{place}/evaluations", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert named in answer.json()["detail"]


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"questions": [ANSWERED]}, "the name of their file"),
        ({"questions": [ANSWERED], "gold": "stored"}, "the name of their file"),
        ({"gold": "a.jsonl"}, "the name of their file"),
        ({"questions": [], "gold": "a.jsonl"}, "questions"),
        ({"questions": [ANSWERED], "gold": "a.jsonl", "indexes": ["fts", "fts"]}, "named once"),
    ],
)
def test_a_run_says_what_it_measures(client: Client, place: str, wish: Json, said: str) -> None:
    answer = client.post(f"{place}/evaluations", json=wish)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


@pytest.fixture
def cli(app: FastAPI, base: str, capsys: pytest.CaptureFixture[str]) -> Iterator[Run]:
    """`autri eval …` against a server, on the knowledge base."""
    with serving(app) as url:

        def run(*arguments: str) -> tuple[int, str, str]:
            code = call(["eval", *arguments, "--kb", base, "--url", url])
            out, err = capsys.readouterr()
            return code, out, err

        yield run


def test_the_command_line_measures_a_file_and_fails_below_a_floor(cli: Run, tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in (ANSWERED, LOST, {"question": "Where?", "answer": "There."})))
    code, out, err = cli("run", str(file), "--index", "fts", "--floor", "fts.recall@10=0.5", "--baseline", "--json")
    assert code == 0, err
    assert "line 3" in err
    done = json.loads(out)
    assert (done["gold"], done["baseline"], done["total"]) == ("gold.jsonl", True, 2)
    code, out, err = cli("run", str(file), "--index", "fts", "--floor", "fts.recall@10=0.6", "--floor", "fts.mrr=0")
    assert code == 1
    assert "fts.recall@10" in err
    assert "✗ fts.recall@10 0.500" in out
    assert "+0.000" in out
    code, out, _ = cli("history")
    assert "baseline" in out
    assert [run["gold"] for run in json.loads(cli("history", "--json")[1])][:2] == ["gold.jsonl", "gold.jsonl"]


def test_the_command_line_goes_on_with_a_run_that_was_interrupted(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "cut[bold].jsonl"
    file.write_text("\n".join(json.dumps(row) for row in (ANSWERED, LOST)))

    def stop(*_: Any) -> None:
        raise Unavailable("The database does not answer.")

    with monkeypatch.context() as patch:
        patch.setattr(runs, "_measure", stop)
        code, _, err = cli("run", str(file), "--index", "fts", "--floor", "fts.recall@10=0.6")
    assert code == 1
    stopped = json.loads(cli("history", "--json")[1])[0]
    assert f"0 of 2 questions. Go on: autri eval continue {stopped['id']} --kb" in " ".join(err.split())
    assert "unfinished, 0 of 2" in cli("history")[1]
    code, out, err = cli("continue", stopped["id"])
    assert (code, "Below the floor: fts.recall@10" in err) == (1, True)
    assert "cut[bold].jsonl · 2 questions" in out
    assert "MRR" in out
    assert len([run for run in json.loads(cli("history", "--json")[1]) if run["gold"] == file.name]) == 1


def test_one_question_without_its_document_is_told_in_the_singular(cli: Run, tmp_path: Path) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text(json.dumps({"question": "What is free?", "document": "lost.pdf"}))
    err = " ".join(cli("run", str(file), "--index", "fts")[2].split())
    assert "1 question with a document that this knowledge base does not have" in err


@pytest.mark.parametrize("floor", ["fts.mrr", "fts.mrr=nan", "fts.mrr=inf", "fts.mrr=60"])
def test_a_floor_that_is_no_share_is_wrong_usage(cli: Run, tmp_path: Path, floor: str) -> None:
    (tmp_path / "gold.jsonl").write_text(json.dumps(ANSWERED))
    code, _, err = cli("run", str(tmp_path / "gold.jsonl"), "--floor", floor)
    assert code == 2
    assert "from 0 to 1" in err


def test_gold_larger_than_a_request_is_imported_in_several(cli: Run, tmp_path: Path) -> None:
    file = tmp_path / "[bold]large.jsonl"
    rows = [{"question": f"Question {number}?", "kind": "negative", "answer": "n" * 15_000} for number in range(80)]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    code, out, err = cli("gold", "import", str(file))
    assert code == 0, err
    assert f"80 questions of {file.name} kept" in out
    kept = json.loads(cli("gold", "list", "--json")[1])
    assert len(kept) == 80
    for item in kept:
        assert cli("gold", "delete", item["id"], "--yes")[0] == 0


def test_the_command_line_measures_judgements_of_trec(cli: Run, tmp_path: Path) -> None:
    (tmp_path / "topics").write_text("<top><num>7</num><title>bronze</title></top>")
    (tmp_path / "qrels").write_text("1 0 parts 1\n")
    files = ("--topics", str(tmp_path / "topics"), "--qrels", str(tmp_path / "qrels"))
    code, out, err = cli("run", *files, "--queries-by-position", "--index", "vector", "--json")
    assert code == 0, err
    scores = {f"{s['index']}.{s['metric']}": s["value"] for s in json.loads(out)["scores"]}
    assert scores["vector.ndcg@10"] == 1
    assert cli("run", *files)[0] == 1
    assert cli("run", *files[:2])[0] == 2


def test_the_command_line_keeps_gold_and_gives_it_back(cli: Run, tmp_path: Path) -> None:
    assert cli("gold", "add", "What is free?", "--document", "parts.pdf", "--page", "1")[0] == 0
    file = tmp_path / "gold.jsonl"
    file.write_text(json.dumps(ANSWERED) + "\n" + json.dumps({"question": "Who?", "kind": "negative"}))
    assert "2 questions" in cli("gold", "import", str(file))[1]
    exported = tmp_path / "exported.jsonl"
    exported.write_text(cli("gold", "export")[1])
    assert "parts.pdf, page 1" in cli("gold", "list")[1]
    listed = json.loads(cli("gold", "list", "--json")[1])
    assert [q["kind"] for q in listed] == ["answerable", "answerable", "negative"]
    assert json.loads(cli("gold", "import", str(exported), "--json")[1]) == {"questions": 3, "left_out": 0}
    assert json.loads(cli("gold", "list", "--json")[1]) == listed
    for item in listed:
        assert cli("gold", "delete", item["id"], "--yes")[0] == 0
    assert cli("run")[0] == 1


@pytest.mark.parametrize("row", ["{", json.dumps({"document": "parts.pdf"})])
def test_a_gold_file_that_cannot_be_read_is_named_with_its_line(cli: Run, tmp_path: Path, row: str) -> None:
    file = tmp_path / "gold.jsonl"
    file.write_text(json.dumps(ANSWERED) + "\n" + row)
    code, _, err = cli("run", str(file))
    assert code == 1
    assert "line 2" in "".join(err.splitlines())
