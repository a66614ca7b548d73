"""What workers of a run do once, and which of them waits for which."""

import os
import sys
import threading
from pathlib import Path

import pytest

from tests.once import FOLDER, are_compiled, first_alone
from tests.patience import PATIENCE_S


def test_the_first_is_alone_and_the_others_are_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    inside, together = threading.Semaphore(0), threading.Barrier(2, timeout=PATIENCE_S)

    def other() -> None:
        with first_alone("x"):
            inside.release()
            together.wait()

    threads = [threading.Thread(target=other) for _ in range(2)]
    with first_alone("x"):
        for thread in threads:
            thread.start()
        assert not inside.acquire(timeout=0.3)
    for thread in threads:
        thread.join()
    assert not together.broken


def test_who_fails_at_it_is_followed_by_another_who_is_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    with pytest.raises(ValueError, match="x"), first_alone("x"):
        raise ValueError("x")
    assert not (tmp_path / "x.done").exists()


def test_tests_are_compiled_where_each_has_been_since_it_was_written(tmp_path: Path) -> None:
    test, cache = tmp_path / "sub" / "test_a.py", tmp_path / "sub" / "__pycache__"
    cache.mkdir(parents=True)
    test.touch()
    (cache / "test_a.cpython-311.pyc").touch()
    assert not are_compiled(tmp_path)
    made = cache / "test_a.cpython-311-pytest-9.2.0.pyc"
    made.touch()
    assert are_compiled(tmp_path)
    os.utime(made, (1, 1))
    assert not are_compiled(tmp_path)


@pytest.mark.skipif(sys.dont_write_bytecode, reason="nothing is compiled to files")
def test_pytest_names_what_it_compiles_as_is_looked_for() -> None:
    here = Path(__file__)
    assert [*(here.parent / "__pycache__").glob(f"{here.stem}.*-pytest-*.pyc")]
