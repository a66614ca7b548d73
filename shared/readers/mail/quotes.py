"""Which lines of a message are new, which repeat another message, which are the signature."""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

LineKind = Literal["content", "quoted", "signature"]

# A signature without a delimiter has at most this many lines that are not blank, each at most this long.
SIGNATURE_LINES: Final = 8
SIGNATURE_WIDTH: Final = 60
DELIMITED_LINES: Final = 20
_MARK = re.compile(r"\s*(?:>|\|\s?>)")
# How clients announce the message that they quote: English, German, French, Spanish, Italian, Dutch, Portuguese,
# Polish, Russian, Swedish.
_WROTE = re.compile(
    r"(?:wrote|writes|schrieb(?: .{1,80})?|a écrit|escribió|ha scritto|schreef(?: .{1,80})?|escreveu|napisał\(?a?\)?|"
    r"пишет|написал\(?а?\)?|skrev(?: .{1,80})?)\s?:\s*$",
    re.I,
)
_BEGINS = re.compile(r"\s*(?:(?:on|am|le|el|il|op|em|dnia|w dniu|den)\b|\d)", re.I)
_RULE = re.compile(
    r"\s*(?:[-_=*]{2,}\s*)(?:original message|original appointment|reply message|ursprüngliche nachricht|"
    r"message d'origine|message original|mensaje original|messaggio originale|oorspronkelijk bericht|"
    r"исходное сообщение|originalmeddelande)\s*[-_=*]{2,}\s*$",
    re.I,
)
_FORWARDED = re.compile(
    r"\s*(?:[-_=]{2,}\s*)?(?:begin forwarded message|forwarded message|forwarded by|weitergeleitete nachricht|"
    r"message transféré|mensaje reenviado|messaggio inoltrato|doorgestuurd bericht|пересылаемое сообщение)",
    re.I,
)
_FORWARD_SUBJECT = re.compile(r"\s*(?:fwd?|wg|tr|rv|i|doorst|vs|enc)\s*:", re.I)
_FIELD = re.compile(
    r"\s*[>*]*\s*\*?(?:from|sent|to|cc|date|subject|reply-to|von|gesendet|an|datum|betreff|de|envoyé|à|objet|enviado|"
    r"para|asunto|da|inviato|a|oggetto|van|verzonden|aan|onderwerp|от|отправлено|кому|тема|дата)\s?\*?\s?:\*?\s+\S",
    re.I,
)
FIELDS: Final = 3
_DELIMITER = re.compile(r"\s*(?:--|—|[-_]{3,})\s*$")
_CLOSING = re.compile(
    r"\s*(?:(?:kind|best|warm|with best|with kind|many)?\s*(?:regards|wishes)|(?:yours )?(?:sincerely|truly|faithfully)"
    r"(?: yours)?|(?:many )?thanks(?: again| so much| a lot)?|thank you(?: very much)?|thx|cheers|best|respectfully|"
    r"mit freundlichen grüßen|freundliche grüße|(?:viele|beste|liebe) grüße|mfg|cordialement|bien à vous|"
    r"saludos(?: cordiales)?|atentamente|cordiali saluti|distinti saluti|met vriendelijke groet(?:en)?|"
    r"atenciosamente|с уважением|med vänliga hälsningar)(?: and (?:best )?regards)?\s*[,.!]*\s*$",
    re.I,
)
_SENT_FROM = re.compile(
    r"\s*(?:sent from|sent via|sent with|get outlook for|gesendet von|envoyé de|via mobile)\b", re.I
)
_CONTACT = re.compile(
    r"\S+@\S+\.\w|https?://|www\.|\+?\(?\d[\d\s().-]{6,}\d|^\s*(?:tel|phone|fax|mobile|[tfm])[.:]\s", re.I
)
_SENTENCE = re.compile(r"\w\w[.!?]\s+\S|[?!]\s*$|\b(?:please|you|we|will|is|are|was|have)\b", re.I)


class BodyLine(NamedTuple):
    """A line of a body; `quoted` where its markup says so."""

    text: str
    quoted: bool = False


def kinds_of(lines: Sequence[BodyLine], subject: str, sender: str) -> list[LineKind]:
    """The kind of each line. What is forwarded is content: it need not be anywhere else. A message without a word of
    its own has content only."""
    quoted = _quoted(lines, bool(_FORWARD_SUBJECT.match(subject)))
    kinds: list[LineKind] = ["quoted" if one else "content" for one in quoted]
    for at in _signature(lines, quoted, sender):
        kinds[at] = "signature"
    if not any(kind == "content" and any(map(str.isalnum, line.text)) for kind, line in zip(kinds, lines, strict=True)):
        return ["content"] * len(lines)
    return kinds


