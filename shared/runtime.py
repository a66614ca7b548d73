"""What stages, retrieval and the API work with: handed to them, never fetched by them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from shared.ports import BlobStore, Embedder, Ocr, Vault, Workflow
from shared.store.connect import Database


@dataclass
class Runtime:
    """The services of one process. Built by `bootstrap`."""

    database: Database
    blobs: BlobStore
    workflow: Workflow
    vault: Vault
    load_embedder: Callable[[], Embedder]
    load_ocr: Callable[[], Ocr | None] = lambda: None

    @cached_property
    def embedder(self) -> Embedder:
        """Loaded when first used: most handlers never need it."""
        return self.load_embedder()

    @cached_property
    def ocr(self) -> Ocr | None:
        """Loaded by the first page that is a picture; None where there is no engine."""
        return self.load_ocr()
