"""A follow-up in German, made to stand alone where it is plain: as `ellipsis` does in English.

Nouns have capitals in German, so that it is seen where a thing ends: an article, up to two words, a noun, and a label
behind it ("der Klasse S"). What asks ("und wie hoch?") takes the place of what asked; a year, a label of the same noun,
what stands behind the same preposition, and a thing where there is only one, take the place of those; a circumstance is
added where there is none; er, sie and es are the only thing of their gender.
"""

import re
from typing import Final

_ARTICLES: Final = "der|die|das|den|dem|des|einen|einem|einer|eines|eine|ein"
_PREPOSITIONS: Final = (
    "ab|am|an|auf|aus|beim|bei|bis|durch|für|gegen|im|in|mit|nach|ohne|seit|über|um|unter|vom|von|vor|während|wegen"
    "|zum|zur|zu|zwischen"
)
# Of a noun; a year says when.
_LABEL: Final = r"(?!(?:19|20)\d\d\b)(?:[A-Za-z]{0,6}[.-]?\d[\w.-]*|[A-Z](?![\w-]))"
_DESCRIBED: Final = rf"(?:(?!(?:{_PREPOSITIONS}|und|oder)\b)[a-zäöüß]+(?:e|en|er|es|em) ){{0,2}}"
_NOUN: Final = rf"(?:[A-ZÄÖÜ][\w-]*)(?: {_LABEL})?"
_THING: Final = rf"(?P<article>{_ARTICLES}) {_DESCRIBED}(?P<noun>{_NOUN})"
_BEHIND: Final = rf"(?:(?:{_ARTICLES}) {_DESCRIBED})?{_NOUN}"
_LEAD: Final = re.compile(
    r"(?:(?:und|aber|also|nein|sorry|doch|was ist mit|wie ist es mit|ich meine|ich meinte)\b[\s,:]*)+", re.I
)
_GERMAN: Final = re.compile(
    r"(?:wie|was(?! (?:the|it|a|an|he|she|there|that|this)\b)|wer|wen|wem|wessen|wann|wo|wohin|woher|warum|weshalb"
    r"|welche[mnrs]?|darf|dürfen|muss|müssen|kann|können|soll|sollen|ist|sind|hat|haben|gilt|gelten|gibt|wird|werden)\b",
    re.I,
)
_MEASURE: Final = re.compile(r"wie (?!viele?\b)[a-zäöüß]+", re.I)
_BARE: Final = re.compile(r"wann|wo|warum|wohin|woher", re.I)
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_OF_A_YEAR: Final = re.compile(rf"(?:(?:im jahr|im jahre|in|für) )?(?P<year>{_YEAR.pattern})", re.I)
_LABELLED: Final = re.compile(
    rf"(?<![\w-])(?:(?:{_PREPOSITIONS}) )?(?:(?:{_ARTICLES}) )?(?P<noun>[A-ZÄÖÜ][\w-]{{2,}}) (?P<label>{_LABEL})"
)
_PREPOSED: Final = re.compile(rf"\b(?P<preposition>{_PREPOSITIONS}) (?P<behind>{_BEHIND})")
# "die Gebühr für einen Protest".
_BESIDE: Final = re.compile(rf" (?:für|vom|von) {_BEHIND}")
_THINGS: Final = re.compile(rf"\b{_THING}")
# Nouns that are one, behind "die".
_ONE: Final = re.compile(r"\b\w+(?:ung|heit|keit|schaft|ion|tät|ur|ik|zeit|ei)(?: .+)?")
_PRONOUN: Final = re.compile(r"\b(er|sie|es)\b")
_GENDER: Final = {"er": ("der", "ein"), "sie": ("die", "eine"), "es": ("das", "ein")}
# "Wie lange dauert es?": nothing that was named is meant.
_EMPTY_ES: Final = re.compile(
    r"\b(?:dauert|gibt|ist|geht|regnet|schneit|heißt|bedeutet) es\b|\bes (?:gibt|ist|geht)\b", re.I
)


def is_german(question: str) -> bool:
    """Whether a question begins as questions do in German."""
    return bool(_GERMAN.match(question))


