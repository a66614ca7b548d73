"""Text files: what is a heading, a paragraph, a table; every character has its offset, and none is lost."""

from pathlib import Path

import pytest

from shared.domain.geometry import TextRange
from shared.domain.operations import Operation, RegisterChunk, RegisterSection, RegisterTable, Skip
from shared.domain.page import PageFile
from shared.domain.verify import StoredPage
from shared.errors import RefusedFile
from shared.extraction.assemble import assemble
from shared.extraction.references import Resolver, claimed_references
from shared.extraction.structure import operations_of_structure
from shared.extraction.validate import validate_operations
from shared.readers.formats import StructuredFormat
from shared.readers.parts import PART_CHARACTERS
from shared.readers.registry import recognise
from shared.readers.text.decode import decode
from shared.readers.text.document import open_plain
from shared.rereading.text import numbers_of_markdown
from shared.verify.page import Wrong
from shared.verify.parts import PartProver

HANDBOOK = """---
title: left out
---
# Handbook of the pump #

Version 2.1, valid
from 1 March 2026.

Limits
------

1.1.2 The motor needs 15 hp.

| Model | Power |   |
|-------|------:|---|
| TA-15 | 11.2  |   |
| a \\| b | | x |

- Oil the bearing.
  Every week.
- Check the seal.

> Quoted
> lines

```python
def flow(p):

    return p * 2
```

***
Last.
"""


def opened(folder: Path, name: str, text: str | bytes) -> list[PageFile]:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with recognise(path).open(path, None) as source:
        return [source.read_page(page) for page in range(1, source.page_count + 1)]


def said(page: PageFile, operation: Operation) -> tuple[object, ...]:
    """An operation in short."""
    resolver = Resolver(page)

    def texts(references: list[str]) -> list[str]:
        return [resolver.resolve(reference).text for reference in references]

    match operation:
        case RegisterSection():
            return "section", operation.depth, *texts(operation.title_fragment_ids)
        case RegisterChunk():
            return operation.chunk_type, *texts(operation.fragment_ids)
        case RegisterTable():
            return (
                "table",
                operation.header_rows,
                [[texts(cell.fragment_ids) for cell in row] for row in operation.rows],
            )
        case Skip():
            return "skip", *texts(operation.fragment_ids)
        case _:
            return ("other",)


def told(pages: list[PageFile], skipped: bool = False) -> list[tuple[object, ...]]:
    found = [said(page, operation) for page in pages for operation in page.structure or []]
    return [one for one in found if skipped or one[0] != "skip"]


def test_markdown_is_read_by_its_structure(tmp_path: Path) -> None:
    pages = opened(tmp_path, "handbook.md", HANDBOOK)
    assert told(pages) == [
        ("section", 1, "Handbook of the pump"),
        ("text", "Version 2.1, valid", "from 1 March 2026."),
        ("section", 2, "Limits"),
        ("text", "1.1.2 The motor needs 15 hp."),
        ("table", 1, [[["Model"], ["Power"], []], [["TA-15"], ["11.2"], []], [["a \\| b"], [], ["x"]]]),
        ("list", "Oil the bearing.", "Every week.", "Check the seal."),
        ("text", "> Quoted", "> lines"),
        ("code", "def flow(p):", "    return p * 2"),
        ("text", "Last."),
    ]
    marks = [word for one in told(pages, skipped=True) if one[0] == "skip" for word in one[1:]]
    assert {"---", "title: left out", "#", "------", "```python", "```", "***"} <= set(marks)


LISTS = """Uses:

- oil
- <b>x</b> y

  3. third
  7. `Vec<T>`

- - twice
* + [ ] open
-
1) first
1)     code
- not an item's text - nor this
- \u2028apart

5. ```
   - in code
   ```
> - quoted
"""


