"""The application's external dependencies, as Protocols. Adapters implement them; `bootstrap` chooses.

Postgres is not one of them: the same SQL runs everywhere, only the connection string differs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, Protocol, TypeVar, runtime_checkable
from uuid import UUID

from shared.domain.chat import Capabilities, ChatReply, ChatRequest
from shared.domain.fetched import Fetched, PostAnswer
from shared.domain.model_calls import Correction, Grouping, GroupingContext, Price, Usage
from shared.domain.model_choice import ModelState, ModelWish
from shared.domain.page import PageFile
from shared.errors import BadInput, Conflict

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]
else:
    # Most processes compute with none, and numpy takes a fifth of the time in which they start.
    Vectors = Any
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class StoredObject:
    """An object's listing. `partial`: an unfinished write, which nobody can read and which may never be finished."""

    key: str
    size: int
    changed_at: datetime
    partial: bool = False


class BlobStore(Protocol):
    """Objects by key. Keys are relative, `/`-separated, and never contain `..`."""

    def put(self, key: str, data: bytes, content_type: str = "application/octet-stream") -> None:
        """Stores `data` atomically, replacing what was there."""
        ...

    def put_all(self, objects: Mapping[str, bytes]) -> dict[str, str | None]:
        """Stores each atomically, as `put` does; what ends in `.json` as JSON. Returns what `latest_version` says of
        each."""
        ...

    def put_file(self, key: str, path: Path) -> None:
        """Stores the file at `path` atomically; may move the file."""
        ...

    def get(self, key: str) -> bytes:
        """The object's bytes; raises NotFound."""
        ...

    def size(self, key: str) -> int:
        """The object's size in bytes; raises NotFound."""
        ...

    def exists(self, key: str) -> bool: ...

    def list(self, prefix: str) -> Iterator[str]:
        """Keys under `prefix`, sorted."""
        ...

    def entries(self, prefix: str) -> Iterator[StoredObject]:
        """Everything that uses space under `prefix` (which ends in `/`), sorted by key."""
        ...

    def delete(self, key: str, version: str | None = None) -> None:
        """Deletes this one object permanently, or only that version of it; does nothing where there is none."""
        ...

    def delete_prefix(self, prefix: str, until: float | None = None) -> int:
        """Delete every object under `prefix`; returns how many. After `until`, a time of `time.monotonic`, it stops
        soon, and leaves the rest."""
        ...

    def local_copy(self, key: str, version: str | None = None) -> Path:
        """A file with the object's bytes, for libraries that need a path. Raises NotFound.

        `version`, a result of `latest_version`, selects the bytes of that time, whatever was stored since; stores
        without versions ignore it.
        """
        ...

    def spool(self) -> Path | None:
        """A folder for files that are still arriving, from which `put_file` is a rename; None for the system's
        temporary folder."""
        ...

    def latest_version(self, key: str) -> str | None:
        """An identifier of the object's present version; None in a store without versions. Raises NotFound."""
        ...

    def copy(self, key: str, version: str | None, target: str) -> None:
        """Copies that version to `target`, atomically. Raises NotFound."""
        ...

    def upload_target(self, key: str, size: int, sha256: str) -> "UploadTarget":
        """Where a client may upload the object: exactly `size` bytes with this SHA-256 (hexadecimal)."""
        ...

    def begin_upload(self, key: str) -> str:
        """An object that is sent in parts: returns what `put_part`, `part_url` and `end_upload` know it by. Whatever is
        not ended is deleted in the end."""
        ...

    def put_part(self, key: str, upload: str, number: int, data: bytes) -> str:
        """Stores a part (numbers from 1), instead of one of that number; returns what `end_upload` asks for. All but
        the last one need 5 MB."""
        ...

    def part_url(self, key: str, upload: str, number: int) -> str:
        """Where a client may PUT the part, which answers that as its `ETag`; good for a while."""
        ...

    def end_upload(self, key: str, upload: str, parts: Sequence[str]) -> None:
        """Makes the object of its parts, of which there may be more than those. Where that was done, it does nothing or
        raises NotFound. Raises BadInput for parts that are not there."""
        ...

    def read_range(self, key: str, start: int, size: int) -> bytes:
        """At most `size` bytes of the object, from `start` on. Raises NotFound."""
        ...

    def read_url(self, key: str, filename: str | None = None) -> str | None:
        """A short-lived URL (≤ 5 minutes) for a browser, or None where the application streams it itself. With
        `filename` the browser saves it under that name, and shows nothing of it."""
        ...


@dataclass(frozen=True)
class UploadTarget:
    """How to send a file: method, URL, headers, and form fields (S3 presigned POST; empty for PUT)."""

    url: str
    method: str
    headers: dict[str, str]
    fields: dict[str, str]


