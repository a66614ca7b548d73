"""A browser without a screen: cookies as browsers take them, and signing in as people do."""

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from tests.aws.login import enter


@dataclass
class Browser:
    """What a browser keeps for the origin; cookies as a browser takes them."""

    client: httpx.Client
    cookies: dict[str, str]

    def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {**more.pop("headers", {}), "Cookie": "; ".join(f"{n}={v}" for n, v in self.cookies.items())}
        answer = self.client.request(method, path, headers=headers, **more)
        self.client.cookies.clear()
        for line in answer.headers.get_list("set-cookie"):
            name, _, value = line.partition(";")[0].partition("=")
            assert name.startswith("__Host-")
            assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= set(line.split("; "))
            self.cookies[name] = value
            if "Max-Age=0" in line:
                del self.cookies[name]
        return answer

    def sign_in(self, email: str, wanted: str = "/") -> httpx.Response:
        """Up to where the callback sends the browser."""
        hosted = self.send("GET", f"/auth/login?next={quote(wanted, safe='')}").headers["location"]
        returned = urlsplit(enter(hosted, email))
        return self.send("GET", f"{returned.path}?{returned.query}")

    @property
    def csrf(self) -> str:
        (token,) = re.findall(r'name="csrf-token" content="([^"]+)"', self.send("GET", "/").text)
        return token
