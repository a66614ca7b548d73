"""Which lines of a message are new, which repeat another message, which are the signature."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from shared.readers.mail.html_text import HtmlCell

LineKind = Literal["content", "quoted", "signature"]

# A signature without a delimiter has at most this many lines that are not blank, each at most this long.
SIGNATURE_LINES: Final = 8
SIGNATURE_WIDTH: Final = 60
DELIMITED_LINES: Final = 20
# A line is the sender's name where at least this share of its words are.
NAME_SHARE: Final = 0.5
_WORD = re.compile(r"[^\W\d_]{2,}")
_MARK = re.compile(r"\s*(?:>|\|\s?>)")
# The initials of whoever is quoted, in front of the mark.
_INITIALS = re.compile(r"\s{0,2}[A-Z][A-Za-z]{0,3}>(?:\s|$)")
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
    r"[\s>*]*+(?:from|sent|to|cc|date|subject|reply-to|von|gesendet|an|datum|betreff|de|envoyé|à|objet|enviado|"
    r"para|asunto|da|inviato|a|oggetto|van|verzonden|aan|onderwerp|от|отправлено|кому|тема|дата)\s?\*?\s?:\*?\s++\S",
    re.I,
)
# What is the header of a message and not of a journey has one of these, or an address.
_TELLING = re.compile(
    r"[\s>*]*+(?:sent|subject|gesendet|betreff|envoyé|objet|enviado|asunto|inviato|oggetto|verzonden|onderwerp|"
    r"отправлено|тема)\s?\*?\s?:|.*\S@\S",
    re.I,
)
FIELDS: Final = 3
_DELIMITER = re.compile(r"\s*(?:--|—|[-_]{3,})\s*$")
_CLOSING = re.compile(
    r"\s*+(?:(?:kind|best|warm|with best|with kind|many)?\s*(?:regards|wishes)|"
    r"(?:yours )?(?:sincerely|truly|faithfully)(?: yours)?|"
    r"(?:many )?thanks(?: again| so much| a lot)?|thank you(?: very much)?|thx|cheers|best|respectfully|"
    r"mit freundlichen grüßen|freundliche grüße|(?:viele|beste|liebe) grüße|mfg|cordialement|bien à vous|"
    r"saludos(?: cordiales)?|atentamente|cordiali saluti|distinti saluti|met vriendelijke groet(?:en)?|"
    r"atenciosamente|с уважением|med vänliga hälsningar)(?: and (?:best )?regards)?\s*[,.!]*\s*$",
    re.I,
)
_SENT_FROM = re.compile(
    r"\s*(?:sent from|sent via|sent with|get outlook for|gesendet von|envoyé de|via mobile)\b", re.I
)
_CONTACT = re.compile(
    r"\S@[^\s@]+\.\w|https?://|www\.|\+?\(?\d[\d\s().-]{6,}\d|^\s*(?:tel|phone|fax|mobile|[tfm])[.:]\s", re.I
)
_SENTENCE = re.compile(r"\w\w[.!?]\s+\S|[?!]\s*$|\b(?:please|you|we|will|is|are|was|have)\b", re.I)


class BodyLine(NamedTuple):
    """A line of a body; `quoted` where its markup says so, `indent` blanks before it, or the `cell` that it is in."""

    text: str
    quoted: bool = False
    indent: int = 0
    cell: HtmlCell | None = None


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
    found = [line.quoted or (line.cell is None and bool(_MARK.match(line.text))) for line in lines]
    _mark_initials(lines, found)
    if forward:
        return [False] * len(lines)
    for at, line in enumerate(lines):
        if _FORWARDED.match(line.text):
            return [*found[:at], *[False] * (len(lines) - at)]
        if found[at] or line.cell:
            continue
        if _RULE.match(line.text) or _is_header(lines, at):
            return [*found[:at], *[True] * (len(lines) - at)]
        begin = _attribution(lines, found, at)
        if begin is not None:
            found[begin : at + 1] = [True] * (at + 1 - begin)
            behind = next((n for n in range(at + 1, len(lines)) if lines[n].text.strip()), None)
            if behind is not None and not found[behind]:
                return [*found[: at + 1], *[True] * (len(lines) - at - 1)]
    return found


def _is_header(lines: Sequence[BodyLine], at: int) -> bool:
    """Whether the header of another message begins here: several of its fields, one a line."""
    fields: list[str] = []
    for line in lines[at : at + 2 * FIELDS]:
        if _FIELD.match(line.text):
            fields.append(line.text)
        elif line.text.strip() or not fields:
            break
    return len(fields) >= FIELDS and any(map(_TELLING.match, fields))


def _mark_initials(lines: Sequence[BodyLine], found: list[bool]) -> None:
    """Marks lines with initials, where the first of them stands below a line that announces them: else they may be what
    a program prints."""
    initialled = [at for at, line in enumerate(lines) if _INITIALS.match(line.text)]
    if initialled and any(_tells_of_a_message(lines[at].text) for at in _said_above(lines, initialled[0])):
        for at in initialled:
            found[at] = True


def _said_above(lines: Sequence[BodyLine], at: int) -> Sequence[int]:
    """The line above that has words, as a list of at most one."""
    return [one for one in range(max(at - 3, 0), at) if lines[one].text.strip()][-1:]


def _attribution(lines: Sequence[BodyLine], found: Sequence[bool], at: int) -> int | None:
    """Where the announcement of a quotation begins that ends at this line: there, or up to two lines above."""
    text = lines[at].text
    behind = next((one for one in range(at + 1, min(at + 4, len(lines))) if lines[one].text.strip()), None)
    marked = behind is not None and found[behind]
    if not _WROTE.search(text):
        return at if marked and _tells_of_a_message(text) else None
    for begin in range(at, max(at - 3, -1), -1):
        if not lines[begin].text.strip():
            break
        if _BEGINS.match(lines[begin].text):
            said = " ".join(line.text for line in lines[begin : at + 1])
            if re.search(r"\d|@", said):
                return begin
            break
    return at if marked or "@" in text else None


def _tells_of_a_message(text: str) -> bool:
    """Whether a line, in whatever language, has a date, and an address or a colon at its end."""
    return bool(re.search(r"\b(?:19|20)\d\d\b|\d:\d\d", text)) and ("@" in text or text.rstrip().endswith(":"))


def _signature(lines: Sequence[BodyLine], quoted: Sequence[bool], sender: str) -> list[int]:
    """The lines of the signature: the last lines of the message's own text."""
    own = [at for at, line in enumerate(lines) if not quoted[at] and line.text.strip()]
    if not own:
        return []
    inside = {at for above, at in pairwise(own) if _is_within(lines[above].cell, lines[at].cell)}
    for place, at in enumerate(own):
        if at not in inside and _DELIMITER.match(lines[at].text) and len(own) - place <= DELIMITED_LINES and place > 0:
            rest = own[place:]
            if lines[at].text.strip() == "--" or _is_card([lines[n].text for n in rest[1:]], sender):
                return rest
    tail = own[-DELIMITED_LINES:]
    for place, at in enumerate(tail):
        if at in inside:
            continue
        text, rest = lines[at].text, [lines[n].text for n in tail[place + 1 :]]
        if len(rest) < SIGNATURE_LINES:
            begins = _begins_signature(text, rest, sender)
        else:
            # Nothing but the sender's name above as many lines is sure enough, where contacts follow.
            begins = _name_share(text, sender) == 1 and any(map(_CONTACT.search, rest))
        if begins and not any(map(_is_prose, rest)):
            return tail[place:]
    return []


