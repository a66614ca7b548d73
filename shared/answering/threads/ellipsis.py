"""A question that follows upon another, made to stand alone without a model: where it is plain what is meant, and not
otherwise. English only.

Four things are plain: a phrase that asks ("and how high?") takes the place of the one before; a thing ("what about the
front wing?") or a circumstance ("and in the rain?") takes the place of the subject, or is added; a phrase takes the
place of the only one that is parallel to it: a year, a name, or what stands behind the same preposition; and a pronoun
is the subject of the question before.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_AUXILIARIES: Final = "is|are|was|were|may|might|must|can|could|should|shall|will|would|does|do|did|has|have|had"
_ARTICLES: Final = "the|a|an|each|every|all|any"
_PREPOSITIONS: Final = (
    "in|on|at|for|during|with|without|by|under|after|before|from|within|to|of|between|over|above|below|per|as|than"
)
_LEAD: Final = re.compile(r"(?:(?:and|but|so|then|also|ok(?:ay)?|what about|how about)\b[\s,]*)+", re.I)
_ABOUT: Final = re.compile(r"\b(?:what|how) about\b", re.I)
# What asks, the auxiliary, and what stands behind it.
_ASKS: Final = r"how many [\w-]+|how(?: \w+)?|when|where|why|what|which [\w ]+?|who"
_ASKED: Final = re.compile(rf"(?P<asks>{_ASKS}) (?P<auxiliary>{_AUXILIARIES}) (?P<rest>.+)", re.I)
_BEGINS: Final = re.compile(rf"(?:how|when|where|why|what|which|whose|who|until|since|{_AUXILIARIES})\b", re.I)
# "where are the tyres stored": what is done, and no part of the thing.
_DONE: Final = re.compile(
    r"\w+(?:ed|en)|kept|held|made|sold|built|set|put|cut|paid|sent|left|done|found|bought|read", re.I
)
_BARE: Final = re.compile(r"(?:how(?: \w+)?|when|where|why)", re.I)
_NOUN: Final = re.compile(rf"(?:{_ARTICLES}) (?:[\w-]+ ){{0,3}}[\w-]+", re.I)
_CIRCUMSTANCE: Final = re.compile(
    r"(?:in|on|at|for|during|with|without|under|after|before|within) \S+(?: \S+){0,4}", re.I
)
_PRONOUN: Final = re.compile(r"\b(it|its|they|them|their)\b", re.I)
# "Is it allowed to overtake?", "how long does it take": nothing that was named is meant.
_EMPTY_IT: Final = re.compile(
    r"\bit(?:'s|’s)? (?:\w+ )?(?:tak\w+|mean\w*|matter\w*|rain\w*|snow\w*)\b"
    r"|\b(?:is|was|if|when|makes?|be) it (?:is )?(?:\w+ly )?(?:possible|allowed|permitted|necessary|required|true|legal"
    r"|ok|okay|forbidden|enough|important|raining|snowing|that|to)\b",
    re.I,
)
_PREPOSITION: Final = re.compile(rf"\b(?:{_PREPOSITIONS})\b", re.I)
_BEHIND_HEAD: Final = re.compile(rf" (?:{_PREPOSITIONS}) ", re.I)
_ARTICLE: Final = re.compile(rf"(?:{_ARTICLES})\b", re.I)
_DETERMINED: Final = re.compile(rf"\b(?:{_ARTICLES}|this|that|these|those|my|our|your)\b", re.I)
_ONE: Final = re.compile(r"(.+) ones?", re.I)
_JOINED: Final = re.compile(r"\b(?:and|or)\b", re.I)
_VERB: Final = re.compile(rf"\b(?:{_AUXILIARIES}|be|i|you|we|he|she|it|they)\b", re.I)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_YEARS: Final = re.compile(rf"\b{_YEAR.pattern}\b")
_OF_A_YEAR: Final = re.compile(rf"(?:(?:in|for|of|from|during) )?(?P<year>{_YEAR.pattern})", re.I)
# "Nvidia", "AC-2", "Tesla Model S"; a number belongs to the name before it.
_NAMES: Final = re.compile(r"\b[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d[\w.-]*))*")
_NAMED: Final = re.compile(rf"(?:(?:{_ARTICLES}) )?(?P<name>{_NAMES.pattern})")
_PREPOSED: Final = re.compile(rf"(?P<preposition>{_PREPOSITIONS}|about) (?P<behind>.+)", re.I)
_PREPOSES: Final = re.compile(rf"(?<= )({_PREPOSITIONS}|about) ", re.I)
# Asks, points to what has no name here, or is said of everything.
_OPEN: Final = re.compile(
    r"\b(?:what|which|who|whom|whose|how|when|where|why|this|that|these|those|it|them|him|her|me|us|ones?|example|general"
    r"|all|first|second|third|last|next|other|others|same)\b",
    re.I,
)
_WORDS: Final = re.compile(r"[\w-]+(?:[.'’][\w-]+)*")


@dataclass(frozen=True)
class _Question:
    """`asks` auxiliary `before` subject `after`."""

    asks: str
    auxiliary: str
    subject: str
    after: str

    def text(self) -> str:
        words = " ".join(filter(None, (self.asks, self.auxiliary, self.subject, self.after)))
        return f"{words[0].upper()}{words[1:]}?"


def stand_alone(question: str, former: str) -> str | None:
    """The question as it stands alone, after `former` was asked; None where it does already, or may mean anything."""
    plain = _plain(question)
    if not plain:
        return None
    led = _LEAD.match(plain)
    rest = plain[led.end() :] if led else plain
    if led and rest and not _has_verb(rest) and (whole := _parallel(rest, _plain(former))):
        return f"{whole}?"
    asked = _parse(_plain(former))
    if asked is None:
        return None
    about = bool(led and _ABOUT.search(led.group()))
    if not rest:
        return None
    if _BARE.fullmatch(rest) and not about:
        return _asked_otherwise(rest, asked)
    if led and _CIRCUMSTANCE.fullmatch(rest) and not _has_verb(rest):
        return _circumstance(rest, asked)
    if led and not _has_verb(rest) and (thing := _thing(rest, asked.subject)):
        return _Question(asked.asks, asked.auxiliary, thing, asked.after).text()
    return _with_subject(question, asked.subject)


def _parallel(phrase: str, former: str) -> str | None:
    """`former` with `phrase` in the place of the only one that is parallel to it."""
    if year := _OF_A_YEAR.fullmatch(phrase):
        return _in_place(former, year["year"], _YEARS.finditer(former))
    # The first word has its capital as every question's.
    behind_first = former.find(" ") + 1
    if name := _NAMED.fullmatch(phrase):
        return _in_place(former, name["name"], _NAMES.finditer(former, behind_first))
    preposed = _PREPOSED.fullmatch(phrase)
    if preposed is None or _OPEN.search(preposed["behind"]):
        return None
    return _behind(former, preposed["preposition"], preposed["behind"])


def _behind(former: str, preposition: str, phrase: str) -> str | None:
    """`phrase` in the place of what stands behind the only such preposition: of the only name behind one, where it is a
    name itself; else of all to the question's end, or to the word that both end with."""
    named = bool(_NAMED.fullmatch(phrase))
    places = list[tuple[int, int]]()
    for held in _PREPOSES.finditer(former):
        at = held.end()
        name = _NAMED.match(former, at)
        if held[1].lower() == preposition.lower() and named == bool(name):
            places.append((at, name.end() if name else _end_of(former, at, phrase)))
    if len(places) != 1 or places[0][1] < 0:
        return None
    at, end = places[0]
    return None if former[at:end].lower() == phrase.lower() else f"{former[:at]}{phrase}{former[end:]}"


