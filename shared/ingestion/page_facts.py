"""What is stored of a page beside its files, however it comes: by the stages of a document, or posted with others."""

from typing import Any, Final

from shared.domain.operations import PageOperations
from shared.domain.page import PageFile
from shared.extraction.validate import validate_operations

TITLE_MAX: Final = 500


def columns_of_file(file: PageFile) -> dict[str, Any]:
    """What the page's row says of its file."""
    return {
        "label": file.label or None,
        "width_pt": file.width_pt or None,
        "height_pt": file.height_pt or None,
        "rotation": file.rotation,
        "route": file.route,
        "text_density": file.text_density,
        "fragments": len(file.fragments),
        "extractor_version": file.extractor_version,
    }


def columns_of_operations(operations: PageOperations) -> dict[str, Any]:
    """What the page's row says of its operations."""
    return {
        "confidence": operations.confidence,
        "flags": operations.flags,
        "engine": operations.engine,
        "engine_version": operations.engine_version,
        "engine_note": operations.notes or None,
    }


def check_operations(file: PageFile, operations: PageOperations) -> None:
    """Raises ValueError where the page's fragments do not bear the operations out."""
    errors = validate_operations(file, operations)
    if errors:
        raise ValueError(f"page {file.page}: the operations are not valid: {'; '.join(errors[:3])}")


def storable_title(title: str | None) -> str | None:
    """The title from the metadata, without characters that Postgres cannot store."""
    return title.replace("\0", "").encode("utf-8", "ignore").decode()[:TITLE_MAX] if title else None
