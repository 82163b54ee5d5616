"""Frames to and from the host: a 4-byte big-endian length, then that many bytes of JSON."""

from __future__ import annotations

import os

_READ_BYTES = 1 << 16
_LARGE_READ_BYTES = 1 << 20


class Channel:
    """Frames over two file descriptors that block; with `can_poll`, select works on them."""

    def __init__(self, reader: int, writer: int, can_poll: bool = True) -> None:
        self.reader = reader
        self.can_poll = can_poll
        self._writer = writer
        self._chunks: list[bytes] = []
        self._held = 0

    def write(self, body: bytes) -> None:
        """Sends one frame; the caller sees to it that only one is sent at a time."""
        data = len(body).to_bytes(4, "big") + body
        written = os.write(self._writer, data)
        if written < len(data):
            rest = memoryview(data)[written:]
            while rest:
                rest = rest[os.write(self._writer, rest) :]

    def has_data(self) -> bool:
        """Whether a read would not wait."""
        import select

        poll = select.poll()
        poll.register(self.reader, select.POLLIN)
        return bool(poll.poll(0))

    def read(self) -> list[bytes]:
        """Waits for bytes, once, and returns the frames that they complete; ends with the host."""
        missing = self._missing()
        chunk = os.read(self.reader, _READ_BYTES if missing <= _READ_BYTES else min(missing, _LARGE_READ_BYTES))
        if not chunk:
            os._exit(0)
        self._chunks.append(chunk)
        self._held += len(chunk)
        return self._frames() if len(chunk) >= missing else []

    def _missing(self) -> int:
        """How many bytes the frame that has begun still lacks; its header first."""
        if self._held < 4:
            return 4 - self._held
        if len(self._chunks[0]) < 4:
            self._chunks = [b"".join(self._chunks)]
        return 4 + int.from_bytes(self._chunks[0][:4], "big") - self._held

    def _frames(self) -> list[bytes]:
        data = self._chunks[0] if len(self._chunks) == 1 else b"".join(self._chunks)
        frames: list[bytes] = []
        start = 0
        while len(data) - start >= 4:
            end = start + 4 + int.from_bytes(data[start : start + 4], "big")
            if end > len(data):
                break
            frames.append(data[start + 4 : end])
            start = end
        self._held = len(data) - start
        self._chunks = [data[start:]] if self._held else []
        return frames
