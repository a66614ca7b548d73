"""Links that show a version of a notebook to whoever has them."""

from uuid import UUID

from shared.access import reading, require_editor, require_writing
from shared.answering import sharing as links
from shared.answering.sharing import NO_SHARE
from shared.answering.threads.shapes import MadeShare, NewShare, Share
from shared.domain.notebooks import NotebookSource, SharedCell, SharedNotebook, SharedSource
from shared.domain.scope import Identity
from shared.errors import Forbidden, NotFound
from shared.lab.notebook.kinds import CellReading
from shared.lab.notebook.service import changing_notebook, find_notebook, may_change, show_version
from shared.plans.quota import check_shares
from shared.runtime import Runtime
from shared.store import notebooks as rows
from shared.store.connect import Row
from shared.store.shares import Shown


def create_share(runtime: Runtime, identity: Identity, notebook_id: UUID, wanted: NewShare) -> MadeShare:
    """A link to the notebook as it is now, for whoever may change it. Raises NotFound, Forbidden, PlanExhausted."""
    require_editor(identity)
    require_writing(identity)
    if identity.is_machine:
        raise Forbidden("A link is read as the person who made it: a machine's key makes none.")
    check_shares(runtime, identity)
    with changing_notebook(runtime, identity, notebook_id):
        pass
    # Here all that its maker reads is open: cells may cite other knowledge bases.
    with reading(runtime, identity) as connection:
        found = find_notebook(connection, notebook_id)
        shown = Shown(notebook_id=notebook_id, revision=found["revision"])
        return links.make_share(connection, identity, shown, wanted.days)


def list_shares(runtime: Runtime, identity: Identity, notebook_id: UUID) -> list[Share]:
    """Everybody's for whoever may change the notebook, else one's own, oldest first. Raises NotFound."""
    with reading(runtime, identity) as connection:
        others = may_change(connection, identity, find_notebook(connection, notebook_id))
        return links.list_shares(connection, identity, Shown(notebook_id=notebook_id), others=others)


def revoke_share(runtime: Runtime, identity: Identity, notebook_id: UUID, share_id: UUID) -> Share:
    """From now on it shows nothing: one's own, or anybody's where one may change the notebook. Raises NotFound,
    Forbidden."""
    require_writing(identity)
    with reading(runtime, identity) as connection:
        others = may_change(connection, identity, find_notebook(connection, notebook_id))
        return links.revoke_share(connection, identity, Shown(notebook_id=notebook_id), share_id, others=others)


def read_share(runtime: Runtime, identity: Identity, share: Row) -> SharedNotebook:
    """What the link shows, of what `links.find_share` gave. Raises NotFound where it has ended meanwhile."""
    with runtime.database.transaction(identity.scope(*share["base_ids"])) as connection:
        notebook = rows.get_notebook(connection, share["notebook_id"])
        if notebook is None:
            raise NotFound(NO_SHARE)
        found = show_version(CellReading(runtime, identity, connection), notebook, share["revision"])
    return SharedNotebook(
        title=found.title,
        shared_at=share["created_at"],
        expires_at=share["expires_at"],
        cells=[SharedCell(kind=cell.kind, html=cell.html, gone=cell.gone) for cell in found.cells],
        sources=[_source(one) for one in found.sources],
    )


def _source(one: NotebookSource) -> SharedSource:
    return SharedSource(
        number=one.number,
        document=one.document,
        version=one.version.label,
        section=one.section,
        page=one.page,
        text=one.text,
    )
