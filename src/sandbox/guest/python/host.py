"""The guest's side of the protocol: requests and their answers, for threads and event loops alike.

There is no thread that reads: of the threads that wait for an answer, one reads for all (it leads, the others follow).
A guest that calls one tool after the other therefore pays for no hand-over at all.
"""

from __future__ import annotations

import json
import os
import re
import threading
import time
import weakref

from .gathered_output import GatheredOutput
from .overflow import Overflow, length_of
from .rest import with_rest
from .tool_error import ToolError

TYPE_CHECKING = False  # the module typing takes longer to load than all of ours
if TYPE_CHECKING:
    import asyncio
    from typing import Any, NoReturn

    from .channel import Channel

# The host writes an answer's id first, so that the reader need not parse what another waits for.
_ANSWER = re.compile(rb'\{"type":"(?:answer|text)","id":(\d+)')
_TEXT = b'{"type":"text"'  # a line of JSON, then what a server sent as text
_MOST_WAKES = 32
_LONGEST_WAKE_SECONDS = 1.0
_ENDED = "The run has ended: its calls are over"
_quoted = json.JSONEncoder(ensure_ascii=False).encode


class _Follower:
    """A thread that waits for a frame, here or in the hands of the thread that reads."""

    __slots__ = ("body", "wake")

    def __init__(self) -> None:
        self.body: bytes | None = None
        self.wake = threading.Lock()
        self.wake.acquire()

    def take(self, body: bytes) -> None:
        self.body = body


class _Awaiter:
    """A coroutine that waits for a frame."""

    __slots__ = ("loop", "future", "thread")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.future: asyncio.Future[bytes] = loop.create_future()
        self.thread = threading.get_ident()

    def take(self, body: bytes) -> None:
        if self.thread == threading.get_ident():
            self._resolve(body)
            return
        try:
            self.loop.call_soon_threadsafe(self._resolve, body)
        except RuntimeError:
            pass  # the loop is closed: nobody waits any more

    def _resolve(self, body: bytes) -> None:
        if not self.future.done():
            self.future.set_result(body)


