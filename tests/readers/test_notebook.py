"""Notebooks, written here: what was written, program text and what it printed; damaged ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from shared.domain.geometry import TextRange
from shared.errors import RefusedFile
from shared.rereading.notebook import reread_notebook
from tests.readers.structured import opened, pages_of
from tests.readers.test_text import told

CELLS: list[dict[str, Any]] = [
    {"cell_type": "markdown", "source": ["# Tides\n", "\n", "Read *this*.\n", "\n", "| A | B |\n|---|---|\n| 1 | 2 |"]},
    {
        "cell_type": "code",
        "source": "x = 1\nprint(x)",
        "outputs": [
            {"output_type": "stream", "text": ["one\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "42", "image/png": "AAAA"}},
            {"output_type": "error", "ename": "ValueError", "evalue": "no tide", "traceback": ["\u001b[31mx"]},
        ],
    },
]


def write_notebook(path: Path, cells: list[dict[str, Any]], **more: Any) -> Path:
    path.write_text(json.dumps({"nbformat": 4, "cells": cells, **more}))
    return path


def test_cells_are_read_in_their_order_with_what_they_printed(tmp_path: Path) -> None:
    pages = pages_of(write_notebook(tmp_path / "x.ipynb", CELLS))
    assert told(pages) == [
        ("section", 1, "Tides"),
        ("text", "Read *this*."),
        ("table", 1, [[["A"], ["B"]], [["1"], ["2"]]]),
        ("code", "x = 1", "print(x)"),
        ("code", "one"),
        ("code", "42"),
        ("code", "ValueError: no tide"),
    ]
    assert opened(tmp_path / "x.ipynb").title == "Tides"
    text = (
        "# Tides\n\nRead *this*.\n\n| A | B |\n|---|---|\n| 1 | 2 |\nx = 1\nprint(x)\none\n\n42\nValueError: no tide\n"
    )
    for fragment in pages[0].fragments:
        assert isinstance(fragment.place, TextRange)
        assert text[fragment.place.start : fragment.place.end] == fragment.text


def test_the_format_before_is_read_too(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old"},
        {"cell_type": "code", "input": ["y = 2"], "outputs": []},
    ]
    path = tmp_path / "x.ipynb"
    path.write_text(json.dumps({"nbformat": 3, "worksheets": [{"cells": cells}]}))
    assert told(pages_of(path)) == [("section", 2, "Old"), ("code", "y = 2")]


@pytest.mark.parametrize("content", ["{", "[]", '{"cells": []}', "[" * 200_000])
def test_what_is_no_notebook_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.ipynb"
    path.write_text(content)
    with pytest.raises(RefusedFile, match="no notebook that can be read"):
        opened(path)


def test_cells_of_any_shape_break_nothing(tmp_path: Path) -> None:
    odd: list[Any] = [5, {"source": 7}, {"cell_type": "code", "source": ["a", 3], "outputs": [4, {"data": []}]}]
    path = write_notebook(tmp_path / "x.ipynb", odd)
    assert told([opened(path).read_page(1)]) == [("code", "a")]


FRAME = """<div>
<style scoped>.dataframe tbody tr th { vertical-align: top; }</style>
<table border="1" class="dataframe">
  <thead><tr><th></th><th colspan="2" halign="left">Tide</th></tr><tr><th></th><th>low</th><th>high</th></tr></thead>
  <tbody><tr><th>0</th><td>0.4 m</td><td>3.1&nbsp;m</td></tr><tr><th>1</th><td>0.6 m</td><td>NaN</td></tr></tbody>
</table>
<p>2 rows × 2 columns</p>
</div>"""


def output(**data: Any) -> dict[str, Any]:
    return {"cell_type": "code", "source": "frame", "outputs": [{"output_type": "display_data", "data": data}]}


def test_a_table_that_was_shown_is_one_and_its_plain_twin_is_not_read(tmp_path: Path) -> None:
    shown = output(**{"text/plain": "   Tide\n    low high", "text/html": FRAME.splitlines(keepends=True)})
    path = write_notebook(tmp_path / "x.ipynb", [shown, *CELLS[1:]])
    pages = pages_of(path)
    assert told(pages)[:3] == [
        ("code", "frame"),
        (
            "table",
            2,
            [
                [[], ["Tide"]],
                [[], ["low"], ["high"]],
                [["0"], ["0.4 m"], ["3.1\u00a0m"]],
                [["1"], ["0.6 m"], ["NaN"]],
            ],
        ),
        ("text", "2 rows × 2 columns"),
    ]
    text = (
        "frame\nTide\nlow\nhigh\n0\n0.4 m\n3.1\u00a0m\n1\n0.6 m\nNaN\n2 rows × 2 columns\nx = 1\nprint(x)\none\n\n42\n"
    )
    text += "ValueError: no tide\n"
    for fragment in pages[0].fragments:
        assert isinstance(fragment.place, TextRange)
        assert text[fragment.place.start : fragment.place.end] == fragment.text
    assert "".join(reread_notebook(path).text.split()) == "".join(text.split())


@pytest.mark.parametrize(
    "html",
    [
        "<b>42</b>",
        "<table><tr><td>only</td></tr></table>",
        "<table role=presentation><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>",
        "<table" + "<i>" * 600,
    ],
)
def test_html_without_a_table_is_read_by_its_plain_twin(tmp_path: Path, html: str) -> None:
    path = write_notebook(tmp_path / "x.ipynb", [output(**{"text/plain": "42", "text/html": html})])
    assert told(pages_of(path)) == [("code", "frame"), ("code", "42")]
    assert "42" in reread_notebook(path).text


def test_titles_of_outputs_are_none_of_the_notebook(tmp_path: Path) -> None:
    html = f"<h1>Result</h1>{FRAME}"
    path = write_notebook(tmp_path / "x.ipynb", [output(**{"text/html": html})])
    assert [one[0] for one in told(pages_of(path))] == ["code", "text", "table", "text"]


def test_an_output_is_in_the_characters_of_its_notebook_whatever_it_declares(tmp_path: Path) -> None:
    html = f'<meta charset="latin1">{FRAME.replace("NaN", "é")}'
    path = write_notebook(tmp_path / "x.ipynb", [output(**{"text/html": html})])
    (part,) = pages_of(path)
    assert "é" in [fragment.text for fragment in part.fragments]
