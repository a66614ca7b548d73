"""The pool of worker processes that stages run in on one machine."""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, Self

from shared.lifeline import start_worker

RunStage = Callable[[str, Mapping[str, Any]], dict[str, Any]]


class WorkerPool:
    """Spawned processes, each with `environment`, that call `run_stage`; a pool that a crash has broken is replaced."""

    def __init__(self, workers: int, environment: Mapping[str, str], run_stage: RunStage) -> None:
        self._run_stage = run_stage
        self._workers = workers
        self._environment = dict(environment)
        # A worker ends with the thread that started it (lifeline.py), so this one must live as long as the pool.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="autri-worker-starter")
        self._pool = self._start()

    def submit(self, stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        return self._starter.submit(self._submit, stage, dict(event)).result()

    def _submit(self, stage: str, event: dict[str, Any]) -> "Future[dict[str, Any]]":
        try:
            return self._pool.submit(self._run_stage, stage, event)
        except BrokenProcessPool:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = self._start()
            return self._pool.submit(self._run_stage, stage, event)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Abandons running work, as a crash would: its results are stored page by page."""
        for process in list((self._pool._processes or {}).values()):  # noqa: SLF001 the pool has no way to kill
            process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._starter.shutdown(wait=True)

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=start_worker,
            initargs=(self._environment, os.getpid()),
        )