def _is_within(above: HtmlCell | None, cell: HtmlCell | None) -> bool:
    """Whether a cell is another one of a table: no signature begins in it."""
    return above is not None and cell is not None and above.table == cell.table


def _is_card(texts: Sequence[str], sender: str) -> bool:
    """Whether lines below a rule are those of a visiting card, not of a table."""
    personal = any(_CONTACT.search(text) or _name_share(text, sender) >= NAME_SHARE for text in texts)
    return personal and not any(map(_is_prose, texts))


def _begins_signature(text: str, rest: Sequence[str], sender: str) -> bool:
    """Whether a line closes a letter or is the sender's name; where other words are with it, contacts follow."""
    if _CLOSING.match(text) or _SENT_FROM.match(text):
        return True
    share = _name_share(text, sender)
    return share >= NAME_SHARE or (share > 0 and any(map(_CONTACT.search, rest)))


def _name_share(text: str, sender: str) -> float:
    """The share of a line's words that are the sender's names; 0 of what is no name by its form."""
    words = _WORD.findall(text.lower())
    names = set(_WORD.findall(re.sub(r"@\S+", " ", sender.lower())))
    if not words or re.search(r"\d", text) or _is_prose(text) or text.rstrip().endswith((",", ":")):
        return 0
    return len(names & set(words)) / len(words)


def _is_prose(text: str) -> bool:
    return (
        bool(_SENTENCE.search(text) or len(text) > SIGNATURE_WIDTH)
        and not _CONTACT.search(text)
        and not _SENT_FROM.match(text)
    )
