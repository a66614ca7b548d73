"""The text of a Word document as its parts have it, element after element, by the standard library."""

import re
import zipfile
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from shared.domain.raw_page import SecondText
from shared.rereading.charts import chart_words

_TEXT_PARTS = re.compile(
    r"word/(?:(?:document|header|footer|comments|footnotes|endnotes)[^/]*|charts/chart\d*|diagrams/data\d*)\.xml", re.I
)
_UNREAD = ("del", "moveFrom", "Fallback", "instrText", "delText")


def reread_docx(path: Path) -> SecondText:
    """Text boxes and notes stand where the parts have them."""
    found: list[str] = []
    with zipfile.ZipFile(path) as container:
        for name in sorted(container.namelist(), key=lambda name: ("document" not in name, name)):
            if not _TEXT_PARTS.fullmatch(name):
                continue
            if "/charts/" in name:
                found += chart_words(container.read(name))
            else:
                _gather(container.read(name), found)
    return SecondText("".join(found), offsets=False)


def _gather(data: bytes, found: list[str]) -> None:
    if b"<!DOCTYPE" in data[:4096]:
        return
    unread = 0
    described: list[str] = []
    # Expat bounds what entities expand to; no part with a document type comes here.
    for event, element in ElementTree.iterparse(BytesIO(data), events=("start", "end")):  # noqa: S314
        name = element.tag.rpartition("}")[2]
        if name in _UNREAD and not element.tag.startswith("{http://schemas.openxmlformats.org/drawingml"):
            unread += 1 if event == "start" else -1
        elif event == "end" and not unread:
            found.append(_said(name, element))
            if name == "docPr":
                described.append(element.get("descr", ""))
            elif name == "p":
                # Behind the paragraph that a picture stands in.
                found += described
                described.clear()


def _said(name: str, element: ElementTree.Element) -> str:
    if name == "t":
        return element.text or ""
    if name == "noBreakHyphen":
        return "\u2011"
    if name != "sym":
        return ""
    code = next((said for key, said in element.attrib.items() if key.endswith("}char")), "")
    return chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{4}", code) and not "D8" <= code[:2].upper() < "E0" else ""
