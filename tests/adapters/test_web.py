"""What is fetched from the web, and that nothing leads into a network of our own."""

import gzip
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from shared.adapters.web import WebFetcher, is_public
from shared.errors import BadInput, Unavailable
from shared.values.web_addresses import normal_address
from tests.web_server import Site, running_site

HOSTILE = [
    "0.0.0.1", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.1.2.3",
    "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.254", "192.0.0.1", "192.0.0.192",
    "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16", "::", "::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::",
    "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
]  # fmt: skip
PUBLIC = ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e"]


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site() as made:
        yield made


@pytest.fixture
def fetch(site: Site) -> WebFetcher:
    return WebFetcher([site.host])


def test_there_are_enough_hostile_addresses() -> None:
    assert len(set(HOSTILE)) >= 40


@pytest.mark.parametrize("address", HOSTILE)
def test_an_address_that_is_not_of_the_public_internet_is_never_asked(address: str, tmp_path: Path) -> None:
    assert not is_public(address)
    fetch = WebFetcher(resolve_name=lambda _name, _port: [address])
    with pytest.raises(BadInput, match="no host of the public internet"):
        fetch("https://innocent.example/", tmp_path / "x")


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_public_internet_is_taken(address: str) -> None:
    fetch = WebFetcher(resolve_name=lambda _name, _port: [address])
    assert fetch.check("https://innocent.example/").address == address


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/",
        "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://localhost/", "http://0/", "http://127.0.0.1./",
    ],
)  # fmt: skip
def test_no_way_to_write_this_machine_is_taken(url: str, tmp_path: Path) -> None:
    with pytest.raises((BadInput, Unavailable)):
        WebFetcher()(url, tmp_path / "x")


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://a.example/", "gopher://a.example/", "javascript:alert(1)", "//a.example/",
        "a.example",
        "https://", "https:///x", "https://ada:secret@a.example/", "https://a.example:99999/", "https://a\\b.example/",
        "https://[::1", "data:text/html,x",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_web_page_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        WebFetcher(resolve_name=lambda _name, _port: ["1.1.1.1"])(url, tmp_path / "x")


@pytest.mark.parametrize("port", [22, 25, 3306, 5432, 6379, 8080, 9200, 11211])
def test_ports_of_other_services_are_not_asked(port: int) -> None:
    with pytest.raises(BadInput, match=f"names the port {port}"):
        WebFetcher(resolve_name=lambda _name, _port: ["1.1.1.1"]).check(f"https://a.example:{port}/")


def test_one_address_of_several_that_is_not_public_is_enough_to_refuse() -> None:
    with pytest.raises(BadInput, match="no host of the public internet"):
        WebFetcher(resolve_name=lambda _name, _port: ["1.1.1.1", "10.0.0.1"]).check("https://a.example/")


def test_a_name_is_resolved_once_and_the_connection_goes_to_what_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, connected = iter([["1.1.1.1"], ["127.0.0.1"]]), list[Any]()

    def connecting(address: Any, **_: Any) -> Any:
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.create_connection", connecting)
    with pytest.raises(Unavailable):
        WebFetcher(resolve_name=lambda _name, _port: next(answers))("http://rebinding.example/", tmp_path / "x")
    assert connected == [("1.1.1.1", 80)]
    assert next(answers) == ["127.0.0.1"], "it was asked once"


@pytest.mark.parametrize(
    "to",
    [
        "http://127.0.0.1:1/", "http://169.254.169.254/latest/meta-data/", "http://[::1]/", "http://10.0.0.1/",
        "http://2130706433/", "http://localhost/", "file:///etc/passwd", "//127.0.0.1/", "http://[::ffff:10.0.0.1]/",
    ],
)  # fmt: skip
def test_a_redirect_into_a_network_of_our_own_is_not_followed(
    site: Site, fetch: WebFetcher, tmp_path: Path, to: str
) -> None:
    site.lead("/", to)
    with pytest.raises((BadInput, Unavailable)):
        fetch(site.url, tmp_path / "x")
    assert len(site.asked) == 1


def test_redirects_are_followed_and_bounded(site: Site, fetch: WebFetcher, tmp_path: Path) -> None:
    site.put("/end", "here")
    for status in (301, 302, 303, 307, 308):
        site.lead("/a", "/end", status)
        assert fetch(f"{site.url}/a", tmp_path / "x").url == f"{site.url}/end"
    site.lead("/round", "/round")
    site.asked.clear()
    with pytest.raises(BadInput, match="redirected more than 5 times"):
        fetch(f"{site.url}/round", tmp_path / "x")
    assert len(site.asked) == 6


