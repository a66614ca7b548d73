"""Worker processes on one machine: stages run in them, and what is posted together is read in one."""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from types import TracebackType
from typing import ParamSpec, Self, TypeVar

from shared.lifeline import start_worker

P = ParamSpec("P")
T = TypeVar("T")


class WorkerPool:
    """Spawned processes, each with `environment`, that call functions; a pool that a crash has broken is replaced. The
    first call starts them."""

    def __init__(self, workers: int, environment: Mapping[str, str]) -> None:
        self._workers = workers
        self._environment = dict(environment)
        # A worker ends with the thread that started it (lifeline.py), so this one must live as long as the pool.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="autri-worker-starter")
        self._pool: ProcessPoolExecutor | None = None

    def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        """Function, arguments and answer are pickled. The future raises what the function does, and BrokenProcessPool
        where its process has ended."""
        return self._starter.submit(self._call, partial(function, *args, **kwargs)).result()

    def _call(self, work: Callable[[], T]) -> "Future[T]":
        if self._pool is None:
            self._pool = self._start()
        try:
            return self._pool.submit(work)
        except BrokenProcessPool:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = self._start()
            return self._pool.submit(work)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        """Abandons running work, as a crash would: its results are stored page by page."""
        if self._pool is not None:
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
