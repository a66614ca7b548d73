"""A bundle as an RO-Crate 1.1 (https://w3id.org/ro/crate/1.1): the page, its data, the pictures, and what each file is,
with its SHA-256."""

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from shared.lab.bundles.content import Content, version_words
from shared.lab.bundles.page import box_words, page_of
from shared.values.csv_cells import harmless_cell

METADATA: Final = "ro-crate-metadata.json"
CONTEXT: Final = ["https://w3id.org/ro/crate/1.1/context", {"sha256": "https://schema.org/sha256"}]
FORMAT: Final = "autri-bundle/1"
MEDIA: Final[Mapping[str, str]] = {
    "html": "text/html", "json": "application/json", "csv": "text/csv", "jpg": "image/jpeg", "svg": "image/svg+xml",
    "parquet": "application/vnd.apache.parquet",
}  # fmt: skip
# The law of the cited documents is theirs.
LICENSE: Final = "Excerpts are under the terms of the documents that they are taken from."
COLUMNS: Final = (
    "number", "document", "version", "section", "page", "boxes", "text", "document_id", "chunk_id", "source_sha256",
)  # fmt: skip


def crate_of(content: Content) -> bytes:
    files = dict(content.files) | {
        "index.html": page_of(content),
        "bundle.json": _data(content),
        "citations.csv": _citations(content),
    }
    for number, crops in content.crops.items():
        files |= {f"crops/{number}-page-{crop.page}.jpg": crop.data for crop in crops}
    files[METADATA] = _metadata(content, files)
    return _zipped(files, content.made_at)


def _data(content: Content) -> bytes:
    sources = [source.model_dump(mode="json") for source in content.sources]
    return _json({"format": FORMAT, **content.data, "sources": sources})


def _citations(content: Content) -> bytes:
    """As a table; what a spreadsheet would take for a formula is text."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for one in content.sources:
        label = version_words(one.version.label, one.version.index)
        boxes = "; ".join(box_words(box) for box in one.boxes)
        values = (one.number, one.document, label, one.section, one.page or "", boxes, one.text)
        cells = (*values, str(one.document_id), str(one.chunk_id), one.source_hash)
        writer.writerow([harmless_cell(str(cell)) for cell in cells])
    return text.getvalue().encode()


def _metadata(content: Content, files: Mapping[str, bytes]) -> bytes:
    parts = [_file(name, data) for name, data in sorted(files.items())]
    documents = [_document(one) for one in content.data["documents"]]
    root: dict[str, Any] = {
        "@id": "./",
        "@type": "Dataset",
        "name": content.title,
        "description": content.lead,
        "datePublished": content.made_at.isoformat(),
        "license": LICENSE,
        "hasPart": [{"@id": part["@id"]} for part in parts],
        "citation": [{"@id": one["@id"]} for one in documents],
    }
    about = {"conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"}, "about": {"@id": "./"}}
    descriptor = {"@id": METADATA, "@type": "CreativeWork", **about}
    return _json({"@context": CONTEXT, "@graph": [descriptor, root, *parts, *documents]})


def _file(name: str, data: bytes) -> dict[str, Any]:
    media = MEDIA.get(name.rpartition(".")[2], "application/octet-stream")
    size = {"contentSize": str(len(data)), "sha256": sha256(data).hexdigest()}
    return {"@id": name, "@type": "File", "name": name, "encodingFormat": media, **size}


def _document(one: Mapping[str, Any]) -> dict[str, Any]:
    version = version_words(one["version"]["label"], one["version"]["index"])
    named = {"@id": f"#document-{one['id']}", "@type": "CreativeWork", "name": one["name"]}
    return named | {"version": version, "identifier": one["id"], "sha256": one["source_hash"]}


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def _zipped(files: Mapping[str, bytes], made_at: datetime) -> bytes:
    """In the order of their names, all of the time of what they show."""
    out = io.BytesIO()
    stamp = max(made_at.timetuple()[:6], (1980, 1, 1, 0, 0, 0))
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name, stamp)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".jpg") else zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return out.getvalue()
