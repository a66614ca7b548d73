"""Elements and attributes of a container's XML by their local names."""

from typing import Any


def local(element: Any) -> str:
    """An element's name without its namespace: that of the strict variant of the format is another."""
    return element.tag.rpartition("}")[2]


def child(element: Any, name: str) -> Any:
    if element is None:
        return None
    return next((one for one in element if local(one) == name), None)


def value(element: Any, name: str = "val") -> str:
    """An attribute by its local name; empty where there is none."""
    if element is None:
        return ""
    return next((said for key, said in element.attrib.items() if key.rpartition("}")[2] == name), "")


def decimal(said: str, other: int) -> int:
    """A number without a sign as a file has it; `other` for what is none, or one that nothing needs: anybody may have
    written it, and Python refuses numbers of thousands of digits."""
    return int(said) if said.isdecimal() and len(said) < 8 else other


def is_on(element: Any) -> bool:
    """Whether a switch is there and not off."""
    return element is not None and value(element) not in ("0", "false", "off")
