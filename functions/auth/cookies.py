"""Cookies of the sign-in: the session's, and one per sign-in that is under way (RFC 6265bis, prefix `__Host-`)."""

from typing import Any

SESSION = "__Host-autri-session"
LOGIN = "__Host-autri-login-"
# A cookie of this prefix is taken from the host itself over TLS alone, and sent back to it alone.
ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax"


def read_cookies(event: dict[str, Any]) -> dict[str, str]:
    """Name → value of an API Gateway event (payload 2.0, which has them apart from the headers).

    A name that was sent twice is left out: which of them is meant cannot be told.
    """
    lines = event.get("cookies") or [(event.get("headers") or {}).get("cookie", "")]
    found: dict[str, str] = {}
    doubled: set[str] = set()
    for pair in (pair.strip() for line in lines for pair in str(line).split(";")):
        name, separator, value = pair.partition("=")
        if not separator:
            continue
        if name in found:
            doubled.add(name)
        found[name] = value
    return {name: value for name, value in found.items() if name not in doubled}


def set_cookie(name: str, value: str, max_age_s: int) -> str:
    return f"{name}={value}; Max-Age={max_age_s}; {ATTRIBUTES}"


def drop_cookie(name: str) -> str:
    return set_cookie(name, "", 0)
