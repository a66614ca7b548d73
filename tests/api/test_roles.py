"""Who may call which route: every role at every operation of the described API."""

from collections.abc import Callable
from typing import Any, get_args

import pytest
from fastapi import FastAPI

from functions.api.app import create_app
from functions.api.identity import CloudIdentity
from shared.domain.ids import new_id
from shared.domain.scope import Identity, Role
from shared.runtime import Runtime
from tests.api.attempts import operations
from tests.api.conftest import BASE, Client

RANKS = ("viewer", "editor", "admin", "owner")
# Reads that need a body, and what is for owners and admins; whatever else changes something is for editors.
READS = {
    *("/v1/search", "/v1/lookup", "/v1/ask", "/v1/search:export", "/v1/context", "/v1/bundles"),
    *("/v1/plots/preview", "/v1/plots/preview/cells"),
    *(f"/v1/datasets/{{dataset_id}}/{act}" for act in ("preview", "sources")),
}
ADMINISTRATION = {
    ("PATCH", "/v1/organization"),
    ("GET", "/v1/erasures"), ("GET", "/v1/model"),
    ("GET", "/v1/organization/export"),
    ("POST", "/v1/imports"),
    ("GET", "/v1/knowledge-bases/{knowledge_base_id}/export"),
    ("PUT", "/v1/knowledge-bases/{knowledge_base_id}/access"), ("GET", "/v1/audit"), ("GET", "/v1/usage/costs"),
    ("PATCH", "/v1/members/{user_id}"), ("DELETE", "/v1/members/{user_id}"), ("GET", "/v1/invitations"),
    ("POST", "/v1/invitations"), ("POST", "/v1/invitations/{user_id}/resend"),
    ("POST", "/v1/invitations/{user_id}/bind"), ("GET", "/v1/webhooks"), ("POST", "/v1/webhooks"),
    ("GET", "/v1/webhooks/{webhook_id}"), ("DELETE", "/v1/webhooks/{webhook_id}"),
    ("POST", "/v1/webhooks/{webhook_id}/rotate"), ("POST", "/v1/webhooks/{webhook_id}/enable"),
    ("POST", "/v1/webhooks/{webhook_id}/test"), ("GET", "/v1/webhooks/{webhook_id}/deliveries"),
    ("POST", "/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/again"),
}  # fmt: skip
OWNERSHIP = {
    ("PUT", "/v1/model"), ("POST", "/v1/model/check"), ("POST", "/v1/model/test"), ("DELETE", "/v1/model"),
    ("POST", "/v1/organization/erase"), ("GET", "/v1/domains"), ("POST", "/v1/domains"),
    ("POST", "/v1/domains/{domain_id}/verify"), ("DELETE", "/v1/domains/{domain_id}"), ("GET", "/v1/group-roles"),
    ("POST", "/v1/group-roles"), ("DELETE", "/v1/group-roles/{group_role_id}"),
}  # fmt: skip
# Everybody's own.
OWN = {
    ("DELETE", "/v1/ask/{event_id}"),
    ("POST", "/v1/organization/choose"), ("POST", "/v1/keys"), ("POST", "/v1/keys/{key_id}/revoke"),
    ("POST", "/v1/sign-out"), ("POST", "/v1/connections"), ("POST", "/v1/connections/{connection_id}/end"),
    ("POST", "/v1/threads"), ("PATCH", "/v1/threads/{thread_id}"), ("DELETE", "/v1/threads/{thread_id}"),
    ("POST", "/v1/threads/{thread_id}/ask"), ("POST", "/v1/threads/{thread_id}/messages/{message_id}/answers"),
    ("PUT", "/v1/threads/{thread_id}/answers/{answer_id}/feedback"), ("POST", "/v1/threads/{thread_id}/shares"),
    ("POST", "/v1/threads/{thread_id}/shares/{share_id}/revoke"),
}  # fmt: skip
EDITING = {"/v1/knowledge-bases/{knowledge_base_id}/evaluation/candidates"}
OPEN = {"/v1/health", "/v1/openapi.json"}
# Whoever has its secret is shown something; nobody is asked who they are.
SECRET = {"/v1/shared/{secret}", "/v1/shared/{secret}/bundle"}
NOBODYS = "01900000-0000-7000-8000-000000000000"


def least_role(method: str, template: str) -> str:
    if (method, template) in ADMINISTRATION or template.startswith("/v1/ops/"):
        return "admin"
    if (method, template) in OWNERSHIP:
        return "owner"
    if (method, template) in OWN:
        return "viewer"
    reads = method == "GET" and template not in EDITING
    return "viewer" if reads or template in READS else "editor"


@pytest.mark.parametrize("role", get_args(Role))
def test_every_role_is_refused_where_it_may_not_and_nowhere_else(
    app: FastAPI, client_of: Callable[[Identity], Client], identity: Identity, role: Role
) -> None:
    client = client_of(identity.model_copy(update={"role": role}))
    seen = set[str]()
    for method, template, operation in operations(app.openapi()):
        path = template
        for parameter in operation.get("parameters", ()):
            if parameter["in"] == "path":
                path = path.replace(f"{{{parameter['name']}}}", "1" if parameter["name"] == "page" else NOBODYS)
        needed = least_role(method, template)
        answer = client(method, path, **body_of(operation))
        assert (answer.status_code == 403) == (RANKS.index(role) < RANKS.index(needed)), (method, template, answer.text)
        if method == "GET":
            assert client("HEAD", path).status_code == answer.status_code
        seen.add(needed)
    assert seen == set(RANKS)


def body_of(operation: dict[str, Any]) -> dict[str, Any]:
    """A body where one is wanted; of which shape does not matter to who may send it."""
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        return {"json": {"trace_days": 30, "query": "x", "address": "1", "question": "x", "name": new_id().hex}}
    return {"content": b"x"} if content else {}


def test_nobody_is_answered_without_signing_in(runtime: Runtime) -> None:
    app = create_app(runtime, CloudIdentity(runtime, BASE), local=False)
    client = Client(app)
    for method, template, operation in operations(app.openapi()):
        if template in OPEN:
            continue
        path = template
        for parameter in operation.get("parameters", ()):
            path = path.replace(f"{{{parameter['name']}}}", "1" if parameter["name"] == "page" else NOBODYS)
        refused = 404 if template in SECRET else 401
        assert method != "GET" or client("HEAD", path).status_code == refused
        assert client(method, path, **body_of(operation)).status_code == refused, (method, template)
