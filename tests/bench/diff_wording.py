"""Small changes of wording: how often one word that changes the meaning passes for one, and which paraphrases do.

`python -m tests.bench.diff_wording [CORPORA]`. Sentences of two standards, each with one made edit; the kinds of edit
are the ones below. The last columns are what the cosine of the passages' vectors alone would say.
"""

import argparse
import json
import os
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shared.adapters.local.embedder import load_embedder
from shared.library.diff_sections import measure
from shared.library.diff_wording import is_small
from shared.library.diff_words import flags_of, words

SEED = 7
PER_KIND = 150
COSINES = (0.9, 0.95, 0.98, 0.99)
_CONTENT = re.compile(r"\b[a-z]{5,}\b")
Edit = Callable[[str, random.Random, list[str]], str]


class Case(NamedTuple):
    kind: str
    same: bool
    before: str
    after: str


def swap(pairs: dict[str, str]) -> Edit:
    """One of the words for its partner, where the sentence has one."""
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, pairs)) + r")\b")

    def edit(text: str, chance: random.Random, _: list[str]) -> str:
        found = list(pattern.finditer(text))
        return _put(text, one := chance.choice(found), pairs[one[0]]) if found else text

    return edit


def both(*names: tuple[str, str]) -> dict[str, str]:
    return dict(names) | {b: a for a, b in names}


def noun(text: str, chance: random.Random, vocabulary: list[str]) -> str:
    found = list(_CONTENT.finditer(text))
    return _put(text, chance.choice(found), chance.choice(vocabulary)) if found else text


def left_out(text: str, chance: random.Random, _: list[str]) -> str:
    found = list(_CONTENT.finditer(text))
    return _put(text, chance.choice(found), "").replace("  ", " ") if found else text


def exchanged(text: str, chance: random.Random, _: list[str]) -> str:
    found = list(_CONTENT.finditer(text))
    if len(found) < 2:
        return text
    one, other = sorted(chance.sample(found, 2), key=lambda m: m.start())
    return _put(_put(text, other, one[0]), one, other[0])


def number(text: str, chance: random.Random, _: list[str]) -> str:
    found = list(re.finditer(r"(?<![\w.])\d+(?![\w.]\d)", text))
    return _put(text, one := chance.choice(found), str(int(one[0]) + chance.randint(1, 9))) if found else text


def condition(text: str, chance: random.Random, vocabulary: list[str]) -> str:
    return f"{text.rstrip('.')} {chance.choice(('when', 'if', 'for', 'during'))} {chance.choice(vocabulary)}."


def wrapped(text: str, chance: random.Random, _: list[str]) -> str:
    found = [m for m in _CONTENT.finditer(text) if len(m[0]) > 6]
    text = _put(text, one := chance.choice(found), f"{one[0][:3]}-\n{one[0][3:]}") if found else text
    return text.replace(", ", ",\n", 1)


def comma(text: str, _: random.Random, __: list[str]) -> str:
    return text.replace(", and ", " and ", 1) if ", and " in text else text.replace(" and ", ", and ", 1)


def article(text: str, chance: random.Random, _: list[str]) -> str:
    found = list(re.finditer(r"\b(?:the|a|an) (?=[a-z])", text))
    return _put(text, chance.choice(found), "") if found else text


def ended(text: str, _: random.Random, __: list[str]) -> str:
    return text.rstrip(".") + ("" if text.endswith(".") else ";")


