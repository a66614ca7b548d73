"""Which of the identity provider's groups a token names: Cognito's own, and Entra's, which come as a mapped attribute.

Entra leaves the groups out of a token where there are more than 200 and says where they could be asked for
(`_claim_names`; `hasgroups` in the implicit flow): they were not told then, which is not the same as none.
"""

import json
from typing import Any, Final, NamedTuple, cast

from shared.contract import DIRECTORY_GROUPS, DIRECTORY_NAME, GROUPS_ELSEWHERE

COGNITO: Final = "cognito:groups"


class ToldGroups(NamedTuple):
    """Groups by the names that roles are given to; `untold` where the directory has left its own out."""

    names: tuple[str, ...] = ()
    untold: bool = False


def told_groups(claims: dict[str, Any]) -> ToldGroups:
    """Those of an ID token whose signature is good. The directory's count only for whoever came through it: an
    attribute of somebody else is their own word."""
    own = _usable(claims.get(COGNITO, ()))
    if not _came_through(claims):
        return ToldGroups(own)
    if any(
        claims.get(name) not in (None, "", False, "false") for name in (GROUPS_ELSEWHERE, "_claim_names", "hasgroups")
    ):
        return ToldGroups(own, untold=True)
    return ToldGroups(tuple(dict.fromkeys((*own, *_listed(claims.get(DIRECTORY_GROUPS))))))


def _came_through(claims: dict[str, Any]) -> bool:
    """Cognito alone writes `identities`."""
    found = claims.get("identities")
    named = [cast(dict[str, Any], one) for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return any(one.get("providerName") == DIRECTORY_NAME for one in named)


def _listed(value: Any) -> tuple[str, ...]:
    """A list, a JSON list, or what is left of one as text: `[a, b]`, `a,b`."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = None
        value = parsed if isinstance(parsed, list) else value.strip().removeprefix("[").removesuffix("]").split(",")
    return _usable(value) if isinstance(value, list) else ()


def _usable(names: Any) -> tuple[str, ...]:
    """A name with a space in it would be two where names are kept side by side."""
    stripped = (str(name).strip() for name in names)
    return tuple(name for name in stripped if name and not any(letter.isspace() for letter in name))
