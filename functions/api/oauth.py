"""OAuth 2.1 for assistants: what the server says of itself, the consent page, and the endpoints that give tokens.

The application is its own authorization server; who signs in is decided before the consent page is shown, by this
machine or by the hosted login. Errors are OAuth's (RFC 6749, 5.2), as programs read them.
"""

from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from functions.api.challenge import SCOPES, origin_of
from functions.api.envelope import security_headers
from functions.api.identity import sent_by
from functions.api.pages_account import account_of
from functions.api.pages_shell import PageContext, render_page
from shared.contract import MCP_PATH, OAUTH_OPEN, WRITE_SCOPE
from shared.domain.connections import IssuedTokens, OAuthClient
from shared.domain.storable import is_storable
from shared.errors import AutriError, BadInput, Unavailable
from shared.people.connections import InvalidGrant, exchange_code, refresh_tokens, revoke_token, with_query
from shared.people.oauth_clients import REGISTERED, find_client, permits, register_client
from shared.plans.quota import check_mcp

AUTHORIZE: Final = "/oauth/authorize"
TOKEN, REGISTER, REVOKE = OAUTH_OPEN
CHALLENGE_LENGTH: Final = 43


class OAuthRefusal(Exception):
    """An OAuth error: its code, and its sentence for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def add_oauth(app: FastAPI) -> None:
    """Adds the endpoints, which programs find by the metadata and people by their assistant."""
    for path in ("/.well-known/oauth-protected-resource", f"/.well-known/oauth-protected-resource{MCP_PATH}"):
        app.add_api_route(path, resource_metadata, include_in_schema=False)
    app.add_api_route("/.well-known/oauth-authorization-server", server_metadata, include_in_schema=False)
    app.add_api_route(AUTHORIZE, show_consent, include_in_schema=False)
    for path, answer in ((TOKEN, _token), (REGISTER, _register), (REVOKE, _revoke)):
        app.add_api_route(path, _endpoint(answer), methods=["POST"], include_in_schema=False)


def resource_metadata(request: Request) -> JSONResponse:
    """RFC 9728."""
    origin = origin_of(request)
    return JSONResponse(
        {
            "resource": f"{origin}{MCP_PATH}",
            "authorization_servers": [origin],
            "scopes_supported": [*SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "Autri",
        }
    )


def server_metadata(request: Request) -> JSONResponse:
    """RFC 8414."""
    origin = origin_of(request)
    return JSONResponse(
        {
            "issuer": origin,
            "authorization_endpoint": f"{origin}{AUTHORIZE}",
            "token_endpoint": f"{origin}{TOKEN}",
            "registration_endpoint": f"{origin}{REGISTER}",
            "revocation_endpoint": f"{origin}{REVOKE}",
            "scopes_supported": [*SCOPES],
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": True,
            "client_id_metadata_document_supported": True,
        }
    )


def show_consent(request: Request) -> Response:
    """The consent page. What is wrong with a request is told to the assistant where that may be, on this computer or at
    an address that its metadata document names; else here. Raises BadInput, PlanExhausted, and NotSignedIn, which leads
    to the login."""
    account = account_of(request)
    state, asked = request.app.state, request.query_params
    client = find_client(state.runtime, asked.get("client_id", ""))
    redirect_uri = asked.get("redirect_uri", "")
    if not permits(client, redirect_uri):
        raise BadInput(f"{client.name} asks to be answered at an address that it has not named. It was sent nothing.")
    try:
        writes = _check_asked(request)
    except OAuthRefusal as error:
        if client.client_id.startswith(REGISTERED) and urlsplit(redirect_uri).scheme != "http":
            # Anybody registers any address elsewhere: ours shall lead nobody there unasked (RFC 9700, 4.11.2).
            raise BadInput(str(error)) from None
        return RedirectResponse(_refusal(request, redirect_uri, error.code, str(error)), 302)
    if account is not None:
        check_mcp(state.runtime, state.identify(request))
    deny = _refusal(request, redirect_uri, "access_denied", "The person said no.")
    data = _shown(client, redirect_uri) | {"deny": deny, "writes": str(writes).lower()}
    data |= {name.replace("_", "-"): asked.get(name, "") for name in ("client_id", "redirect_uri", "code_challenge")}
    data |= {"state": asked["state"]} if "state" in asked else {}
    context = PageContext(
        title="Connect an assistant",
        template="consent.html",
        twin="/v1/knowledge-bases",
        module="consent/main.js",
        styles=("settings",),
        data=data,
        csrf=sent_by(request).get("csrf", ""),
        account=account,
        local=state.local,
    )
    return render_page(context)


def _check_asked(request: Request) -> bool:
    """Whether the assistant asks to write. Raises OAuthRefusal."""
    asked = request.query_params
    if asked.get("response_type") != "code":
        raise OAuthRefusal("unsupported_response_type", "Only response_type=code is answered.")
    challenge = asked.get("code_challenge", "")
    if asked.get("code_challenge_method") != "S256" or len(challenge) != CHALLENGE_LENGTH:
        raise OAuthRefusal("invalid_request", "PKCE is needed: code_challenge with code_challenge_method=S256.")
    _check_resource(request, asked.get("resource"))
    wanted = asked.get("scope", "").split()
    if set(wanted) - {*SCOPES}:
        raise OAuthRefusal("invalid_scope", f"The scopes are {' and '.join(SCOPES)}.")
    return not wanted or WRITE_SCOPE in wanted


def _check_resource(request: Request, resource: str | None) -> None:
    """A token is for this server alone (RFC 8707). Raises OAuthRefusal."""
    origin = origin_of(request)
    if resource and resource.rstrip("/") not in (origin, f"{origin}{MCP_PATH}"):
        raise OAuthRefusal("invalid_target", f"Tokens of this server are for {origin}{MCP_PATH} alone.")


def _refusal(request: Request, redirect_uri: str, code: str, text: str) -> str:
    said = {"error": code, "error_description": text, "iss": origin_of(request)}
    state = request.query_params.get("state")
    return with_query(redirect_uri, said if state is None else said | {"state": state})


def _shown(client: OAuthClient, redirect_uri: str) -> dict[str, str]:
    """What a person may know of the assistant: only addresses are proved, names are not."""
    parts = urlsplit(redirect_uri)
    here = parts.scheme == "http"
    answered = "a program on this computer" if here else parts.netloc if parts.scheme == "https" else f"{parts.scheme}:"
    known = urlsplit(client.client_id).hostname or "" if client.client_id.startswith("https:") else ""
    return {"client-name": client.name, "answered-at": answered, "known-as": known}


def _endpoint(answer: Callable[[Request, bytes], Response]) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        body = await request.body()
        try:
            return await run_in_threadpool(answer, request, body)
        except OAuthRefusal as error:
            return _error(request, error.code, str(error))
        except InvalidGrant as error:
            return _error(request, "invalid_grant", str(error))
        except Unavailable:
            raise
        except AutriError as error:
            return _error(request, "invalid_request", str(error))

    return respond


def _token(request: Request, body: bytes) -> Response:
    form = _form(body)
    _check_resource(request, form.get("resource"))
    runtime = request.app.state.runtime
    kind = form.get("grant_type")
    if kind == "authorization_code":
        values = [_needed(form, name) for name in ("code", "client_id", "redirect_uri", "code_verifier")]
        return _tokens(request, exchange_code(runtime, *values))
    if kind == "refresh_token":
        return _tokens(request, refresh_tokens(runtime, _needed(form, "refresh_token"), _needed(form, "client_id")))
    raise OAuthRefusal("unsupported_grant_type", "The grant types are authorization_code and refresh_token.")


def _register(request: Request, body: bytes) -> Response:
    """RFC 7591. The client is public: it proves itself by PKCE, and gets no secret."""
    import json

    try:
        client = register_client(json.loads(body))
    except (ValueError, RecursionError):
        raise OAuthRefusal("invalid_client_metadata", "Send a JSON object with redirect_uris.") from None
    except BadInput as error:
        raise OAuthRefusal("invalid_redirect_uri", str(error)) from None
    said = {
        "client_id": client.client_id,
        "client_name": client.name,
        "redirect_uris": [*client.redirect_uris],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": " ".join(SCOPES),
    }
    return JSONResponse(said, 201, security_headers(request.scope))


def _revoke(request: Request, body: bytes) -> Response:
    revoke_token(request.app.state.runtime, _needed(_form(body), "token"))
    return JSONResponse({}, 200, security_headers(request.scope))


def _tokens(request: Request, tokens: IssuedTokens) -> Response:
    return JSONResponse(tokens.model_dump(), 200, security_headers(request.scope))


def _error(request: Request, code: str, text: str) -> Response:
    return JSONResponse({"error": code, "error_description": text}, 400, security_headers(request.scope))


def _form(body: bytes) -> dict[str, str]:
    """Raises OAuthRefusal for anything but a form whose fields come once."""
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True, max_num_fields=20)
    except ValueError:
        fields = []
    if not fields or len({name for name, _ in fields}) < len(fields) or not all(is_storable(v) for _, v in fields):
        raise OAuthRefusal("invalid_request", "Send a form (application/x-www-form-urlencoded), each field once.")
    return dict(fields)


def _needed(form: dict[str, str], name: str) -> str:
    if not form.get(name):
        raise OAuthRefusal("invalid_request", f"{name} is missing.")
    return form[name]
