"""Files of data as formats: JSON, XML, calendars, address books."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from shared.domain.raw_page import SecondText
from shared.readers.formats import WEB_PAGE, XML_FILE, Look, StructuredFormat, is_text, markup_name
from shared.readers.parted import PartedSource


def _named(*endings: str) -> Callable[[Look], bool]:
    """Text by how its name ends; a web page may be called .xml."""
    return lambda look: look.ending in endings and is_text(look.head) and markup_name(look.head) != WEB_PAGE


def _is_xml(look: Look) -> bool:
    """What begins as XML, however it is called: property lists and their like."""
    return _named(*_XML)(look) or (not look.is_named and is_text(look.head) and markup_name(look.head) == XML_FILE)


def _open_json(path: Path, password: str | None) -> PartedSource:
    from shared.readers.data.document import open_json

    return open_json(path, password)


def _open_xml(path: Path, password: str | None) -> PartedSource:
    from shared.readers.data.document import open_xml

    return open_xml(path, password)


def _open_cards(path: Path, password: str | None) -> PartedSource:
    from shared.readers.data.document import open_cards

    return open_cards(path, password)


def _reread_json(path: Path) -> SecondText:
    from shared.rereading.data import reread_json

    return reread_json(path)


def _reread_xml(path: Path) -> SecondText:
    from shared.rereading.data import reread_xml

    return reread_xml(path)


def _reread_cards(path: Path) -> SecondText:
    from shared.rereading.data import reread_cards

    return reread_cards(path)


def _version() -> str:
    from shared.readers.data.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


_JSON: Final = (".json", ".jsonl", ".ndjson", ".geojson", ".webmanifest")
_XML: Final = (".xml", ".rss", ".atom", ".gpx", ".kml", ".xsd", ".wsdl")
_CALENDAR: Final = (".ics", ".ical", ".ifb")
_CONTACTS: Final = (".vcf", ".vcard")
JSON: Final = StructuredFormat(
    "json", "JSON", ("application/json",), _JSON, _named(*_JSON), _open_json, _reread_json, _version
)
XML: Final = StructuredFormat(
    "xml", "XML", ("application/xml", "text/xml"), _XML, _is_xml, _open_xml, _reread_xml, _version
)
CALENDAR: Final = StructuredFormat(
    "calendar",
    "calendar (.ics)",
    ("text/calendar",),
    _CALENDAR,
    _named(*_CALENDAR),
    _open_cards,
    _reread_cards,
    _version,
)
CONTACTS: Final = StructuredFormat(
    "contacts", "contacts (.vcf)", ("text/vcard",), _CONTACTS, _named(*_CONTACTS), _open_cards, _reread_cards, _version
)
