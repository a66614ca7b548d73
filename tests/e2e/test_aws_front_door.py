"""A person opens the deployment's address: sign in, upload, look, search, sign out; and what others may not do."""

import re
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect, sync_playwright

from functions.auth.cookies import SESSION
from tests.aws.browsing import Browser
from tests.aws.customer import OWNER, callback, ok, web_client
from tests.aws.front import Front
from tests.aws.login import PASSWORD, Tokens, create_person, enter
from tests.aws.login import sign_in as tokens_for
from tests.aws.system import System
from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.test_documents import create, manual
from tests.patience import PATIENCE_MS

pytestmark = [pytest.mark.aws, pytest.mark.browser]
# The emulator's bucket has no TLS; a browser that upgrades its images would not find them.
EMULATED = ["--disable-features=AutoupgradeMixedContent"]


@pytest.fixture
def new_browser(front: Front) -> Iterator[Callable[[], Browser]]:
    with front.client() as client:
        yield lambda: Browser(client, {})


@pytest.fixture(scope="module")
def person(system: System, tokens: Tokens) -> str:
    """The owner, whom another fixture has made, and who has signed in once."""
    return OWNER


@pytest.fixture(scope="module")
def page(front: Front) -> Generator[Page]:
    with opened_page(front) as page:
        yield page


