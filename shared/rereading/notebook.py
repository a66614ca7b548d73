"""The words of a notebook in their order, by another parser of JSON."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from shared.domain.raw_page import SecondText
from shared.rereading.html import visible_text

_PLACING = frozenset(("table", "h1", "h2", "h3", "form", "nav", "article", "section"))
_MANY = 100_000
_HALVES = re.compile(
    rb"\\(?:u(?P<first>d[89ab][0-9a-f]{2})(?P<second>\\ud[c-f][0-9a-f]{2})?|u(?P<stray>d[c-f][0-9a-f]{2})|.)",
    re.I | re.S,
)


def reread_notebook(path: Path) -> SecondText:
    data = _HALVES.sub(_whole, path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    found: list[str] = []
    read = from_json(data, cache_strings=False)
    for sheet in [read] if "cells" in read else _dicts(read["worksheets"]):
        for cell in _dicts(sheet["cells"]):
            level = cell.get("level", 1) if cell.get("cell_type") == "heading" else 0
            found += ["#" * level, _joined(cell.get("source") or cell.get("input"))]
            for output in _dicts(cell.get("outputs")):
                if isinstance(output.get("data"), dict):
                    found += _alternatives(output["data"])
                elif "evalue" in output:
                    found.append(f"{_joined(output.get('ename'))}: {_joined(output['evalue'])}")
                else:
                    found.append(_joined(output.get("text")))
    return SecondText("\n".join(found).replace("\0", ""), offsets=False)


def _alternatives(data: dict[str, Any]) -> list[str]:
    """What is seen of an output: its HTML where that has a table of data, else its plain text; of one that may be
    beyond the bounds of a page both."""
    plain, html = _joined(data.get("text/plain")), _joined(data.get("text/html"))
    tables = _Tables()
    tables.feed(html)
    tables.close()
    if not any(map(_has_data, tables.found)):
        return [plain]
    seen = visible_text(html.encode(), "utf-8")
    return [seen, plain] if tables.elements > _MANY else [seen]


class _Table:
    """The cells of each row; `placing` where it holds what data has not, or says so."""

    def __init__(self, *, placing: bool) -> None:
        self.rows: list[int] = []
        self.placing = placing


def _has_data(table: _Table) -> bool:
    return not table.placing and len(table.rows) > 1 and max(table.rows) > 1


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[_Table] = []
        self.elements = 0
        self._open: list[_Table] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements += 1
        if tag in _PLACING:
            for table in self._open:
                table.placing = True
        if tag == "table":
            self._open.append(_Table(placing=dict(attrs).get("role") in ("presentation", "none")))
            self.found.append(self._open[-1])
        elif self._open and tag == "tr":
            self._open[-1].rows.append(0)
        elif self._open and tag in ("td", "th") and self._open[-1].rows:
            self._open[-1].rows[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "table" and self._open:
            self._open.pop()


def _whole(escape: re.Match[bytes]) -> bytes:
    """Half a character, which this parser refuses, is read as nobody can read it."""
    alone = (escape["first"] and not escape["second"]) or escape["stray"]
    return b"?" if alone else escape[0]


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _joined(value: Any) -> str:
    return "".join(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))
