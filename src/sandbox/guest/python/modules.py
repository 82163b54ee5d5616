"""The modules that the host gives to a guest: `mcp_tools`, its libraries, their async twins, `coordinator`, and skills.

Libraries are data: a module is a table of functions over one dispatcher, and no name in it becomes code.
"""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from . import conveniences
from .arguments import encode_arguments, encode_named
from .coordinator import coordinator_members
from .linked import LinkedModules
from .missing import listing, missing, nearest
from .rest import rest_of
from .tool_error import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, Sequence

    from .host import Host

    Members = Callable[[], "dict[str, Any]"]
    Send = Callable[[str], Any]
    Encode = Callable[["tuple[Any, ...]", "dict[str, Any]"], str]

_ROOTS = ("mcp_tools", "coordinator", "skills")


class GuestModule(ModuleType):
    """A module that says what it has when it is asked for something else."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if f"{self.__name__}.{name}" in self.__spec__.loader.modules:  # type: ignore[union-attr]
            return importlib.import_module(f"{self.__name__}.{name}")
        raise AttributeError(missing(self.__name__, name, vars(self)))


class GuestModules:
    """Finds and makes the guest's modules; stands first among the finders of Python."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.modules: dict[str, Members] = {}
        self.linked = LinkedModules()
        self._help: dict[str, dict[str, str]] | None = None

    def offer(self, program: dict[str, Any], builtins_for: Callable[[dict[str, Any]], Any]) -> None:
        """Replaces what can be imported by what this run may use; `builtins_for` a module's namespace are its builtins."""
        operations: Sequence[Sequence[str]] = program["operations"]
        plain, twin = _Plain(self._host), _Async(self._host)
        self.modules = {
            "mcp_tools": lambda: _root_members(plain),
            "mcp_tools.aio": lambda: _root_members(twin),
            "coordinator": lambda: coordinator_members(plain, operations, "coordinator", self._help_of),
            "coordinator.aio": lambda: coordinator_members(twin, operations, "coordinator.aio", self._help_of),
        }
        for library in program["libraries"]:
            self._add_library(f"mcp_tools.{library['module']}", plain, library)
            self._add_library(f"mcp_tools.aio.{library['module']}", twin, library)
        for name in [name for name in sys.modules if name.partition(".")[0] in _ROOTS]:
            del sys.modules[name]
        self.linked.offer(program, builtins_for)
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)  # type: ignore[arg-type]

    def _add_library(self, name: str, dispatcher: _Plain | _Async, library: dict[str, Any]) -> None:
        self.modules[name] = lambda: _library_members(dispatcher, library, name)

    def _help_of(self, function: str) -> dict[str, str] | None:
        """What the host says of a function of ours, asked for once; nothing when it cannot be asked."""
        if self._help is None:
            try:
                self._help = self._host.operation("help", "{}")
            except Exception:
                return None
        return self._help.get(function)

    def find_spec(self, name: str, path: object = None, target: object = None) -> Optional[ModuleSpec]:
        """Knows the modules of this run, and what else to take when one is missing."""
        root = name.partition(".")[0]
        if name in self.linked or self.linked.holds(name) or name == "skills":
            is_package = root == "skills" or self.linked.holds(name)
            return ModuleSpec(name, self, is_package=is_package)  # type: ignore[arg-type]
        if root not in _ROOTS:
            if name == "matplotlib":
                conveniences.expect_figures()
            return None
        if name in self.modules:
            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        if root == "skills":
            raise ModuleNotFoundError(f"No module named {name!r}: a skill is imported by its name, in an import statement")
        holder, _, member = name.rpartition(".")
        # Without a name of its own the error passes through `from … import …` as it is.
        if holder in self.modules and holder not in ("mcp_tools", "mcp_tools.aio"):
            raise ImportError(missing(holder, member, self.modules[holder]()))
        known = sorted(known for known in self.modules if known.rpartition(".")[0] == holder)
        raise ModuleNotFoundError(f"No module named {name!r}{nearest(name, known)}{listing('there are', known)}")

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Makes an empty module."""
        return GuestModule(spec.name) if spec.name in self.modules else ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fills it."""
        members = self.modules.get(module.__name__)
        if members:
            vars(module).update(members())
        else:
            self.linked.run(module)


