"""The addresses that a sitemap or a feed lists."""

import zlib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from lxml import etree

from shared.errors import BadInput
from shared.values.web_addresses import normal_address

MAX_BYTES: Final = 10_000_000
_GZIP: Final = b"\x1f\x8b"


def listed_addresses(data: bytes, base: str) -> tuple[list[str], list[str]]:
    """Pages, and further sitemaps, of the host of `base`, in their order, each once. Raises BadInput for what is
    neither a sitemap nor a feed."""
    root = _root(_plain(data), base)
    name = _local(root)
    if name == "sitemapindex":
        return [], _of_host(_texts(root, "loc"), base)
    if name == "urlset":
        return _of_host(_texts(root, "loc"), base), []
    if name in ("rss", "RDF"):
        return _of_host((link for item in _all(root, "item") for link in _texts(item, "link")), base), []
    if name == "feed":
        return _of_host(_entry_links(root), base), []
    raise BadInput(f"{base} is neither a sitemap nor a feed (RSS, Atom), but <{name}>.")


def is_wanted(url: str, include: list[str], exclude: list[str]) -> bool:
    """Whether the path of an address matches one of `include`, where there are any, and none of `exclude`; `*` stands
    for anything."""
    path = urlsplit(url).path
    wanted = not include or any(fnmatchcase(path, one) for one in include)
    return wanted and not any(fnmatchcase(path, one) for one in exclude)


def _plain(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    unpack = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        plain = unpack.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise BadInput("The sitemap is damaged and cannot be unpacked.") from error
    if unpack.unconsumed_tail:
        raise BadInput(f"The sitemap unpacks to more than {MAX_BYTES // 10**6} MB.")
    return plain


def _root(data: bytes, base: str) -> Any:
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise BadInput(f"{base} is no XML, so neither a sitemap nor a feed.") from error
    if root.getroottree().docinfo.internalDTD is not None:
        raise BadInput(f"{base} declares entities, which no sitemap needs.")
    return root


def _local(element: Any) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _all(element: Any, name: str) -> Iterator[Any]:
    return (one for one in element.iter() if _local(one) == name)


def _texts(element: Any, name: str) -> Iterator[str]:
    return (one.text for one in _all(element, name) if one.text)


def _entry_links(root: Any) -> Iterator[str]:
    for entry in _all(root, "entry"):
        for link in _all(entry, "link"):
            if link.get("rel", "alternate") == "alternate" and link.get("href"):
                yield link.get("href")


def _of_host(links: Iterator[str], base: str) -> list[str]:
    found: dict[str, None] = {}
    for link in links:
        try:
            address = normal_address(urljoin(base, link.strip()))
        except (BadInput, ValueError):
            continue
        if urlsplit(address).netloc == urlsplit(base).netloc:
            found[address] = None
    return list(found)
