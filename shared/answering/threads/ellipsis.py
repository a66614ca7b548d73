"""A question that follows upon another, made to stand alone without a model: where it is plain what is meant, and not
otherwise. In English; of questions in German `ellipsis_german` says it.

Plain are: a phrase that asks ("and how high?") takes the place of the one before; a thing ("what about the
front wing?") or a circumstance ("and in the rain?") takes the place of the subject, or is added; a phrase takes the
place of the only one that is parallel to it: a year, a name, a label of the same noun ("section 4"), what stands behind
the same preposition, what begins with the same words, or the object of a question to be answered by yes or no; and a
pronoun is the subject of the question before, as "this one" is, and "that" where it is measured ("what does that
cost?"). A year is added where none was asked for. A correction ("no, I meant the front wing") is such a phrase. What
only thanks or agrees is no question that anything follows upon.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from shared.answering.threads.ellipsis_german import is_german, stand_alone_german, without_lead

_AUXILIARIES: Final = "is|are|was|were|may|might|must|can|could|should|shall|will|would|does|do|did|has|have|had"
_ARTICLES: Final = "the|a|an|each|every|all|any"
_PREPOSITIONS: Final = (
    "in|on|at|for|during|with|without|by|under|after|before|from|within|to|of|between|over|above|below|per|as|than"
    "|about"
)
_CORRECTS: Final = r"(?:(?:no|sorry|oops|actually)\b[\s,.]*)*\bi mean(?:t)?"
_CORRECTION: Final = re.compile(rf"{_CORRECTS}\b[\s,:]*", re.I)
_LEAD: Final = re.compile(rf"(?:(?:and|but|so|then|also|ok(?:ay)?|what about|how about|{_CORRECTS})\b[\s,:]*)+", re.I)
# Nothing but such words, and no question mark: nothing is asked.
_COURTESY: Final = frozenset({
    "thanks", "thank", "you", "very", "so", "much", "a", "lot", "many", "great", "good", "perfect", "nice",
    "cool", "ok", "okay", "got", "it", "yes", "no", "that", "helps", "helped", "this", "is", "was", "all",
    "right", "fine", "sure", "understood", "i", "see", "for", "your", "the", "help",
    "danke", "vielen", "dank", "super", "prima", "gut", "sehr", "ja", "nein", "alles", "klar", "merci", "gracias",
})  # fmt: skip
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
_PRONOUN: Final = re.compile(r"\b(it|its|they|them|their|(?:this|that) one)\b", re.I)
# "What does that cost?", "How heavy is this?": of a thing; "why is that?", "who says that?": of what is said of it.
_MEASURED: Final = re.compile(
    r"(?P<asks>(?:(?:what|how(?: \w+)?) (?:do|does|did)|how \w+ (?:is|are|was|were)) )(?:that|this)"
    r"(?P<rest>(?: (?!ones?\b)\w+)?)",
    re.I,
)
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
_OF_A_YEAR: Final = re.compile(rf"(?:(?P<preposition>in|for|of|from|during) )?(?P<year>{_YEAR.pattern})", re.I)
# A year beside another number or span is of neither.
_BOUNDED: Final = re.compile(r"\d|\b(?:last|past|since|over|until|previous|next)\b", re.I)
_ASKS_THING: Final = re.compile(r"(?:what|which|who)\b", re.I)
_FIGURES: Final = "reach|score|achieve|attain|weigh|measure|consume|last"
# What is asked of whoever has it; what is acquired or founded may be meant as well as who did so.
_HAS: Final = re.compile(
    r" (?:have|own|hold|employ|spend|earn|pay|invest|owe|report|lose|make|sell|contain|need|use|support|produce"
    rf"|{_FIGURES})\b", re.I
)  # fmt: skip
# A thing that is asked for may be meant as well (which engine does it use), no figure (what accuracy does it reach).
_REACHES: Final = re.compile(rf" (?:{_FIGURES})\b", re.I)
# A year may be the answer.
_ASKS_DATE: Final = re.compile(r"\b(?:when|(?:what|which) (?:\w+ )?(?:years?|dates?))\b", re.I)
# "Nvidia", "AC-2", "Tesla Model S"; a number belongs to the name before it.
_NAMES: Final = re.compile(r"\b[A-Z][\w-]*(?: (?:[A-Z][\w-]*|\d[\w.-]*))*")
_NAMED: Final = re.compile(rf"(?:(?:{_ARTICLES}) )?(?P<name>{_NAMES.pattern})")
_ASKED_OF_NAME: Final = re.compile(
    rf"(?i:what|which|how|when|where|why|who)\b[\w -]*? (?:{_AUXILIARIES}) (?P<subject>{_NAMED.pattern})"
)
_PREPOSED: Final = re.compile(rf"(?P<preposition>{_PREPOSITIONS}) (?P<behind>.+)", re.I)
_PREPOSES: Final = re.compile(rf"(?<= )({_PREPOSITIONS}) ", re.I)
# "section B5", "the 2025 edition": a noun and what tells it from others of its kind.
_LABEL: Final = r"(?:[A-Za-z]{0,6}[.-]?\d[\w.-]*|[A-Z](?![\w-]))"
_NOUN_LABEL: Final = re.compile(rf"\b(?P<noun>[A-Za-z]{{3,20}}) (?P<label>{_LABEL})")
_LABEL_NOUN: Final = re.compile(rf"(?<![\w.-])(?P<label>{_LABEL}) (?P<noun>[A-Za-z]{{3,20}})\b")
_BEFORE_LABELLED: Final = re.compile(rf"(?:(?:{_PREPOSITIONS}) )?(?:(?:{_ARTICLES}) )?", re.I)
# "Does Northwind Standard cover" eyeglasses: a name, a verb, and an object that has no name.
_OBJECT: Final = re.compile(
    rf"(?P<up_to>(?i:does|do|did|can|may|must) {_NAMES.pattern} [a-z]+ )(?P<object>[a-z][a-z -]*)"
)
# What names a thing without an article, by its ending: "coinsurance", and no "forbidden" or "new".
_ABSTRACT: Final = re.compile(r"(?:[a-z-]+ )?[a-z-]+(?:tion|sion|ance|ence|ment|ity|ship|ness|ism)", re.I)
# Conditions, and adverbs that end as things that are many do.
_NO_THING: Final = re.compile(
    r"\b(?:if|unless|because|while|not|always|besides|perhaps|sometimes|nowadays|overseas|abroad|indoors|outdoors"
    r"|\w+wards|\w+ways)\b",
    re.I,
)
_DEFINED: Final = re.compile(r"what is (?P<thing>[^ ].*)", re.I)
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


def stand_alone(question: str, asked_before: Sequence[str]) -> str | None:
    """The question as it stands alone, after these were asked, oldest first; None where it does already, or may mean
    anything."""
    plain = _plain(question)
    former = next((one for one in reversed(asked_before) if not is_courtesy(one)), None)
    if not plain or former is None:
        return None
    if is_german(_plain(former)):
        return stand_alone_german(plain, _plain(former))
    led = _LEAD.match(plain)
    rest = plain[led.end() :] if led else plain
    if year := _OF_A_YEAR.fullmatch(rest):
        return _of_year(year, _plain(former))
    if led and rest and not _has_verb(rest) and (whole := _parallel(rest, _plain(former))):
        return f"{whole}?"
    asked = _parse(_plain(former))
    if _MEASURED.fullmatch(rest) and _is_of_doing(_plain(former), asked):
        return None
    if asked is None:
        thing = _thing_defined(_plain(former)) or _named_subject(_plain(former))
        return _with_subject(question, thing) if thing and rest else None
    about = bool(led and _ABOUT.search(led.group()))
    if not rest:
        return None
    if _BARE.fullmatch(rest) and not about:
        return _asked_otherwise(rest, asked)
    if led and _CIRCUMSTANCE.fullmatch(rest) and not _has_verb(rest):
        return _circumstance(rest, asked)
    if led and not _has_verb(rest) and (thing := _thing(rest, asked.subject) or _begun_alike(rest, asked)):
        return _Question(asked.asks, asked.auxiliary, thing, asked.after).text()
    return _with_subject(question, asked.subject)


def _parallel(phrase: str, former: str) -> str | None:
    """`former` with `phrase` in the place of the only one that is parallel to it."""
    if labelled := _labelled(phrase, former):
        return labelled
    # The first word has its capital as every question's.
    behind_first = former.find(" ") + 1
    if name := _NAMED.fullmatch(phrase):
        return _in_place(former, name["name"], _NAMES.finditer(former, behind_first))
    preposed = _PREPOSED.fullmatch(phrase)
    if preposed is None:
        return None if _OPEN.search(phrase) else _object(phrase, former)
    if _OPEN.search(preposed["behind"]):
        return None
    return _behind(former, preposed["preposition"], preposed["behind"])


def _of_year(said: re.Match[str], former: str) -> str | None:
    """`former` with the year in place of the only other one, or added where it has none and asks for none."""
    if _YEARS.search(former):
        whole = _in_place(former, said["year"], _YEARS.finditer(former))
    else:
        asks = _BEGINS.match(former) and not _ASKS_DATE.search(former) and not _BOUNDED.search(former)
        whole = f"{former} {(said['preposition'] or 'in').lower()} {said['year']}" if asks else None
    return f"{whole}?" if whole else None


def _labelled(phrase: str, former: str) -> str | None:
    """`former` with the phrase's label at the only place where it has another of the same noun."""
    held = _BEFORE_LABELLED.match(phrase)
    begin = held.end() if held else 0
    for kind in (_NOUN_LABEL, _LABEL_NOUN):
        if said := kind.fullmatch(phrase, begin):
            noun, label = said["noun"].lower(), said["label"]
            places = [one.span("label") for one in kind.finditer(former) if one["noun"].lower() == noun]
            if len(places) == 1 and former[slice(*places[0])] != label:
                return f"{former[: places[0][0]]}{label}{former[places[0][1] :]}"
    return None