def _end_of(former: str, at: int, phrase: str) -> int:
    """Where what begins at `at` ends; -1 where it is not plain."""
    last = phrase.split()[-1].lower()
    if shared := next((one for one in _WORDS.finditer(former, at) if one.group().lower() == last), None):
        return shared.end()
    return -1 if _PREPOSITION.search(former, at) else len(former)


def _in_place(former: str, phrase: str, found: Iterable[re.Match[str]]) -> str | None:
    """None unless one is found."""
    places = [*found]
    if len(places) != 1 or places[0].group() == phrase:
        return None
    return f"{former[: places[0].start()]}{phrase}{former[places[0].end() :]}"


def _asked_otherwise(asks: str, asked: _Question) -> str | None:
    """ "how high" after "how wide", "where" after "when"."""
    measures = [one.lower().startswith("how ") for one in (asks, asked.asks)]
    circumstances = [one.lower() in ("when", "where", "why", "how") for one in (asks, asked.asks)]
    if not (all(measures) or all(circumstances)) or asks.lower() == asked.asks.lower():
        return None
    return _Question(asks, asked.auxiliary, asked.subject, asked.after).text()


def _circumstance(phrase: str, asked: _Question) -> str | None:
    """Added, where there is no other of its kind yet."""
    preposition = phrase.split()[0].lower()
    said = f"{asked.subject} {asked.after}".lower().split()
    if preposition in said or _OPEN.search(phrase):
        return None
    return _Question(asked.asks, asked.auxiliary, asked.subject, f"{asked.after} {phrase}".strip()).text()