class Host:
    """Everything outside of the sandbox, as far as a guest can reach it."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._is_open = False
        self._takes_requests = False
        self._last_id = 0
        self._pending: dict[int, _Follower | _Awaiter] = {}
        self._followers: dict[_Follower, None] = {}
        self._has_leader = False
        self._programs: list[bytes] = []
        self._next_program: _Follower | None = None
        self._when_quiet: _Follower | _Awaiter | None = None
        self._watching: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()
        self._wakes: dict[int, float] = {}
        # Of what may be kept, what is left for what the program prints.
        self._room = 0
        self._gathered = GatheredOutput(self._print_now)
        self._overflow = Overflow(self._print_end)

    # What a guest asks for

    def call(self, server: str, tool: str, arguments: str, raw: bool = False) -> Any:
        """Calls a tool with arguments as JSON text and waits for the value of its result, or for the whole result."""
        return self._ask(_call_fields(server, tool, arguments, raw))

    async def call_async(self, server: str, tool: str, arguments: str, raw: bool = False) -> Any:
        """The same for coroutines."""
        return await self._ask_async(_call_fields(server, tool, arguments, raw))

    def operation(self, name: str, arguments: str) -> Any:
        """Runs an operation of the coordinator with arguments as JSON text and waits for its result."""
        return self._ask(_operation_fields(name, arguments))

    async def operation_async(self, name: str, arguments: str) -> Any:
        """The same for coroutines."""
        return await self._ask_async(_operation_fields(name, arguments))

    def print(self, stream: str, text: str) -> None:
        """Shows text; what comes after the end of a run is lost."""
        with self._sending:
            if not self._is_open:
                return
            if self._room <= 0:
                self._gathered.flush()
                self._overflow.add(stream, text)
                return
            self._room -= length_of(text)
            self._gathered.add(stream, text)

    def _print_now(self, stream: str, text: str) -> None:
        self._channel.write(_bytes(f'{{"type":"print","stream":"{stream}","text":{_quoted(text)}}}'))

    def _tell_printed(self) -> None:
        """Sends what was printed and has not been sent."""
        self._gathered.flush()
        self._overflow.tell()

    def _print_end(self, stream: str, text: str, characters: int, length: int) -> None:
        skipped = f'{{"characters":{characters},"bytes":{length}}}'
        self._channel.write(
            _bytes(f'{{"type":"print","stream":"{stream}","text":{_quoted(text)},"skipped":{skipped}}}')
        )

    def add_result(self, text: str) -> None:
        """Sends more of the JSON of a result that is too long for one piece."""
        with self._sending:
            if self._is_open:
                self._channel.write(_bytes(f'{{"type":"part","text":{_quoted(text)}}}'))

    def _ask(self, fields: str) -> Any:
        follower = _Follower()
        self._request(fields, follower)
        return _value_of(self._wait_for(follower))

    async def _ask_async(self, fields: str) -> Any:
        import asyncio  # late, so that guests without coroutines do not pay for it

        loop = asyncio.get_running_loop()
        awaiter = _Awaiter(loop)
        self._request(fields, awaiter)
        self._watch(loop)
        return _value_of(await awaiter.future)

    def _request(self, fields: str, waiter: _Follower | _Awaiter) -> None:
        with self._sending:
            if not self._takes_requests:
                raise RuntimeError(_ENDED)
            self._tell_printed()
            with self._lock:
                self._last_id += 1
                request = self._last_id
                self._pending[request] = waiter
            try:
                self._channel.write(_bytes(f'{{"id":{request},{fields}}}'))
            except BaseException:
                self._pending.pop(request, None)
                raise

    # Who reads

    def _wait_for(self, follower: _Follower) -> bytes:
        while True:
            with self._lock:
                if follower.body is not None:
                    return follower.body
                leads = not self._has_leader
                if leads:
                    self._has_leader = True
                else:
                    self._followers[follower] = None
            if leads:
                self._lead(follower)
            else:
                follower.wake.acquire()

    def _lead(self, follower: _Follower) -> None:
        try:
            while follower.body is None:
                self._receive()
        finally:
            self._step_down()

    def _step_down(self) -> None:
        with self._lock:
            self._has_leader = False
            successor = next(iter(self._followers), None)
            if successor:
                del self._followers[successor]
        if successor:
            successor.wake.release()

    def _receive(self) -> None:
        """Reads once, as the leader, and hands over what has come."""
        try:
            frames = self._channel.read()
        except MemoryError:
            self._leave(b'{"type":"limit","limit":"memory"}')
        for frame in frames:
            answer = _ANSWER.match(frame)
            if answer:
                self._hand_over(int(answer.group(1)), frame)
            else:
                self._take_program(frame)

    def _hand_over(self, request: int, frame: bytes) -> None:
        with self._lock:
            waiter = self._pending.pop(request, None)
            if waiter is None:
                self._wakes.pop(request, None)
                return
            waiter.take(frame)
            self._wake(waiter)
            if not self._pending and self._when_quiet:
                self._when_quiet.take(b"")
                self._wake(self._when_quiet)

    def _take_program(self, frame: bytes) -> None:
        with self._lock:
            waiter, self._next_program = self._next_program, None
            if waiter is None:
                self._programs.append(frame)
                return
            waiter.take(frame)
            self._wake(waiter)

    def _wake(self, waiter: _Follower | _Awaiter) -> None:
        if isinstance(waiter, _Follower) and waiter in self._followers:
            del self._followers[waiter]
            waiter.wake.release()

    # Event loops

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._channel.can_poll and loop not in self._watching:
            self._watching.add(loop)
            loop.add_reader(self._channel.reader, self._read_what_is_there)

    def _read_what_is_there(self) -> None:
        with self._lock:
            if self._has_leader:
                return
            self._has_leader = True
        try:
            # Another thread may have read it since the loop saw it.
            if self._channel.has_data():
                self._receive()
        finally:
            self._step_down()

    def wait(self, seconds: float | None) -> None:
        """Waits for a frame, at most so long: what an event loop does where the channel cannot be polled."""
        if seconds is not None:
            # Asked for in short steps, wakes of the past serve for those of the future, and few are under way.
            step = min(seconds, _LONGEST_WAKE_SECONDS) if self._pending else seconds
            if not (self._pending and self._ask_for_wake(step)):
                time.sleep(step)
                return
        with self._lock:
            self._has_leader = True
        try:
            self._receive()
        finally:
            self._step_down()

    def _ask_for_wake(self, seconds: float) -> bool:
        """Sees to it that the host sends something in time; false when too much of that is under way."""
        wanted = time.monotonic() + seconds
        # Only those that have not come yet: the host's clock may run a little ahead of ours.
        if any(wake <= wanted for wake in self._wakes.values()):
            return True
        if len(self._wakes) >= _MOST_WAKES:
            return False
        with self._sending, self._lock:
            self._last_id += 1
            self._wakes[self._last_id] = wanted
            self._channel.write(_bytes(f'{{"type":"wake","id":{self._last_id},"ms":{int(seconds * 1000) + 1}}}'))
        return True

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is to come."""
        return bool(self._pending)

    # Runs

    def ready(self) -> None:
        """Says that a program can be taken."""
        self._channel.write(b'{"type":"ready"}')

    def next_program(self) -> dict[str, Any]:
        """Waits for the next program and opens the way for its requests."""
        follower = _Follower()
        with self._lock:
            if self._programs:
                follower.take(self._programs.pop(0))
            else:
                self._next_program = follower
        program = json.loads(self._wait_for(follower))
        self._room = program["outputBytes"]
        self._gathered.reset()
        self._is_open = self._takes_requests = True
        return program

    async def settle_async(self) -> None:
        """Waits until no call is under way and what their answers set off has run."""
        import asyncio

        loop = asyncio.get_running_loop()
        while True:
            # A task that an answer wakes may be some turns away from its next call.
            for _turn in range(32):
                await asyncio.sleep(0)
            awaiter = _Awaiter(loop)
            with self._lock:
                if not self._pending:
                    return
                self._when_quiet = awaiter
            self._watch(loop)
            await awaiter.future

    def finish(self, frame: str) -> None:
        """Ends a run that went well: from now on calls are refused, and those under way are waited for."""
        body = _bytes(frame)
        with self._sending:
            self._takes_requests = False
        while not self._end(body, only_when_quiet=True):
            follower = _Follower()
            with self._lock:
                if not self._pending:
                    continue
                self._when_quiet = follower
            self._wait_for(follower)

    def fail(self, frame: str) -> None:
        """Ends a run that went wrong, whatever is under way."""
        self._end(_bytes(frame), only_when_quiet=False)

    def _end(self, frame: bytes, only_when_quiet: bool) -> bool:
        with self._sending:
            with self._lock:
                if self._pending and only_when_quiet:
                    return False
                abandoned = list(self._pending.values())
                self._pending.clear()
                self._when_quiet = None
                self._wakes = {}
                for waiter in abandoned:
                    waiter.take(b"")
                    self._wake(waiter)
            self._tell_printed()
            self._is_open = self._takes_requests = False
            self._channel.write(frame)
            return True

    def _leave(self, frame: bytes) -> NoReturn:
        with self._sending:
            self._tell_printed()
            self._channel.write(frame)
        os._exit(1)