def _object(phrase: str, former: str) -> str | None:
    """`phrase` in the place of the object of what is asked of a name, where neither has a name or a preposition."""
    found = _OBJECT.fullmatch(former)
    if found is None or _NAMES.search(phrase) or _PREPOSITION.search(phrase) or _PREPOSITION.search(found["object"]):
        return None
    if phrase == found["object"] or not _is_thing(phrase, found["object"]):
        return None
    return f"{found['up_to']}{phrase}"


def _is_thing(phrase: str, known: str) -> bool:
    """Whether it can be seen to be a noun: an article, an ending, or the same last word as another thing; "if not" and
    "always" are none."""
    if _NO_THING.search(phrase):
        return False
    same = phrase.split()[-1].lower() == known.split()[-1].lower()
    return same or bool(_NOUN.fullmatch(phrase) or _ABSTRACT.fullmatch(phrase)) or _is_many(phrase)


def _thing_defined(former: str) -> str | None:
    """ "coinsurance" of "What is coinsurance?": a name, or a noun that its ending shows to be one."""
    found = _DEFINED.fullmatch(former)
    if found is None:
        return None
    thing = found["thing"]
    return thing if _NAMES.fullmatch(thing) or _ABSTRACT.fullmatch(thing) else None


def _named_subject(former: str) -> str | None:
    """ "Nvidia" of "How much did Nvidia spend on research?": a name shows where it ends."""
    found = _ASKED_OF_NAME.match(former)
    verbs = _REACHES if _ASKS_THING.match(former) else _HAS
    return found["subject"] if found and verbs.match(former, found.end("subject")) else None


