"""What the name of a font says."""

import re
from functools import lru_cache

_MONO = re.compile(r"cour|mono(?!type)|nimbusmon|consol|menlo|typewriter|cm(?:sl|it)?tt|^(?:sf|ec)[ts]t\d", re.I)


@lru_cache(maxsize=256)
def is_mono_font(name: str) -> bool:
    """Whether all characters of the font are equally wide, by its name: many such fonts do not say so themselves."""
    return _MONO.search(name) is not None
