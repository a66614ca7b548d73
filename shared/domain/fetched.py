"""What came from a web server, or of what was sent to one. Standard library only: the function that asks on AWS loads
nothing else."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Fetched:
    """What a web server answered: the address that answered, its status, what it says of the body, and the body's size
    and SHA-256."""

    url: str
    status: int
    content_type: str | None
    charset: str | None
    size: int
    sha256: str
    etag: str | None
    modified: str | None
    retry_after: str | None


@dataclass(frozen=True)
class PostAnswer:
    """The status that a receiver answered, and its `Retry-After` as it stands; of its body nothing is read."""

    posted: int
    retry_after: str | None = None
