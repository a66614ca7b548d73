"""Which fields a section speaks of, by the words of its heading and of those above it."""

import re
from typing import Final

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


class SectionPlace:
    """What a section's headings say. `fields`: those that they name; `aside`: not this experiment; `abstract`,
    `introduction` and `closing`: parts that speak of all fields. `opens`: its heading is the document's title.
    `nowhere`: no heading of the document names a field."""

    def __init__(self, section: Section | None, opens: bool = False, nowhere: bool = False) -> None:
        self.nowhere = nowhere
        self.titles = [step.title for step in section.path] if section else []
        own = self.titles[-1] if self.titles else ""
        # A document's title stands above all of its sections, and names no part of it.
        above = self.titles[1:-1] if len(self.titles) > 1 else []
        self.aside = any(_ASIDE.search(title) for title in (*above, own))
        self._title = opens
        self.fields = (
            frozenset[SummaryField]()
            if opens
            else _named(own) or next((found for title in reversed(above) if (found := _named(title))), frozenset())
        )
        self.abstract, self.introduction = bool(_ABSTRACT.search(own)), bool(_INTRODUCTION.search(own))
        self.closing = bool(_CLOSING.search(own))

    @property
    def opens(self) -> bool:
        """Where a document says what it is about."""
        return self.abstract or self.introduction or self._title

    @property
    def told(self) -> str:
        return self.titles[-1] if self.titles else ""


def _named(title: str) -> frozenset[SummaryField]:
    return frozenset(field for field, words in _FIELDS if words.search(title))