def _is_of_doing(former: str, asked: _Question | None) -> bool:
    """Whether "that" may be what was done: "What did that cost?" after "When was the bridge repaired?"."""
    if asked is None:
        return _named_subject(former) is not None
    return any(_DONE.fullmatch(word) for word in asked.after.split())


def _behind(former: str, preposition: str, phrase: str) -> str | None:
    """`phrase` in the place of what stands behind the only such preposition: of the only name behind one, where it is a
    name itself; else of all to the question's end, or to the word that both end with."""
    named = bool(_NAMED.fullmatch(phrase))
    places = list[tuple[int, int]]()
    for held in _PREPOSES.finditer(former):
        at = held.end()
        name = _NAMED.match(former, at)
        same = held[1].lower() == preposition.lower()
        if same and named == bool(name):
            places.append((at, name.end() if name else _end_of(former, at, phrase)))
        elif name and named and {held[1].lower(), preposition.lower()} == {"of", "for"}:
            # "for" a name of the same family is said for "of" it.
            at = name.start("name")
            if {*words_of(phrase)} & {*words_of(name["name"])}:
                places.append((at, name.end()))
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


def _begun_alike(phrase: str, asked: _Question) -> str | None:
    """A thing that begins as the subject does, up to its only preposition: "the fee for an appeal" after "the fee for a
    protest"."""
    begun = _PREPOSITION.split(phrase)
    known = _PREPOSITION.split(asked.subject)
    if len(begun) != 2 or len(known) != 2 or begun[0].lower() != known[0].lower():
        return None
    return phrase if _ARTICLE.match(phrase) and phrase.lower() != asked.subject.lower() else None


def _with_subject(question: str, subject: str) -> str | None:
    """The question with the subject in the place of a pronoun, which nothing in the question itself can be meant by."""
    if _MEASURED.fullmatch(_plain(question)):
        question = _MEASURED.sub(r"\g<asks>it\g<rest>", question, count=1)
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
        if _DETERMINED.search(" ".join(words[1:at])):
            return None
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


def is_courtesy(turn: str) -> bool:
    """Whether it only thanks or agrees."""
    return "?" not in turn and set(words_of(turn)) <= _COURTESY


def without_correction(question: str) -> str:
    """Without "no, I meant" before it, and without what leads a follow-up in German."""
    return _CORRECTION.sub("", question, count=1) if _CORRECTION.match(question) else without_lead(question)


def may_follow(question: str) -> bool:
    """Whether the question can be meant to follow upon another: it is short, begins as one does, or has a pronoun."""
    plain = _plain(question)
    led = _LEAD.match(plain) or without_lead(plain) != plain
    return bool(led or len(plain.split()) <= 5 or _REFERS.search(plain))


_REFERS: Final = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|there|ones?|he|she|his|her|him|former|latter|same|above"
    r"|er|sie|es|ihn|ihm|ihr)\b",
    re.I,
)