def _thing(phrase: str, subject: str) -> str | None:
    """A thing with its article; "the front one" is of the subject's kind."""
    if not _NOUN.fullmatch(phrase) or _PREPOSITION.search(phrase):
        return None
    one = _ONE.fullmatch(phrase)
    if one is None:
        return phrase
    if _PREPOSITION.search(subject):
        return None
    return f"{one[1]} {subject.split()[-1]}"


def _with_subject(question: str, subject: str) -> str | None:
    """The question with the subject in the place of a pronoun, which nothing in the question itself can be meant by."""
    if _EMPTY_IT.search(question):
        return None
    found = list(_PRONOUN.finditer(question))
    if not found:
        return None
    first = found[0]
    before = question[: first.start()]
    many = _is_many(subject)
    if len(subject.split()) > 6 or _DETERMINED.search(before):
        return None
    if any((one[1].lower() in ("they", "them", "their")) != many for one in found):
        return None
    own = first[1].lower() in ("its", "their")
    ending = ("’" if many else "’s") if own else ""
    lead = _LEAD.match(before)
    kept = before[lead.end() :] if lead else before
    if not _BEGINS.match(f"{kept}{subject}"):
        return None
    text = f"{kept}{subject}{ending}{question[first.end() :]}".strip()
    return f"{text[0].upper()}{text[1:]}"


def _parse(question: str) -> _Question | None:
    """None where the subject is not plain: where no verb shows where it ends."""
    found = _ASKED.fullmatch(question)
    if found is None:
        return None
    auxiliary, words = found["auxiliary"].lower(), found["rest"].split()
    if found["asks"].lower() in ("who", "what") and not _ARTICLE.match(found["rest"]):
        return None
    if _JOINED.search(found["rest"]):
        return None
    if "be" in words[1:]:
        at = words.index("be", 1)
    elif auxiliary in ("is", "are", "was", "were"):
        done = found["asks"].lower() in ("how", "when", "where", "why") and _DONE.fullmatch(words[-1])
        at = len(words) - 1 if done else len(words)
    elif auxiliary in ("has", "have", "had"):
        return None
    else:
        # "does a fuel tank hold": the verb is the last word, where nothing stands behind it.
        at = len(words) - 1
    subject, after = " ".join(words[:at]), " ".join(words[at:])
    if not _ARTICLE.match(subject) or len(subject.split()) < 2 or _PRONOUN.search(subject):
        return None
    # A participle or a circumstance behind the subject ("the car measured at rest") belongs to it or does not.
    if auxiliary not in ("is", "are", "was", "were") and _PREPOSITION.search(subject):
        return None
    return _Question(found["asks"], found["auxiliary"], subject, after)


def _has_verb(phrase: str) -> bool:
    return bool(_VERB.search(phrase))


def _is_many(subject: str) -> bool:
    head = _BEHIND_HEAD.split(subject, maxsplit=1)[0].split()[-1].lower()
    return head.endswith("s") and not head.endswith(("ss", "us", "is"))


def _plain(question: str) -> str:
    return " ".join(question.split()).rstrip("?!. ")


def words_of(text: str) -> list[str]:
    """In lower case, in their order."""
    return [word.casefold() for word in _WORDS.findall(text)]


def may_follow(question: str) -> bool:
    """Whether the question can be meant to follow upon another: it is short, begins as one does, or has a pronoun."""
    plain = _plain(question)
    return bool(_LEAD.match(plain) or len(plain.split()) <= 5 or _REFERS.search(plain))


_REFERS: Final = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|there|ones?|he|she|his|her|him|former|latter|same|above)\b",
    re.I,
)
