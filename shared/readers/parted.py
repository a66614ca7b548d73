"""An open source without pages, whatever its format: the parts that its reader has made."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import Self

from shared.domain.kept_rows import KeptBlock
from shared.domain.page import OutlineEntry, PageFile
from shared.errors import RefusedFile


class PartedSource:
    """Parts count as pages, from 1. Everything has been read when it is made; nothing is open."""

    is_protected = False

    def __init__(
        self,
        parts: Sequence[PageFile],
        title: str | None = None,
        made: date | None = None,
        picture: Callable[[str], bytes | None] | None = None,
    ) -> None:
        self._parts, self._picture = parts, picture
        self.title, self.made = title, made
        self.outline: list[OutlineEntry] = []

    @property
    def page_count(self) -> int:
        return len(self._parts)

    @property
    def is_blank(self) -> bool:
        return not any(part.fragments or part.pictures for part in self._parts)

    def save_opened(self, path: Path) -> None:
        """Never asked for, as no such source is protected."""
        raise RefusedFile(f"{path.name} cannot be written: the source has no protection to be taken off.")

    def read_page(self, page: int, characters: bool = False) -> PageFile:
        """`characters` changes nothing: parts of text can always be referred to."""
        return self._parts[page - 1]

    def read_kept(self, page: int) -> KeptBlock | None:
        """The rows of the part that are kept beside it; None for a part without such. Quickest behind `read_page`."""
        return None

    def read_picture(self, name: str) -> bytes:
        """The bytes of a picture that a part names. Raises RefusedFile where they cannot be read."""
        data = self._picture(name) if self._picture else None
        if data is None:
            raise RefusedFile(f"The picture {name} is not in the file.")
        return data

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