def test_marks_of_items_stand_beside_their_text(tmp_path: Path) -> None:
    path = tmp_path / "lists.md"
    path.write_text(LISTS)
    form = recognise(path)
    assert isinstance(form, StructuredFormat)
    pages = opened(tmp_path, "lists.md", LISTS)
    shown = [(one.marker, one.text) for page in pages for one in page.fragments if one.marker]
    assert shown == [
        ("•", "oil"),
        ("•", "x"),
        ("3.", "third"),
        ("7.", "`Vec<T>`"),
        ("• •", "twice"),
        ("• •", "[ ] open"),
        ("1)", "first"),
        ("1)", "code"),
        ("•", "not an item's text - nor this"),
        ("•", "apart"),
        ("5.", "```"),
    ]
    assert ("text", "> - quoted") in told(pages)
    with form.open(path, None) as source:
        prover = PartProver(source, form.second(path))
        proofs = [prover.prove(1, StoredPage(1, False, page.route, []), page) for page in pages]
    assert [(proof.wrong, proof.second) for proof in proofs] == [([], {})]


@pytest.mark.parametrize(("marker", "text"), [("4.", "third"), ("•", "third"), ("3.", "oil")])
def test_a_number_that_no_item_has_is_found(tmp_path: Path, marker: str, text: str) -> None:
    numbers = [*numbers_of_markdown(LISTS)]
    assert ("3.", "third") in numbers
    assert (marker, text) not in numbers


def test_html_in_markdown_hides_neither_an_address_nor_the_words_around_it(tmp_path: Path) -> None:
    text = """<!-- do not
remove -->
<a name="s5"></a>

## <a name="five"></a> 5 Scope {#scope}

### 5.1 <a name="x"></a>**Verifiers** and [their `<a>`](#x)

Use `<b>` or `` a ` <i> `` and a Vec<T> of <span class="n">SHALL</span>.

<figure caption='Two wheels' number="3"><img
 alt="A wheel" src="w.png">

| a<br>b | `<i>` |
|--------|-------|
| <b>c</b> | |

- one<br>two

- three

  ```html
  <br>
  ```
"""
    assert told(opened(tmp_path, "rules.md", text)) == [
        ("section", 2, "5 Scope"),
        ("section", 3, "5.1", "Verifiers", "and", "their `<a>`"),
        ("text", "Use `<b>` or `` a ` <i> `` and a Vec<T> of", "SHALL", "."),
        ("text", "Two wheels", "A wheel"),
        ("table", 1, [[["a", "b"], ["`<i>`"]], [["c"], []]]),
        ("list", "one", "two", "three", "```html", "<br>", "```"),
    ]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Pumps\n\n# Motors\n", "Pumps"),
        ("## 5 <a name='x'></a>Scope\n\n### 5.1 Parts\n", "5 Scope"),
        ("## Pumps\n\n## Motors\n", None),
        ("Words.\n", None),
    ],
)
def test_a_file_is_called_by_its_highest_heading(tmp_path: Path, text: str, title: str | None) -> None:
    path = tmp_path / "part.md"
    path.write_text(text)
    with recognise(path).open(path, None) as source:
        assert source.title == title


def test_plain_text_has_paragraphs_and_underlined_titles(tmp_path: Path) -> None:
    text = "Report\n======\n\nFirst line\nsecond line.\n\nCauses\n~~~~~~\n1) rain\n2) snow\n\nMore\n====\n"
    text = text.replace("\n", "\r\n")
    assert told(opened(tmp_path, "report.txt", text)) == [
        ("section", 1, "Report"),
        ("text", "First line", "second line."),
        ("section", 2, "Causes"),
        ("list", "1) rain", "2) snow"),
        ("section", 1, "More"),
    ]


def test_a_title_between_two_lines_of_marks_is_one_of_a_style_of_its_own(tmp_path: Path) -> None:
    text = "=====\n Pump\n=====\nof May\n\nCauses\n======\nrain\n\n====\nMore\n====\n\n===\nA box\n===\n\n***\nx\n"
    assert told(opened(tmp_path, "report.rst", text)) == [
        ("section", 1, "Pump"),
        ("text", "of May"),
        ("section", 2, "Causes"),
        ("text", "rain"),
        ("section", 1, "More"),
        ("text", "===", "A box", "==="),
        ("text", "***", "x"),
    ]


