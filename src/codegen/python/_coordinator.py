"""Calls the tools of MCP servers from a program outside the sandbox, through a coordinator in a child process."""

from __future__ import annotations

import asyncio
import atexit
import itertools
import json
import os
import shlex
import shutil
import subprocess
import threading
from collections import deque
from concurrent.futures import Future, InvalidStateError
from pathlib import Path
from typing import Any, Callable, Mapping, Optional

#: The configuration file, relative to this folder; None for the usual places. `__init__.py` sets it.
config: Optional[str] = None

_folder = Path(__file__).resolve().parent
_end_seconds = 5
# What the coordinator notes on an answer: that its data was put into an object, or made of the server's content.
_wrapped = "mcp-coordinator/wrapped"
_made_of_content = "mcp-coordinator/made-of-content"


class ToolError(Exception):
    """A tool call that failed."""

    def __init__(
        self,
        message: str,
        *,
        server: str,
        tool: str,
        delivery: str,
        code: str,
        retry_after_ms: Optional[int] = None,
        result: Optional[dict[str, Any]] = None,
    ) -> None:
        """Keeps which call it was, whether the server may have acted, and what it has sent with its error."""
        super().__init__(message)
        self.message = message
        self.server = server
        self.tool = tool
        self.delivery = delivery
        self.code = code
        self.retry_after_ms = retry_after_ms
        self.result = result


