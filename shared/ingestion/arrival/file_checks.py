"""What is said of a file before a byte of it is read."""

from shared.contract import MAX_UPLOAD_BYTES
from shared.errors import BadInput


def check_file(filename: str, size: int) -> None:
    """Raises BadInput for a name that is none, an empty file, and one over the limit."""
    if "/" in filename or "\\" in filename or filename in (".", "..") or any(ord(c) < 32 for c in filename):
        raise BadInput(f"{filename!r} is not a plain file name. Send the name without folders.")
    if size == 0:
        raise BadInput(f"{filename} is empty (0 bytes). Check that it was saved or downloaded completely.")
    if size > MAX_UPLOAD_BYTES:
        raise BadInput(
            f"{filename} has {size // 1024**2:,} MB; the limit is {MAX_UPLOAD_BYTES // 1024**2} MB."
            " Split it, or remove embedded media."
        )
