"""One guest's own changes of a key do not race each other: each waits for the one before it, in threads and coroutines alike."""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from typing import Any, Callable

_LONGEST_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 5.0
_last: dict[str, Turn] = {}
_lock = threading.Lock()


class Turn:
    """It may begin when the one before it has ended; or has had its time, as it may wait for this one itself."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._ended = threading.Event()
        self._began: float | None = None
        self._wakes: list[Callable[[], Any]] = []
        with _lock:
            self._before = _last.get(key)
            _last[key] = self

    def wait(self) -> None:
        """Waits until it may begin. Not for ever: the coroutine that it waits for may be of this very thread."""
        before, until = self._before, time.monotonic() + _LONGEST_WAIT_SECONDS
        while before and before._time_left() > 0 and time.monotonic() < until:
            before._ended.wait(before._time_left())
        self._begin()

    async def wait_async(self) -> None:
        """The same while the event loop goes on."""
        import asyncio

        loop, before = asyncio.get_running_loop(), self._before
        while before and before._time_left() > 0:
            ended: asyncio.Future[None] = loop.create_future()
            before._wakes.append(lambda ended=ended: loop.call_soon_threadsafe(_resolve, ended))
            if before._ended.is_set():
                break
            await asyncio.wait([ended], timeout=before._time_left())
        self._begin()

    def _begin(self) -> None:
        self._before = None
        self._began = time.monotonic()

    def _time_left(self) -> float:
        if self._ended.is_set():
            return 0
        return _LONGEST_SECONDS if self._began is None else self._began + _LONGEST_SECONDS - time.monotonic()

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *_error: object) -> None:
        with _lock:
            if _last.get(self._key) is self:
                del _last[self._key]
        self._ended.set()
        for wake in self._wakes:
            try:
                wake()
            except RuntimeError:
                pass  # the loop is closed: nobody waits any more


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
