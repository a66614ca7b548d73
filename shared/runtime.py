"""The services that stages, retrieval and the API use; passed to them as an argument, never looked up globally."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from uuid import UUID

from shared.domain.fetched import Fetched
from shared.domain.plans import PlanSettings
from shared.errors import BadInput, Unavailable
from shared.ports import (
    Answerer,
    Beside,
    BlobStore,
    Embedder,
    Fetcher,
    Grouper,
    IdentityReranker,
    KnowsWords,
    Mailer,
    Models,
    NoMailer,
    NoModels,
    NoPoster,
    NoSealer,
    Ocr,
    Poster,
    Reranker,
    Sealer,
    TokenCounter,
    Vault,
    Vectors,
    Workflow,
)
from shared.store.admission import Slots
from shared.store.connect import Database
from shared.values.tokens import EstimatedTokens

logger = logging.getLogger("autri.runtime")


def no_grouper() -> Grouper:
    raise BadInput("This process has no model to extract with; choose layout as the engine.")


def no_answerer() -> Answerer | None:
    """For processes that answer by quotations."""
    return None


def no_further_answerers() -> Sequence[Answerer]:
    return ()


def no_start(organization: UUID, erasure: UUID) -> None:
    raise Unavailable(f"This process starts no deletions ({organization}, {erasure}).")


def no_fetching(
    url: str, target: Path, *, etag: str | None = None, modified: str | None = None, limit: int = 0
) -> Fetched:
    raise BadInput(f"This deployment fetches no web pages, such as {url}. Save the page and upload it.")


def no_dns(name: str) -> list[str]:
    raise BadInput(f"This process looks no DNS records up, such as {name}.")


ONE_AT_A_TIME = Slots(total=1, per_organization=1)


def known_share(embedder: Embedder | None, text: str) -> float:
    """The share, 0 to 1, of the text's words that the embedder knows; 1 where it does not say."""
    return embedder.known_share(text) if isinstance(embedder, KnowsWords) else 1.0


@dataclass
class Embedders:
    """The embedders that this process can call, by version; each is loaded when first used.

    `find_default` returns the version for new knowledge bases without loading it. `load` raises BadInput for a version
    that is not available here.
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
        """The query's vector by that embedder; None where the embedder is not available here."""
        try:
            return self.get(version).embed_query(text)
        except BadInput:
            return None

    def known_share(self, version: str, text: str) -> float:
        """The share of the text's words that this embedder, which has been loaded, knows; 1 where it does not say."""
        return known_share(self._loaded.get(version), text)


@dataclass
class Runtime:
    """The services of one process, built by `bootstrap`. `worker` is the module that child processes run stages with;
    it builds a runtime of its own."""

    database: Database
    blobs: BlobStore
    workflow: Workflow
    vault: Vault
    embedders: Embedders
    worker: str
    load_ocr: Callable[[], Ocr | None] = lambda: None
    load_grouper: Callable[[], Grouper] = no_grouper
    load_reranker: Callable[[], Reranker] = IdentityReranker
    slots: Slots = ONE_AT_A_TIME
    mailer: Mailer = field(default_factory=NoMailer)
    fetch: Fetcher = no_fetching
    post: Poster = field(default_factory=NoPoster)
    sealer: Sealer = field(default_factory=NoSealer)
    # Has what is due to webhooks sent at once, where nothing in this process looks for it.
    wake_sending: Callable[[], None] | None = None
    look_up_txt: Callable[[str], list[str]] = no_dns
    # Has maintenance that runs in this process begin its next round at once; elsewhere a schedule comes to what is due.
    wake_maintenance: Callable[[], None] = lambda: None
    # Has the digest of a knowledge base follow its sources soon: its organization, and its id.
    wake_digest: Callable[[UUID, UUID], None] | None = None
    # Whether who belongs to no organization may make one.
    self_sign_up: bool = False
    # Has a deletion done that was asked for: its organization, and its id. Where it fails, maintenance starts it later.
    start_erasure: Callable[[UUID, UUID], None] = no_start
    limits: PlanSettings = field(default_factory=PlanSettings)
    load_answerer: Callable[[], Answerer | None] = no_answerer
    models: Models = field(default_factory=NoModels)
    # Models that may answer where somebody asks for another answer.
    load_further_answerers: Callable[[], Sequence[Answerer]] = no_further_answerers
    # Where this machine has a core to spare; None elsewhere.
    beside: Beside | None = None
    # How long a whole answer of a model may take: whoever asks waits, and a front door may close before.
    answer_seconds: float = 120.0
    # The same of an answer of which nothing is sent before its end.
    silent_answer_seconds: float = 120.0

    # Loads the tokenizer that budgets of tokens are counted with.
    load_token_counter: Callable[[], TokenCounter] = EstimatedTokens

    @property
    def embedder(self) -> Embedder:
        """The embedder of new knowledge bases, loaded when first used: most handlers never need it."""
        return self.embedders.get(self.embedders.default)

    def tell_webhooks(self) -> None:
        """Behind the commit of what is told: it has happened, so that nothing is raised. What is not told at once is
        told by the sender's own look."""
        if self.wake_sending is None:
            return
        try:
            self.wake_sending()
        except Exception as error:  # noqa: BLE001 whatever the bus of events meets
            logger.warning("sending could not be woken: %s: %s", type(error).__name__, error)

    def tell_digest(self, organization: UUID, base: UUID) -> None:
        """Behind the commit of what a digest states: nothing is raised either. What it does not hear of it follows by
        the next maintenance."""
        if self.wake_digest is None:
            return
        try:
            self.wake_digest(organization, base)
        except Exception as error:  # noqa: BLE001 whatever the bus of events meets
            logger.warning("a digest could not be woken: %s: %s", type(error).__name__, error)

    @cached_property
    def reranker(self) -> Reranker:
        """The deployment's reranker; the one that changes nothing where none is configured."""
        return self.load_reranker()

    @cached_property
    def answerer(self) -> Answerer | None:
        """The model that answers; None where questions are answered by quotations. Raises BadInput with what to set."""
        return self.load_answerer()

    def forget_answerer(self) -> None:
        """The next question loads the model anew: another one was chosen."""
        self.__dict__.pop("answerer", None)

    @cached_property
    def further_answerers(self) -> Sequence[Answerer]:
        """Other models that may answer. Raises BadInput with what to set."""
        return self.load_further_answerers()

    @cached_property
    def token_counter(self) -> TokenCounter:
        """The tokenizer that this deployment names, else an estimate that is never below. Raises BadInput with what to
        set."""
        return self.load_token_counter()

    @cached_property
    def ocr(self) -> Ocr | None:
        """Loaded for the first page that is a picture; None where there is no engine."""
        return self.load_ocr()

    @cached_property
    def grouper(self) -> Grouper:
        """Loaded for the first page that the model groups. Raises BadInput with what to set where there is none."""
        return self.load_grouper()