def test_marks_of_a_title_that_is_not_there_are_no_title(tmp_path: Path) -> None:
    assert told(opened(tmp_path, "space.md", "# Pump\n\n######\n\nOil it.\n")) == [
        ("section", 1, "Pump"),
        ("text", "Oil it."),
    ]


def test_program_text_keeps_its_indentation_and_whole_statements(tmp_path: Path) -> None:
    function = "def work():\n" + "    step()\n" * 120
    first, second = told(opened(tmp_path, "work.scala", f"import this\n\n{function}\n{function}"))
    assert first[:4] == ("code", "import this", "def work():", "    step()")
    assert second[:3] == ("code", "def work():", "    step()")
    assert len(second) == 1 + 121


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("handbook.md", HANDBOOK),
        ("handbook.md", HANDBOOK.replace("\n", "\r\n")),
        (
            "loose.md",
            "# \n\n#NoTitle\n|a|b|\n|-|-|\n|c\n<div>\n\tx\n</div>\n\n[l]: http://x\n* * *\n",
        ),
        ("deep.md", "1. a\n\n   b\n\n   ```\n   c\n\f\n# d\u2028e\n\x85f\n|\v|\n|-|\n|g|"),
        (
            "tags.md",
            'x<br>\u3000y <b\nc>\n\n<!-- a\nb --> c\n\n<p title="q\nr"\nid=s>t\n</p\n\n# <i>`<a>`</i> **u** [v](w)\n',
        ),
        ("bad.md", "\ufeff---\nnever closed\n| a\n"),
        ("notes.txt", "\f one\u2028two \x1b[1m three\u00a0\n\n\t\n ====\n"),
        ("x.py", "\tif x:\n\n\t\tpass  \n"),
    ],
)
def test_every_character_is_claimed_once_at_its_own_offset(tmp_path: Path, name: str, text: str) -> None:
    pages = opened(tmp_path, name, text)
    plain = text.removeprefix("\ufeff")
    inked = [False] * len(plain)
    for page in pages:
        assert validate_operations(page, operations_of_structure(page)) == []
        for fragment in page.fragments:
            assert isinstance(fragment.place, TextRange)
            assert plain[fragment.place.start : fragment.place.end] == fragment.text
            inked[fragment.place.start : fragment.place.end] = [True] * len(fragment.text)
    assert [c for c, there in zip(plain, inked, strict=True) if not there and not c.isspace()] == []


def test_a_long_text_has_parts_that_end_between_blocks(tmp_path: Path) -> None:
    paragraph = "word " * 200
    pages = opened(tmp_path, "long.md", "".join(f"## Title {n}\n\n{paragraph}\n\n" for n in range(12)))
    assert [page.page for page in pages] == [1, 2, 3, 4]
    assert all(sum(len(f.text) for f in page.fragments) < 2 * PART_CHARACTERS for page in pages)
    for page in pages:
        operations = page.structure or []
        assert not isinstance(operations[-1], RegisterSection)
        assert all(r.startswith(f"p{page.page}.") for o in operations for r in claimed_references(o))


