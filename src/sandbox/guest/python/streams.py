"""The guest's standard streams: what it prints becomes frames, and there is nothing to read."""

from __future__ import annotations

import codecs
import io
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .host import Host

_MOST_BYTES = 1 << 16


class _PrintStream(io.RawIOBase):
    """Bytes on their way to the host, as text."""

    def __init__(self, host: Host, name: str) -> None:
        self._host = host
        self._name = name
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        piece = bytes(memoryview(data)[:_MOST_BYTES])
        text = self._decoder.decode(piece)
        if text:
            self._host.print(self._name, text)
        return len(piece)


class Streams:
    """stdout, stderr and stdin of a guest."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._open: dict[str, io.TextIOWrapper] = {}

    def install(self) -> None:
        """Puts them in place; those that the guest kept from an earlier run go on working."""
        for name in ("stdout", "stderr"):
            stream = self._open.get(name)
            if stream is None or stream.closed:
                raw = io.BufferedWriter(_PrintStream(self._host, name))
                # A line goes out as a whole, whatever number of pieces it was printed in.
                stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace", "\n", line_buffering=True)
                self._open[name] = stream
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BytesIO(), "utf-8")

    def flush(self) -> None:
        """Sends what has not been sent, of our own streams alone: a guest's stream may do anything."""
        for stream in self._open.values():
            if not stream.closed:
                stream.flush()