# Called with the usage of model calls, and their cost in US dollars.
Spent = Callable[[Usage, float], None]


def for_nothing(_usage: Usage, _usd: float) -> None:
    """For callers that do not record costs."""


class TokenCounter(Protocol):
    """Counts the tokens of a language model; `name` says how: `estimate`, or a tokenizer's."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int:
        """Of the text by itself, without what a conversation adds."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def version(self) -> str:
        """Model and configuration, stored with every vector."""
        ...

    @property
    def dimensions(self) -> int: ...

    def embed_passages(self, texts: Sequence[str], spent: Spent = for_nothing) -> Vectors:
        """Shape (len(texts), dimensions), each row of length 1. `spent` is called with usage and cost."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """shape (dimensions,), length 1."""
        ...


@runtime_checkable
class KnowsWords(Protocol):
    """What an embedder also is that has its vocabulary at hand; services do not say."""

    def known_share(self, text: str) -> float:
        """The share, 0 to 1, of the text's words that the model can have learnt; 1 for a text without words."""
        ...


@dataclass(frozen=True)
class Reranked:
    """Indexes of the given texts with the model's scores (0..1), best first; and the cost of the call."""

    order: list[tuple[int, float]]
    usd: float = 0.0


class Reranker(Protocol):
    """Scores the relevance of each text for a query."""

    @property
    def version(self) -> str | None:
        """The model, for traces; None for the reranker that changes nothing."""
        ...

    def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """Scores every text exactly once. Raises Unavailable, and BadInput where the model refuses the call
        permanently."""
        ...


class IdentityReranker:
    """Keeps the given order; used where no model is deployed."""

    version: str | None = None

    def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        """Scores decrease from 1 with the index, so that sorting by them keeps the order."""
        del query
        return Reranked([(place, 1 / (1 + place)) for place in range(len(texts))])


class OcrWord(NamedTuple):
    """One word; its box in 0..1 of the picture it was recognised in, origin top left.

    `confidence` is 0..1 as the engine says it; engines are not calibrated against each other. Words of one `line`
    stand side by side on one base line, in the order in which they are read.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    confidence: float
    line: int


class Ocr(Protocol):
    """Reads the words in a picture."""

    @property
    def version(self) -> str:
        """Engine, its version and languages or models; stored with every page it reads."""
        ...

    def read(self, image: bytes) -> list[OcrWord]:
        """Words of an upright JPEG or PNG, line by line; [] where there are none. Raises Unavailable."""
        ...


class Vault(Protocol):
    """Stores a file's password, encrypted, from its upload until the file is first opened."""

    def put(self, name: UUID, secret: str) -> None: ...

    def get(self, name: UUID) -> str | None:
        """The password; None where none was stored, or it was deleted."""
        ...

    def forget(self, name: UUID) -> None:
        """Deletes it permanently; does nothing where there is none."""
        ...


class Grouper(Protocol):
    """A model that groups a page's fragments by their ids; the caller checks its answer."""

    @property
    def version(self) -> str:
        """Model and prompts, stored with everything that the model decides."""
        ...

    def group(
        self,
        page: PageFile,
        image: bytes | None,
        context: GroupingContext,
        deadline: float,
        correction: Correction | None,
    ) -> Grouping:
        """One answer about one page; `image` is a JPEG of it, `deadline` a time of `time.monotonic`.

        Depends on nothing but its arguments. Raises Unavailable where the model does not answer before the deadline
        and BadInput where it never will (no access, no such model).
        """
        ...


# Called with each part of a reply as it comes; what it raises ends the call.
Heard = Callable[[str], None]


def unheard(_part: str) -> None:
    """For callers that wait for the whole reply."""


class Answerer(Protocol):
    """A model that converses; the caller checks what it says."""

    @property
    def name(self) -> str:
        """Service and model, `anthropic:claude-haiku-4-5`: stored with everything that the model says."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What is known of it by now; a refusal of the endpoint makes it less."""
        ...

    @property
    def price(self) -> Price | None:
        """What its tokens cost; None where that is not known, and every call counts as free."""
        ...

    def chat(self, request: ChatRequest, deadline: float, heard: Heard = unheard) -> ChatReply:
        """One reply; `deadline` is a time of `time.monotonic`. `heard` gets the reply's text in its order, that of the
        output's JSON where an output is asked for, and "" as soon as a reply begins, from when on it costs, whatever it
        begins with; a reply of which a text was heard is never begun anew.

        Raises Unavailable where no whole reply comes before the deadline, BadInput where none ever will.
        """
        ...


