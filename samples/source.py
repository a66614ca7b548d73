"""Reads the rule book's source: one text for both editions, numbered here, so that a new rule renumbers the rest.

A line starts a block: `# A part`, `## chapter`, `### section`, `* rule`, `- (a) item`, `-- (i) item`, `> note`,
`!figure name | caption`, `!table name`, `!columns`. `[2026] ` in front keeps a block for that edition,
`{{old|new}}` picks a wording, `{#label}` names a rule, `@label` cites it and `^[…]` is a footnote.
"""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).parent / "rules_data"
EDITIONS = ("2025", "2026")
_FILES = ("a_general.md", "b_sporting.md", "c_technical.md", "d_appendices.md")
_KINDS = {"# ": "part", "## ": "chapter", "### ": "section", "* ": "rule", "> ": "note", "!": "directive"}
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi")


@dataclass
class Item:
    """A list item under a rule: `level` 1 prints (a), 2 prints (i)."""

    level: int
    label: str
    text: str


@dataclass
class Block:
    """One element of the rule book in reading order; `address` is null where nothing is numbered."""

    kind: str
    text: str
    address: str | None = None
    label: str | None = None
    items: list[Item] = field(default_factory=list[Item])
    footnotes: list[str] = field(default_factory=list[str])


@dataclass
class Book:
    """An edition: its blocks, with every citation resolved by `names` (label → printed name)."""

    edition: str
    blocks: list[Block]
    names: dict[str, str]

    def cite(self, text: str) -> str:
        """Replace `@label` by the printed name; an unknown label is a KeyError, never a broken reference."""
        return re.sub(r"@((?:tab:|fig:)?[a-z0-9]+)", lambda m: self.names[m[1]], text)


def read_book(edition: str) -> Book:
    """Read, number and resolve one edition."""
    book = Book(edition, [], {})
    for name in _FILES:
        for raw in (DATA / name).read_text("utf-8").split("\n\n"):
            wording = pick_edition(raw.strip("\n"), edition)
            if wording:
                book.blocks.append(_parse(wording))
    _number(book)
    for block in book.blocks:
        _resolve(block, book)
    return book


def read_toml(name: str) -> dict[str, object]:
    """One of the data files beside the text."""
    return tomllib.loads((DATA / name).read_text("utf-8"))


def pick_edition(text: str, edition: str) -> str | None:
    """The wording of one edition, or None where the text belongs to the other one."""
    mark = re.match(r"\[(\d{4})\] ", text)
    if mark and mark[1] != edition:
        return None
    column = EDITIONS.index(edition)
    body = text[mark.end() :] if mark else text
    return re.sub(r"\{\{(.*?)\|(.*?)\}\}", lambda m: m[column + 1], body)


def _parse(text: str) -> Block:
    head, *lines = text.split("\n")
    for prefix, kind in _KINDS.items():
        if head.startswith(prefix):
            block = Block(kind, head[len(prefix) :])
            break
    else:
        block = Block("text", head)
    label = re.search(r" ?\{#(\w+)\}", block.text)
    if label:
        block.label, block.text = label[1], block.text.replace(label[0], "")
    block.footnotes = re.findall(r"\^\[(.*?)\]", block.text)
    block.items = _items(lines)
    return block


def _items(lines: list[str]) -> list[Item]:
    items: list[Item] = []
    outer = inner = 0
    for line in lines:
        if line.startswith("-- "):
            inner += 1
            items.append(Item(2, f"({_ROMAN[inner - 1]})", line[3:]))
        else:
            outer, inner = outer + 1, 0
            items.append(Item(1, f"({'abcdefgh'[outer - 1]})", line[2:]))
    return items


def _number(book: Book) -> None:
    letter, chapter, section, rule, tables, figures = "", 0, 0, 0, 0, 0
    for block in book.blocks:
        match block.kind:
            case "part":
                letter, chapter = block.text[0], 0
                block.address = None if block.text.startswith("Appendix") else letter
            case "chapter":
                chapter, section = chapter + 1, 0
                block.address = f"{letter}{chapter}"
            case "section":
                section, rule = section + 1, 0
                block.address = f"{letter}{chapter}.{section}"
            case "rule":
                rule += 1
                block.address = f"{letter}{chapter}.{section}.{rule}"
            case "directive" if block.text.startswith("table "):
                tables += 1
                book.names[f"tab:{block.text[6:]}"] = f"Table {tables}"
            case "directive" if block.text.startswith("figure "):
                figures += 1
                book.names[f"fig:{block.text[7:].split(' | ')[0]}"] = f"Figure {figures}"
            case _:
                pass
        if block.label and block.address:
            book.names[block.label] = block.address


def _resolve(block: Block, book: Book) -> None:
    block.text = book.cite(block.text)
    block.footnotes = [book.cite(note) for note in block.footnotes]
    for item in block.items:
        item.text = book.cite(item.text)


def plain(block: Block) -> str:
    """A rule as a reader would quote it: its text and list items, without number and footnote marks."""
    lines = [re.sub(r"\^\[.*?\]", "", block.text)]
    return "\n".join(lines + [f"{item.label} {item.text}" for item in block.items])
