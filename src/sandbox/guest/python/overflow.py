"""What is printed beyond what may be kept: it is counted here, and only its end is sent, now and then."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

# So much of the end is sent, for the answer to show.
_TAIL_CHARACTERS = 1 << 16
_SEND_EVERY_SECONDS = 0.2


class Overflow:
    """`send` takes a stream, the end of what was printed there, and the characters and bytes before it that were not sent."""

    def __init__(self, send: Callable[[str, str, int, int], None]) -> None:
        self._send = send
        self._counts: dict[str, _Count] = {}
        self._last_told = time.monotonic()

    def add(self, stream: str, text: str) -> None:
        count = self._counts.get(stream)
        if count is None:
            count = self._counts[stream] = _Count()
        count.add(text)
        if time.monotonic() - self._last_told >= _SEND_EVERY_SECONDS:
            self.tell()

    def tell(self) -> None:
        """Sends what has not been told yet."""
        self._last_told = time.monotonic()
        counts, self._counts = self._counts, {}
        for stream, count in counts.items():
            tail = count.tail()
            self._send(stream, tail, count.characters - len(tail), count.bytes - length_of(tail))


class _Count:
    __slots__ = ("_pieces", "_held", "characters", "bytes")

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._held = 0
        self.characters = 0
        self.bytes = 0

    def add(self, text: str) -> None:
        self._pieces.append(text)
        self._held += len(text)
        self.characters += len(text)
        self.bytes += length_of(text)
        if self._held > 2 * _TAIL_CHARACTERS:
            self._pieces = [self.tail()]
            self._held = _TAIL_CHARACTERS

    def tail(self) -> str:
        return "".join(self._pieces)[-_TAIL_CHARACTERS:]


def length_of(text: str) -> int:
    """In bytes."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))
