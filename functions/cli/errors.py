"""Errors of the API as the CLI reports them."""

from shared.errors import AutriError


class ApiError(AutriError):
    """What the API answered instead of a result; `status` is the HTTP status."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