class _Connection:
    """A coordinator in a child process, spoken to in MCP over its stdin and stdout by any number of threads."""

    def __init__(self) -> None:
        """Starts the child and agrees on the protocol."""
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, Future[Any]] = {}
        self._ended = False
        self._complaints: deque[str] = deque(maxlen=20)
        self._process = subprocess.Popen(
            _command(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the program; the child ends with its stdin
        )
        self._talk = threading.Thread(target=self._read_stderr, daemon=True)
        self._talk.start()
        threading.Thread(target=self._read_stdout, daemon=True).start()
        self._agree()

    @property
    def usable(self) -> bool:
        """Whether the child lives and is this process's own, not that of the one it was forked from."""
        return self.owner == os.getpid() and not self._ended and self._process.poll() is None

    def request(self, method: str, params: Mapping[str, Any]) -> Future[Any]:
        """Sends a request; its future is the `result` of the answer."""
        number = next(self._numbers)
        message = _encode({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        future: Future[Any] = Future()
        with self._lock:
            if self._ended:
                raise _Closed(self._reason(), sent=False)
            self._waiting[number] = future
            try:
                self._write(message)
            except OSError as error:  # the child has gone, and has not read the message to its end
                self._ended = True
                del self._waiting[number]
                raise _Closed(self._reason(), sent=False) from error
        future.add_done_callback(lambda done: done.cancelled() and self._cancel(number))
        return future

    def close(self) -> None:
        """Ends the child: it ends by itself when its stdin does."""
        if self.owner != os.getpid():
            return
        try:
            self._process.stdin.close()  # type: ignore[union-attr]
        except OSError:
            pass  # what was still to be written has no reader any more
        try:
            self._process.wait(_end_seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _agree(self) -> None:
        about = {"name": "mcp_tools for Python", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
        try:
            self.request("initialize", hello).result()
            self._notify("notifications/initialized", {})
        except (_Closed, _Refused) as error:
            self.close()
            self._talk.join(1)
            raise RuntimeError(f"Cannot start mcp-coordinator: {self._reason()}") from error

    def _notify(self, method: str, params: Mapping[str, Any]) -> None:
        with self._lock:
            self._write(_encode({"jsonrpc": "2.0", "method": method, "params": params}))

    def _cancel(self, number: int) -> None:
        self._waiting.pop(number, None)
        try:
            self._notify("notifications/cancelled", {"requestId": number, "reason": "the program gave up"})
        except (OSError, ValueError):
            pass  # the child has gone, and the call with it

    def _write(self, message: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(message)
        stdin.flush()

    def _read_stdout(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        try:
            for line in stdout:
                self._take(json.loads(line))
        except (OSError, ValueError, RecursionError) as error:
            self._complaints.append(f"its answer cannot be read: {error}")
            self._process.kill()
        with self._lock:
            self._ended = True
            left, self._waiting = self._waiting, {}
        for future in left.values():
            _settle(future, error=_Closed(self._reason(), sent=True))

    def _take(self, message: Any) -> None:
        if "method" in message:
            if "id" in message:
                self._answer(message)
            return
        future = self._waiting.pop(message.get("id"), None)
        if future is None:
            return
        if "error" in message:
            _settle(future, error=_Refused(str(message["error"].get("message"))))
        else:
            _settle(future, message.get("result"))

    def _answer(self, request: Any) -> None:
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": -32601, "message": "Method not found"}
        with self._lock:
            self._write(_encode(reply))

    def _read_stderr(self) -> None:
        stderr = self._process.stderr
        assert stderr is not None
        for line in stderr:
            self._complaints.append(line.decode("utf-8", "replace").rstrip()[:500])

    def _reason(self) -> str:
        return "\n".join(self._complaints) or "mcp-coordinator has ended"


class _Closed(Exception):
    """The coordinator has gone, before or after a request was sent."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class _Refused(Exception):
    """The coordinator answered with an error of the protocol."""


def _settle(future: Future[Any], result: Any = None, error: Optional[BaseException] = None) -> None:
    try:
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
    except InvalidStateError:
        pass  # the one who waited has given up


def _encode(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, allow_nan=False).encode("ascii") + b"\n"


def _command() -> list[str]:
    place = [] if config is None else ["--config", os.path.normpath(_folder / config)]
    return [*_program(), "serve", "--toolsets", "code,discovery", *place]


def _program() -> list[str]:
    given = os.environ.get("MCP_COORDINATOR_COMMAND")
    if given:
        return shlex.split(given, posix=os.name == "posix")
    found = shutil.which("mcp-coordinator")
    for folder in (_folder, *_folder.parents):
        found = found or shutil.which("mcp-coordinator", path=str(folder / "node_modules" / ".bin"))
    if found:
        return [found]
    raise FileNotFoundError(
        "mcp-coordinator is not installed. Run `npm install mcp-coordinator` in this project, "
        "or set MCP_COORDINATOR_COMMAND to the command that starts it."
    )


_connection: Optional[_Connection] = None
_connecting = threading.Lock()


def _connect() -> _Connection:
    """The coordinator of this process; started by the first call, and again if it has gone."""
    global _connection
    with _connecting:
        if _connection is None or not _connection.usable:
            _connection = _Connection()
            atexit.register(_connection.close)
        return _connection


def _forget_lock() -> None:
    """A fork may have happened while another thread was connecting: its lock would stay shut here."""
    global _connecting
    _connecting = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_lock)


def _send(connection: _Connection, operation: str, arguments: Mapping[str, Any]) -> Future[Any]:
    return connection.request("tools/call", {"name": operation, "arguments": arguments})


def _failure(error: Exception, server: str, tool: str) -> ToolError:
    delivery = "not_sent" if isinstance(error, _Closed) and not error.sent else "unknown"
    code = "server_closed" if isinstance(error, _Closed) else "call_failed"
    return ToolError(str(error), server=server, tool=tool, delivery=delivery, code=code)


def _plain(answer: Any) -> Any:
    """The data in an answer. The protocol carries objects only: anything else came inside one."""
    data = answer.get("structuredContent")
    return data["result"] if (answer.get("_meta") or {}).get(_wrapped) else data


def _value(answer: Any) -> Any:
    """The value of a call, which carries what else the server sent."""
    value = _plain(answer)
    if not isinstance(value, (dict, list)):
        return value
    carrier: Any = _DictWithRest(value) if isinstance(value, dict) else _ListWithRest(value)
    carrier.rest = {"content": [], **{key: part for key, part in _whole(answer).items() if key in ("content", "_meta")}}
    return carrier


def _whole(answer: Any) -> dict[str, Any]:
    """The server's own result, as it was before the coordinator handed it on."""
    notes = answer.get("_meta") or {}
    result = {key: part for key, part in answer.items() if key not in ("_meta", "structuredContent")}
    if not notes.get(_made_of_content):
        result["structuredContent"] = _plain(answer)
    meta = {key: note for key, note in notes.items() if not key.startswith("mcp-coordinator/")}
    return {**result, "_meta": meta} if meta else result


def _tool_error(answer: Any, server: str, tool: str) -> ToolError:
    content = answer.get("content") or [{}]
    error = (answer.get("structuredContent") or {}).get("error") or {}
    result = error.get("result")
    whole = None if result is None else {**result, "content": content}
    text, delivery, code = content[0].get("text", ""), error.get("delivery", "unknown"), error.get("code", "call_failed")
    again = error.get("retryAfterMs")
    return ToolError(text, server=server, tool=tool, delivery=delivery, code=code, retry_after_ms=again, result=whole)


class _DictWithRest(dict):  # type: ignore[type-arg]
    rest: dict[str, Any]


class _ListWithRest(list):  # type: ignore[type-arg]
    rest: dict[str, Any]


def rest_of(value: Any) -> dict[str, Any]:
    """The content items and `_meta` that the server sent beside the value of a call."""
    if isinstance(value, (_DictWithRest, _ListWithRest)):
        return value.rest
    if isinstance(value, (dict, list)):
        return {"content": []}
    raise TypeError(f"rest_of() takes the dict or list that a call gave, not {type(value).__name__}: call with raw()")


def raw(tool: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    """Calls a tool and gives the server's whole result: raw(search_papers, query="x")."""
    whole = getattr(tool, "__raw__", None)
    if whole is None:
        raise TypeError("raw() takes a function of mcp_tools and its arguments: raw(search_papers, query='x')")
    return whole(*positional, **named)


def _run(
    operation: str, arguments: Mapping[str, Any], server: str, tool: str, read: Callable[[Any], Any] = _plain
) -> Any:
    try:
        answer = _send(_connect(), operation, arguments).result()
    except (_Closed, _Refused) as error:
        raise _failure(error, server, tool) from None
    if answer.get("isError"):
        raise _tool_error(answer, server, tool)
    return read(answer)


async def _run_async(
    operation: str, arguments: Mapping[str, Any], server: str, tool: str, read: Callable[[Any], Any] = _plain
) -> Any:
    connection = _connection
    if connection is None or not connection.usable:
        connection = await asyncio.get_running_loop().run_in_executor(None, _connect)
    try:
        answer = await asyncio.wrap_future(_send(connection, operation, arguments))
    except (_Closed, _Refused) as error:
        raise _failure(error, server, tool) from None
    if answer.get("isError"):
        raise _tool_error(answer, server, tool)
    return read(answer)


def _searched(query: str, server: Optional[str], limit: Optional[int]) -> dict[str, Any]:
    wanted = {"query": query, "server": server, "limit": limit, "detail": "full", "language": "python"}
    return {name: value for name, value in wanted.items() if value is not None}


def _found(answer: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in tool.items() if name != "kind"} for tool in answer["results"]]


def _called(server: str, tool: str, args: Optional[Mapping[str, Any]]) -> dict[str, Any]:
    return {"server_name": server, "tool_name": tool, "arguments": dict(args or {})}


def list_servers() -> Any:
    """The configured servers."""
    return _run("list_servers", {}, "", "list_servers")


def search(query: str, *, server: Optional[str] = None, limit: Optional[int] = None) -> Any:
    """Ranked tools of all servers, or of one."""
    return _found(_run("search_tools", _searched(query, server, limit), server or "", "search"))


def call(server: str, tool: str, args: Optional[Mapping[str, Any]] = None) -> Any:
    """Calls a tool of a server by their exact names."""
    return _run("call_tool", _called(server, tool, args), server, tool, _value)


def _call_raw(server: str, tool: str, args: Optional[Mapping[str, Any]] = None) -> Any:
    return _run("call_tool", _called(server, tool, args), server, tool, _whole)


setattr(call, "__raw__", _call_raw)


async def list_servers_async() -> Any:
    """The configured servers."""
    return await _run_async("list_servers", {}, "", "list_servers")


async def search_async(query: str, *, server: Optional[str] = None, limit: Optional[int] = None) -> Any:
    """Ranked tools of all servers, or of one."""
    return _found(await _run_async("search_tools", _searched(query, server, limit), server or "", "search"))


async def call_async(server: str, tool: str, args: Optional[Mapping[str, Any]] = None) -> Any:
    """Calls a tool of a server by their exact names."""
    return await _run_async("call_tool", _called(server, tool, args), server, tool, _value)


async def _call_raw_async(server: str, tool: str, args: Optional[Mapping[str, Any]] = None) -> Any:
    return await _run_async("call_tool", _called(server, tool, args), server, tool, _whole)


setattr(call_async, "__raw__", _call_raw_async)


def define(module: dict[str, Any], server: str, tools: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
    """Makes a generated module the library of a server: identifier to exact name and renamed parameters."""

    def call_exact(tool: str, args: Optional[Mapping[str, Any]] = None) -> Any:
        """Calls a tool by its exact name."""
        return call(server, tool, args)

    def list_tools() -> Any:
        """The tools of the server."""
        return _run("list_tools", {"server_name": server}, server, "list_tools")

    def function(name: str, renamed: Mapping[str, str]) -> Callable[..., Any]:
        def tool(**arguments: Any) -> Any:
            return call(server, name, _exact(arguments, renamed))

        setattr(tool, "__raw__", lambda **arguments: _call_raw(server, name, _exact(arguments, renamed)))
        return tool

    setattr(call_exact, "__raw__", lambda tool, args=None: _call_raw(server, tool, args))
    _fill(module, {"call": call_exact, "list_tools": list_tools}, tools, function)


def define_async(module: dict[str, Any], server: str, tools: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
    """The same for the async twin of a library."""

    async def call_exact(tool: str, args: Optional[Mapping[str, Any]] = None) -> Any:
        """Calls a tool by its exact name."""
        return await call_async(server, tool, args)

    async def list_tools() -> Any:
        """The tools of the server."""
        return await _run_async("list_tools", {"server_name": server}, server, "list_tools")

    def function(name: str, renamed: Mapping[str, str]) -> Callable[..., Any]:
        async def tool(**arguments: Any) -> Any:
            return await call_async(server, name, _exact(arguments, renamed))

        setattr(tool, "__raw__", lambda **arguments: _call_raw_async(server, name, _exact(arguments, renamed)))
        return tool

    setattr(call_exact, "__raw__", lambda tool, args=None: _call_raw_async(server, tool, args))
    _fill(module, {"call": call_exact, "list_tools": list_tools}, tools, function)


def _exact(arguments: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    return {renamed.get(name, name): value for name, value in arguments.items()}


def _fill(
    module: dict[str, Any],
    members: dict[str, Callable[..., Any]],
    tools: Mapping[str, tuple[str, Mapping[str, str]]],
    function: Callable[[str, Mapping[str, str]], Callable[..., Any]],
) -> None:
    members.update((identifier, function(*tool)) for identifier, tool in tools.items())
    for identifier, member in members.items():
        member.__name__ = member.__qualname__ = identifier
        member.__module__ = module["__name__"]
    module.update(members, __all__=list(members))
