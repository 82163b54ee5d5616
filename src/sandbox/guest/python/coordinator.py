"""The module `coordinator`: functions over the operations of the host, which say of themselves what they take."""

from __future__ import annotations

import re
from types import SimpleNamespace

from . import conveniences
from .arguments import bound, encode_operation
from .missing import missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Protocol, Sequence

    class Dispatcher(Protocol):
        """How operations are asked for: waiting for the host, or as a coroutine."""

        def operation(self, name: str, arguments: str) -> Any: ...
        def convenience(self, steps: Any) -> Any: ...

    Help = Callable[[str], "dict[str, str] | None"]

_OWN_NAME = re.compile(r"^[\w.<>]+\(\) ")


def coordinator_members(
    dispatcher: Dispatcher, operations: Sequence[Sequence[str]], module: str, help_of: Help
) -> dict[str, Any]:
    """`artifacts.read` becomes `read` of the group `artifacts`; a name without a dot is a function of the module."""
    functions: dict[str, Any] = {}
    for name, *positional in operations:
        functions[name] = _Function(name, module, help_of, *_operation(dispatcher, name, positional))
    for name, (needs, make) in conveniences.CONVENIENCES.items():
        if all(need in functions for need in needs):
            steps = make(*[functions[need] for need in needs])
            functions[name] = _Function(name, module, help_of, steps, dispatcher.convenience)
    members: dict[str, Any] = {}
    for name, function in functions.items():
        group, _, member = name.partition(".")
        if not member:
            members[group] = function
        else:
            vars(members.setdefault(group, _Group(f"{module}.{group}")))[member] = function
    return members


def _operation(dispatcher: Dispatcher, name: str, positional: list[str]) -> tuple[Any, Any]:
    def bind(*given: Any, **named: Any) -> dict[str, Any]:
        return bound(name, positional, given, named)

    def send(arguments: dict[str, Any]) -> Any:
        return dispatcher.operation(name, encode_operation(name, arguments))

    return bind, send


class _Function:
    """One function of the module: what it takes is asked of the host when somebody wants to know."""

    def __init__(self, name: str, module: str, help_of: Help, bind: Callable[..., Any], send: Callable[[Any], Any]) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = module
        self._help_of, self._bind, self._send = help_of, bind, send

    def __call__(self, *given: Any, **named: Any) -> Any:
        try:
            request = self._bind(*given, **named)
        except TypeError as error:
            raise TypeError(self._explained(str(error))) from None
        return self._send(request)

    def __get__(self, _instance: object, _owner: object = None) -> _Function:
        """Functions have this: without it, `help` would not take it for one."""
        return self

    def __repr__(self) -> str:
        return f"<function {self.__module__}.{self.__name__}>"

    def _explained(self, message: str) -> str:
        known = self._help_of(self.__name__)
        message = f"{self.__name__}() {_OWN_NAME.sub('', message)}"
        return message if known is None else f"{message}. It takes: {self._signature(known)}   {_example(known)}"

    def _signature(self, known: dict[str, str]) -> str:
        return f"{self.__name__}{known['parameters']} -> {known['result']}"

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        known = self._help_of(self.__name__)
        return known and known["doc"]

    @property
    def __signature__(self) -> Any:
        known = self._help_of(self.__name__)
        if known is None:
            raise AttributeError("__signature__")
        return _signature_of(known)


class _Group(SimpleNamespace):
    """Functions of one kind, that say what there is when another one is asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(__name__=name)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(missing(vars(self)["__name__"], name, vars(self)))

    def __dir__(self) -> list[str]:
        return [name for name in vars(self) if not name.startswith("_")]

    def __repr__(self) -> str:
        return f"<{', '.join(dir(self))}>"

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return "\n".join(self._line(name) for name in dir(self))

    def _line(self, name: str) -> str:
        function: _Function = vars(self)[name]
        known = function._help_of(function.__name__)
        if known is None:
            return f"{function.__name__}(...)"
        return f"{function._signature(known)}  # {known['doc'].partition(chr(10))[0]}"


def _example(known: dict[str, str]) -> str:
    return known["doc"].rpartition("\n")[2].replace("For example:", "e.g.")


# What `help` calls them.
_Function.__name__, _Group.__name__ = "function", "functions"


class _Text:
    """What stands in a signature, as it is written."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _signature_of(known: dict[str, str]) -> Any:
    import ast
    import inspect

    text = f"def _{known['parameters']}: ..."
    definition: Any = ast.parse(text).body[0]

    def written(node: Any) -> Any:
        return _Text(ast.get_source_segment(text, node) or "")

    def parameter(argument: Any, default: Any, kind: Any) -> Any:
        empty = inspect.Parameter.empty
        return inspect.Parameter(
            argument.arg,
            kind,
            default=written(default) if default else empty,
            annotation=written(argument.annotation) if argument.annotation else empty,
        )

    listed = definition.args
    defaults = [None] * (len(listed.args) - len(listed.defaults)) + listed.defaults
    parameters = [
        *[parameter(one, default, inspect.Parameter.POSITIONAL_OR_KEYWORD) for one, default in zip(listed.args, defaults)],
        *[parameter(one, default, inspect.Parameter.KEYWORD_ONLY) for one, default in zip(listed.kwonlyargs, listed.kw_defaults)],
    ]
    return inspect.Signature(parameters, return_annotation=_Text(known["result"]))
