"""Arguments of calls as JSON text: exactly what the guest gave, or an error before anything is sent."""

from __future__ import annotations

import binascii
import json
import re
from keyword import iskeyword

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

_MOST_EXACT_INT = 2**53
_LONG_NUMBER = re.compile(r"\d{16}")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def _bytes_as_json(value: Any) -> dict[str, str]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"base64": binascii.b2a_base64(value, newline=False).decode()}
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


# Our own operations take bytes too.
_encode_or_bytes = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_bytes_as_json
).encode


def encode_named(function: str, positional: tuple[Any, ...], named: dict[str, Any], parameters: dict[str, str]) -> str:
    """Keyword arguments by their exact names; `parameters` holds those that are spelled differently in Python."""
    if positional:
        raise TypeError(f"{function}() takes keyword arguments only: {function}(name=value)")
    if not parameters:
        return encode_arguments(function, named)
    exact: dict[str, Any] = {}
    for name, value in named.items():
        key = parameters.get(name, name)
        if key in exact:
            raise TypeError(f"{function}() got multiple values for argument {key!r}")
        exact[key] = value
    return encode_arguments(function, exact)


def bound(function: str, names: list[str], given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
    """Arguments that were given by position, under their names, beside those that had one."""
    if len(given) > len(names):
        takes = f"at most {len(names)} arguments by position" if names else "keyword arguments only"
        raise TypeError(f"{function}() takes {takes}")
    by_name = dict(zip(names, given))
    for name in by_name:
        if name in named:
            raise TypeError(f"{function}() got multiple values for argument {name!r}")
    return {**by_name, **named}


def encode_arguments(function: str, arguments: dict[str, Any] | None, encode: Callable[[Any], str] = _encode) -> str:
    """Named arguments as one JSON object."""
    if arguments is None:
        return "{}"
    if not isinstance(arguments, dict):
        raise TypeError(f"{function}() takes a dict of named arguments, not {type(arguments).__name__}")
    return "{" + ",".join(_pair(function, name, value, encode) for name, value in arguments.items()) + "}"


def encode_operation(function: str, arguments: dict[str, Any]) -> str:
    """The same for operations of the coordinator, to which bytes travel as {"base64": …}; `from_` stands for `from`."""
    exact = {name[:-1] if name[-1:] == "_" and iskeyword(name[:-1]) else name: arguments[name] for name in arguments}
    return encode_arguments(function, exact, _encode_or_bytes)


def _pair(function: str, name: Any, value: Any, encode: Callable[[Any], str]) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{function}(): the name of an argument is a str, not {type(name).__name__}")
    try:
        text = encode(value)
        if _LONG_NUMBER.search(text):
            _refuse_inexact(value)
        return f"{_encode(name)}:{text}"
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"{function}(): the argument {name!r} cannot be written as JSON: {error}") from None


def _refuse_inexact(value: Any) -> None:
    """The host reads numbers as doubles: one that a double cannot hold would arrive as another."""
    if isinstance(value, int) and abs(value) > _MOST_EXACT_INT:
        raise ValueError(f"{value} is beyond 2**53 and would arrive as another; send a str if the tool takes one")
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
        _refuse_inexact(item)
