from fastapi import FastAPI

from functions.api.envelope import SECURITY_HEADERS
from functions.api.intake import MAX_BODY_BYTES
from tests.api.conftest import Client


def test_health_needs_no_sign_in_and_names_the_service(app: FastAPI) -> None:
    answer = Client(app, peer="203.0.113.9").get("/v1/health")
    assert answer.status_code == 200
    assert answer.json() | {"version": ""} == {"service": "autri", "status": "ok", "version": ""}


def test_me_names_user_and_organization(client: Client) -> None:
    profile = client.get("/v1/me").json()
    assert profile["organization"]["slug"] == "local"
    assert profile["user"]["role"] == "owner"


def test_a_well_formed_request_id_is_kept_and_another_is_replaced(client: Client) -> None:
    kept = client.get("/v1/health", headers={"X-Request-Id": "edge-12345678"})
    assert kept.headers["x-request-id"] == "edge-12345678"
    replaced = client.get("/v1/health", headers={"X-Request-Id": "<script>alert(1)</script>"})
    assert len(replaced.headers["x-request-id"]) == 36


def test_every_kind_of_error_is_a_problem_with_the_request_id(client: Client) -> None:
    answers = {
        404: client.get("/v1/nothing-here"),
        405: client("PUT", "/v1/knowledge-bases"),
        422: client.get("/v1/documents/not-an-id"),
    }
    for status, answer in answers.items():
        problem = answer.json()
        assert answer.status_code == problem["status"] == status
        assert answer.headers["content-type"] == "application/problem+json"
        assert problem["request_id"] == answer.headers["x-request-id"]
        assert {"type", "title", "detail", "instance"} <= set(problem)


def test_every_answer_has_the_security_headers(client: Client) -> None:
    for path in ("/v1/health", "/v1/nothing-here", "/v1/openapi.json"):
        headers = client.get(path).headers
        assert {name.lower() for name in SECURITY_HEADERS} <= set(headers)


def test_a_failure_on_our_side_is_a_problem_that_tells_nothing(app: FastAPI, client: Client) -> None:
    def fail() -> None:
        raise ZeroDivisionError("secret words")

    app.add_api_route("/v1/test-failure", fail)
    answer = client.get("/v1/test-failure", headers={"X-Request-Id": "edge-12345678"})
    assert answer.status_code == 500
    assert answer.json()["request_id"] == answer.headers["x-request-id"] == "edge-12345678"
    assert "secret" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_body_above_the_limit_is_refused_while_it_arrives(client: Client) -> None:
    answer = client.post("/v1/knowledge-bases", content=b" " * (MAX_BODY_BYTES + 1))
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_openapi_document_describes_problems_on_every_operation(client: Client) -> None:
    document = client.get("/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for path in document["paths"].values():
        for operation in path.values():
            named = operation["responses"]["500"]["$ref"].rsplit("/", 1)[1]
            assert "application/problem+json" in document["components"]["responses"][named]["content"]
    assert "HTTPValidationError" not in str(document)


def test_a_body_that_is_no_utf_8_is_a_documented_problem(client: Client) -> None:
    headers = {"Content-Type": "application/json"}
    answer = client.post("/v1/search", content=b"A\xffZ\xfe", headers=headers)
    assert answer.status_code == answer.json()["status"] == 400
    assert "UTF-8" in answer.json()["detail"]
    documented = client.get("/v1/openapi.json").json()["paths"]["/v1/search"]["post"]["responses"]
    assert "400" in documented


def test_the_request_id_of_the_edge_is_in_the_trace_of_its_search(client: Client) -> None:
    headers = {"X-Request-Id": "edge-4711-abcd"}
    found = client.post("/v1/search", json={"query": "x", "index": "fts"}, headers=headers).json()
    assert client.get(f"/v1/traces/{found['trace_id']}").json()["request_id"] == headers["X-Request-Id"]
