import os
import resource
import signal
import subprocess
import sys

import pytest

from shared.contract import PAGES_PER_SHARD, STAGES
from shared.ingestion.child import START_TIMEOUT_S
from shared.ingestion.limits import memory_limit, patience, ran_out_of_memory

# A regular expression that takes for ever and never lets go of the interpreter's lock.
STUCK = """
import re
from shared.ingestion.limits import page_deadline
with page_deadline({seconds}):
    re.match(r"(a|a)+$", "a" * 50 + "b")
"""
IN_TIME = """
import time
from shared.ingestion.limits import page_deadline
with page_deadline(0.3):
    pass
time.sleep(0.6)
"""

# MuPDF's own allocations count as well as Python's.
GREEDY = """
import pymupdf
from shared.ingestion.limits import memory_limit
from shared.readers.pdf.document import READ_ERRORS
try:
    with memory_limit(100_000_000):
        pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 10_000, 10_000))
except READ_ERRORS as error:
    print(error)
try:
    with memory_limit(100_000_000):
        bytearray(200_000_000)
except MemoryError:
    print("MemoryError")
bytearray(200_000_000)
"""


def test_a_page_that_never_ends_ends_its_process_even_while_it_holds_the_interpreter() -> None:
    done = subprocess.run([sys.executable, "-c", STUCK.format(seconds=0.5)], timeout=120, check=False)
    assert done.returncode == -signal.SIGALRM


@pytest.mark.parametrize(
    ("load", "cores", "times"), [(0.0, 2, 1), (2.0, 2, 1), (6.0, 2, 3), (40.0, 2, 5), (8.0, None, 5)]
)
def test_a_page_has_more_time_where_others_want_the_cores_too(
    monkeypatch: pytest.MonkeyPatch, load: float, cores: int | None, times: int
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert patience(60) == 60 * times


def test_a_page_has_its_seconds_where_the_system_tells_of_no_load(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> tuple[float, float, float]:
        raise OSError

    monkeypatch.setattr(os, "getloadavg", refuse)
    assert patience(60) == 60


def test_a_page_in_time_leaves_no_alarm_behind() -> None:
    assert subprocess.run([sys.executable, "-c", IN_TIME], timeout=60, check=False).returncode == 0


def test_a_shard_of_pages_that_all_hang_stays_below_the_timeout_of_its_stage() -> None:
    for stage in (stage for stage in STAGES if stage.mapped):
        assert PAGES_PER_SHARD * (stage.page_timeout_s + START_TIMEOUT_S) < stage.timeout_s


def test_a_page_that_needs_too_much_memory_fails_and_leaves_no_limit_behind() -> None:
    done = subprocess.run([sys.executable, "-c", GREEDY], timeout=60, check=True, capture_output=True, text=True)
    by_mupdf, by_python = done.stdout.splitlines()
    assert ran_out_of_memory(by_mupdf)
    assert ran_out_of_memory(by_python)


def test_blocks_that_overlap_leave_the_process_without_the_limit_of_either() -> None:
    before = resource.getrlimit(resource.RLIMIT_DATA)
    first, second = memory_limit(), memory_limit()
    with first:
        second.__enter__()
        assert resource.getrlimit(resource.RLIMIT_DATA) != before
    second.__exit__(None, None, None)
    assert resource.getrlimit(resource.RLIMIT_DATA) == before
