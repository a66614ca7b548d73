"""Clauses by what they do, whatever the field of science: something was done, something was seen, something is excused.

Verbs are an open class and are taken as they come; what is listed are the few that tell of seeing and of saying.
"""

import re
from typing import Final

# What is seen, thought or said is no step of a method.
_SEEN: Final = re.compile(
    r"(?:observ|f[io]u?nd|see[ns]?$|saw|show|note|notic|detect|reveal|demonstrat|indicat|suggest|confirm|conclud|believ"
    r"|hypothe|argu|think|thought|know|expect|hop[ei]|discuss|describ|illustrat|summar|present(?:s|ed)?$|refer|call"
    r"|associat|correlat|reduc|increas|decreas|improv|affect|involv|relat|link|predict|caus|caught|limit|need|requir"
    r"|becom|remain|seem|appear|provid|propos|introduc|mean|consider|support|attribut|owe|report|publish|highlight"
    r"|motivat|interest|concern|aware|aim|seek|intend|outperform|achiev|obtain|yield|reach|gain|exceed|given|based"
    r"|(?:plan(?:s|ned)?|led|able|can|could|will|would|may|might|must|should|are|have|had|did|do|also|then|not|only)$"
    r"|mention|emphasi|point|claim|assum|stress|elaborat|outlin|review|refrain|rel[iy]|releas|thank|acknowledg|leave|left)",
    re.I,
)
_BETWEEN: Final = r"(?:(?:not|also|then|first|next|all|both|each|only|further|thus|finally|\w+ly) )*"
_ACTIVE: Final = re.compile(rf"\bwe {_BETWEEN}(?P<verb>[a-z-]+)", re.I)
_VERB: Final = r"(?P<verb>[a-z-]+(?:ed|awn|iven|aken|osen|ught|elt|ept)|set|cut|run|put|built|made|held|fed)\b"
_PASSIVE: Final = re.compile(rf"\b(?:was|were) {_BETWEEN}{_VERB}", re.I)
_PRESENT: Final = re.compile(rf"\b(?:is|are) {_BETWEEN}{_VERB}", re.I)
# How something was done.
MEANS: Final = re.compile(
    r"\b(?:using|by means of|with the (?:use|aid|help) of|according to|by \w+ing|via|based on|in accordance with"
    r"|from \w+ to|in which)\b",
    re.I,
)
# What tells where the document says something, and says nothing of it.
SIGNPOST: Final = re.compile(
    r"\bsect(?:ion|\.)s? ?\d|\b(?:remainder|rest) of (?:this|the) (?:paper|article)"
    r"|\b(?:paper|article) is (?:organi[sz]ed|structured)", re.I
)  # fmt: skip


# What a measurement gave is no step of the method: `was measured to be 63 MPa`, `a modulus of 3.19 GPa was measured`.
_GAVE: Final = re.compile(
    r"\b(?:measured|calculated|estimated|determined|found) (?:to be|as)\b[^.]{0,40}\d"
    r"|\b(?:an?|the) (?:[\w-]+ ){1,4}of [~≈<>]? ?[−-]?\d[^;]{0,60}\b(?:was|were) (?:measured|obtained|calculated"
    r"|recorded)\b"
    r"|^(?:the|these|this) (?:[\w-]+ ){1,4}(?:in|de)creased\b",
    re.I,
)


def tells_a_step(text: str, present: bool = False) -> bool:
    """Whether a clause says what somebody did: `we averaged`, `were presented in pairs`; with `present` also `is
    simulated`, as formulas and models are told of, too."""
    if _GAVE.search(text):
        return False
    patterns = (_ACTIVE, _PASSIVE, _PRESENT) if present else (_ACTIVE, _PASSIVE)
    return any(not _SEEN.match(match["verb"]) for pattern in patterns for match in pattern.finditer(text))


# What is wished for, or may be, is nothing that was found: `to improve`, `could increase`.
_WISHED: Final = re.compile(
    r"\b(?:to|can|could|would|may|might|should|will)(?: (?:not|also|be|have|help|\w+ly))* $", re.I
)


def claims(found: re.Pattern[str], text: str) -> bool:
    """Whether one of the words stands as a fact."""
    return any(not _WISHED.search(text[: match.start()]) for match in found.finditer(text))


# A verb, seen by its form or by what stands before it; "increase of concentrations" and "samples" may be none.
_FINITE: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|do|does|did|can|cannot|could|may|might|must|shall|should|will|would)\b"
    r"|\b(?:we|they|it|this|these|that|which|who)\b"
    r"|\b(?!based|compared|related|limited|detailed|combined|fixed|need|seed|speed|feed|bed|red|hundred)[a-z]+[^\We]ed\b"
    r"|\b(?:f[oe]ll|rose|found|gave|led|became|began|grew|saw|kept|held|made|took|went|came|lay|stood)\b"
    r"|\b(?:show|suggest|indicat|reveal|demonstrat|confirm|increas|decreas|improv|reduc|exceed|outperform|yield|reach"
    r"|achiev|perform|remain|appear|seem|depend|affect|lead|provid|requir|contain|depict|differ|support|impl[iy])"
    r"(?:e?s|e(?! (?:of|in)\b))?\b",
    re.I,
)


def has_verb(text: str) -> bool:
    """False for what names something only, as the caption of a figure that was read as text."""
    return bool(_FINITE.search(text))