def _quoted(lines: Sequence[BodyLine], forward: bool) -> list[bool]:
    found = [line.quoted or bool(_MARK.match(line.text)) for line in lines]
    if forward:
        return [False] * len(lines)
    for at, line in enumerate(lines):
        if _FORWARDED.match(line.text):
            return [*found[:at], *[False] * (len(lines) - at)]
        if found[at]:
            continue
        if _RULE.match(line.text) or _is_header(lines, at):
            return [*found[:at], *[True] * (len(lines) - at)]
        begin = _attribution(lines, at)
        if begin is not None:
            found[begin : at + 1] = [True] * (at + 1 - begin)
            behind = next((n for n in range(at + 1, len(lines)) if lines[n].text.strip()), None)
            if behind is not None and not found[behind]:
                return [*found[: at + 1], *[True] * (len(lines) - at - 1)]
    return found


def _is_header(lines: Sequence[BodyLine], at: int) -> bool:
    """Whether the header of another message begins here: several of its fields, one a line."""
    fields = 0
    for line in lines[at : at + 2 * FIELDS]:
        if _FIELD.match(line.text):
            fields += 1
        elif line.text.strip() or not fields:
            break
    return fields >= FIELDS


def _attribution(lines: Sequence[BodyLine], at: int) -> int | None:
    """Where the announcement of a quotation begins that ends at this line: there, or up to two lines above."""
    if not _WROTE.search(lines[at].text):
        return at if _announces(lines, at) else None
    for begin in range(at, max(at - 3, -1), -1):
        if not lines[begin].text.strip():
            return None
        if _BEGINS.match(lines[begin].text):
            said = " ".join(line.text for line in lines[begin : at + 1])
            return begin if re.search(r"\d|@", said) else None
    return at if "@" in lines[at].text else None


def _announces(lines: Sequence[BodyLine], at: int) -> bool:
    """Whether a line with a date and an address stands directly before a marked quotation, in whatever language."""
    text = lines[at].text
    if not re.search(r"\b(?:19|20)\d\d\b|\d:\d\d", text) or not ("@" in text or text.rstrip().endswith(":")):
        return False
    behind = next((line for line in lines[at + 1 : at + 4] if line.text.strip()), None)
    return behind is not None and (behind.quoted or bool(_MARK.match(behind.text)))


def _signature(lines: Sequence[BodyLine], quoted: Sequence[bool], sender: str) -> list[int]:
    """The lines of the signature: the last lines of the message's own text."""
    own = [at for at, line in enumerate(lines) if not quoted[at] and line.text.strip()]
    if not own:
        return []
    for place, at in enumerate(own):
        if _DELIMITER.match(lines[at].text) and len(own) - place <= DELIMITED_LINES and place > 0:
            rest = own[place:]
            if lines[at].text.strip() == "--" or not any(_is_prose(lines[n].text) for n in rest[1:]):
                return rest
    tail = own[-SIGNATURE_LINES:]
    for at in tail:
        rest = [n for n in tail if n >= at]
        if _begins_signature(lines[at].text, sender) and not any(_is_prose(lines[n].text) for n in rest[1:]):
            return rest
    return []


def _begins_signature(text: str, sender: str) -> bool:
    return bool(_CLOSING.match(text) or _SENT_FROM.match(text)) or _is_name(text, sender)


def _is_name(text: str, sender: str) -> bool:
    """Whether a line is the sender's name, perhaps with what stands behind a name."""
    words = re.findall(r"[^\W\d_]{2,}", text.lower())
    names = set(re.findall(r"[^\W\d_]{2,}", re.sub(r"\S+@\S+", lambda m: m[0].split("@")[0], sender.lower())))
    if not words or len(words) > 5 or _is_prose(text) or text.rstrip().endswith((",", ":")):
        return False
    return words[0] in names or len(names & set(words)) >= 2


def _is_prose(text: str) -> bool:
    return (
        bool(_SENTENCE.search(text) or len(text) > SIGNATURE_WIDTH)
        and not _CONTACT.search(text)
        and not _SENT_FROM.match(text)
    )
