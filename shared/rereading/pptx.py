"""The text of slides and their notes as the parts have it, by the standard library."""

import re
import zipfile
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

from shared.domain.raw_page import SecondText
from shared.rereading.charts import chart_words
from shared.rereading.slide_numbers import SlideNumbers

_TEXT_PARTS = re.compile(r"ppt/(?:(?:slides|notesSlides|comments)/[^/]+|charts/chart\d*|diagrams/data\d*)\.xml", re.I)


def reread_pptx(path: Path) -> SecondText:
    """The parts in the order of their names' numbers, which need not be that of the slides."""
    found: list[str] = []
    numbers: list[tuple[str, str]] = []
    with zipfile.ZipFile(path) as container:
        counted = SlideNumbers(container)
        names = [name for name in container.namelist() if _TEXT_PARTS.fullmatch(name)]
        for name in sorted(names, key=lambda name: (int("".join(re.findall("[0-9]+", name)) or 0), "notes" in name)):
            data = container.read(name)
            if b"<!DOCTYPE" not in data[:4096]:
                found += [f"{word}\n" for word in chart_words(data)] if "/charts/" in name else _texts(data)
                numbers += counted.of(name) if "slides/" in name.lower() else []
    return SecondText("".join(found), offsets=False, numbers=numbers)


def _texts(data: bytes) -> list[str]:
    found: list[str] = []
    fallback = 0
    # Expat bounds what entities expand to; no part with a document type comes here.
    for event, element in ElementTree.iterparse(BytesIO(data), events=("start", "end")):  # noqa: S314
        name = element.tag.rpartition("}")[2]
        if name == "Fallback":
            fallback += 1 if event == "start" else -1
        elif name in ("t", "text") and event == "end" and not fallback:
            found.append(element.text or "")
        elif name == "cNvPr" and event == "end" and not fallback:
            found.append(element.get("descr", "") + "\n")
        elif name == "p" and event == "end" and not fallback:
            found.append("\n")
    return found
