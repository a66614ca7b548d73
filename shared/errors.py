"""The exceptions that cross a module's border. `functions/api/errors.py` maps each to an HTTP status."""


class AutriError(Exception):
    """Base of every error whose text is meant for people: what happened and what to do next."""


class BadInput(AutriError):
    """The request or the file cannot be used as it is."""


class NotFound(AutriError):
    """No such object within the caller's scope; the same whether or not it exists elsewhere."""


class Conflict(AutriError):
    """The object exists already, or has been changed meanwhile."""


class ChangedMeanwhile(Conflict):
    """A change was decided on a state that is not there any more: somebody else changed it meanwhile."""


class Busy(Conflict):
    """Another process is doing this now; when it has ended, it may be tried again."""


class Forbidden(AutriError):
    """The caller is known but may not do this."""


class PlanExhausted(AutriError):
    """The organization has used up what its plan includes; the text says until when, and what to do."""


class BudgetSpent(AutriError):
    """The organization has spent its day's budget for models."""


class BelongsNowhere(Forbidden):
    """The caller is signed in with a verified address, and no organization knows them."""


class TooMany(AutriError):
    """The caller does this too often, or too much of it at once; later it may be done again."""


class Unavailable(AutriError):
    """A service that we depend on does not answer now; trying again may work."""


class StillReading(Unavailable):
    """What is asked for is being made ready in parts; each time that it is asked for again there is more of it."""


class StoreUnavailable(Unavailable):
    """The database or the object store does not answer; never the fault of the page or file being processed."""


class Contended(StoreUnavailable):
    """A transaction lost against a concurrent one and was rolled back; the same transaction may succeed at once."""


class DatabaseAway(StoreUnavailable):
    """No connection to the database: it sleeps, starts or is gone. It may be there in half a minute."""


class StorageFull(StoreUnavailable):
    """The disk is full: nothing can be written until somebody frees space."""


class BadFilter(BadInput):
    """An invalid filter, or one that names unknown attributes."""


class RefusedFile(BadInput):
    """The uploaded file cannot become a document; nothing else is affected."""


class UnreadFormat(RefusedFile):
    """The file's format is not read."""


class Damaged(AutriError):
    """Stored data cannot be read any more; producing it again helps, retrying does not."""


class NoLonger(AutriError):
    """What was kept for a short time is not there (any more)."""


class LeaseLost(AutriError):
    """Another process has taken over this ingestion."""


class SourceChanged(AutriError):
    """The stored bytes of a document are not those that were registered."""
