"""Headings, their nesting and look-up against the outlines of PDFs, with the outline taken out before they are read.

`python -m tests.bench.outlines FOLDER… [--half looked|left] [--missed]`: per file and in all, of every PDF below the
folders or of one half of those that `outlines_packages.toml` names (FOLDER holds each package unpacked, by its name),
- headings: entries of the outline whose title stands on the page that they point to (`gold`); of the other headings on
  pages that the outline covers those count against precision (`others`) that are not below the matched entry before
  them: they cut its section, while those below it may only be finer than the outline (`below`);
- parent: of the matched entries, the share whose nearest matched entry above is the outline's;
- look-up: of the entries with a printed number, how many are found on the right page, and end where the next entry that
  is not below them begins; `twice` are numbers that more than one section has.
"""

import argparse
import json
import re
import tempfile
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pymupdf

from shared.domain.draft import DocumentDraft
from shared.readers.pdf.document import open_pdf
from shared.values.addresses import normalise
from tests.bench.headings import draft_of, f1

LABEL = (
    r"(?:chapter|appendix|annex|part|section|article|kapitel|anhang|teil|chapitre|annexe|partie|cap\u00edtulo|ap\u00e9ndice"
    r"|parte|capitolo|appendice|cap\u00edtol|ap\u00e8ndix|ap\u00eandice|\u0433\u043b\u0430\u0432\u0430|hoofdstuk|bijlage)\s+"
)
NUMBER = re.compile(
    rf"(?P<number>{LABEL}[A-Z\d]+(?:\.\d+)*|[A-Z]?\d+(?:\.\d+)*|[A-Z](?:\.\d+)+)[.:)]?(?:\s+|$)"
    r"|(?:[A-Z]|[IVX]+)[.:)]?\s+",
    re.I,
)
MIN_ENTRIES = 3
PACKAGES = Path(__file__).with_name("outlines_packages.toml")
SHARES = ("recall", "precision", "parent", "page", "extent")


class Entry(NamedTuple):
    """An entry of the outline: its keys with and without number, the number as printed on the page if it has one."""

    keys: frozenset[str]
    title: str
    page: int
    level: int
    address: str | None


def letters(text: str) -> str:
    """Letters and digits only, ligatures and accents taken apart, also those that stand before their letter."""
    apart = unicodedata.normalize("NFKD", text.lower())
    return "".join(c for c in apart if c.isalnum() and unicodedata.category(c) != "Lm")


def keys_of(title: str) -> frozenset[str]:
    number = NUMBER.match(title)
    return frozenset({letters(title), letters(title[number.end() :]) if number else ""} - {""})


def gold_of(document: pymupdf.Document) -> list[Entry]:
    """Entries whose title stands on its page; with the number that the page prints before the title."""
    texts = {n: str(document[n - 1].get_text()) for n in range(1, document.page_count + 1)}
    outline: Any = document.get_toc()  # pyright: ignore[reportAttributeAccessIssue]
    entries = [Entry(keys_of(title), " ".join(title.split()), page, level, None) for level, title, page in outline]
    kept = [e for e in entries if e.page in texts and any(key in letters(texts[e.page]) for key in e.keys)]
    return [entry._replace(address=_address(entry, texts[entry.page])) for entry in dict.fromkeys(kept)]


def _address(entry: Entry, text: str) -> str | None:
    own = NUMBER.match(entry.title)
    if own and entry.title[own.end() :]:
        return own["number"]
    lines = [" ".join(line.split()) for line in text.splitlines()]
    found: list[str] = []
    for at, line in enumerate(lines):
        # A number alone in the first rows is the page's.
        alone = at > 1 or not line.isdigit()
        for joined in (line, " ".join(lines[at : at + 2])) if alone else (line,):
            number = NUMBER.match(joined)
            if number and number["number"] and letters(joined[number.end() :]) in entry.keys:
                found.append(number["number"])
    # A running head that names the section stands above it.
    return found[-1] if found else None


def compare(draft: DocumentDraft, gold: Sequence[Entry]) -> dict[str, Any]:
    headings = [n for n, c in enumerate(draft.chunks) if c.chunk_type == "heading" and c.section is not None]
    places = {n: next(box.page for box in draft.chunks[n].boxes if box.kind == "page") for n in headings}
    matched: dict[int, int] = {}
    for at, entry in enumerate(gold):
        used = set(matched.values())
        same = [n for n in headings if n not in used and places[n] == entry.page]
        same = [n for n in same if keys_of(draft.chunks[n].content) & entry.keys]
        if same:
            matched[at] = same[0]
    sections = {at: draft.chunks[n].section or 0 for at, n in matched.items()}
    first, last = min(e.page for e in gold), max(e.page for e in gold)
    used = set(matched.values())
    rest = [n for n in headings if n not in used and first <= places[n] <= last]
    others = [n for n in rest if not _is_below_the_last(draft, n, used)]
    parents = [at for at in matched if _gold_parent(gold, matched, at) == _own_parent(draft, sections, at)]
    numbered = [at for at, entry in enumerate(gold) if entry.address]
    found = {at: _looked_up(draft, gold[at]) for at in numbered}
    ends = [at for at in numbered if found[at] is not None and _ends_right(draft, gold, matched, at, found[at] or 0)]
    pages = [at for at in numbered if (one := found[at]) is not None and draft.sections[one].page == gold[at].page]
    keys = Counter(s.address_key for s in draft.sections if s.address_key and s.title and not s.captioned)
    twice = sorted({key for at in numbered if keys[key := normalise(gold[at].address or "")] > 1})
    return {
        "gold": len(gold), "matched": len(matched), "others": len(others), "below": len(rest) - len(others),
        "parents": len(parents), "numbered": len(numbered), "pages": len(pages), "ends": len(ends), "twice": len(twice),
        "missed": [f"p{e.page} {e.title}" for at, e in enumerate(gold) if at not in matched],
        "extra": [f"p{places[n]} {draft.chunks[n].content[:60]}" for n in others],
        "extra_below": [f"p{places[n]} {draft.chunks[n].content[:60]}" for n in rest if n not in others],
        "wrong_parent": [f"p{gold[at].page} {gold[at].title}" for at in matched if at not in parents],
        "wrong_page": [f"p{gold[at].page} {gold[at].address} {gold[at].title}" for at in numbered if at not in pages],
        "wrong_end": [f"p{gold[at].page} {gold[at].address} {gold[at].title}" for at in pages if at not in ends],
        "doubled": twice,
    }  # fmt: skip