def _call_fields(server: str, tool: str, arguments: str, raw: bool) -> str:
    form = '"raw":true,' if raw else ""
    return f'"type":"call",{form}"server":{_quoted(server)},"tool":{_quoted(tool)},"args":{arguments}'


def _operation_fields(name: str, arguments: str) -> str:
    return f'"type":"operation","name":{_quoted(name)},"args":{arguments}'


def _value_of(frame: bytes) -> Any:
    if not frame:
        raise RuntimeError(_ENDED)
    if frame.startswith(_TEXT):
        return _data_or_text(frame)
    answer = json.loads(frame)
    error = answer.get("error")
    if error is None:
        rest = answer.get("rest")
        return answer.get("value") if rest is None else with_rest(answer["value"], rest)
    message = error.get("message", "")
    if "server" in error:
        raise ToolError(
            message,
            error["server"],
            error.get("tool", ""),
            error.get("delivery", "unknown"),
            error.get("code"),
            error.get("retryAfterMs"),
            error.get("result"),
        )
    raise CoordinatorError(message, error.get("code"))


def _data_or_text(frame: bytes) -> Any:
    """What a server sent as text: as data if it is JSON, or a literal of Python."""
    end = frame.index(b"\n")
    text = frame[end + 1 :].decode()
    try:
        try:
            value = _decode_json(text)
        except ValueError:
            from .literal import json_of_literal

            value = _decode_json(json_of_literal(text))
    except (ValueError, RecursionError):
        return text  # it only looks like data
    rest = json.loads(frame[:end]).get("rest")
    return value if rest is None else with_rest(value, rest)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


# NaN and Infinity, which Python would take, are not JSON.
_decode_json = json.JSONDecoder(parse_constant=_refuse).decode


class CoordinatorError(Exception):
    """What the coordinator could not do for a guest."""

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair: UTF-8 cannot say it, an escape of JSON can.
        return re.sub("[\ud800-\udfff]", lambda match: f"\\u{ord(match.group()):04x}", text).encode()