@contextmanager
def opened_page(front: Front) -> Generator[Page]:
    """Chromium that finds the distribution's name on this machine, and takes its certificate."""
    rules = f"--host-resolver-rules=MAP {urlsplit(front.origin).netloc}:443 127.0.0.1:{front.port}"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *EMULATED, rules])
        context = chromium.new_context(ignore_https_errors=True, viewport={"width": 1440, "height": 900})
        context.set_default_timeout(PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        yield context.new_page()
        chromium.close()


def test_a_person_signs_in_uploads_looks_searches_and_signs_out(
    front: Front, page: Page, person: str, tmp_path: Path
) -> None:
    walk(front, page, person, tmp_path)


def walk(front: Front, page: Page, person: str, folder: Path) -> None:
    """The whole journey; a screenshot of the inspector is left in `folder`."""
    troubles: list[str] = []
    failed: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("response", lambda answer: failed.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)
    page.on("console", lambda said: troubles.append(said.text) if said.type == "error" and own(said) else None)

    def own(said: ConsoleMessage) -> bool:
        """And not of the hosted login's page, which has no icon."""
        return said.location["url"].startswith(front.origin)

    page.goto(f"{front.origin}/playground?q=bolt")
    sign_in(page, person)
    expect(page).to_have_url(f"{front.origin}/playground?q=bolt")
    page.goto(front.origin)
    create(page, "Kestrel manuals")
    page.set_input_files("#file-input", manual(3))
    run = page.locator(".ingestion")
    expect(run.locator(".state")).to_have_text(re.compile("^(ready|not added)$"))
    expect(run.locator(".state"), run.inner_text()).to_have_text("ready")
    # Before it, the list is made anew under the pointer, and a click in that moment is lost.
    expect(page.locator("#documents .doc-row:not(.head)").first).to_contain_text("current")
    page.locator(".doc-row a.doc-name").first.click()
    expect(page.locator(".stage img").first).to_be_visible()
    expect(page.get_by_text("Tighten the bolt of part 1").first).to_be_visible()
    page.locator("#page-image").evaluate("image => image.decode()")
    page.screenshot(path=folder / "inspector.png")
    inspected = page.url

    page.goto(f"{front.origin}/playground?q=tighten+the+bolt+of+part+2")
    expect(page.get_by_text("Tighten the bolt of part 2").first).to_be_visible()
    assert (troubles, failed) == ([], [])

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Tighten the bolt")).to_have_count(0)
    page.goto(inspected)
    expect(page.get_by_label("Password")).to_be_visible()


def sign_in(page: Page, email: str) -> None:
    """On the hosted login's page."""
    page.locator("input[name=username]").fill(email)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("button, input[type=submit]").first.click()


OWN = "/v1/knowledge-bases"
NEW = {"name": "Made by a session", "description": "To see who may"}


def test_a_session_changes_things_from_its_own_pages_alone(
    front: Front, new_browser: Callable[[], Browser], person: str
) -> None:
    browser = new_browser()
    assert browser.sign_in(person).headers["location"] == "/"
    assert set(browser.cookies) == {SESSION}
    assert browser.send("GET", "/v1/me").json()["user"]["email"] == person
    right = {"Origin": front.origin, "X-CSRF-Token": browser.csrf}
    wrong = (
        {},
        {"Origin": front.origin},
        {"X-CSRF-Token": browser.csrf},
        {**right, "Origin": "https://evil.example"},
        {**right, "Origin": "null"},
        {**right, "X-CSRF-Token": browser.csrf[:-1]},
        {**right, "X-CSRF-Token": ""},
    )
    assert [browser.send("POST", OWN, json=NEW, headers=headers).status_code for headers in wrong] == [403] * len(wrong)
    assert browser.send("POST", OWN, json=NEW, headers=right).status_code == 201


def test_a_session_that_was_there_before_the_sign_in_is_not_the_one_behind_it(
    new_browser: Callable[[], Browser], person: str
) -> None:
    browser = new_browser()
    browser.cookies[SESSION] = "fixed-by-somebody-else"
    browser.sign_in(person)
    first = browser.cookies[SESSION]
    assert first != "fixed-by-somebody-else"
    browser.sign_in(person)
    again = new_browser()
    again.cookies[SESSION] = first
    assert again.send("GET", "/v1/me").status_code == 401
    assert browser.send("GET", "/v1/me").status_code == 200


def test_a_sign_in_ends_only_in_the_browser_that_began_it_and_once(
    new_browser: Callable[[], Browser], person: str
) -> None:
    browser, other = new_browser(), new_browser()
    hosted = browser.send("GET", "/auth/login").headers["location"]
    returned = urlsplit(enter(hosted, person))
    target = f"{returned.path}?{returned.query}"
    other.send("GET", "/auth/login")
    assert other.send("GET", target).headers["location"] == "/auth/signed-out?reason=expired"
    assert SESSION not in other.cookies
    attempt = dict(browser.cookies)
    assert browser.send("GET", target).headers["location"] == "/"
    browser.cookies = attempt
    assert browser.send("GET", target).headers["location"] == "/auth/signed-out?reason=expired"


def test_somebody_elses_code_is_no_sign_in(new_browser: Callable[[], Browser], person: str) -> None:
    """The attacker's own code with the victim's state: the nonce and the verifier are another attempt's."""
    victim, attacker = new_browser(), new_browser()
    began = dict(parse_qsl(urlsplit(victim.send("GET", "/auth/login").headers["location"]).query))
    code = dict(parse_qsl(urlsplit(enter(attacker.send("GET", "/auth/login").headers["location"], person)).query))[
        "code"
    ]
    answer = victim.send("GET", f"/auth/callback?{urlencode({'code': code, 'state': began['state']})}")
    assert answer.headers["location"] == "/auth/signed-out?reason=expired"
    assert SESSION not in victim.cookies


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "javascript:alert(1)",
        "/a\r\nSet-Cookie: x=y",
        "/auth/login",
    ],
)
def test_a_sign_in_leads_to_no_other_site(new_browser: Callable[[], Browser], person: str, wanted: str) -> None:
    assert new_browser().sign_in(person, wanted).headers["location"] == "/"


def test_who_signs_out_everywhere_is_signed_out_in_every_browser(
    front: Front, new_browser: Callable[[], Browser], person: str
) -> None:
    here, there = new_browser(), new_browser()
    here.sign_in(person)
    there.sign_in(person)
    out = "/auth/logout?everywhere=true"
    foreign = {"Origin": "https://evil.example", "X-CSRF-Token": here.csrf}
    assert here.send("POST", out, headers=foreign).status_code == 403
    assert here.send("POST", out, headers={"Origin": front.origin}).status_code == 403
    assert there.send("GET", "/v1/me").status_code == 200
    answer = here.send("POST", out, headers={"Origin": front.origin, "X-CSRF-Token": here.csrf})
    assert "/logout?" in ok(answer)["location"]
    assert answer.headers["clear-site-data"] == '"cache"'
    assert here.cookies == {}
    assert there.send("GET", "/v1/me").status_code == 401
    assert there.send("GET", "/").headers["location"] == "/auth/login?next=%2F"
    time.sleep(1.1)  # All sessions of that second have ended, too.
    there.sign_in(person)
    assert there.send("GET", "/v1/me").status_code == 200
    noted = there.send("GET", "/v1/audit?act=sign_in&limit=2").json()["items"]
    assert [(one["act"], one["person"]) for one in noted] == [("sign_in.succeed", person), ("sign_in.end", person)]
    assert noted[1]["details"] == {"everywhere": True}