def test_a_heading_and_a_rule_have_their_printed_address(tmp_path: Path) -> None:
    (page,) = opened(tmp_path, "rules.md", "# 3 Wheels\n\n3.1.2 Four.\n\n12 wheels are too many.\n\n## Notes\n")
    found = operations_of_structure(page).operations
    sections = [o.address for o in found if isinstance(o, RegisterSection)]
    assert sections == ["3", None]
    assert [o.section for o in found if isinstance(o, RegisterChunk)] == ["3.1.2", None]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("gr\u00fcn".encode(), "gr\u00fcn"),
        ("gr\u00fcn".encode("utf-8-sig"), "gr\u00fcn"),
        ("gr\u00fcn".encode("utf-16"), "gr\u00fcn"),
        (b"\xfe\xff" + "gr\u00fcn".encode("utf-16-be"), "gr\u00fcn"),
        (b"\xff\xfe\0\0" + "gr\u00fcn".encode("utf-32-le"), "gr\u00fcn"),
        ("gr\u00fcn \u20ac".encode("cp1252"), "gr\u00fcn \u20ac"),
        (b"gr\xfcn \x81", "gr\u00fcn \x81"),
    ],
)
def test_text_of_any_usual_encoding_is_read(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize("data", [b"\xff\xfea", b"words \0 words"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedFile):
        decode(data)


def pump(tmp_path: Path) -> tuple[Path, StructuredFormat]:
    path = tmp_path / "pump.txt"
    path.write_text("Oil it.\n\nOften.\n")
    form = recognise(path)
    assert isinstance(form, StructuredFormat)
    return path, form


def test_a_part_of_an_earlier_reader_fails_once_and_says_what_to_do(tmp_path: Path) -> None:
    path, form = pump(tmp_path)
    with form.open(path, None) as source:
        page = source.read_page(1)
        row = StoredPage(1, False, page.route, [])
        same = page.model_copy(update={"extractor_version": "text-0"})
        other = same.model_copy(update={"structure": (page.structure or [])[:1]})
        forged = other.model_copy(
            update={"fragments": [one.model_copy(update={"text": "Oil me."}) for one in page.fragments]}
        )
        proofs = [PartProver(source, form.second(path)).prove(1, row, file) for file in (page, same, other, forged)]
    told = Wrong("older_reader", f"read by {page.extractor_version}", "read by text-0: reingest the document")
    assert [proof.wrong for proof in proofs] == [[], [], [told], [told]]
    assert [len(proof.second or {}) for proof in proofs] == [0, 0, 0, 2]


@pytest.mark.parametrize("version", ["text-11", "text-99", "docx-1", "text-", "text", ""])
def test_a_part_of_no_earlier_reader_of_its_kind_fails(tmp_path: Path, version: str) -> None:
    path, form = pump(tmp_path)
    with form.open(path, None) as source:
        page = source.read_page(1)
        other = page.model_copy(update={"extractor_version": version, "structure": (page.structure or [])[:1]})
        proof = PartProver(source, form.second(path)).prove(1, StoredPage(1, False, page.route, []), other)
    assert [one.check for one in proof.wrong] == ["page"]


CONTRACT = """\
Licence

  1. Sale.

It is sold.

2. Price. It is due
in a month.

  3. Law of the Land
The law of the land where it was sold is the law that holds.

3.1. Courts

Ours.

3.2. They decide what is right and what is not, in all cases.
"""


def test_titles_of_clauses_and_rules_in_lines_of_their_own_are_headings(tmp_path: Path) -> None:
    (tmp_path / "licence.txt").write_text(CONTRACT, encoding="utf-8")
    with open_plain(tmp_path / "licence.txt", None) as source:
        page = source.read_page(1)
    draft = assemble([(page, operations_of_structure(page))])
    assert [(one.address, one.title, one.parent) for one in draft.sections] == [
        ("1", "Sale.", None), ("2", "Price", None), ("3", "Law of the Land", None), ("3.1", "Courts", 2),
        ("3.2", "", 2),
    ]  # fmt: skip
    assert [(one.chunk_type, one.content) for one in draft.chunks if one.chunk_type == "heading"] == [
        ("heading", "1. Sale."), ("heading", "3. Law of the Land"), ("heading", "3.1. Courts"),
    ]  # fmt: skip
    assert next(one for one in draft.chunks if one.content.startswith("2. Price")).section == 1


def test_a_list_in_a_text_has_no_headings(tmp_path: Path) -> None:
    (tmp_path / "steps.txt").write_text(
        "1. Open it.\n\n2. Clean it well.\n\n3. Close the lid.\n\nDone.\n", encoding="utf-8"
    )
    with open_plain(tmp_path / "steps.txt", None) as source:
        page = source.read_page(1)
    assert [operation.op for operation in page.structure or ()] == ["register_chunk"] * 4
