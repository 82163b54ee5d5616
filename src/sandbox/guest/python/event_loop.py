"""Event loops: for programs that await at their top level, and for channels that cannot be polled."""

from __future__ import annotations

import asyncio
import weakref
from typing import TYPE_CHECKING, Any, Coroutine

if TYPE_CHECKING:
    from .host import Host

_TURNS_BETWEEN_READS = 64


def run_to_end(main: Coroutine[Any, Any, Any], host: Host) -> None:
    """Runs a coroutine, then what its calls set off; the tasks that are left then are cancelled, as in asyncio.run."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    tasks: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()

    def make_task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, **options)
        tasks.add(task)
        return task

    loop.set_task_factory(make_task)  # type: ignore[arg-type]
    try:
        loop.run_until_complete(main)
        loop.run_until_complete(host.settle_async())
    finally:
        try:
            _cancel_tasks(loop)
            _show_lost_errors(loop, tasks)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            asyncio.set_event_loop(None)
            loop.close()


def _cancel_tasks(loop: asyncio.AbstractEventLoop) -> None:
    tasks = asyncio.all_tasks(loop)
    if not tasks:
        return
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))


def _show_lost_errors(loop: asyncio.AbstractEventLoop, tasks: weakref.WeakSet[asyncio.Task[Any]]) -> None:
    """Tasks that failed unseen: Python would tell only when their memory is freed."""
    for task in tasks:
        if task.done() and not task.cancelled() and getattr(task, "_log_traceback", False):
            error = task.exception()
            loop.call_exception_handler(
                {"message": "Task exception was never retrieved", "exception": error, "task": task}
            )


class _HostSelector:
    """Where nothing can be polled, an event loop waits for the host."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._turns = 0

    def select(self, timeout: float | None) -> list[Any]:
        """Waits for a frame or so long."""
        if timeout is not None and timeout <= 0:
            # A loop that never rests must hear from the host as well, now and then.
            self._turns += 1
            if self._turns % _TURNS_BETWEEN_READS or not self._host.is_waiting:
                return []
            timeout = 0
        self._host.wait(timeout)
        return []

    def close(self) -> None:
        """Nothing is held."""


class HostEventLoop(asyncio.BaseEventLoop):
    """An event loop of one thread over a channel that cannot be polled: timers, tasks and calls, nothing else."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._selector = _HostSelector(host)

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none: the host hands answers over itself."""

    def _write_to_self(self) -> None:
        """There is no other thread that could wait."""


def use_host_event_loop(host: Host) -> None:
    """Makes asyncio itself use such loops."""
    from asyncio import events

    base: Any = getattr(events, "_BaseDefaultEventLoopPolicy", None) or getattr(events, "BaseDefaultEventLoopPolicy")

    class Policy(base):
        """Makes loops that wait for the host."""

        def _loop_factory(self) -> HostEventLoop:
            return HostEventLoop(host)

    set_policy: Any = getattr(events, "_set_event_loop_policy", None) or events.set_event_loop_policy
    set_policy(Policy())
