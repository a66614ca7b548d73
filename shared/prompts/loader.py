"""Prompts are files beside this module, so that a change of wording is a change that a review sees."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent
_VARIABLE: Final = re.compile(r"\$([a-z][a-z_]*)")
VERSION_DIGITS: Final = 8


@dataclass(frozen=True)
class Prompt:
    """A template with `$variables`; `version` is its name and a hash of its text."""

    name: str
    text: str
    variables: frozenset[str]

    @property
    def version(self) -> str:
        return f"{self.name}-{hashlib.sha256(self.text.encode()).hexdigest()[:VERSION_DIGITS]}"

    def fill(self, **values: str) -> str:
        """The text with every variable replaced, once: what a value contains is never looked at again.

        Raises ValueError when a variable has no value or a value no variable.
        """
        if values.keys() != self.variables:
            raise ValueError(
                f"prompt {self.name}: it has the variables {sorted(self.variables)}, given were {sorted(values)}"
            )
        return _VARIABLE.sub(lambda match: values[match[1]], self.text)


@cache
def load_prompt(name: str, variables: frozenset[str] = frozenset(), folder: Path = FOLDER) -> Prompt:
    """`{name}.md`; raises ValueError when its variables are not exactly those that the caller knows."""
    text = (folder / f"{name}.md").read_text(encoding="utf-8").strip() + "\n"
    found = frozenset(_VARIABLE.findall(text))
    missing, unknown = sorted(variables - found), sorted(found - variables)
    if missing or unknown:
        raise ValueError(f"prompt {name}: lacks {missing}, does not know {unknown}")
    return Prompt(name, text, variables)
