import signal
import subprocess
import sys
import time

# A regular expression that takes for ever and never lets go of the interpreter's lock.
STUCK = """
import re
from shared.ingestion.pages import page_deadline
with page_deadline({seconds}):
    re.match(r"(a|a)+$", "a" * 50 + "b")
"""
IN_TIME = """
import time
from shared.ingestion.pages import page_deadline
with page_deadline(0.3):
    pass
time.sleep(0.6)
"""


def test_a_page_that_never_ends_ends_its_process_even_while_it_holds_the_interpreter() -> None:
    started = time.monotonic()
    done = subprocess.run([sys.executable, "-c", STUCK.format(seconds=0.5)], timeout=60, check=False)
    assert done.returncode == -signal.SIGALRM
    assert time.monotonic() - started < 60


def test_a_page_in_time_leaves_no_alarm_behind() -> None:
    assert subprocess.run([sys.executable, "-c", IN_TIME], timeout=60, check=False).returncode == 0
