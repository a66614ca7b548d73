"""Addresses of sections: normalises a printed number (`§ 7.6.2`, `C 7.6.2.`, `Table 3`) to the key that look-up uses.

Index and query use the same functions, so that both sides of a comparison are normalised alike.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from shared.values.numbers import IN_WORDS
from shared.values.numerals import roman

_WORDS = {
    "section": "", "sect": "", "sec": "", "clause": "", "rule": "", "paragraph": "", "para": "", "subsection": "",
    "requirement": "", "req": "", "control": "",
    "chapter": "chapter", "ch": "chapter", "part": "part", "subpart": "subpart", "article": "article", "art": "article",
    "appendix": "appendix", "annex": "annex", "table": "table", "tab": "table", "figure": "figure", "fig": "figure",
    "schedule": "schedule", "item": "item", "note": "note", "exhibit": "exhibit", "equation": "equation",
    "eq": "equation", "title": "title", "volume": "volume", "step": "step", "module": "module",
}  # fmt: skip
# Labels of other languages, by the English one that they mean.
_FOREIGN = {
    "kapitel": "chapter", "chapitre": "chapter", "cap\u00edtulo": "chapter", "capitolo": "chapter",
    "hoofdstuk": "chapter", "anhang": "appendix", "annexe": "annex", "anexo": "annex", "allegato": "annex",
    "cap\u00edtol": "chapter", "\u0433\u043b\u0430\u0432\u0430": "chapter", "rozdzia\u0142": "chapter",
    "bijlage": "annex", "ap\u00e8ndix": "appendix", "ap\u00e9ndice": "appendix", "ap\u00eandice": "appendix",
    "appendice": "appendix",
    "teil": "part", "partie": "part", "parte": "part", "deel": "part", "artikel": "article",
    "art\u00edculo": "article", "artigo": "article", "articolo": "article",
    "abschnitt": "section", "secci\u00f3n": "section", "sezione": "section", "se\u00e7\u00e3o": "section",
}  # fmt: skip
# Chapters counted in words: CHAPTER ONE, Part Two.
_COUNTED = {word: str(number) for word, number in IN_WORDS.items() if number <= 20}
COUNTED = "|".join(_COUNTED)
_IN_WORDS = "|".join(form for word in _COUNTED for form in (word.title(), word.upper()))
_MEANINGS = _WORDS | {word: _WORDS[label] for word, label in _FOREIGN.items()}
_FOREIGN_LABEL = "|".join(form for word in _FOREIGN for form in (word.title(), word.upper()))
_COUNTED_LABEL = re.compile(rf"(?P<word>[^\W\d_]{{2,}})\s+(?P<number>{COUNTED})", re.I)
_SEPARATED = re.compile(r"^(?P<word>[^\W\d_]{2,})\s*\.?\s+(?P<rest>.*[\dA-Z].*)$", re.S)
_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe58\ufe63\uff0d"), "-")
_TRAILING = ".:;,)]\u3002"

_NUMBER = r"\d{1,4}"
# Printed at the start of a line: V2.1.1, TA-15L, 5.3, C7.6.2, A.5.1, AC-2(3), AC-2 (3), 7.6.2(a), 4.2.1.b
_PREFIX = r"[A-Z]{1,4}"
_CONTROL = rf"[A-Z]{{2,4}}-{_NUMBER}(?:\s?\(\d{{1,2}}\))+"
_PARTS = rf"(?:[.\-\u2010-\u2013]{_NUMBER}[a-z]?)"
_ENHANCED = r"(?:\((?:\d{1,3}|[a-z]{1,4}|[A-Z])\))"
PRINTED = re.compile(
    rf"^(?P<mark>§+\s*)?(?P<address>{_CONTROL}|(?:(?:{_PREFIX}[.\-]?\s?)?{_NUMBER}(?(mark)[a-z]?)|{_PREFIX}[.\-]{_NUMBER}[A-Z])"
    rf"{_PARTS}*{_ENHANCED}*|[A-Z]{_PARTS}+{_ENHANCED}*)"
    r"(?P<end>[.:)]?)(?=\s|$)"
)
# A year, a product or a day is no chapter: rows of measurements and entries of a log begin with their date.
_YEAR = r"(?:1[5-9]|20)\d\d"
_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_DASH = r"[.\-\u2010-\u2013]"
_NO_ADDRESS = re.compile(
    rf"^(?:(?:[A-Z]{{1,4}}[ -]?)?\d{{4}}|{_YEAR}{_DASH}(?:{_MONTH}(?:{_DASH}{_DAY})?|{_YEAR})"
    rf"|(?:{_DAY}{_DASH}{_MONTH}|{_MONTH}{_DASH}{_DAY}){_DASH}{_YEAR})$"
)
LABELLED = re.compile(
    r"^(?P<address>(?:Section|Clause|Chapter|Part|Subpart|Article|Appendix|Annex|Schedule|Item|Rule|Exhibit|Note|PART|"
    r"CHAPTER|SUBPART|ARTICLE|APPENDIX|ANNEX|SECTION|SCHEDULE|ITEM|RULE|EXHIBIT|NOTE|(?:Art|Sec|Sect|ART|SEC)\.|"
    rf"{_FOREIGN_LABEL})\s+"
    rf"(?:(?:[A-Z]{{1,3}}[.\-]?)?{_NUMBER}(?:[.\-]{_NUMBER})*[A-Za-z]?|[IVXLC]{{1,7}}{_PARTS}*|[A-Z]{_PARTS}*)"
    rf"{_ENHANCED}*|(?:Chapter|Part|Section|Article|CHAPTER|PART|SECTION|ARTICLE)\s+(?:{_IN_WORDS}))"
    r"(?P<end>\s*[.:\u2013\u2014-]?)(?=\s|$)"
)


# What languages write between the steps of a name, and behind one that is called.
_BETWEEN_NAMES = re.compile(r"::|->|[#\\]")
_CALLED = re.compile(r"\(\)$")
_LABEL = re.compile(r"^(?:part|chapter)([a-z]|\d{1,3})$")
# Letters and a number behind a label say by themselves which section it is: Article B1, Appendix A.2.
_LETTERED = re.compile(r"^(?:article|appendix|annex|schedule|part|chapter|exhibit)([a-z]{1,3}[.\-]?\d.*)$")


# A letter, or a small Roman number; figures in brackets alone: 3.2 is a section.
_STEP = r"(?:[a-z]|[ivx]{2,5})"
_WITH_ITEM = re.compile(
    rf"^(?P<section>(?:[a-z]+[.\-]?)?\d[\w.\-]*?)(?P<items>(?:\.{_STEP}|\((?:{_STEP}|\d{{1,2}})\))+)$"
)
# b) (b) [b] b. b.) **b)** (b)text, and at the start of a line b: and b –
_ITEM_MARK = re.compile(
    r"(?<![^\s*_])[*_]{0,3}(?P<open>[(\[]?)(?P<mark>[A-Za-z]{1,5}|\d{1,2})"
    r"(?P<close>[.)\]]{1,2}|:|(?=\s[\u2013\u2014-]\s))(?(open)|[*_]{0,3}(?!\S))"
)
# (c) 2024: a copyright sign.
_COPYRIGHT = re.compile(rf"\([Cc]\)[*_]{{0,3}}\s{{0,3}}{_YEAR}\b")
_BEFORE_ITEMS = ".;:,\u2013\u2014|"
_BULLETS = "\u2022>-#"
_FIRST_MARKS = frozenset({"a", "i", "1"})
_ROMAN = tuple(map(roman, range(1, 13)))
# A letter or a number alone is a step of an outline below a Roman number, whatever label that has.
_OWN_STEP = re.compile(r"[a-z]|\d{1,3}")
_STEPPED = re.compile(r"([A-Z]|[IVXL]{1,6})\.\s+\S")
_UNLABELLED = re.compile(r"^(?:part|chapter|article|section)(?=[ivxl]+$)")
_ROMAN_NUMBERS = frozenset(map(roman, range(1, 50)))


def normalise(address: str) -> str:
    """The key of a printed or typed address: `§ C 7.6.2.` → `c7.6.2`, `Table 3` → `table3`, `AC-2 (3)` → `ac-2(3)`,
    `Chapter One` → `chapter1`.

    Case, spaces, section signs, words that only mean section, and closing dots do not count. Empty for no address.
    """
    text = unicodedata.normalize("NFKC", address).translate(_DASHES).strip().lstrip("§¶ ").strip()
    counted, matched = _COUNTED_LABEL.fullmatch(text.rstrip(_TRAILING)), _SEPARATED.match(text)
    if counted and counted["word"].lower() in _MEANINGS:
        text = _MEANINGS[counted["word"].lower()] + _COUNTED[counted["number"].lower()]
    elif matched and matched["word"].lower() in _MEANINGS:
        text = _MEANINGS[matched["word"].lower()] + matched["rest"]
    key = re.sub(r"\s+", "", text).lower()
    key = re.sub(r"^([a-z]{1,4})\.(?=\d)", r"\1", key) if not re.match(r"^[a-z]\.\d", key) else key
    while key and key[-1] in _TRAILING and not _closes(key):
        key = key[:-1]
    return key


def name_of(written: str) -> str:
    """A name as programs are asked for it, with dots between its steps: `Parser::parse()` → `Parser.parse`."""
    bare = _CALLED.sub("", written.strip().strip("`"))
    return _BETWEEN_NAMES.sub(".", bare)


def _closes(key: str) -> bool:
    """Whether the last bracket is part of the address, as in `ac-2(3)`."""
    return (key[-1] == ")" and "(" in key) or (key[-1] == "]" and "[" in key)


def printed_address(text: str) -> tuple[str, int] | None:
    """The address that `text` starts with and the length of what was printed for it; None where it starts with none."""
    matched = PRINTED.match(text) or LABELLED.match(text)
    if matched is None or _NO_ADDRESS.match(matched["address"]):
        return None
    return matched["address"].strip(), matched.end()


def item_of(address: str) -> tuple[str, list[str]] | None:
    """The section and, from the outermost on, the items within it that an address may name: `3.b` and `3(b)` →
    `('3', ['b'])`, `3.2(b)(ii)` → `('3.2', ['b', 'ii'])`; None for one that ends in no item."""
    matched = _WITH_ITEM.match(normalise(address))
    return (matched["section"], re.findall(r"\w+", matched["items"])) if matched else None


def has_items(text: str, items: Sequence[str]) -> bool:
    """Whether a passage has items with these marks, each behind the one before."""
    marks = _begun(text)
    return all(item in marks for item in items)


def _begun(text: str) -> Iterator[str]:
    """The marks of a passage that begin an item: at the start of a line or behind a sign; elsewhere where they go on
    from an item that has begun, or begin items within it. `See (a) and (b)` begins none, nor does `(c) 2024` but behind
    an item b."""
    begun = set[str]()
    for found in _ITEM_MARK.finditer(text):
        mark, before = found["mark"].lower(), text[max(0, found.start() - 9) : found.start()].rstrip(" \t*_" + _BULLETS)
        is_first = not before or before[-1] == "\n"
        if found["close"] in {":", ""} and not is_first:
            continue
        if _COPYRIGHT.match(text, found.start("mark") - 1) and "b" not in begun:
            continue
        goes_on = bool(begun) and (mark in _FIRST_MARKS or not begun.isdisjoint(_before(mark)))
        if is_first or before[-1] in _BEFORE_ITEMS or goes_on:
            begun.add(mark)
            yield mark


def _before(mark: str) -> Iterator[str]:
    """The marks that one may follow: `b` `a`, `ii` `i`, `12` `11`."""
    if mark.isdigit():
        yield str(int(mark) - 1)
    elif len(mark) == 1:
        yield chr(ord(mark) - 1)
    if mark in _ROMAN[1:]:
        yield _ROMAN[_ROMAN.index(mark) - 1]


def components(address: str) -> tuple[str, ...]:
    """`V2.1.10` → `('v2', '1', '10')`, `AC-2(3)` → `('ac', '2', '3')`: the steps from chapter to paragraph."""
    key = normalise(address)
    return tuple(part for part in re.split(r"[.\-()\[\]]+", key) if part)


def is_below(address: str, ancestor: str) -> bool:
    """Whether `address` extends `ancestor`: 7.6.2 lies below 7.6."""
    mine, above = components(address), components(ancestor)
    return len(mine) > len(above) > 0 and mine[: len(above)] == above


def bare_label(address: str) -> str | None:
    """`Part A` → `a`, `Chapter 3` → `3`: the prefix of the numbers below such a heading; None for other addresses."""
    matched = _LABEL.match(normalise(address))
    return matched[1] if matched else None


def aliases(address: str, ancestors: Sequence[str] = ()) -> list[str]:
    """Further keys of the section: without its letter prefix or label, and with that of its ancestors.

    `5.3.1` under chapter V5 has the alias `v5.3.1`, `V5.3.1` has `5.3.1`, `Part A` has `a`, `Article B1` `b1`, and
    `A` under `IV` has `iv.a`; a plain number has no alias.
    """
    key = normalise(address)
    label = bare_label(address)
    found: list[str] = [label] if label else []
    if lettered := _LETTERED.match(key):
        found.append(lettered[1])
    bare = re.match(r"^([a-z]{1,4})[.\-]?(\d.*)$", key)
    if bare and bare[1] not in _WORDS.values():
        found.append(bare[2])
        found.append(f"{bare[1]}{bare[2]}")
    if key[:1].isdigit():
        found += _with_prefix(key, ancestors)
    found += below_roman(key, ancestors)
    return [alias for alias in dict.fromkeys(found) if alias and alias != key]


def outline_step(title: str) -> str:
    """What a title begins with that is no address by itself, a letter or a Roman number: `A. Fees` → `A`; "" where it
    begins with none."""
    matched = _STEPPED.match(title)
    return matched[1] if matched else ""


def below_roman(key: str, ancestors: Sequence[str]) -> list[str]:
    """The steps of an outline, of which each section prints its own: 1 below A below IV is IV.A.1; [] where none of the
    `ancestors`, outermost first, is a Roman number. The outermost one counts: I may be a letter."""
    steps, found = [key], list[str]()
    for ancestor in reversed(ancestors):
        if not _OWN_STEP.fullmatch(steps[0]):
            break
        steps.insert(0, _UNLABELLED.sub("", normalise(ancestor)))
        found = [".".join(steps)] if steps[0] in _ROMAN_NUMBERS else found
    return found


def _with_prefix(key: str, ancestors: Sequence[str]) -> list[str]:
    """The key with the letters of the nearest lettered ancestor whose number it extends, or that it is under."""
    for ancestor in reversed(ancestors):
        above = normalise(ancestor)
        matched = re.match(r"^([a-z]{1,4})[.\-]?(\d[\d.\-]*)$", above)
        if matched and (key == matched[2] or key.startswith((matched[2] + ".", matched[2] + "-"))):
            return [matched[1] + key]
    return []


_LABEL_DEPTHS = {
    "part": 1, "chapter": 1, "subpart": 2, "article": 1, "art.": 1, "appendix": 1, "annex": 1, "schedule": 1, "item": 2,
    "note": 3,
}  # fmt: skip
_BELOW_LETTERS = re.compile(r"\s[A-Z]{1,7}((?:[.\-]\d+)+)")


def label_depth(address: str) -> int | None:
    """The depth of a section with a label and a number: `PART I` 1, `Item 2` 2, `Note 3` 3, `Annex A.2` 2;
    None for numbers alone."""
    if not address.strip():
        return None
    label = address.split()[0].lower()
    depth, below = _LABEL_DEPTHS.get(_FOREIGN.get(label, label)), _BELOW_LETTERS.search(address)
    return depth + len(re.findall(r"\d+", below[1])) if depth and below else depth
