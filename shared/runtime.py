"""What stages, retrieval and the API work with: handed to them, never fetched by them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from shared.errors import BadInput
from shared.ports import BlobStore, Embedder, Grouper, Ocr, Vault, Workflow
from shared.store.connect import Database


def no_grouper() -> Grouper:
    raise BadInput("This process has no model to extract with; choose layout as the engine.")


@dataclass
class Runtime:
    """The services of one process. Built by `bootstrap`."""

    database: Database
    blobs: BlobStore
    workflow: Workflow
    vault: Vault
    load_embedder: Callable[[], Embedder]
    load_ocr: Callable[[], Ocr | None] = lambda: None
    load_grouper: Callable[[], Grouper] = no_grouper

    @cached_property
    def embedder(self) -> Embedder:
        """Loaded when first used: most handlers never need it."""
        return self.load_embedder()

    @cached_property
    def ocr(self) -> Ocr | None:
        """Loaded by the first page that is a picture; None where there is no engine."""
        return self.load_ocr()

    @cached_property
    def grouper(self) -> Grouper:
        """Loaded by the first page that goes to the model; raises BadInput, saying what to set, where there is none."""
        return self.load_grouper()