def test_a_cookie_that_is_sent_twice_is_nobodys(new_browser: Callable[[], Browser], person: str) -> None:
    browser = new_browser()
    browser.sign_in(person)
    mine = browser.cookies[SESSION]
    twice = {"Cookie": f"{SESSION}={mine}; {SESSION}={mine}"}
    assert browser.client.get("/v1/me", headers=twice).status_code == 401


def test_an_access_token_does_what_its_scopes_say(system: System, person: str) -> None:
    client = web_client(system)
    asked = {"none": "openid email", "read": "openid autri/read", "write": "openid autri/write"}
    got: dict[str, list[int]] = {}
    for name, scope in asked.items():
        token = tokens_for(system.emulator, client, callback(system), person, scope).access_token
        with system.api as api:
            api.headers["Authorization"] = f"Bearer {token}"
            got[name] = [api.get("/v1/me").status_code, api.post(OWN, json=NEW | {"name": name}).status_code]
    assert got == {"none": [403, 403], "read": [200, 403], "write": [200, 201]}


def test_a_removed_person_reads_nothing_with_the_next_request(
    system: System, new_browser: Callable[[], Browser], tokens: Tokens
) -> None:
    email = "leaver@example.com"
    system.rows(
        "insert into users (organization_id, id, email, role, invited_at)"
        " select organization_id, gen_random_uuid(), %s, 'editor', now() from users where email = %s returning id",
        email,
        OWNER,
    )
    create_person(system.emulator, system.deployed.only("AWS::Cognito::UserPool"), email)
    browser = new_browser()
    browser.sign_in(email)
    assert browser.send("GET", "/v1/me").status_code == 200
    system.rows("delete from users where email = %s returning id", email)
    assert browser.send("GET", "/v1/me").status_code == 403
    refused = browser.send("GET", "/")
    assert refused.status_code == 403
    assert "no organization has invited you" in refused.text


def test_a_person_whom_the_pool_has_disabled_is_signed_out_within_the_hour(
    system: System, new_browser: Callable[[], Browser], person: str
) -> None:
    """The hour is made to pass by what the table says of the session's last confirmation."""
    browser = new_browser()
    browser.sign_in(person)
    other = new_browser()
    other.sign_in(person)
    table, key = system.deployed.only("AWS::DynamoDB::Table"), sha256(browser.cookies[SESSION].encode()).hexdigest()
    database = system.emulator.client("dynamodb")

    def pass_an_hour() -> None:
        database.update_item(
            TableName=table,
            Key={"id": {"S": key}},
            UpdateExpression="set confirmed = confirmed - :hour",
            ExpressionAttributeValues={":hour": {"N": "3600"}},
        )

    pass_an_hour()
    assert browser.send("GET", "/v1/me").status_code == 200
    confirmed = database.get_item(TableName=table, Key={"id": {"S": key}})["Item"]["confirmed"]["N"]
    assert time.time() - int(confirmed) < 1800
    pool = system.deployed.only("AWS::Cognito::UserPool")
    time.sleep(1.1)  # The emulator counts whole seconds: what was signed in within this one would go on.
    system.emulator.client("cognito-idp").admin_user_global_sign_out(UserPoolId=pool, Username=person)
    assert browser.send("GET", "/v1/me").status_code == 200
    pass_an_hour()
    assert browser.send("GET", "/v1/me").status_code == 401
    assert "Item" not in database.get_item(TableName=table, Key={"id": {"S": key}})
