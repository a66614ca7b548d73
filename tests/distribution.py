"""Which tests share a worker: those of one file, whose fixtures are then made once, and those over one deployment."""

import pytest
from xdist.scheduler import LoadScopeScheduling

# What takes longest begins first, so that no worker is left alone with it at the end.
TOGETHER = {"tests/e2e/test_aws": "aws", "tests/stacks/": "aws", "tests/browser/": "browser"}
EARLY = (*TOGETHER, "tests/e2e/", "tests/adapters/", "tests/readers/", "tests/api/")


class ByFile(LoadScopeScheduling):
    """Hands out files in the order of the collection, and those that belong together as one."""

    def _split_scope(self, nodeid: str) -> str:
        group = next((group for start, group in TOGETHER.items() if nodeid.startswith(start)), None)
        return group or nodeid.partition("::")[0]


def longest_first(items: list[pytest.Item]) -> None:
    """The items in the order in which workers take them."""
    items.sort(key=lambda item: next((n for n, start in enumerate(EARLY) if item.nodeid.startswith(start)), len(EARLY)))
