"""The model that somebody has chosen on this machine: its name in `model.json`, its key sealed in the vault.

The environment wins: where `AUTRI_MODEL` is set, what was chosen waits.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pydantic import SecretStr

from shared.adapters.local.answerers import OPENAI_KEY, load_answerer
from shared.adapters.local.embedders import BUNDLED, named_version
from shared.domain.model_choice import ModelState, ModelWish, read_name
from shared.errors import AutriError, BadInput, Conflict
from shared.ports import Answerer, Vault
from shared.settings import LocalSettings

# The one name in the vault that is not an upload's.
KEY_NAME: Final = UUID("00000000-0000-7000-8000-00006d6f6465")
KEYS_OF_SERVICES: Final = {"openai": OPENAI_KEY, "anthropic": "ANTHROPIC_API_KEY"}


class ChosenModel:
    """What this machine answers with. `check_aws` raises BadInput where Bedrock cannot be called."""

    def __init__(self, home: Path, vault: Vault, check_aws: Callable[[str], None]) -> None:
        self._file, self._vault, self._check_aws = home / "model.json", vault, check_aws

    def load(self, wish: ModelWish | None = None) -> Answerer | None:
        """The model of `wish`, else the one in force; None for quotations. Raises BadInput with what to set."""
        settings = self._settings(wish)
        chosen = wish is not None or not os.environ.get("AUTRI_MODEL")
        answerer = load_answerer(settings, "its key" if chosen else None)
        if settings.model.startswith("bedrock:"):
            self._check_aws(settings.model)
        return answerer

    def state(self) -> ModelState:
        """What is in force; nothing is called."""
        try:
            settings, chosen = self._settings(None), self._chosen()
        except BadInput as error:
            return ModelState(source="settings", may_change=True, problem=str(error))
        fixed = [name for name in ("AUTRI_MODEL", "AUTRI_MODEL_USD_PER_MILLION") if os.environ.get(name)]
        shown = ModelState(
            source="environment" if "AUTRI_MODEL" in fixed else "settings" if chosen else "none",
            fixed=fixed,
            may_change="AUTRI_MODEL" not in fixed,
            usd_per_million=settings.model_usd_per_million,
            embedder=_embedder(settings),
            embedder_fixed=settings.embedder not in BUNDLED,
            extraction_model=settings.extraction_model_id,
            further=[name.strip() for name in settings.further_models.split(",") if name.strip()],
        )
        try:
            named = read_name(settings.model) if settings.model else None
            answerer = self.load()
        except AutriError as error:
            shown.problem, answerer = str(error), None
            named = _parts(settings.model)
        if named is not None:
            shown.service, shown.model, shown.url = named.service, named.model, named.url
            shown.key = self._key_source(named, settings)
        shown.price_known = answerer is not None and answerer.price is not None
        return shown

    def choose(self, wish: ModelWish) -> None:
        """Keeps the model and its key. Raises Conflict where the environment decides, BadInput where it cannot be."""
        self._check_free()
        self.load(wish)
        if wish.key is not None or not self._is_kept_for(wish):
            self._vault.forget(KEY_NAME)
        if wish.key is not None:
            self._vault.put(KEY_NAME, wish.key.get_secret_value())
        kept = wish.model_dump(exclude={"key"}, exclude_none=True)
        handle = os.open(self._file.with_suffix(".part"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        self._file.with_suffix(".part").replace(self._file)

    def forget(self) -> None:
        """Forgets the model and its key; questions are answered by quotations again. Raises Conflict."""
        self._check_free()
        self._file.unlink(missing_ok=True)
        self._vault.forget(KEY_NAME)

    def _check_free(self) -> None:
        if os.environ.get("AUTRI_MODEL"):
            raise Conflict("AUTRI_MODEL is set where the server was started, and decides. Unset it there, and restart.")

    def _chosen(self) -> ModelWish | None:
        try:
            return ModelWish.model_validate_json(self._file.read_bytes())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise BadInput(f"{self._file} cannot be read. Choose the model anew, or delete the file.") from error

    def _settings(self, wish: ModelWish | None) -> LocalSettings:
        """The environment's settings, with the model and key of `wish` or of what was chosen where it names none."""
        settings = LocalSettings()
        chosen = None if settings.model and wish is None else wish or self._chosen()
        if chosen is None:
            return settings
        more: dict[str, Any] = {"model": chosen.name, "model_key": self._key_of(chosen)}
        more["model_usd_per_million"] = settings.model_usd_per_million or chosen.usd_per_million
        if chosen.url is None:
            service = f"{chosen.service}_api_key"
            more[service] = getattr(settings, service, None) or more["model_key"]
        return settings.model_copy(update=more)

    def _key_of(self, wish: ModelWish) -> SecretStr | None:
        if wish.key is not None or wish.service == "bedrock":
            return wish.key
        secret = self._vault.get(KEY_NAME) if self._is_kept_for(wish) else None
        return SecretStr(secret) if secret else None

    def _is_kept_for(self, wish: ModelWish) -> bool:
        """Whether the kept key goes where that of `wish` does; nobody knows where the key of a damaged choice went."""
        try:
            former = self._chosen()
        except BadInput:
            return False
        return former is not None and former.place == wish.place

    def _key_source(self, named: ModelWish, settings: LocalSettings) -> Any:
        if named.service == "bedrock":
            return "credentials"
        if os.environ.get("AUTRI_MODEL_KEY" if named.url else KEYS_OF_SERVICES[named.service]) and (
            named.url is None or os.environ.get("AUTRI_MODEL")
        ):
            return "environment"
        return "settings" if settings.model_key and not os.environ.get("AUTRI_MODEL") else "none"


def _parts(name: str) -> ModelWish | None:
    try:
        return read_name(name) if name else None
    except AutriError:
        return None


def _embedder(settings: LocalSettings) -> str:
    try:
        return named_version(settings.embedder)
    except AutriError as error:
        return str(error)
