"""Words of a query that occur nowhere in scope: misspelt ones are the nearest word in scope, and those that are no
misspelt ones their other spelling, British or American, where that occurs.

A word that is merely absent must stay as it is ("loud" is no misspelt "load"), hence the list of words: 21,000 whole
words of BERT's vocabulary. Nor is a word of another language a misspelt English one ("sagt" is not "salt"): only
English queries are corrected, and only into words of English documents. Measurements:
docs/decisions/0053-misspelt-words.md
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import resources
from string import ascii_lowercase

from shared.lexical.languages import ENGLISH, STOP_WORDS, function_word_scores, stem
from shared.lexical.statistics import term_histograms, words_near
from shared.lexical.tokenizer import term_number
from shared.lexical.variants import spelt_otherwise
from shared.store.connect import Connection

# One edit in words of four letters and more, two in longer ones; shorter ones can only be misspelt function words.
LENGTH_MIN, LENGTH_TWO_EDITS, LENGTH_FUNCTION_WORD = 4, 7, 3
# What an English word that is no function word counts for: names and words of other languages are in the list as well.
KNOWN_WEIGHT = 0.5
# Of a long query, this many of the words that occur nowhere are looked at.
WORDS_MAX = 8
_LETTERS = re.compile(r"[^\W\d_]+")


def correct_words(connection: Connection, unknown: Sequence[str]) -> dict[str, str]:
    """Maps those of `unknown` (lower case, in no chunk in scope) that are misspelt, or are spelt otherwise there, to
    what is meant.

    Of a misspelt one that is an English word in scope, or a function word, with the same first letter, at most one edit
    away (of seven letters and more two, if the first two letters are the same). Of several it is the nearest, then one
    with the same second letter, then the one that most chunks have. Takes two statements, none where no word is taken
    for misspelt, and one more where a word has another spelling.
    """
    otherwise = _spelt_otherwise(connection, unknown)
    misspelt = [word for word in unknown if word not in otherwise and is_misspelt(word)][:WORDS_MAX]
    if not misspelt:
        return otherwise
    longer = [word for word in misspelt if len(word) >= LENGTH_MIN]
    exact = {variant for word in longer for variant in _second_letter_edited(word)}
    known = _of_english_texts(words_near(connection, longer, sorted(exact))) if longer else {}
    near = {word: _nearest(word, known) for word in misspelt}
    numbers = {n for words in near.values() for candidate in words for n in known.get(candidate, ())}
    histograms = term_histograms(connection, sorted(numbers)) if numbers else {}
    chunks = {n: sum(map(sum, found.values())) for n, found in histograms.items()}

    def order(word: str, candidate: str) -> tuple[bool, bool, int, str]:
        having = sum(chunks.get(n, 0) for n in known.get(candidate, ()))
        return candidate not in STOP_WORDS[ENGLISH], candidate[:2] != word[:2], -having, candidate

    return otherwise | {word: min(words, key=partial(order, word)) for word, words in near.items() if words}


def _spelt_otherwise(connection: Connection, unknown: Sequence[str]) -> dict[str, str]:
    """Their other spellings, British or American, of which English documents in scope have a form."""
    stop_words, words = STOP_WORDS[ENGLISH], english_words()
    spellings = {word: [v for v in spelt_otherwise(word) if v in words and v not in stop_words] for word in unknown}
    numbers = {v: term_number(stem(v, ENGLISH)) for others in spellings.values() for v in others}
    there = term_histograms(connection, sorted({*numbers.values()})) if numbers else {}
    return {word: v for word, others in spellings.items() for v in others if numbers[v] in there}


def is_english(text: str, languages: Collection[str]) -> bool:
    """Whether a query over documents in `languages` is English: its English words outweigh the function words of every
    other language. Without any of them it is where all documents are."""
    english, others = _weigh_languages(text)
    most = max(others.values())
    return english > most or (english == most == 0 and {*languages} <= {ENGLISH})


def function_words_in(text: str) -> frozenset[str]:
    """The function words of a query, in lower case: those of the language that it is written in, or of each of several
    that are equally likely. None where no word tells its language."""
    english, others = _weigh_languages(text)
    most = max(english, *others.values())
    likely = [ENGLISH] if english == most else [language for language, score in others.items() if score == most]
    words = {word for word in _LETTERS.findall(text.lower()) if most}
    return frozenset(word for word in words if any(word in STOP_WORDS[language] for language in likely))


def _weigh_languages(text: str) -> tuple[float, dict[str, float]]:
    """What speaks for English, and what for each other language. A word with a letter that English lacks is of another
    one."""
    words = Counter(_LETTERS.findall(text.lower()))
    scores = function_word_scores(words)
    functional = {word for listed in STOP_WORDS.values() for word in listed}
    known = sum(count for word, count in words.items() if word not in functional and word in english_words())
    foreign = sum(count for word, count in words.items() if word not in functional and not word.isascii())
    english = scores.pop(ENGLISH) + KNOWN_WEIGHT * known
    return english, {language: score + foreign for language, score in scores.items()}


def is_misspelt(word: str) -> bool:
    """Whether a word that occurs nowhere in scope is taken for misspelt."""
    if not (word.isascii() and word.isalpha() and len(word) >= LENGTH_FUNCTION_WORD):
        return False
    return word not in english_words() and stem(word, ENGLISH) not in _english_stems()


def replace_words(text: str, corrections: Mapping[str, str]) -> str:
    """The text with each whole word of `corrections` replaced, in whatever case it is written."""
    written = "|".join(map(re.escape, corrections))
    whole = re.compile(rf"(?<![^\W_])(?:{written})(?![^\W_])", re.IGNORECASE)
    return whole.sub(lambda match: corrections.get(match.group().lower(), match.group()), text) if written else text


@cache
def english_words() -> frozenset[str]:
    return frozenset(resources.files("shared.lexical").joinpath("english_words.txt").read_text("utf-8").split())


@cache
def _english_stems() -> frozenset[str]:
    return frozenset(stem(word, ENGLISH) for word in english_words())


def edit_distance(one: str, other: str, most: int) -> int:
    """Insertions, deletions, replacements and exchanges of neighbours (optimal string alignment; Damerau 1964);
    `most` + 1 where there are more."""
    before: Sequence[int] = []
    row: Sequence[int] = range(len(other) + 1)
    for i, letter in enumerate(one, start=1):
        latest = [i]
        for j, against in enumerate(other, start=1):
            cost = min(row[j] + 1, latest[j - 1] + 1, row[j - 1] + (letter != against))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == against:
                cost = min(cost, before[j - 2] + 1)
            latest.append(cost)
        if min(latest) > most:
            return most + 1
        before, row = row, latest
    return row[-1]


def _of_english_texts(known: Mapping[str, set[int]]) -> dict[str, set[int]]:
    """Those words that English documents have: stems of other languages have other terms."""
    return {word: numbers for word, numbers in known.items() if term_number(stem(word, ENGLISH)) in numbers}


def _nearest(word: str, known: Mapping[str, Iterable[int]]) -> list[str]:
    """The candidates with the fewest edits, if those are few enough."""
    most = 0 if len(word) < LENGTH_MIN else 1 if len(word) < LENGTH_TWO_EDITS else 2
    function_words = {candidate for candidate in STOP_WORDS[ENGLISH] if len(candidate) >= LENGTH_FUNCTION_WORD}
    near: dict[str, int] = {}
    letters = set(word)
    for candidate in known.keys() | function_words:
        allowed = 1 if candidate in function_words else most if candidate[:2] == word[:2] else min(most, 1)
        # An edit brings at most one letter and takes one: that tells most words apart, long before their distance.
        may_be_near = abs(len(candidate) - len(word)) <= allowed and len(letters ^ set(candidate)) <= 2 * allowed
        if candidate[0] == word[0] and may_be_near:
            distance = edit_distance(word, candidate, allowed)
            if distance <= allowed:
                near[candidate] = distance
    least = min(near.values(), default=0)
    return sorted(candidate for candidate, distance in near.items() if distance == least)


def _second_letter_edited(word: str) -> Iterator[str]:
    """The spellings one edit away that begin with another pair of letters."""
    first, second, rest = word[0], word[1], word[2:]
    yield from (first + rest, first + rest[:1] + second + rest[1:])
    for letter in ascii_lowercase:
        yield from (first + letter + rest, first + letter + second + rest)
