"""Bundles of notebooks and documents. The same state gives the same bytes: no clock is asked."""

import base64
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final, NamedTuple

from shared.answering.sharing import NO_SHARE
from shared.domain.notebooks import BundleForm, WantedBundle
from shared.domain.scope import Identity
from shared.errors import BadInput, NotFound
from shared.lab.bundles.content import Content, content_of_version, document_content, notebook_content
from shared.lab.bundles.crate import crate_of
from shared.lab.bundles.page import page_of
from shared.lab.bundles.printed import printed
from shared.lab.notebook.kinds import CellReading
from shared.runtime import Runtime
from shared.store import notebooks as rows
from shared.store.audit import note
from shared.store.connect import Row
from shared.values.locales import is_locale

WRITERS: Final[Mapping[BundleForm, tuple[Callable[[Content], bytes], str, str]]] = {
    "html": (page_of, "text/html; charset=utf-8", "html"),
    "pdf": (printed, "application/pdf", "pdf"),
    "crate": (crate_of, "application/zip", "zip"),
}
# Those that the data behind cells goes with.
WITH_FILES: Final = ("crate",)
_UNNAMED: Final = re.compile(r"[^A-Za-z0-9]+")
NAME_MAX: Final = 60


class Bundle(NamedTuple):
    """A file; `digest` is its SHA-256 in base64."""

    filename: str
    media: str
    data: bytes
    digest: str


def make_bundle(runtime: Runtime, identity: Identity, wanted: WantedBundle) -> Bundle:
    """Of the notebook or the document that is wanted, as far as whoever asks may see it. Raises NotFound, BadInput."""
    if wanted.locale is not None:
        if not is_locale(wanted.locale):
            raise BadInput(f"It is not known how numbers are written in “{wanted.locale}”. Name a language as `de`.")
        identity = identity.model_copy(update={"locale": wanted.locale})
    if wanted.notebook_id is not None and wanted.document_id is None:
        content = notebook_content(
            runtime, identity, wanted.notebook_id, wanted.revision, files=wanted.form in WITH_FILES
        )
        subject = f"notebook:{wanted.notebook_id}"
    elif wanted.document_id is not None and wanted.notebook_id is None:
        content = document_content(runtime, identity, wanted.document_id)
        subject = f"document:{wanted.document_id}"
    else:
        raise BadInput("Name either the notebook or the document that the bundle is to be made of.")
    made = _written(content, wanted.form)
    with runtime.database.transaction(identity.scope()) as connection:
        note(connection, identity, "bundle.make", subject, form=wanted.form, bytes=len(made.data))
    return made


def bundle_of_share(runtime: Runtime, identity: Identity, share: Row, form: BundleForm) -> Bundle:
    """Of the version that a link shows, by what `find_share` gave. Raises NotFound where it has ended meanwhile."""
    with runtime.database.transaction(identity.scope(*share["base_ids"])) as connection:
        notebook = rows.get_notebook(connection, share["notebook_id"])
        if notebook is None:
            raise NotFound(NO_SHARE)
        reading = CellReading(runtime, identity, connection)
        content = content_of_version(reading, notebook, share["revision"], files=form in WITH_FILES)
    return _written(content, form)


def _written(content: Content, form: BundleForm) -> Bundle:
    write, media, ending = WRITERS[form]
    data = write(content)
    name = _UNNAMED.sub("-", content.title).strip("-").lower()[:NAME_MAX] or "bundle"
    return Bundle(f"{name}.{ending}", media, data, base64.b64encode(sha256(data).digest()).decode())
