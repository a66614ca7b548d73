import multiprocessing
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from functions import local
from shared.adapters.local.cores import THREAD_LIMITS, count_cores, share_cores
from shared.contract import Env
from shared.ingestion.worker_pool import WorkerPool


@pytest.mark.parametrize(
    ("wanted", "cores", "workers", "threads"), [(2, 2, 2, 1), (64, 2, 2, 1), (2, 8, 2, 4), (3, 8, 3, 2), (2, 1, 1, 1)]
)
def test_workers_share_the_cores_and_never_take_more(wanted: int, cores: int, workers: int, threads: int) -> None:
    assert share_cores(wanted, cores) == (workers, threads)


@pytest.mark.parametrize(("text", "most"), [("100000 100000\n", 1), ("150000 100000\n", 2), ("5000 100000\n", 1)])
def test_a_container_has_the_cores_of_its_quota(tmp_path: Path, text: str, most: int) -> None:
    quota = tmp_path / "cpu.max"
    quota.write_text(text)
    assert count_cores(quota) == min(most, count_cores(tmp_path / "none"))
    quota.write_text("max 100000\n")
    assert count_cores(quota) == count_cores(tmp_path / "none") >= 1


@pytest.mark.parametrize("cores", [None, 1, 3, 8])
@pytest.mark.parametrize("wanted", [1, 2, 64])
def test_one_machine_starts_no_more_workers_and_threads_than_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wanted: int, cores: int | None
) -> None:
    started: list[tuple[int, Mapping[str, str]]] = []
    running: list[int] = []

    @contextmanager
    def pool(workers: int, environment: Mapping[str, str]) -> Generator[SimpleNamespace]:
        started.append((workers, environment))
        yield SimpleNamespace(call=None)

    @contextmanager
    def runner(*_: object, parallel: int) -> Generator[None]:
        running.append(parallel)
        yield

    system = SimpleNamespace(dsn="postgresql://here", home=tmp_path, runtime=None, identity=None)
    monkeypatch.setattr(local, "local_store", lambda _: nullcontext(system))
    monkeypatch.setattr(local, "WorkerPool", pool)
    monkeypatch.setattr(local, "Runner", runner)
    if cores is not None:
        monkeypatch.setattr(local, "count_cores", lambda: cores)
    with local.local_system(tmp_path, wanted):
        ((workers, environment),) = started
    threads = int(environment[Env.THREADS])
    assert 1 <= workers * threads <= (cores or count_cores())
    assert 1 <= workers <= wanted
    assert running == [workers]
    assert {environment[name] for name in (Env.THREADS, *THREAD_LIMITS)} == {str(threads)}


@dataclass
class Machine:
    """As much of a runtime as a store makes of it."""

    database: AbstractContextManager[None]
    beside: WorkerPool | None = None


@pytest.mark.parametrize("cores", [1, 2])
def test_a_machine_with_one_core_reads_nothing_in_a_process_beside(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cores: int
) -> None:
    postgres = SimpleNamespace(dsn=lambda *_: "postgresql://here")
    monkeypatch.setattr(local, "EmbeddedPostgres", lambda *_: nullcontext(postgres))
    monkeypatch.setattr(local, "local_runtime", lambda *_: Machine(nullcontext()))
    for name in ("migrate", "provision_local", "_local_identity"):
        monkeypatch.setattr(local, name, lambda *_: None)
    monkeypatch.setattr(local, "count_cores", lambda: cores)
    # Those of pools that the runtime of other tests keeps.
    before = {one.pid for one in multiprocessing.active_children()}
    with local.local_store(tmp_path) as system:
        assert (system.runtime.beside is None) is (cores == 1)
        # A pool that nobody calls has started nothing.
        assert {one.pid for one in multiprocessing.active_children()} <= before


# What a worker does: takes its share first, then loads the libraries and reads a page.
WORKER = """
import io, os
from pathlib import Path
from shared.adapters.local.cores import THREAD_LIMITS
from shared.lifeline import start_worker
start_worker(dict.fromkeys(THREAD_LIMITS, "1"), os.getppid())
from PIL import Image, ImageDraw
from shared.adapters.local.ocr_models import find_models
from shared.adapters.local.ocr_onnx import OnnxOcr
picture = Image.new("L", (600, 200), 255)
ImageDraw.Draw(picture).text((20, 20), "One thread", fill=0, font_size=40)
page = io.BytesIO()
picture.save(page, "PNG")
assert OnnxOcr(find_models()).read(page.getvalue())
print(len(list(Path("/proc/self/task").iterdir())))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_worker_that_reads_a_page_runs_one_thread() -> None:
    done = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, timeout=300, check=True)
    # The other one is onnxruntime's own and sleeps.
    assert int(done.stdout) <= 2
