"""People of a deployment, and the three ways by which each of them comes: an ID token, an API key, a browser's session.

`Acting` are requests by one person in one of these ways.
"""

from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Literal, LiteralString

import httpx

from functions.auth.cookies import SESSION
from tests.aws.browsing import Browser
from tests.aws.customer import callback, ok, web_client
from tests.aws.front import Front
from tests.aws.login import create_person, sign_in
from tests.aws.system import System

Acting = Callable[..., httpx.Response]
Way = Literal["token", "key", "session"]
INVITE: LiteralString = (
    "insert into users (organization_id, id, email, role, invited_at)"
    " select id, gen_random_uuid(), %s, %s, now() from organizations where slug = %s returning id"
)


@dataclass(frozen=True)
class Person:
    """`ways`: requests as (method, path, json=…, headers=…), each of them in one way; `given`: the header by which."""

    id: str
    ways: dict[Way, Acting]
    given: dict[Way, dict[str, str]]
    key_id: str
    client: httpx.Client


def found_organization(system: System, slug: str) -> None:
    """As the operator does, with every limit taken off."""
    insert: LiteralString = (
        "insert into organizations (id, slug, name, plan) values (gen_random_uuid(), %s, %s, 'unlimited') returning id"
    )
    system.rows(insert, slug, slug.capitalize())


@contextmanager
def founder_of(system: System, slug: str) -> Generator[httpx.Client]:
    """The owner of a new organization, which holds nothing of other tests', with a token."""
    found_organization(system, slug)
    email = f"owner@{slug}.example"
    system.rows(INVITE, email, "owner", slug)
    create_person(system.emulator, system.deployed.only("AWS::Cognito::UserPool"), email)
    token = sign_in(system.emulator, web_client(system), callback(system), email).id_token
    with system.api as api:
        api.headers["Authorization"] = f"Bearer {token}"
        yield api


@contextmanager
def opened_person(system: System, front: Front, organization: str, email: str, role: str) -> Generator[Person]:
    """Invited into the organization, and signed in in every way."""
    ((user_id,),) = system.rows(INVITE, email, role, organization)
    create_person(system.emulator, system.deployed.only("AWS::Cognito::UserPool"), email)
    token = sign_in(system.emulator, web_client(system), callback(system), email).id_token
    with ExitStack() as stack:
        bearer, keyed, pages = (stack.enter_context(front.client("*/*")) for _ in range(3))
        bearer.headers["Authorization"] = f"Bearer {token}"
        # Nobody's key may do more than its person.
        made = ok(bearer.post("/v1/keys", json={"name": email, "scope": "admin" if role != "editor" else "write"}))
        keyed.headers["Authorization"] = f"Bearer {made['secret']}"
        browser = Browser(pages, {})
        browser.sign_in(email)
        ways: dict[Way, Acting] = {
            "token": bearer.request,
            "key": keyed.request,
            "session": of_own_pages(front, browser),
        }
        given: dict[Way, dict[str, str]] = {
            "token": {"Authorization": bearer.headers["Authorization"]},
            "key": {"Authorization": keyed.headers["Authorization"]},
            "session": {"Cookie": f"{SESSION}={browser.cookies[SESSION]}"},
        }
        yield Person(str(user_id), ways, given, str(made["id"]), bearer)


def of_own_pages(front: Front, browser: Browser) -> Acting:
    """What the deployment's own pages send."""
    own = {"Origin": front.origin, "X-CSRF-Token": browser.csrf}

    def act(method: str, path: str, headers: dict[str, str] | None = None, **more: Any) -> httpx.Response:
        return browser.send(method, path, headers=own | (headers or {}), **more)

    return act
