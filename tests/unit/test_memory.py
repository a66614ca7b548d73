import os
from pathlib import Path

import pytest

from shared.adapters.local.memory import usable_memory
from shared.adapters.local.postgres import buffers_mb

GB = 2**30


def test_a_container_has_the_memory_of_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sysconf", {"SC_PHYS_PAGES": 2 * GB // 4096, "SC_PAGE_SIZE": 4096}.__getitem__)
    limits = newer, older = tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes"
    assert usable_memory(limits) == 2 * GB
    for told, memory in (("max\n", 2 * GB), (f"{GB}\n", GB), (f"{3 * GB}\n", 2 * GB), ("", 2 * GB), ("0", 2 * GB)):
        newer.write_text(told)
        assert usable_memory(limits) == memory
    older.write_text(f"{GB // 2}\n")
    assert usable_memory(limits) == GB // 2
    older.unlink()
    older.mkdir()
    assert usable_memory(limits) == 2 * GB


def test_a_system_that_does_not_tell_its_memory_has_the_least(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(_: str) -> int:
        raise ValueError

    monkeypatch.setattr(os, "sysconf", unknown)
    assert usable_memory([tmp_path / "none"]) == 0
    assert buffers_mb(0) == 128


@pytest.mark.parametrize(
    ("gigabytes", "megabytes"), [(0.5, 128), (1, 128), (2, 256), (8, 1024), (16, 2048), (64, 2048)]
)
def test_buffers_are_an_eighth_of_the_memory_within_bounds(gigabytes: float, megabytes: int) -> None:
    assert buffers_mb(int(gigabytes * GB)) == megabytes
