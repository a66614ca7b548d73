"""Files of data as formats: JSON, XML, calendars, address books."""

from functools import partial
from pathlib import Path
from typing import Final, Literal

from shared.domain.raw_page import SecondText
from shared.readers.formats import XML_FILE, Look, StructuredFormat, is_text, markup_name
from shared.readers.parted import PartedSource

Kind = Literal["json", "xml", "cards"]


def _matches(endings: tuple[str, ...], kind: Kind, look: Look) -> bool:
    """Text by how its name ends, and what begins as XML however it is called: property lists and their like. A web page
    may be called .xml, and so may documents that are not read yet."""
    if not is_text(look.head):
        return False
    markup = markup_name(look.head)
    if markup not in (None, XML_FILE):
        return False
    return look.ending in endings or (kind == "xml" and markup == XML_FILE and not look.is_named)


def _open(kind: Kind, path: Path, password: str | None) -> PartedSource:
    from shared.readers.data import document

    opening = {"json": document.open_json, "xml": document.open_xml, "cards": document.open_cards}
    return opening[kind](path, password)


def _reread(kind: Kind, path: Path) -> SecondText:
    from shared.rereading.data_cards import reread_cards
    from shared.rereading.data_json import reread_json
    from shared.rereading.data_xml import reread_xml

    return {"json": reread_json, "xml": reread_xml, "cards": reread_cards}[kind](path)


def _version() -> str:
    from shared.readers.data.document import EXTRACTOR_VERSION

    return EXTRACTOR_VERSION


def _format(
    source_type: str, name: str, media_types: tuple[str, ...], endings: tuple[str, ...], kind: Kind
) -> StructuredFormat:
    matches, opened, reread = partial(_matches, endings, kind), partial(_open, kind), partial(_reread, kind)
    return StructuredFormat(source_type, name, media_types, endings, matches, opened, reread, _version)


JSON: Final = _format(
    "json", "JSON", ("application/json",), (".json", ".jsonl", ".ndjson", ".geojson", ".webmanifest"), "json"
)
XML: Final = _format(
    "xml",
    "XML",
    ("application/xml", "text/xml"),
    (".xml", ".rss", ".atom", ".gpx", ".kml", ".xsd", ".wsdl"),
    "xml",
)
CALENDAR: Final = _format("calendar", "calendar (.ics)", ("text/calendar",), (".ics", ".ical", ".ifb"), "cards")
CONTACTS: Final = _format("contacts", "contacts (.vcf)", ("text/vcard",), (".vcf", ".vcard"), "cards")