def test_what_arrives_is_written_byte_for_byte_with_what_the_server_said(
    site: Site, fetch: WebFetcher, tmp_path: Path
) -> None:
    site.put("/a", b"\x00\xff" * 99_999, "application/pdf", ETag='"1"', Last_Modified="Sat, 31 Jan 2026 10:00:00 GMT")
    found = fetch(f"{site.url}/a", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"\x00\xff" * 99_999
    assert (found.status, found.content_type, found.etag, found.size) == (200, "application/pdf", '"1"', 199_998)
    assert site.asked[0][1]["Host"] == site.host


def test_what_is_the_same_is_not_sent_again(site: Site, fetch: WebFetcher, tmp_path: Path) -> None:
    site.put("/a", "x", ETag='"1"')
    assert fetch(f"{site.url}/a", tmp_path / "x", etag='"1"').status == 304


def test_packed_answers_are_unpacked(site: Site, fetch: WebFetcher, tmp_path: Path) -> None:
    site.put("/a", gzip.compress(b"text " * 10_000), Content_Encoding="gzip")
    assert fetch(f"{site.url}/a", tmp_path / "x").size == 50_000


@pytest.mark.parametrize(
    "said",
    [
        {"body": gzip.compress(bytes(8_000_000)), "Content_Encoding": "gzip"},
        {"body": bytes(2_000_000)},
        {"body": b"x", "Content_Length": "99999999"},
    ],
)
def test_nothing_larger_than_the_bound_is_kept(
    site: Site, fetch: WebFetcher, tmp_path: Path, said: dict[str, Any]
) -> None:
    site.put("/a", said.pop("body"), **said)
    with pytest.raises(BadInput, match="more than 0 MB"):
        fetch(f"{site.url}/a", tmp_path / "x", limit=1_000_000)
    assert not (tmp_path / "x").exists() or (tmp_path / "x").stat().st_size <= 1_000_000


def test_an_encoding_that_was_not_asked_for_is_refused(site: Site, fetch: WebFetcher, tmp_path: Path) -> None:
    site.put("/a", b"x", Content_Encoding="br")
    with pytest.raises(BadInput, match="packed as br"):
        fetch(f"{site.url}/a", tmp_path / "x")


def test_what_arrives_damaged_or_cut_off_is_not_kept_as_whole(site: Site, fetch: WebFetcher, tmp_path: Path) -> None:
    site.put("/damaged", b"no gzip", Content_Encoding="gzip")
    site.put("/cut", b"x", Content_Length="5")
    for path in ("/damaged", "/cut"):
        with pytest.raises(Unavailable):
            fetch(site.url + path, tmp_path / "x")


def test_who_answers_drop_by_drop_is_not_waited_for(site: Site, tmp_path: Path) -> None:
    def drip(handler: Any) -> None:
        handler.send_response(200)
        handler.end_headers()
        for _ in range(600):
            handler.wfile.write(b"x")
            handler.wfile.flush()
            time.sleep(0.05)

    site.pages["/slow"] = drip
    started = time.monotonic()
    with pytest.raises(Unavailable):
        WebFetcher([site.host], total_s=0.5)(f"{site.url}/slow", tmp_path / "x")
    assert time.monotonic() - started < 20


def test_all_redirects_share_one_time(site: Site, tmp_path: Path) -> None:
    def slowly(handler: Any) -> None:
        time.sleep(0.4)
        handler.send_response(302)
        handler.send_header("Location", "/")
        handler.end_headers()

    site.pages["/"] = slowly
    with pytest.raises(Unavailable, match="time"):
        WebFetcher([site.host], total_s=1)(site.url, tmp_path / "x")
    assert len(site.asked) <= 3


def test_a_time_that_was_over_before_there_was_a_connection_ends_it(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = socket.create_connection

    def slowly(address: Any, **more: Any) -> Any:
        time.sleep(0.5)
        return connect(address, **more)

    monkeypatch.setattr("socket.create_connection", slowly)
    site.put("/", "here")
    with pytest.raises(Unavailable, match="time"):
        WebFetcher([site.host], total_s=0.2)(site.url, tmp_path / "x")
    assert site.asked == []


def test_a_host_that_does_not_exist_is_said(tmp_path: Path) -> None:
    def unknown(_name: str, _port: int) -> list[str]:
        raise OSError("no such name")

    with pytest.raises(Unavailable, match="no host none"):
        WebFetcher(resolve_name=unknown)("https://none.example/", tmp_path / "x")


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("HTTPS://Example.COM:443/a?b#c", "https://example.com/a?b"),
        ("http://example.com", "http://example.com/"),
        ("https://bücher.example/ä b", "https://xn--bcher-kva.example/%C3%A4b"),
        ("https://example.com./a%20b", "https://example.com/a%20b"),
        ("http://example.com:8080/", "http://example.com:8080/"),
    ],
)
def test_an_address_has_one_spelling(written: str, normal: str) -> None:
    assert normal_address(written) == normal