def _is_below_the_last(draft: DocumentDraft, heading: int, matched: set[int]) -> bool:
    last = max((n for n in matched if n < heading), default=None)
    above = None if last is None else draft.chunks[last].section
    return above is not None and _is_in(draft, draft.chunks[heading].section, above)


def _gold_parent(gold: Sequence[Entry], matched: dict[int, int], at: int) -> int | None:
    level = gold[at].level
    for above in range(at - 1, -1, -1):
        if gold[above].level < level:
            if above in matched:
                return above
            level = gold[above].level
    return None


def _own_parent(draft: DocumentDraft, sections: dict[int, int], at: int) -> int | None:
    entries = {section: entry for entry, section in sections.items()}
    section = draft.sections[sections[at]].parent
    while section is not None:
        if section in entries:
            return entries[section]
        section = draft.sections[section].parent
    return None


def _looked_up(draft: DocumentDraft, entry: Entry) -> int | None:
    """The section that a look-up of the entry's number leads with: of several, the first that has text."""
    key = normalise(entry.address or "")
    bare = key.split()[-1] if key else ""
    same = [s.index for s in draft.sections if key == s.address_key and not s.captioned]
    same = same or [s.index for s in draft.sections if {key, bare} & {s.address_key, *s.aliases} and not s.captioned]
    with_text = {c.section for c in draft.chunks if c.chunk_type != "heading"}
    return min(same, key=lambda one: (one not in with_text, one), default=None)


def _ends_right(draft: DocumentDraft, gold: Sequence[Entry], matched: dict[int, int], at: int, section: int) -> bool:
    """Whether the section and what is below it reach to the heading of the next entry that is not below it."""
    following = next((n for n in range(at + 1, len(gold)) if gold[n].level <= gold[at].level), None)
    if following is not None and following not in matched:
        return False
    own = [n for n, chunk in enumerate(draft.chunks) if _is_in(draft, chunk.section, section)]
    if following is None:
        return bool(own)
    end = matched[following]
    return bool(own) and max(own) == end - 1 and min(own) <= matched.get(at, -1)


def _is_in(draft: DocumentDraft, section: int | None, above: int) -> bool:
    while section is not None and section != above:
        section = draft.sections[section].parent
    return section == above


def measure(path: Path, scratch: Path) -> dict[str, Any] | None:
    """None where fewer than three entries stand on their pages, or the outline cannot be taken out."""
    with pymupdf.open(path) as document:
        gold = gold_of(document)
        if len(gold) < MIN_ENTRIES:
            return None
        document.set_toc([])  # pyright: ignore[reportAttributeAccessIssue]
        document.save(scratch / "stripped.pdf")
    with open_pdf(scratch / "stripped.pdf") as source:
        if source.outline:
            return None
        return compare(draft_of(source), gold)


def figures(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: value for key, value in row.items() if isinstance(value, int)}
    recall, precision = _share(row["matched"], row["gold"]), _share(row["matched"], row["matched"] + row["others"])
    return found | {
        "recall": recall, "precision": precision, "f1": f1(precision, recall),
        "parent": _share(row["parents"], row["matched"]),
        "page": _share(row["pages"], row["numbered"]), "extent": _share(row["ends"], row["numbered"]),
    }  # fmt: skip


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def _paths(folders: Sequence[Path], half: str | None) -> list[Path]:
    if half is None:
        return sorted(path for folder in folders for path in folder.rglob("*.pdf"))
    packages = tomllib.loads(PACKAGES.read_text(encoding="utf-8"))["package"]
    named = [Path(one["name"]) / file for one in packages if one["half"] == half for file in one["files"]]
    return sorted(path for folder in folders for file in named if (path := folder / file).exists())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--half", choices=["looked", "left"], help="of the PDFs that outlines_packages.toml names")
    parser.add_argument("--missed", action="store_true", help="name what was missed, found besides or wrong")
    arguments = parser.parse_args()
    total: Counter[str] = Counter()
    for path in _paths(arguments.folders, arguments.half):
        with tempfile.TemporaryDirectory() as scratch:
            row = measure(path, Path(scratch))
        if row is None:
            print(f"{path.name:36} no outline to compare with")
            continue
        total.update({key: value for key, value in row.items() if isinstance(value, int)})
        print(f"{path.name:36} {json.dumps(figures(row))}", flush=True)
        for kind, names in row.items():
            if arguments.missed and isinstance(names, list):
                for name in names:
                    print(f"    {kind:12} {name}")
    if total:
        print(f"{'all':36} {json.dumps(figures(dict(total)))}")


if __name__ == "__main__":
    main()