CHANGES: dict[str, Edit] = {
    "a content word replaced": noun,
    "a content word left out": left_out,
    "two words exchanged": exchanged,
    "a number": number,
    "a condition added": condition,
    "negation": swap({"is": "is not", "are": "are not", "can": "cannot", "must": "must not", "not": "", "no": "any"}),
    "obligation": swap(
        {"shall": "should", "must": "may", "should": "must", "required": "recommended", "may": "must", "can": "must"}
    ),
    "and, or": swap(both(("and", "or"))),
    "a preposition": swap(
        both(("before", "after"), ("with", "without"), ("above", "below"), ("in", "outside"), ("to", "from"))
        | {"by": "for", "for": "by", "of": "without"}
    ),
    "a quantifier": swap(
        {"all": "some", "any": "all", "each": "any", "every": "some", "the": "every", "a": "each", "only": "also"}
    ),
    "a time": swap(
        {"is": "was once", "are": "will be", "when": "until", "during": "after", "periodically": "continuously"}
    ),
}
SAME: dict[str, Edit] = {
    "divided at line ends": wrapped,
    "a comma": comma,
    "the last sign": ended,
    "an article": article,
    "spelling": swap(
        both(
            ("authorized", "authorised"), ("authorization", "authorisation"), ("organization", "organisation"),
            ("organizational", "organisational"), ("defense", "defence"), ("behavior", "behaviour"),
            ("sanitization", "sanitisation"), ("unauthorized", "unauthorised"), ("utilized", "utilised"),
        )
    ),
    "a plural, a third person": swap(
        both(("user", "users"), ("system", "systems"), ("application", "applications"), ("control", "controls"),
             ("verify", "verifies"), ("require", "requires"), ("include", "includes"), ("employ", "employs"))
    ),
    "a synonym": swap(
        both(("use", "utilize"), ("ensure", "make sure"), ("employs", "uses"), ("verify", "check"),
             ("e.g.", "for example"), ("monitors", "watches"), ("prevent", "stop"), ("allow", "permit"))
    ),
    "to passive": lambda text, _, __: re.sub(
        r"^The organization (\w+?)e?s ([\w\s-]+?)([;.,:]|$)", r"\2 is \1ed by the organization\3", text
    ),
}  # fmt: skip


def _put(text: str, at: re.Match[str], word: str) -> str:
    return text[: at.start()] + word + text[at.end() :]


def sentences(corpora: Path) -> list[str]:
    rows = (corpora / "regs-owasp-asvs/sections_gold.jsonl").read_text("utf-8").splitlines()
    texts = [json.loads(row)["text"] for row in rows if '"asvs-4.0.3-en.pdf"' in row]
    catalog = json.loads((corpora / "regs-nist-md-oscal/sp800-53/rev4_catalog-min.json").read_text("utf-8"))
    texts += [re.sub(r"\{\{.*?\}\}", "a defined value", one) for one in prose(catalog)]
    return sorted({text for text in texts if 8 <= len(text.split()) <= 60})


def prose(node: Any) -> Iterator[str]:
    """Every `prose` of an OSCAL catalog."""
    if isinstance(node, dict):
        if "prose" in node:
            yield node["prose"]
        for value in node.values():
            yield from prose(value)
    elif isinstance(node, list):
        for value in node:
            yield from prose(value)


def cases(texts: list[str]) -> Iterator[Case]:
    chance = random.Random(SEED)
    vocabulary = sorted({m[0] for text in texts for m in _CONTENT.finditer(text)})
    for same, edits in ((False, CHANGES), (True, SAME)):
        for kind, edit in edits.items():
            tried = chance.sample(texts, len(texts))
            made = ((text, edit(text, chance, vocabulary)) for text in tried)
            changed = [pair for pair in made if pair[0].split() != pair[1].split()]
            yield from (Case(kind, same, *pair) for pair in changed[:PER_KIND])


def passes(case: Case) -> bool:
    """As the comparison decides."""
    flags = flags_of(measure(case.before), measure(case.after))
    return not flags and is_small(words(case.before), words(case.after))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="?", default=os.environ.get("AUTRI_CORPORA", "../shared/corpora"))
    parser.add_argument("--models", type=Path, required=True, help="where the model file is kept")
    options = parser.parse_args()
    every = list(cases(sentences(Path(options.corpora))))
    embedder = load_embedder(options.models)
    sides = [embedder.embed_passages([getattr(case, side) for case in every]) for side in ("before", "after")]
    cosines = np.sum(sides[0] * sides[1], axis=1)
    said = np.array([passes(case) for case in every])
    right = np.array([case.same for case in every])
    for kind in (*CHANGES, *SAME):
        mask = np.array([case.kind == kind for case in every])
        shares = [said[mask].mean(), *((cosines[mask] >= least).mean() for least in COSINES)]
        print(f"{'same' if kind in SAME else 'CHANGED':<8}{kind:<26}{mask.sum():>5}", *(f"{s:7.2f}" for s in shares))
    for name, found in (("words", said), *((f"cosine {least}", cosines >= least) for least in COSINES)):
        print(f"{name:<12} precision {right[found].mean():.3f} recall {found[right].mean():.3f} of {len(every)}")
    for case in (case for case, yes in zip(every, said, strict=True) if yes and not case.same):
        print("WRONG", case.kind, "|", case.before, "|", case.after)


if __name__ == "__main__":
    main()
