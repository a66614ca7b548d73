"""The words of a notebook in their order, by another parser of JSON."""

from pathlib import Path
from typing import Any

from pydantic_core import from_json

from shared.domain.raw_page import SecondText


def reread_notebook(path: Path) -> SecondText:
    data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    found: list[str] = []
    read = from_json(data, cache_strings=False)
    for sheet in [read] if "cells" in read else read["worksheets"]:
        for cell in sheet["cells"]:
            level = cell.get("level", 1) if cell.get("cell_type") == "heading" else 0
            found += ["#" * level, _joined(cell.get("source") or cell.get("input"))]
            for output in cell.get("outputs") or []:
                if "data" in output:
                    found.append(_joined(output["data"].get("text/plain")))
                elif "evalue" in output:
                    found.append(f"{output.get('ename')}: {output['evalue']}")
                else:
                    found.append(_joined(output.get("text")))
    return SecondText("\n".join(found), offsets=False)


def _joined(value: Any) -> str:
    return "".join(value) if isinstance(value, list) else value or ""
