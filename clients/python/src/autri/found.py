"""What adapters of other libraries tell of a hit beside its text."""

from typing import Any

from autri.models import Hit


def place_of(hit: Hit) -> dict[str, Any]:
    """Document, version, section and boxes of a hit, as JSON."""
    chunk = hit.chunk
    section = chunk.section
    return {
        "chunk_id": str(chunk.id),
        "document_id": str(chunk.document_id),
        "document": hit.document.name,
        "version": hit.version.model_dump(mode="json") if hit.version else None,
        "section": (section.address or section.title) if section else None,
        "boxes": [box.model_dump(mode="json") for box in chunk.boxes],
        "score": hit.score,
    }
