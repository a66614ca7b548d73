"""Whether a sentence says the opposite of what a passage says with the same words, says it more strongly, or gives a
thing the value of another.

A sentence is held, clause by clause, against the statements of the passages that have most of its words. What counts
is how often the words that both have are denied, whether they demand, allow or forbid, whether of all or of some, and
which bound their values have: never what any of it is about. How often it is right: docs/decisions/0118-*.md.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

from shared.answering.contradictions import ReadAmount, cannot_both_be, read_amounts
from shared.answering.sentences import split_sentences
from shared.lexical.tokenizer import tokenize

Demand = Literal["obliged", "allowed", "forbidden", "free"]

# The least share of a clause's words that a statement has which says the same or the opposite.
SHARED_MIN: Final = 0.7
# Words that the statement of another thing may have beside those that it shares.
RIVAL_MAX: Final = 3


def _words(text: str) -> list[str]:
    return text.split()


def _any(words: str) -> str:
    return rf"\b(?:{'|'.join(words.split())})\b"


_AMOUNT: Final = r"\s+(?:[^\s.;,]+\s+){0,4}?(?:[€$£]?\d|two\b|three\b|four\b|five\b|six\b|ten\b|zwei\b|drei\b)"
_COMPARED: Final = (
    rf"(?:\b(?:more|less|fewer|greater|later|earlier|[a-z]{{2,12}}er) than|\b(?:exceed\w*|over|above|below|under"
    rf"|mehr als|weniger als)){_AMOUNT}"
)
# A negation that makes a bound of a value, and what looks like a negation and is none.
_NO_DENIAL: Final = re.compile(
    rf"(?:\b(?:not|no|never|cannot|nicht)\b|n['’]t\b)(?=[^.;,]{{0,24}}?{_COMPARED})"
    r"|\bnot (?:only|just|limited)\b|\bno doubt\b|\bor not\b|\bif not\b|\bno\.(?=\s*\d)|\bnicht nur\b",
    re.I,
)
# What denies the words behind it in its clause; what denies its whole clause; and what does so by itself.
_DENIES: Final = re.compile(
    r"\b(?:not|never|cannot|unless|exclud\w+|nicht|nie|niemals|pas|jamais)\b|n['’]t\b|\bno longer\b|\bnicht mehr\b",
    re.I,
)
_DENIES_ALL: Final = re.compile(
    r"\b(?:no(?!\s+longer)|none|nobody|nothing|nowhere|neither|nor|no one|kein\w*|niemand|nichts|aucun\w*)\b", re.I
)
_LACKS: Final = re.compile(r"\b(?:without|lacks?|lacking|fails? to|failed to|ohne|sans)\b", re.I)
_OBLIGES: Final = re.compile(
    _any(
        "must shall obliged obligatory required? requires? mandatory compulsory muss müssen vorgeschrieben verpflichtet"
    )
    + r"|\b(?:has|have|had|needs?) to\b|\bdoit\b|\bdoivent\b",
    re.I,
)
_ALLOWS: Final = re.compile(
    _any("may can could allow(?:s|ed)? permit(?:s|ted)? permissible optional voluntary darf dürfen kann können erlaubt")
    + "|" + _any("zulässig gestattet freiwillig peut peuvent autorisée?s? permise?s?"),
    re.I,
)  # fmt: skip
_FREES: Final = re.compile(_any("optional optionally voluntary voluntarily unnecessary needless freiwillig"), re.I)
_FORBIDS: Final = re.compile(
    _any(
        "prohibit(?:s|ed)? forbid(?:s|den)? ban(?:s|ned)? disallow(?:s|ed)? verboten untersagt unzulässig interdite?s?"
    ),
    re.I,
)
_NEEDS: Final = re.compile(r"\bneed(?:s|ed)?\b(?!\s+to\b)", re.I)
# "Must not" forbids, "need not" frees; in German "muss nicht" frees.
_FORBIDDEN_BY_MUST: Final = re.compile(r"\b(?:must|shall)\b", re.I)
# Such a clause turns what is demanded: "nobody may … without".
_TURNS: Final = re.compile(_any("without unless only until except ohne nur sans exclusively solely"), re.I)

_OF_ALL: Final = re.compile(
    _any("all every each always everyone everybody entire alle jede[rns]? immer tous toutes"), re.I
)
_OF_SOME: Final = re.compile(
    _any(
        "some few several many most mostly sometimes often usually occasionally partly rarely einige manche viele meist"
    )
    + r"|\b(?:part|half|majority|number) of\b",
    re.I,
)
_ONLY: Final = re.compile(r"(?<!not )(?<!nicht )" + _any("only exclusively solely nur ausschließlich"), re.I)
_RESTRICTS: Final = re.compile(
    _any("only exclusively solely sole except unless just limited restricted reserved nobody none other alone")
    + "|" + _any("nur allein ausschließlich lediglich außer"),
    re.I,
)  # fmt: skip
_MERELY: Final = re.compile(r"\bonly\s+(?:a|an|one|two|three|[\d€$£])", re.I)

# The words of one side are the opposite of those of the other.
_ANTONYMS: Final = tuple(
    tuple(frozenset(side.split()) for side in line.split(" / "))
    for line in (
        "approve approved approves accept accepted accepts grant granted grants confirm confirmed uphold upheld /"
        " reject rejected rejects refuse refused refuses deny denied denies decline declined dismiss dismissed",
        "increase increased increases rise rose rises risen grow grew grows grown climb climbed gain gained up /"
        " decrease decreased decreases fall fell falls fallen shrink shrank decline declined drop dropped drops down",
        "enable enabled enables active / disable disabled disables inactive",
        "open opens opened / close closes closed shut", "on / off", "before / after", "with / without",
        "add added adds / remove removed removes", "start starts begin begins / stop stops end ends",
        "first / last", "true / false", "pass passed passes / fail failed fails", "safe / dangerous",
        "win won wins / lose lost loses", "valid / void", "hot / cold", "wet / dry", "cheaper / dearer",
        "faster / slower", "higher / lower", "longer / shorter", "more / less fewer", "inside / outside",
        "profit / loss", "buy buys bought / sell sells sold", "vor / nach", "mit / ohne",
        "gestiegen steigt / gesunken sinkt",
    )
)  # fmt: skip
_PREFIXES: Final = ("un", "in", "im", "il", "ir", "dis", "non")
_PREFIXED_MIN: Final = 4
# A verb within a few words: what follows a comma or an "and" is a clause then, and no further item of a list.
_VERB: Final = (
    r"(?=(?:\s*[^\s,;:.!?()—–]+){0,5}?\s*\b(?:is|are|was|were|must|may|can|could|will|shall|should|would|has|have|had|do|"
    r"does|did|it|they|he|she|you|we|nobody|ist|sind|wird|werden|muss|darf|kann|hat|es|sie|est|sont|il|elle)\b)"
)
_CLAUSE_ENDS: Final = re.compile(
    r"[;:.!?()—–]|\b(?:but|however|although|though|while|whereas|unless|except|which|who|that|because|since|aber|sondern"
    rf"|mais)\b|(?:,|\b(?:and|und|et)\b){_VERB}",
    re.I,
)
# What a sentence states apart. A clause with "unless", "if" or "that" says something only with what it hangs on.
_STATED: Final = re.compile(
    rf"[;:—–]|\b(?:but|however|although|though|while|whereas|aber)\b|\b(?:and|und|et)\b{_VERB}", re.I
)
# Values are told of one thing after the other.
_TOLD_EACH: Final = re.compile(rf"{_STATED.pattern}|\b(?:and|und)\b|,(?=\s[^,]*\d)", re.I)
_POINTS_BACK: Final = re.compile(
    _any("it its they their them this these those he she his her es er sie dies diese il elle ils elles"), re.I
)
_FUNCTION: Final = frozenset(_words(
    """must shall may can could will would should has have had need needs do does did be is are was were been being it
    its not no never none nobody nothing cannot neither nor without unless all every each some few several many most
    only always sometimes often usually exclusively solely required require requires mandatory compulsory obligatory
    obliged optional voluntary allowed allow permitted permit prohibited forbidden banned one there this that these
    those which more less least fewer than exceed exceeds exceeded above below over under up also then when if as at
    on off longer muss müssen darf dürfen kann können nicht kein keine keiner keinem keinen nie nur alle auch
    erlaubt verboten ist sind wird werden der die das den dem des ein eine einer einem einen für im in und zu mit
    von pas est le la les l un une dans de du"""
))  # fmt: skip


@dataclass(frozen=True)
class _Denial:
    """What a word denies: the words behind it in its clause, or all of the clause's; the first of those; and what
    stands before it in its clause."""

    words: frozenset[str]
    first: str
    before: frozenset[str]

    def of(self, shared: frozenset[str]) -> frozenset[str]:
        """The words that it denies of those that are shared: "it is not obtained" denies what "it" is."""
        return shared & self.words or shared & self.before


class _Statement:
    def __init__(self, text: str) -> None:
        self.text = text
        self.plain = _NO_DENIAL.sub(" ", text)

    @cached_property
    def forms(self) -> dict[str, frozenset[str]]:
        """The words as they are written, each with the stems of those beside it that say what is spoken of."""
        words = re.findall(r"[^\W\d_]+", self.text.casefold())
        telling = [(at, stem) for at, word in enumerate(words) for stem in _content(word)]
        found = dict[str, frozenset[str]]()
        for at, word in enumerate(words):
            before = [stem for place, stem in telling if place < at][-1:]
            behind = [stem for place, stem in telling if place > at][:1]
            found[word] = found.get(word, frozenset()) | {*before, *behind}
        return found

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(_content(self.text))

    @cached_property
    def amounts(self) -> tuple[ReadAmount, ...]:
        return tuple(read_amounts(self.text))

    @cached_property
    def denials(self) -> tuple[_Denial, ...]:
        """Of words that are denied wherever they stand: what is also said is not denied."""
        spans = list[tuple[int, int, str]]()
        for match in _DENIES.finditer(self.plain):
            spans.append((match.end(), self._clause(match.end())[1], "behind"))
        for match in _DENIES_ALL.finditer(self.plain):
            spans.append((*self._clause(match.end()), "all"))
        for match in _LACKS.finditer(self.plain):
            end = re.compile(r"(?:\W*\w+){0,3}").match(self.plain, match.end())
            spans.append((match.end(), min(self._clause(match.end())[1], end.end() if end else match.end()), "few"))
        denied = [_content(self.plain[start:end]) for start, end, _ in spans]
        rest = "".join(
            " " if any(start <= at < end for start, end, _ in spans) else letter for at, letter in enumerate(self.plain)
        )
        said = frozenset(_content(rest))
        found = list[_Denial]()
        for (start, _, kind), words in zip(spans, denied, strict=True):
            before = _content(self.plain[self._clause(start)[0] : start]) if kind == "behind" else []
            first = words[0] if words else ""
            found.append(_Denial(frozenset(words) - said, first, frozenset(before)))
        return tuple(found)

    def _clause(self, at: int) -> tuple[int, int]:
        """Where the clause at a place begins and ends."""
        begin = max((m.end() for m in _CLAUSE_ENDS.finditer(self.plain, 0, at)), default=0)
        end = _CLAUSE_ENDS.search(self.plain, at)
        return begin, end.start() if end else len(self.plain)

    def demand(self, shared: frozenset[str]) -> Demand | None:
        """What it demands in a clause with words that are shared; None where it demands nothing there."""
        for pattern, positive, negative in _DEMANDS:
            for match in pattern.finditer(self.plain):
                begin, _ = self._clause(match.start())
                _, end = self._clause(match.end())
                if shared.isdisjoint(_content(self.plain[begin:end])):
                    continue
                before, behind = self.plain[begin : match.start()], self.plain[match.end() : end]
                denied = len(_DENIES_ALL.findall(self.plain[begin:end]))
                denied += bool(_DENIED_BEFORE.search(before)) + bool(_DENIED_BEHIND.match(behind))
                if not denied % 2:
                    return positive
                return "forbidden" if _FORBIDDEN_BY_MUST.fullmatch(match.group()) else negative
        return None


_DENIED_BEFORE: Final = re.compile(r"(?:\b(?:not|never|nicht|pas)\b|n['’]t\b)\s+(?:\w+\s+){0,1}$", re.I)
_DENIED_BEHIND: Final = re.compile(
    r"n['’]t\b|\s*(?:not|never|no longer|nicht|pas|ne pas)\b|(?:\s+\w+){1,3}\s+(?:nicht|pas)\b", re.I
)
# What demands, allows or forbids, and what it does where it is denied.
_DEMANDS: Final[tuple[tuple[re.Pattern[str], Demand, Demand], ...]] = (
    (_FORBIDS, "forbidden", "allowed"), (_FREES, "free", "obliged"), (_OBLIGES, "obliged", "free"),
    (_ALLOWS, "allowed", "forbidden"), (_NEEDS, "obliged", "free"),
)  # fmt: skip
_INCOMPATIBLE: Final = frozenset({
    ("obliged", "allowed"), ("obliged", "free"), ("obliged", "forbidden"), ("forbidden", "allowed"),
    ("forbidden", "obliged"), ("forbidden", "free"), ("allowed", "forbidden"), ("free", "obliged"),
    ("free", "forbidden"),
})  # fmt: skip


def find_opposite(text: str, passages: Sequence[str]) -> str | None:
    """The part of `text` of which the passages say the opposite, or less, or something else; None for none. What is a
    whole sentence of theirs says what they say: without that a clause of it is held against all of it."""
    printed = [one for passage in passages for one in split_sentences(passage)]
    same = {_plain(one) for one in printed}
    text = " ".join(one for one in split_sentences(text) if _plain(one) not in same)
    statements = [_statement(one) for one in printed]
    for part in _stated(text, _STATED):
        nearest = _nearest(said := _statement(part), statements)
        if nearest and all(_opposes(said, one) for one in nearest):
            return part
    told = [one for one in map(_statement, _stated(text, _TOLD_EACH)) if one.amounts]
    parts = [_statement(part) for passage in passages for part in _stated(passage, _TOLD_EACH)] if told else []
    misplaced = (one for one in told if _misplaces(one, parts, _is_rival) or _misplaces(one, statements, _is_foreign))
    return next((one.text for one in misplaced), None)


@lru_cache(maxsize=512)
def _statement(text: str) -> _Statement:
    return _Statement(text)


def _plain(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()


def _stated(text: str, apart: re.Pattern[str]) -> Iterator[str]:
    for sentence in split_sentences(text):
        yield from (part.strip(" ,") for part in apart.split(sentence) if part.strip(" ,"))


def _content(text: str) -> list[str]:
    """Stems of the words that say what is spoken of, in order."""
    words = re.findall(r"[^\W\d_]{2,}", text.casefold())
    return [stem for word in words if word not in _FUNCTION for stem in tokenize(word).counts]


def _nearest(said: _Statement, statements: Sequence[_Statement]) -> list[_Statement]:
    """Statements with the most of its words, all of which say the same or the opposite."""
    shares = [(len(said.words & one.words) + len(_opposed(said, one)), one) for one in statements]
    most = max((share for share, _ in shares), default=0)
    if most < SHARED_MIN * len(said.words) or most == 0:
        return []
    return [one for share, one in shares if share == most]


def _opposed(said: _Statement, other: _Statement) -> list[str]:
    """Words of `said` whose opposite the other has in their place: beside the same word."""
    own, theirs = said.forms.keys() - other.forms.keys(), other.forms.keys() - said.forms.keys()
    found = list[str]()
    for word in own:
        for its in theirs:
            if _are_opposite(word, its) and not said.forms[word].isdisjoint(other.forms[its]):
                found.append(word)
                break
    return found


@lru_cache(maxsize=4096)
def _are_opposite(one: str, other: str) -> bool:
    if any((one in a and other in b) or (one in b and other in a) for a, b in _ANTONYMS):
        return True
    short, long = sorted((one, other), key=len)
    prefix = long.removesuffix(short)
    return prefix != long and prefix in _PREFIXES and len(short) >= _PREFIXED_MIN + (prefix != "un")


def _opposes(said: _Statement, other: _Statement) -> bool:
    shared = said.words & other.words
    turned = len(_opposed(said, other))
    if not (shared or turned):
        return False
    turning = bool(_TURNS.search(said.text) or _TURNS.search(other.text))
    demands = (said.demand(shared), other.demand(shared))
    if None not in demands and not turning:
        return (demands in _INCOMPATIBLE) != bool(turned % 2) or _bounds_differ(said, other)
    own, theirs = ([one for one in side.denials if one.of(shared)] for side in (said, other))
    count = _alone(own, theirs, shared) + _alone(theirs, own, shared) + turned
    count += sum(demand == "forbidden" and not found for found, demand in zip((own, theirs), demands, strict=True))
    if count % 2:
        return True
    if len(own) == len(theirs) == 1 and not turned:
        one, its = own[0], theirs[0]
        if {one.first, its.first} <= shared and one.first not in its.words and its.first not in one.words:
            return True
    return _exaggerates(said, other) or _bounds_differ(said, other)


def _alone(own: Sequence[_Denial], theirs: Sequence[_Denial], shared: frozenset[str]) -> int:
    """How many deny nothing that the others deny."""
    denied = frozenset[str]().union(*(one.of(shared) for one in theirs))
    return sum(one.of(shared).isdisjoint(denied) for one in own)


def _exaggerates(said: _Statement, other: _Statement) -> bool:
    if _OF_ALL.search(said.text) and _OF_SOME.search(other.text) and not _OF_ALL.search(other.text):
        return True
    only = bool(_ONLY.search(said.text)) and not _MERELY.search(said.text)
    return only and not _RESTRICTS.search(other.text)


def _bounds_differ(said: _Statement, other: _Statement) -> bool:
    """Whether one value is the least here and the most there."""
    for one in said.amounts:
        same = [its for its in other.amounts if its.unit == one.unit and (its.low, its.high) == (one.low, one.high)]
        if same and all({one.bound, its.bound} == {"<=", ">="} for its in same):
            return True
    return False


def _misplaces(
    said: _Statement, parts: Sequence[_Statement], apart: Callable[[_Statement, _Statement, _Statement], bool]
) -> bool:
    """Whether a value is told of what another part of the passages gives another value, and all parts with this value
    are `apart` from that (what is said, the part that speaks of it, one with the value). One that points back at what
    stands before it may speak of that."""
    for amount in said.amounts:
        alike = [(one, [its for its in one.amounts if its.unit == amount.unit]) for one in parts]
        holding = [one for one, its in alike if any(not cannot_both_be(amount, a) for a in its)]
        if any(_POINTS_BACK.search(one.text) for one in holding):
            continue
        others = [one for one, its in alike if its and one not in holding]
        if holding and any(all(apart(said, other, one) for one in holding) for other in others):
            return True
    return False


def _is_rival(said: _Statement, other: _Statement, holder: _Statement) -> bool:
    """Whether a part with the value has fewer of the words, and few others instead."""
    mine, its = said.words & other.words, said.words & holder.words
    beside = holder.words - said.words
    return its < mine and said.words <= other.words and 0 < len(beside) <= RIVAL_MAX


def _is_foreign(said: _Statement, other: _Statement, holder: _Statement) -> bool:
    """Whether a sentence with the value speaks of something else than the one with most of what is said: it has fewer
    of the words, and others instead."""
    mine, its = said.words & other.words, said.words & holder.words
    return its < mine and len(mine) >= SHARED_MIN * len(said.words) and bool(holder.words - said.words)
