"""The text of a Word document as its parts have it, element after element, by the standard library."""

import re
import zipfile
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from shared.domain.raw_page import SecondText
from shared.rereading.charts import chart_words
from shared.rereading.word_numbers import numbers_of_word

_TEXT_PARTS = re.compile(
    r"word/(?:(?:document|header|footer|comments|footnotes|endnotes)[^/]*|charts/chart\d*|diagrams/data\d*)\.xml", re.I
)
_UNREAD = ("del", "moveFrom", "Fallback", "instrText", "delText")


def reread_docx(path: Path) -> SecondText:
    """Notes stand where the parts have them, boxes of text behind the paragraph that they stand in."""
    found: list[str] = []
    with zipfile.ZipFile(path) as container:
        for name in sorted(container.namelist(), key=lambda name: ("document" not in name, name)):
            if not _TEXT_PARTS.fullmatch(name):
                continue
            if "/charts/" in name:
                found += [f"{word}\n" for word in chart_words(container.read(name))]
            else:
                _gather(container.read(name), found)
        numbers = numbers_of_word(container)
    return SecondText("".join(found), offsets=False, numbers=numbers)


def _gather(data: bytes, found: list[str]) -> None:
    if b"<!DOCTYPE" in data[:4096]:
        return
    unread = 0
    # Of the part, and of each open box of text: its text, and what stands behind the paragraph that is open.
    flows: list[tuple[list[str], list[str]]] = [(found, [])]
    # Expat bounds what entities expand to; no part with a document type comes here.
    for event, element in ElementTree.iterparse(BytesIO(data), events=("start", "end")):  # noqa: S314
        name = element.tag.rpartition("}")[2]
        if name in _UNREAD and not element.tag.startswith("{http://schemas.openxmlformats.org/drawingml"):
            unread += 1 if event == "start" else -1
        elif event == "start":
            if name == "txbxContent" and not unread:
                flows.append(([], []))
        elif not unread:
            text, behind = flows[-1]
            text.append(_said(name, element))
            if name == "docPr":
                behind.append(element.get("descr", "") + "\n")
            elif name == "txbxContent":
                flows.pop()
                flows[-1][1].extend([*text, *behind])
            elif name == "p":
                text += ["\n", *behind]
                behind.clear()


def _said(name: str, element: ElementTree.Element) -> str:
    if name == "t":
        return element.text or ""
    if name == "noBreakHyphen":
        return "\u2011"
    if name != "sym":
        return ""
    code = next((said for key, said in element.attrib.items() if key.endswith("}char")), "")
    return chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{4}", code) and not "D8" <= code[:2].upper() < "E0" else ""
