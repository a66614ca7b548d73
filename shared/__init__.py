"""What stages, API and commands share."""

from typing import Final

VERSION: Final = "0.1.0"
