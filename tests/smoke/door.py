"""Steps that need nobody's key: what everybody finds at the address, and what nobody gets in with."""

import base64
import json
import re
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.smoke.site import TIMEOUT_S, Site, Skipped, Step, demand, described

WANTED_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
YEAR_S = 31_536_000
EVIL = "https://evil.example"
SESSION = "__Host-autri-session=forged"
# Of the form of a key, with a checksum that is wrong.
MISTYPED_KEY = "autri_" + "0" * 33


def _upgrades(site: Site) -> str | None:
    if not site.is_deployed:
        raise Skipped("one machine is reached over loopback, in clear")
    if "plain_http" in site.kept:
        raise Skipped(site.kept["plain_http"])
    answer = httpx.get(site.origin.replace("https://", "http://"), timeout=TIMEOUT_S)
    target = answer.headers.get("location", "")
    demand(answer.status_code in (301, 308) and target.startswith("https://"), f"http answers {answer.status_code}")
    return f"TLS, {answer.status_code} from http"


def _headers(site: Site) -> None:
    for path in ("/", "/v1/health"):
        answer = site.get(path)
        wrong = [name for name, value in WANTED_HEADERS.items() if answer.headers.get(name) != value]
        policy = answer.headers.get("content-security-policy", "")
        wrong += [] if "default-src 'none'" in policy and "unsafe-" not in policy else ["content-security-policy"]
        wrong += [] if answer.headers.get("x-request-id") else ["x-request-id"]
        if site.is_deployed:
            age = re.search(r"max-age=(\d+)", answer.headers.get("strict-transport-security", ""))
            wrong += [] if age and int(age[1]) >= YEAR_S else ["strict-transport-security"]
        demand(not wrong, f"{path}: {', '.join(wrong)}")


def _health(site: Site) -> str:
    answer = site.get("/v1/health")
    demand(answer.status_code == 200, described(answer))
    demand(answer.json()["status"] == "ok", answer.text)
    return f"version {answer.json()['version']}"


def _open_page(site: Site) -> httpx.Response:
    """A page that is shown to who is not signed in."""
    answer = site.get("/auth/signed-out" if site.is_deployed else "/", headers={"Accept": "text/html"})
    demand(answer.status_code == 200, described(answer))
    return answer


def _compressed(site: Site) -> str:
    asked = {"Accept": "text/html", "Accept-Encoding": "gzip"}
    path = "/auth/signed-out" if site.is_deployed else "/"
    with site.client.stream("GET", path, headers=asked) as answer:
        sent, text = 0, b""
        raw = b"".join(answer.iter_raw())
        sent = len(raw)
        demand(answer.headers.get("content-encoding") == "gzip", f"{path} comes as it is, {sent:,} bytes")
        text = httpx.Response(200, headers={"content-encoding": "gzip"}, content=raw).content
    demand("accept-encoding" in answer.headers.get("vary", "").lower(), "no Vary: Accept-Encoding")
    return f"{len(text):,} bytes as {sent:,}"


def _static(site: Site) -> str:
    found = re.search(r'href="(/static/[0-9a-f]{12}/css/base\.css)"', _open_page(site).text)
    demand(found, "the page names no style sheet")
    path = found[1] if found else ""
    answer = site.get(path)
    demand(answer.status_code == 200, f"{path}: {answer.status_code}")
    caching = answer.headers.get("cache-control", "")
    demand("immutable" in caching and f"max-age={YEAR_S}" in caching, f"{path}: Cache-Control {caching!r}")
    demand(answer.headers["content-type"].startswith("text/css"), answer.headers["content-type"])
    return path


