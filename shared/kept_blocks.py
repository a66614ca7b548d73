"""Reads a block of rows that are kept beside their document."""

from shared.contract import kept_key
from shared.domain.kept_rows import KeptBlock
from shared.errors import Damaged, NotFound
from shared.ports import BlobStore


def load_block(blobs: BlobStore, work: str, page: int, rows: int | None = None) -> KeptBlock:
    """The block of a part. Raises Damaged where it is not there, or has not so many rows, if these are known."""
    try:
        block = KeptBlock.unpacked(blobs.get(kept_key(work, page)))
    except (NotFound, ValueError):
        block = None
    if block is None or rows not in (None, len(block.numbers)):
        raise Damaged(f"The rows that are kept beside part {page} are damaged. Reingest the document.")
    return block
