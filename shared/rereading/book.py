"""The visible text of e-books and of saved web pages, by the standard library's tokenizer."""

import posixpath
import re
import zipfile
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from shared.domain.raw_page import SecondText
from shared.rereading.html import visible_text
from shared.rereading.mail import first_of_kind


def reread_epub(path: Path) -> SecondText:
    found: list[str] = []
    with zipfile.ZipFile(path) as container:
        main = re.search(rb"full-path\s*=\s*[\"']([^\"']+)", container.read("META-INF/container.xml"))
        name = unquote(main[1].decode()) if main else ""
        data = container.read(name)
        # Expat bounds what entities expand to; a package with a document type has been refused.
        package = ElementTree.fromstring(data) if b"<!DOCTYPE" not in data else ElementTree.Element("none")  # noqa: S314
        hrefs = {one.get("id"): one.get("href", "") for one in package.iter() if _named(one, "item")}
        for one in package.iter():
            href = unquote(hrefs.get(one.get("idref"), ""))
            member = posixpath.normpath(posixpath.join(posixpath.dirname(name), href))
            if _named(one, "itemref") and member in container.namelist():
                found.append(visible_text(container.read(member)))
    return SecondText("\n".join(found), offsets=False)


def _named(element: ElementTree.Element, name: str) -> bool:
    """In whatever namespace, or none."""
    return element.tag.rpartition("}")[2] == name


def reread_mhtml(path: Path) -> SecondText:
    data, charset = first_of_kind(path.read_bytes(), ("text/html", "application/xhtml+xml"))
    return SecondText(visible_text(data, charset), offsets=False)