def _login(site: Site) -> None:
    if not site.is_deployed:
        raise Skipped("one machine asks nobody to sign in")
    first = site.get("/kb/any", headers={"Accept": "text/html"})
    target = urlsplit(first.headers.get("location", ""))
    demand(first.status_code in (302, 303, 307), f"/kb/any without a session: {first.status_code}")
    demand(
        (target.netloc or "", target.path) in (("", "/auth/login"), (urlsplit(site.origin).netloc, "/auth/login")),
        f"/kb/any leads to {target.geturl()}",
    )
    demand(parse_qs(target.query).get("next") == ["/kb/any"], f"it forgets the address: {target.query}")
    hosted = site.get(f"/auth/login?{target.query}")
    query = {name: values[0] for name, values in parse_qs(urlsplit(hosted.headers.get("location", "")).query).items()}
    demand(query.get("response_type") == "code", f"response_type is {query.get('response_type')}")
    demand(query.get("code_challenge_method") == "S256", "PKCE without S256")
    demand(len(query.get("code_challenge", "")) == 43, "no code challenge of 256 bits")
    short = [name for name in ("state", "nonce") if len(query.get(name, "")) < 20]
    demand(not short, f"missing or short: {', '.join(short)}")
    demand(query.get("redirect_uri") == f"{site.origin}/auth/callback", f"redirect_uri is {query.get('redirect_uri')}")
    cookie = hosted.headers.get("set-cookie", "")
    demand(cookie.startswith("__Host-") and {"Secure", "HttpOnly"} <= set(cookie.split("; ")), "the attempt's cookie")


def _forged(site: Site) -> str:
    tried = [MISTYPED_KEY, "nonsense", _unsigned_token(), f"{_unsigned_token()}AAAA"]
    got = [site.get("/v1/me", headers={"Authorization": f"Bearer {token}"}).status_code for token in tried]
    demand(got == [401] * len(tried), f"answers {got}")
    if site.is_deployed:
        cookie = site.get("/v1/me", headers={"Cookie": SESSION}).status_code
        nobody = site.get("/v1/me").status_code
        demand((cookie, nobody) == (401, 401), f"a made-up session gets {cookie}, nobody {nobody}")
    return f"{len(tried)} tokens"


def _unsigned_token() -> str:
    """An identity token that says of itself that nobody signed it."""
    parts = ({"alg": "none", "typ": "JWT"}, {"sub": "owner", "token_use": "id", "exp": 4_000_000_000})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + "."


def _foreign_page(site: Site) -> None:
    """A change that another site's page makes the browser send: with the cookie, without the page's token."""
    headers = {"Origin": EVIL, "Sec-Fetch-Site": "cross-site", "Cookie": SESSION}
    answer = site.client.post("/v1/knowledge-bases", json={"name": "Smoke: forged"}, headers=headers)
    demand(answer.status_code in (401, 403), described(answer))


def _problem(site: Site) -> None:
    answer = site.get("/v1/no-such-route", headers={"Accept": "application/json"})
    demand(answer.status_code in (401, 404), described(answer))
    demand("json" in answer.headers.get("content-type", ""), f"{answer.headers.get('content-type')}")
    demand("Traceback" not in answer.text, "a stack trace")


DOOR = (
    Step("http leads to https", "Look at the distribution's viewer protocol policy, and at the DNS target.", _upgrades),
    Step(
        "every answer carries the security headers",
        "Something between removes headers: look at CloudFront's policies.",
        _headers,
    ),
    Step("the open health route answers", "Look at the API function's log and the runbook failing-api.md.", _health),
    Step(
        "pages are compressed",
        "The function is older than this script, or something strips Accept-Encoding.",
        _compressed,
    ),
    Step(
        "static files may be cached for ever",
        "Deploy again: the static files' custom resource puts them there.",
        _static,
    ),
    Step(
        "a page without a session leads to the login, with PKCE",
        "Look at the login function's log and settings.",
        _login,
    ),
    Step(
        "forged tokens, keys and sessions are refused",
        "STOP and take the deployment off the net: the authorizer is wrong.",
        _forged,
    ),
    Step(
        "a foreign page changes nothing",
        "STOP and take the deployment off the net: see docs/security.md.",
        _foreign_page,
    ),
    Step("errors are problem documents", "Look at the API function's log.", _problem),
)
