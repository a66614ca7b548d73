"""The pool of worker processes that stages run in on one machine."""

import multiprocessing
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, Self

from functions.worker import run_stage, start_worker


class WorkerPool:
    """Processes started afresh (spawn), each with `environment`; a pool that a crash has broken is replaced."""

    def __init__(self, workers: int, environment: Mapping[str, str]) -> None:
        self._workers = workers
        self._environment = dict(environment)
        self._lock = threading.Lock()
        self._pool = self._start()

    def submit(self, stage: str, event: Mapping[str, Any]) -> "Future[dict[str, Any]]":
        with self._lock:
            try:
                return self._pool.submit(run_stage, stage, dict(event))
            except BrokenProcessPool:
                self._pool.shutdown(wait=False, cancel_futures=True)
                self._pool = self._start()
                return self._pool.submit(run_stage, stage, dict(event))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self._workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=start_worker,
            initargs=(self._environment,),
        )
