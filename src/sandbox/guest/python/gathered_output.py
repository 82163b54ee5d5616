"""What is printed, in fewer pieces where it is much: each costs the host as much as a short line."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

# What is printed first is sent as it comes; of more than this, what is printed in a few milliseconds goes together.
_SENT_AT_ONCE = 1 << 16
_GATHER_SECONDS = 0.01
_GATHER_CHARACTERS = 1 << 14


class GatheredOutput:
    """`send` takes a stream and what was printed there."""

    def __init__(self, send: Callable[[str, str], None]) -> None:
        self._send = send
        self._sent = 0
        self._pieces: list[str] = []
        self._held = 0
        self._stream = "stdout"
        self._since = 0.0

    def reset(self) -> None:
        """A new program begins."""
        self.flush()
        self._sent = 0

    def add(self, stream: str, text: str) -> None:
        if self._sent < _SENT_AT_ONCE:
            self._sent += len(text)
            self._send(stream, text)
            return
        if stream != self._stream:
            self.flush()
        if self._held == 0:
            self._since = time.monotonic()
            self._stream = stream
        self._pieces.append(text)
        self._held += len(text)
        if self._held >= _GATHER_CHARACTERS or time.monotonic() - self._since >= _GATHER_SECONDS:
            self.flush()

    def flush(self) -> None:
        """Sends what is held."""
        if self._held == 0:
            return
        text = "".join(self._pieces)
        self._pieces = []
        self._held = 0
        self._send(self._stream, text)
