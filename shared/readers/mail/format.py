"""E-mail as a format."""

import re
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import OLE, Look, StructuredFormat, has_stream, is_text
from shared.readers.parted import PartedSource

HEADERS: Final = 3
_MAIL: Final = (".eml", ".mbox")
_OUTLOOK: Final = (".msg",)
_HEADER: Final = re.compile(rb"^(received|return-path|from|to|date|subject|message-id|mime-version):", re.I | re.M)
_BEGINS_MAIL: Final = re.compile(rb"\s*(?:From \S+ [^\n]*\d\d:\d\d[^\n]*\n)?[!-9;-~]+:")


def _matches(look: Look) -> bool:
    """What is called so, and what begins with a message's header and has no name that says otherwise."""
    if look.head.startswith(OLE):
        return has_stream(look, "__properties_version1.0")
    if look.is_named:
        return look.ending in _MAIL and is_text(look.head)
    found = {name.lower() for name in _HEADER.findall(look.head)}
    return len(found) >= HEADERS and _BEGINS_MAIL.match(look.head) is not None


def _open_mail(path: Path, password: str | None) -> PartedSource:
    from shared.readers.mail.document import open_mail

    return open_mail(path, password)


def _reread_mail(path: Path) -> SecondText:
    from shared.rereading.mail import reread_mail

    return reread_mail(path)


def _version() -> str:
    from shared.readers.mail.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


MAIL: Final = StructuredFormat(
    "mail",
    "e-mail",
    ("message/rfc822", "application/mbox", "application/vnd.ms-outlook"),
    (*_MAIL, *_OUTLOOK),
    _matches,
    _open_mail,
    _reread_mail,
    _version,
)
