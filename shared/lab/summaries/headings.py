"""Which fields a section speaks of, by the words of its heading and of those above it."""

import re
from collections.abc import Container, Sequence
from typing import Final
from uuid import UUID

from shared.domain.experiments import SummaryField
from shared.domain.knowledge import Section

# Sections that tell of others' work, or of nothing: none of their sentences states this experiment.
_ASIDE: Final = re.compile(
    r"\b(?:related (?:works?|research)|literature review|previous work|references?|bibliography|works cited"
    r"|acknowledge?ments?"
    r"|further reading|about the authors?|authors?|appendi(?:x|ces)|supplementa\w+|funding|conflicts? of interests?"
    r"|competing interests|ethic\w*|informed consent|copyright)\b",
    re.I,
)
_ABSTRACT: Final = re.compile(r"\b(?:abstract|synopsis|executive summary|summary)\b", re.I)
_INTRODUCTION: Final = re.compile(r"\b(?:introduction|motivation)\b", re.I)
_CLOSING: Final = re.compile(r"\b(?:conclusions?|concluding remarks|discussions?)\b", re.I)
# What stands at the head of a paragraph in place of a heading, as in structured abstracts.
_LABEL: Final = re.compile(
    r"(abstract|summary|background|context|introduction|aims?|objectives?|purpose|hypothes[ei]s|(?:study )?design"
    r"|settings?|(?:materials?|patients?|subjects?|participants?)(?: and |/| & )methods?|methods?|methodology"
    r"|participants?|patients|subjects|interventions?|(?:main )?outcomes?(?: and)?(?: measures?)?"
    r"|measurements?(?: and main results)?"
    r"|(?:statistical )?analys[ei]s|(?:main )?results?|(?:key |main )?findings|limitations?|discussion|interpretation"
    r"|conclusions?)(?:\.(?=\s[A-Z])|:|\s?[—–](?=\s?[A-Z]))",
    re.I,
)
_LETTERS: Final = re.compile(r"(?<!\S)(?:\w ){2,}\w(?!\S)")
_FIELDS: Final[tuple[tuple[SummaryField, re.Pattern[str]], ...]] = (
    ("objective", re.compile(
        r"\b(?:objectives?|aims?|purpose|goals?|hypothes[ie]s|research questions?|problem (?:statement"
        r"|definition))\b", re.I)),
    ("setup", re.compile(
        r"\b(?:methods?|methodology|materials|approach|experiments?|experimental|set-?up|settings?|implementation"
        r"|procedures?"
        r"|interventions?|(?:study )?design|training|pre-?training|baselines?|benchmarks|protocol"
        r"|treatments?|hyper-?parameters|configuration|(?:experiment|control|treatment) group"
        r"|duration|models?|architecture)\b", re.I)),
    ("dataset", re.compile(
        r"\b(?:data|data ?sets?|corpus|corpora|participants|subjects|samples?|sample size|population|cohort"
        r"|patients)\b", re.I)),
    ("metrics", re.compile(
        r"\b(?:metrics?|measures?|measurements?|evaluation|outcomes?|end ?points?|instrumentation|instruments"
        r"|scoring)\b", re.I)),
    ("results", re.compile(r"\b(?:results?|findings|performance|ablations?|comparisons?|impact"
        r"|^(?!.*\b(?:statistic|data|sample|power|plan)).*analys[ie]s)\b", re.I)),
    ("stats", re.compile(r"\b(?:statistic(?:s|al)|data (?:collection and )?analysis|sample size"
        r"|power analysis)\b", re.I)),
    ("limits", re.compile(r"\b(?:limitations?|caveats?|weaknesses|future (?:work|research|directions)"
        r"|implications)\b", re.I)),
    ("confounds", re.compile(r"\b(?:confound\w*|bias(?:es)?|threats to (?:\w+ )?validity)\b", re.I)),
)  # fmt: skip

_KINDS: Final = {"abstract": _ABSTRACT, "introduction": _INTRODUCTION, "closing": _CLOSING, "aside": _ASIDE}


class SectionPlace:
    """What a section's headings say. `fields`: those that they name; `aside`: not this experiment, `float_aside` the
    same of a table or figure; `abstract`, `introduction` and `closing`: parts that speak of all fields. `opens`: its
    heading is the document's title. `nowhere`: no heading of the document names a field. `wholes`: sections that name
    no part, as titles. `label`: what stands at the head of the paragraph as a heading does."""

    def __init__(
        self,
        section: Section | None,
        opens: bool = False,
        nowhere: bool = False,
        wholes: Container[UUID] = frozenset(),
        label: str = "",
    ) -> None:
        self.nowhere = nowhere
        path = section.path if section else []
        self.titles = [spelled(step.title) for step in path]
        own = label or (self.titles[-1] if self.titles else "")
        above = [spelled(step.title) for step in path[: None if label else -1] if step.id not in wholes]
        self.aside = any(_ASIDE.search(title) for title in (*above, own))
        # A table or figure stands where there was room, also below the last heading of all.
        self.float_aside = any(_ASIDE.search(title) for title in (*self.titles[1:-1], own))
        self._title = opens
        named = frozenset[SummaryField]() if opens and not label else _named(own)
        # What the heading itself says counts for more than what those above it say.
        self.itself = bool(named)
        self.fields = named or next(
            (found for title in reversed(above) if not opens and (found := _named(title))), named
        )
        self.abstract = bool(_ABSTRACT.search(own)) or any(map(_ABSTRACT.fullmatch, above))
        self.introduction, self.closing = bool(_INTRODUCTION.search(own)), bool(_CLOSING.search(own))

    @property
    def opens(self) -> bool:
        """Where a document says what it is about."""
        return self.abstract or self.introduction or self._title

    @property
    def told(self) -> str:
        return self.titles[-1] if self.titles else ""


def label_of(paragraph: str) -> str:
    """The label that a paragraph or sentence begins with: `Results: 21 of them …`; "" for none."""
    found = _LABEL.match(paragraph)
    return found[1] if found else ""


def spelled(title: str) -> str:
    """Without white space between letters: `a b s t r a c t`."""
    return _LETTERS.sub(lambda word: word.group().replace(" ", ""), title)


def wholes_of(sections: Sequence[Section]) -> frozenset[UUID]:
    """The sections that stand over parts of several kinds, as a title over an introduction and a conclusion: their
    headings name no part."""
    over = dict[UUID, set[str]]()
    for section in sections:
        own = spelled(section.title)
        kinds = {name for name, words in _KINDS.items() if words.search(own)}
        for step in section.path[:-1]:
            over.setdefault(step.id, set()).update(kinds)
    return frozenset(key for key, kinds in over.items() if len(kinds) > 1)


def _named(title: str) -> frozenset[SummaryField]:
    return frozenset(field for field, words in _FIELDS if words.search(title))
