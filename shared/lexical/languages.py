"""The languages of the lexical index: their stop words, their stemmers, and detection of the language of a text.

A language is detected by its function words, which every text of some length is full of. The lists are our own, so that
the answer is the same on every machine. Without clear evidence the language is English, whose stemmer leaves other
scripts unchanged.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from math import lcm
from typing import Any

import Stemmer

ENGLISH = "en"
_STEMMERS = {
    ENGLISH: "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
}
LANGUAGES = tuple(_STEMMERS)

_STOP_WORDS = {
    ENGLISH: (
        "a about above after again against all am an and any are as at be because been before being below between "
        "both but by can could did do does doing don during each few for from further had has have having he her here "
        "hers herself him himself his how i if in into is it its itself just me more most my myself no nor not now of "
        "off on once only or other our ours ourselves out over own s same she should so some such t than that the "
        "their theirs them themselves then there these they this those through to too under until up very was we were "
        "what when where which while who whom why will with would you your yours yourself yourselves"
    ),
    "de": (
        "aber alle allem allen aller alles als also am an ander andere anderen auch auf aus bei beim bin bis bist da "
        "damit dann das dass daß dein deine dem den denn der des dessen deren dich die dies diese diesem diesen "
        "dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer für gegen hab "
        "habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in indem "
        "ins ist jede jedem jeden jeder jedes jene jetzt kann kein keine keinem keinen keiner können könnte man "
        "manche mein meine mich mir mit muss muß müssen nach nicht nichts noch nun nur ob oder ohne sehr sein seine "
        "seinem seinen seiner sich sie sind so solche soll sollen sondern sonst über um und uns unser unsere unter "
        "viel vom von vor war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden wie "
        "wieder wir wird wirst wo wurde wurden würde während zu zum zur zwar zwischen"
    ),
    "fr": (
        "à ai ainsi après au aucun aucune aussi autre autres aux avait avant avec avoir ce ceci cela celle celles "
        "celui ces cet cette ceux chaque chez comme comment d dans de depuis des dès deux doit doivent donc dont du "
        "elle elles en encore entre est et été étaient était être eu eux fait font furent fut ici il ils j je jusqu l "
        "la le les leur leurs lors lorsque lui m ma mais me même mes moins mon n ne ni nos notre nous on ont ou où "
        "par pas peu peut peuvent plus plusieurs pour pourquoi qu quand que quel quelle quelles quels qui s sa sans "
        "se selon sera seront ses si son sont sous sur t ta te tes ton tous tout toute toutes très tu un une vers vos "
        "votre vous y"
    ),
    "es": (
        "a al algo algunas algunos ante antes aquel aquella así aunque cada como con contra cual cuales cualquier "
        "cuando de del desde donde dos durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos "
        "esta está están estas este esto estos fue fueron ha había haber han hasta hay la las le les lo los más me "
        "mediante mi mientras misma mismo muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para "
        "pero poco por porque pueda puede pueden pues que qué quien quienes se sea sean según ser será serán si sí "
        "sido sin sobre son su sus también tan tanto te tiene tienen toda todas todo todos tras tu un una uno unos y "
        "ya yo"
    ),
    "it": (
        "a ad agli ai al alla alle allo altra altre altri altro anche ancora avere aveva c che chi ci ciascun come "
        "con contro cui d da dagli dai dal dalla dalle dallo degli dei del dell della delle dello deve devono di dopo "
        "dove due durante e è ed era erano essere fino fra gli ha hanno i il in io l la le lei li lo loro lui ma "
        "mediante mentre mi mia mio modo molto ne negli nei nel nell nella nelle nello noi non nostra nostro o ogni "
        "oltre oppure per perché però più poi possono prima può qual quale quali quando quanto quella quelle quelli "
        "quello questa queste questi questo qui quindi sarà se secondo senza si sia siano sono sopra sotto su sua sue "
        "sugli sui sul sulla sulle sullo suo suoi tra tutte tutti tutto un una uno vi voi"
    ),
    "pt": (
        "a à ao aos aquela aquele aqueles as às até cada com como contra cuja cujo da das de dela dele deles depois "
        "desde deve devem do dos e é ela elas ele eles em entre era eram essa essas esse esses esta está estão estas "
        "este estes eu foi foram há isso isto já lhe lhes mais mas me mediante mesma mesmo meu minha muito na nas não "
        "nem no nos nós nossa nosso num numa o onde os ou outra outras outro outros para pela pelas pelo pelos pode "
        "podem pois por porque qual quais qualquer quando quanto que quem são se segundo seja sejam sem ser será "
        "serão seu seus si só sob sobre sua suas também tem têm todas todo todos tu um uma uns você"
    ),
    "nl": (
        "aan af al alle alles als altijd andere ben bent bij binnen daar dan dat de deze die dit doch doen door dus "
        "echter een eens elk elke en er ge geen geweest haar had hadden heb hebben heeft hem hen het hier hij hoe hun "
        "ieder iets ik in indien is ja je kan kon kunnen maar me meer men met mij mijn moet moeten na naar naast niet "
        "niets nog nu of om omdat onder ons onze ook op over per reeds sinds te tegen ten ter tijdens tot u uit uw "
        "van vanaf veel voor wanneer want waren was wat we wel welke werd werden wie wij wordt worden zal ze zelf "
        "zich zij zijn zo zoals zonder zou zouden zullen"
    ),
}
STOP_WORDS = {language: frozenset(words.split()) for language, words in _STOP_WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+")
_ACCENTS = re.compile("[\u0300-\u036f]")
# Least share of a language's function words among all words, and least lead over English, to be detected.
SHARE_MIN, LEAD_MIN, WORDS_MIN = 0.10, 1.2, 20
WORDS_READ = 20_000
# Of a function word: a multiple of every number of languages, so that the order of words changes no sum.
WHOLE = lcm(*range(1, len(LANGUAGES) + 1))


def languages_version() -> str:
    """Identifies the stemmers and word lists: with another version, words may have other stems."""
    return f"snowball-{Stemmer.version()}"


def detect_language(texts: Iterable[str]) -> str:
    """Returns the language of most words of `texts`, of which the first 20,000 are read; English without clear
    evidence."""
    words = _first_words(texts)
    total = words.total()
    if total < WORDS_MIN:
        return ENGLISH
    scores = function_word_scores(words)
    best = max(LANGUAGES, key=lambda language: scores[language])
    enough = scores[best] >= SHARE_MIN * total
    return best if enough and scores[best] >= LEAD_MIN * scores[ENGLISH] else ENGLISH


def function_word_scores(words: Mapping[str, int]) -> dict[str, float]:
    """How often `words`, lower case with their counts, has each language's function words; one of several languages
    counts less for each."""
    shares = dict.fromkeys(LANGUAGES, 0)
    by_word = _languages_by_word()
    for word, count in words.items():
        owners = by_word.get(word, ())
        for language in owners:
            shares[language] += count * WHOLE // len(owners)
    return {language: share / WHOLE for language, share in shares.items()}


def _first_words(texts: Iterable[str]) -> Counter[str]:
    words: Counter[str] = Counter()
    for text in texts:
        words.update(_WORD.findall(text.lower()))
        if words.total() >= WORDS_READ:
            break
    return words


@cache
def _languages_by_word() -> dict[str, list[str]]:
    """Maps each function word to the languages that have it."""
    owners: dict[str, list[str]] = {}
    for language, words in STOP_WORDS.items():
        for word in words:
            owners.setdefault(word, []).append(language)
    return owners


@cache
def _stemmer(language: str) -> Any:
    return Stemmer.Stemmer(_STEMMERS[language])


@lru_cache(200_000)
def stem(word: str, language: str) -> str:
    """Returns the word's stem in a language, without accents, which writers often omit and OCR often loses."""
    stemmed: str = _stemmer(language).stemWord(word)
    return stemmed if stemmed.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFKD", stemmed))