class Models(Protocol):
    """Which model answers in this process, and who says so."""

    def state(self) -> ModelState:
        """What is in force; nothing is called."""
        ...

    def load(self, wish: ModelWish | None = None) -> Answerer | None:
        """The model of a wish, else the one in force; None for quotations. Raises BadInput with what to set."""
        ...

    def choose(self, wish: ModelWish) -> None:
        """Keeps it for all that follows. Raises Conflict where others decide, BadInput where it cannot be called."""
        ...

    def forget(self) -> None:
        """Forgets what was chosen. Raises Conflict where others decide."""
        ...


class NoModels:
    """For processes whose deployment decides: `deployed` names the model, an empty name is none."""

    def __init__(self, deployed: Callable[[], Answerer | None] = lambda: None, about: ModelState | None = None) -> None:
        self._deployed, self._about = deployed, about or ModelState(source="none")

    def state(self) -> ModelState:
        return self._about

    def load(self, wish: ModelWish | None = None) -> Answerer | None:
        if wish is not None:
            raise self._decided()
        return self._deployed()

    def choose(self, wish: ModelWish) -> None:
        raise self._decided()

    def forget(self) -> None:
        raise self._decided()

    def _decided(self) -> Conflict:
        return Conflict("The deployment's file decides which model answers ([answering] model_id). Deploy it anew.")


class Beside(Protocol):
    """A process beside this one, for work that needs neither its database nor what it holds in memory."""

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Function, arguments and answer are pickled. The future raises BrokenProcessPool where the process ended."""
        ...


class Workflow(Protocol):
    """Runs the stages of what is admitted.

    `leases`: runs are leased by a runner, which polls for what is queued, and taken over when the lease expires; then
    nothing here is called. Otherwise each run is an execution with the ingestion's id as its name.
    """

    @property
    def leases(self) -> bool: ...

    def start(self, event: Mapping[str, Any]) -> None:
        """Starts the execution; does nothing where it was started before. Raises Unavailable."""
        ...

    def end_of(self, ingestion_id: UUID) -> str | None:
        """How the execution has ended (`SUCCEEDED`, `FAILED`, `TIMED_OUT`, `ABORTED`, or `GONE` where there is none);
        None while it runs."""
        ...

    def idle(self, seconds: float) -> bool:
        """Whether nothing runs and the latest execution has ended longer ago than that."""
        ...


@dataclass(frozen=True)
class InvitationMail:
    """What an invited person is told."""

    email: str
    organization: str
    role: str
    inviter: str


class Fetcher(Protocol):
    """Fetches a web page of the public internet."""

    def __call__(
        self, url: str, target: Path, *, etag: str | None = None, modified: str | None = None, limit: int = ...
    ) -> Fetched:
        """Writes the body to `target`. With `etag` or `modified` it is asked for only if it is another one by now
        (status 304). Raises BadInput for what may not be fetched or is too large, Unavailable."""
        ...


class Poster(Protocol):
    """Posts to receivers of the public internet that people name."""

    def check(self, url: str) -> str:
        """The address as it is posted to. Raises BadInput for one that never will be, as far as it itself says."""
        ...

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostAnswer:
        """The answer's status and when it wants to be asked again; nothing else of it is read, redirects are not
        followed. Raises BadInput for what may not be asked, Unavailable where nobody answers in time."""
        ...


class NoPoster:
    """For processes that tell nobody."""

    def check(self, url: str) -> str:
        raise BadInput(f"This deployment sends nothing to {url}: it has no webhooks.")

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> PostAnswer:
        raise BadInput(f"This process sends nothing ({len(body)} bytes with {len(headers)} headers to {url}).")


class Sealer(Protocol):
    """Encrypts secrets that are kept in the database, with a key that is not."""

    def seal(self, secret: str) -> str: ...

    def open(self, sealed: str) -> str | None:
        """The secret; None where it was sealed with another key. Raises Unavailable where the key cannot be had now."""
        ...


class NoSealer:
    """For processes that keep no secrets."""

    def seal(self, secret: str) -> str:
        raise BadInput(f"This process has no key to seal a secret with ({len(secret)} characters).")

    def open(self, sealed: str) -> str | None:
        raise BadInput(f"This process has no key to open a secret with ({len(sealed)} characters).")


class Mailer(Protocol):
    """Sends mail to people."""

    def send_invitation(self, mail: InvitationMail) -> None:
        """Raises Unavailable; the invitation stands all the same, and can be sent again."""
        ...


class NoMailer:
    """For processes that invite nobody, and deployments that send no mail."""

    def send_invitation(self, mail: InvitationMail) -> None:
        return
