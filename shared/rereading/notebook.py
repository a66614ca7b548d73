"""The words of a notebook in their order, by another parser of JSON."""

import re
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from shared.domain.raw_page import SecondText

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
                    found.append(_joined(output["data"].get("text/plain")))
                elif "evalue" in output:
                    found.append(f"{_joined(output.get('ename'))}: {_joined(output['evalue'])}")
                else:
                    found.append(_joined(output.get("text")))
    return SecondText("\n".join(found).replace("\0", ""), offsets=False)


def _whole(escape: re.Match[bytes]) -> bytes:
    """Half a character, which this parser refuses, is read as nobody can read it."""
    alone = (escape["first"] and not escape["second"]) or escape["stray"]
    return b"?" if alone else escape[0]


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _joined(value: Any) -> str:
    return "".join(one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))
