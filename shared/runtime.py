"""What stages, retrieval and the API work with: handed to them, never fetched by them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from shared.errors import BadInput
from shared.ports import BlobStore, Embedder, Grouper, IdentityReranker, Ocr, Reranker, Vault, Vectors, Workflow
from shared.store.connect import Database


def no_grouper() -> Grouper:
    raise BadInput("This process has no model to extract with; choose layout as the engine.")


@dataclass
class Embedders:
    """The embedders that this process can call, by version; each loaded when first used.

    `find_default` names the one for new knowledge bases without loading it. `load` raises BadInput for a version that
    is not to be had here.
    """

    find_default: Callable[[], str]
    load: Callable[[str], Embedder]
    _loaded: dict[str, Embedder] = field(default_factory=dict[str, Embedder])

    @cached_property
    def default(self) -> str:
        return self.find_default()

    def get(self, version: str) -> Embedder:
        if version not in self._loaded:
            self._loaded[version] = self.load(version)
        return self._loaded[version]

    def embed_query(self, version: str, text: str) -> Vectors | None:
        """The query in that embedder's space; None where the embedder is not to be had here."""
        try:
            return self.get(version).embed_query(text)
        except BadInput:
            return None


@dataclass
class Runtime:
    """The services of one process. Built by `bootstrap`. `worker` is the module that a further process runs a stage
    with, having made a runtime of its own."""

    database: Database
    blobs: BlobStore
    workflow: Workflow
    vault: Vault
    embedders: Embedders
    worker: str
    load_ocr: Callable[[], Ocr | None] = lambda: None
    load_grouper: Callable[[], Grouper] = no_grouper
    load_reranker: Callable[[], Reranker] = IdentityReranker

    @property
    def embedder(self) -> Embedder:
        """The embedder of new knowledge bases, loaded when first used: most handlers never need it."""
        return self.embedders.get(self.embedders.default)

    @cached_property
    def reranker(self) -> Reranker:
        """The deployment's; the one that changes nothing where it names none."""
        return self.load_reranker()

    @cached_property
    def ocr(self) -> Ocr | None:
        """Loaded by the first page that is a picture; None where there is no engine."""
        return self.load_ocr()

    @cached_property
    def grouper(self) -> Grouper:
        """Loaded by the first page that goes to the model; raises BadInput, saying what to set, where there is none."""
        return self.load_grouper()
