"""The exceptions that cross a module's border. `functions/api/errors.py` maps each to an HTTP status."""


class AutriError(Exception):
    """Base of every error that is meant to be read: its text says what happened and what to do next."""


class BadInput(AutriError):
    """The request or the file cannot be used as it is."""


class NotFound(AutriError):
    """No such object within the caller's scope; says the same whether it exists elsewhere or not."""


class Conflict(AutriError):
    """The object exists already, or changed underneath."""


class Forbidden(AutriError):
    """The caller is known but may not do this."""


class Unavailable(AutriError):
    """A service that we depend on does not answer now; trying again may work."""


class StoreUnavailable(Unavailable):
    """The database or the document store does not answer, or others were changing the same: never the fault of a page
    or a file that was being worked on."""


class StorageFull(StoreUnavailable):
    """Nothing more can be written until somebody makes room."""


class BadFilter(BadInput):
    """A filter that cannot be read, or that asks for what is not declared."""


class RefusedFile(BadInput):
    """The uploaded file cannot become a document; nothing else is affected."""


class UnreadFormat(RefusedFile):
    """The file's format is not read."""


class Damaged(AutriError):
    """What was stored cannot be read any more; making it anew helps, asking again does not."""


class LeaseLost(AutriError):
    """Another process has taken over this ingestion."""


class SourceChanged(AutriError):
    """The stored bytes of a document are not those that were registered."""
