"""Which tests share a worker: those of one file, whose fixtures are then made once, and those over one deployment."""

import pytest
from xdist.scheduler import LoadScopeScheduling

# Files that name one group share what their session's fixtures make; where two starts fit, the first counts.
TOGETHER = {
    # With the group "system" two deployments stand at once: with a third their cold starts end each other.
    "tests/e2e/test_aws_upgrade.py": "further deployments",
    "tests/e2e/test_aws": "system",
    "tests/stacks/": "stacks",
}
# What takes longest begins first, so that no worker is left alone with it at the end, and what waits before what
# computes: groups, then starts of files' names.
ORDER = (
    *("system", "further deployments", "tests/browser/test_accessibility.py", "tests/browser/", "stacks"),
    *("tests/e2e/", "tests/adapters/", "tests/readers/", "tests/api/"),
)


class ByFile(LoadScopeScheduling):
    """Hands out files in the order of the collection, and those that belong together as one."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid) or nodeid.partition("::")[0]


def group_of(nodeid: str) -> str | None:
    """The group of a test; None where its file is alone."""
    return next((group for start, group in TOGETHER.items() if nodeid.startswith(start)), None)


def longest_first(items: list[pytest.Item]) -> None:
    """The items in the order in which workers take them."""
    items.sort(key=lambda item: _place(item.nodeid))


def _place(nodeid: str) -> int:
    group = group_of(nodeid)
    return next((n for n, wanted in enumerate(ORDER) if wanted == group or nodeid.startswith(wanted)), len(ORDER))
