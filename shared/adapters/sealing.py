"""Secrets that are kept in the database, encrypted with a key that is not."""

from collections.abc import Callable
from functools import cached_property

from cryptography.fernet import Fernet, InvalidToken


class FernetSealer:
    """A `Sealer` (AES-128-CBC with HMAC-SHA256). `find_key` is asked once, when the key is first used."""

    def __init__(self, find_key: Callable[[], bytes]) -> None:
        self._find_key = find_key

    def seal(self, secret: str) -> str:
        return self._fernet.encrypt(secret.encode()).decode()

    def open(self, sealed: str) -> str | None:
        try:
            return self._fernet.decrypt(sealed.encode()).decode()
        except InvalidToken:
            return None

    @cached_property
    def _fernet(self) -> Fernet:
        return Fernet(self._find_key())