class _Plain:
    """Functions that wait for the host."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def call(self, server: str, tool: str, arguments: str, raw: bool = False) -> Any:
        return self._host.call(server, tool, arguments, raw)

    def operation(self, name: str, arguments: str) -> Any:
        return self._host.operation(name, arguments)

    def function(self, name: str, module: str, send: Send, encode: Encode) -> Callable[..., Any]:
        def function(*positional: Any, **named: Any) -> Any:
            return send(encode(positional, named))

        return _labelled(function, name, module)

    def convenience(self, steps: Any) -> Any:
        return conveniences.go_through(steps)


class _Async:
    """The same as coroutine functions."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def call(self, server: str, tool: str, arguments: str, raw: bool = False) -> Any:
        return self._host.call_async(server, tool, arguments, raw)

    def operation(self, name: str, arguments: str) -> Any:
        return self._host.operation_async(name, arguments)

    def function(self, name: str, module: str, send: Send, encode: Encode) -> Callable[..., Any]:
        async def function(*positional: Any, **named: Any) -> Any:
            return await send(encode(positional, named))

        return _labelled(function, name, module)

    def convenience(self, steps: Any) -> Any:
        return conveniences.go_through_async(steps)


def _labelled(function: Callable[..., Any], name: str, module: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    return function


def _root_members(dispatcher: _Plain | _Async) -> dict[str, Any]:
    def call(server: str, tool: str, args: dict[str, Any] | None = None, raw: bool = False) -> Any:
        """Calls any tool of any server by its exact name."""
        return dispatcher.call(str(server), str(tool), encode_arguments("call", args), raw)

    def list_servers() -> Any:
        """The servers that are configured."""
        return dispatcher.operation("list_servers", "{}")

    def search(query: str, **options: Any) -> Any:
        """Ranked tools of all servers: search(query, server=…, limit=…)."""
        given = {name: value for name, value in options.items() if value is not None}
        return dispatcher.operation("search", encode_arguments("search", {**given, "query": query}))

    return {
        "ToolError": ToolError,
        "call": _with_raw(call, lambda *given, **named: call(*given, **named, raw=True)),
        "raw": _raw,
        "rest_of": rest_of,
        "list_servers": list_servers,
        "search": search,
    }


def _with_raw(function: Callable[..., Any], whole: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a function of calls its twin for the server's whole result."""
    function.__raw__ = whole  # type: ignore[attr-defined]
    return function


def _raw(tool: Callable[..., Any], *positional: Any, **named: Any) -> Any:
    """Calls a tool and gives the server's whole result: raw(search_papers, query="x")."""
    whole = getattr(tool, "__raw__", None)
    if whole is None:
        raise TypeError("raw() takes a function of mcp_tools and its arguments: raw(search_papers, query='x')")
    return whole(*positional, **named)


def _library_members(dispatcher: _Plain | _Async, library: dict[str, Any], module: str) -> dict[str, Any]:
    server: str = library["server"]
    members: dict[str, Any] = {}
    for identifier, name, *rest in library["tools"]:
        # Python reads such names of a module itself; `call` reaches the tool.
        if not identifier.startswith("__"):
            members[identifier] = _tool(dispatcher, server, identifier, name, (rest or [None])[0] or {}, module)

    def call(tool: str, args: dict[str, Any] | None = None, raw: bool = False) -> Any:
        """Calls a tool of this server by its exact name."""
        return dispatcher.call(server, str(tool), encode_arguments("call", args), raw)

    def list_tools() -> Any:
        """The tools of this server."""
        return dispatcher.operation("list_tools", encode_arguments("list_tools", {"server_name": server}))

    exact = _with_raw(call, lambda *given, **named: call(*given, **named, raw=True))
    return {**members, "call": exact, "list_tools": list_tools, "ToolError": ToolError}


def _tool(
    dispatcher: _Plain | _Async, server: str, identifier: str, name: str, parameters: dict[str, str], module: str
) -> Callable[..., Any]:
    def encode(positional: tuple[Any, ...], named: dict[str, Any]) -> str:
        return encode_named(identifier, positional, named, parameters)

    def whole(*positional: Any, **named: Any) -> Any:
        return dispatcher.call(server, name, encode(positional, named), raw=True)

    tool = dispatcher.function(identifier, module, lambda arguments: dispatcher.call(server, name, arguments), encode)
    return _with_raw(tool, whole)