def stand_alone_german(question: str, former: str) -> str | None:
    """The question as it stands alone after `former`, both without the mark at the end; None where it is not plain."""
    phrase = without_lead(question)
    led = phrase and phrase != question
    made = led and (_asked_otherwise(phrase, former) or _parallel(phrase, former))
    made = made or (is_german(phrase) and _with_thing(phrase, former))
    return f"{made[0].upper()}{made[1:]}?" if made else None


def without_lead(question: str) -> str:
    """Without "und" or "nein, ich meinte" before it."""
    led = _LEAD.match(question)
    return question[led.end() :] if led else question


def _asked_otherwise(asks: str, former: str) -> str | None:
    """ "wie hoch" after "wie breit", "wo" after "wann"."""
    for kind in (_MEASURE, _BARE):
        begun = kind.match(former)
        if kind.fullmatch(asks) and begun and begun.group().lower() != asks.lower():
            return f"{asks}{former[begun.end() :]}"
    return None


def _parallel(phrase: str, former: str) -> str | None:
    if year := _OF_A_YEAR.fullmatch(phrase):
        return _in_place(former, [one.span() for one in _YEAR.finditer(former)], year["year"])
    if labelled := _LABELLED.fullmatch(phrase):
        same = [one.span("label") for one in _LABELLED.finditer(former) if one["noun"] == labelled["noun"]]
        if same:
            return _in_place(former, same, labelled["label"])
    if preposed := _PREPOSED.fullmatch(phrase):
        return _circumstance(preposed, former)
    if thing := _THINGS.fullmatch(phrase):
        return _thing(thing, former)
    return None


def _circumstance(phrase: re.Match[str], former: str) -> str | None:
    """In the place of the only one with the same preposition; added, where there is none at all."""
    there = [*_PREPOSED.finditer(former)]
    if there:
        same = [one.span("behind") for one in there if one["preposition"] == phrase["preposition"]]
        return _in_place(former, same, phrase["behind"])
    words = former.split()
    # The infinitive or participle stands last.
    last = words[-1:] if words[-1][0].islower() and len(words) > 3 else []
    return " ".join([*words[: len(words) - len(last)], phrase.group(), *last])


def _thing(phrase: re.Match[str], former: str) -> str | None:
    """In the place of the only thing, where the verb stays as it is."""
    found = _things(former)
    if len(found) != 1:
        return None
    article, there = phrase["article"], found[0]["article"]
    said = phrase.group()
    if article == "den" and there == "der":
        article, said = "der", f"der{said[3:]}"
    if article != there and not (_is_one(article, phrase["noun"]) and _is_one(there, found[0]["noun"])):
        return None
    return _in_place(former, [found[0].span()], said)


def _is_one(article: str, noun: str) -> bool:
    return article in ("der", "das") or (article == "die" and bool(_ONE.fullmatch(noun)))


def _things(former: str) -> list[re.Match[str]]:
    """Things behind no preposition."""
    behind = [one.span() for one in _PREPOSED.finditer(former)]
    return [one for one in _THINGS.finditer(former) if not any(a <= one.start() < b for a, b in behind)]


def _with_thing(question: str, former: str) -> str | None:
    """With the only thing of its gender in the place of a pronoun."""
    found = [*_PRONOUN.finditer(question)]
    if len(found) != 1 or _EMPTY_ES.search(question) or _THINGS.search(question):
        return None
    things = [one for one in _things(former) if one["article"] in _GENDER[found[0][1]]]
    if len(things) != 1:
        return None
    beside = _BESIDE.match(former, things[0].end())
    said = former[things[0].start() : beside.end() if beside else things[0].end()]
    return f"{question[: found[0].start()]}{said}{question[found[0].end() :]}"


def _in_place(former: str, places: list[tuple[int, int]], phrase: str) -> str | None:
    """None unless there is one place, which has something else."""
    if len(places) != 1 or former[slice(*places[0])] == phrase:
        return None
    return f"{former[: places[0][0]]}{phrase}{former[places[0][1] :]}"
