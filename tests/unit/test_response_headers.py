"""What every response says to a browser, word for word: a part that goes missing is seen by nobody else."""

from pathlib import Path

import pytest

from functions.api import static_files
from functions.api.envelope import security_headers
from functions.api.pages_shell import PageContext, content_security_policy, render_page


def directives(policy: str) -> dict[str, str]:
    return dict(one.split(" ", 1) for one in policy.split("; "))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_response_is_locked(scheme: str) -> None:
    headers = security_headers({"scheme": scheme, "state": {"request_id": "abcdefgh"}})
    policy = directives(headers.pop("Content-Security-Policy"))
    assert policy == dict.fromkeys(("default-src", "frame-ancestors", "base-uri", "form-action"), "'none'")
    transport = {"Strict-Transport-Security": "max-age=63072000; includeSubDomains"} if scheme == "https" else {}
    assert headers == transport | {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Cache-Control": "no-store",
        "X-Request-Id": "abcdefgh",
    }


@pytest.mark.parametrize(("storage", "more"), [("", ""), ("https://files.example", " https://files.example")])
def test_a_page_loads_from_its_own_origin_and_from_the_storage_alone(storage: str, more: str) -> None:
    assert directives(content_security_policy(storage)) == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "font-src": "'self'",
        "img-src": f"'self' data:{more}",
        "connect-src": f"'self'{more}",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": "'none'",
    }


def test_a_page_is_sent_with_its_policy_and_never_guessed_or_kept() -> None:
    context = PageContext(title="<Boats>", template="playground.html", twin="/v1", module="error/main.js")
    response = render_page(context, 404, "https://files.example")
    assert response.status_code == 404
    assert response.headers["content-security-policy"] == content_security_policy("https://files.example")
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["referrer-policy"] == "same-origin"
    assert response.headers["cache-control"] == "no-cache"
    assert "<Boats>" not in bytes(response.body).decode()


def test_the_address_of_static_files_changes_with_each_name_and_each_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_files, "STATIC", tmp_path)
    monkeypatch.setattr(static_files, "static_contents", static_files.static_contents.__wrapped__)
    version = static_files.static_version.__wrapped__
    (tmp_path / "js").mkdir()
    seen = [version()]
    for name, data in (("a.js", b"1"), ("js/a.js", b"1"), ("js/a.js", b"2")):
        (tmp_path / name).write_bytes(data)
        seen.append(version())
    (tmp_path / "a.js").rename(tmp_path / "b.js")
    seen.append(version())
    assert len(set(seen)) == 5
    assert version() == seen[-1]
    assert {len(one) for one in seen} == {12}
