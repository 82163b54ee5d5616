"""What the value of a call leaves out of the server's result, carried by the value itself."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _DictWithRest(dict):  # type: ignore[type-arg]
    rest: dict[str, Any]


class _ListWithRest(list):  # type: ignore[type-arg]
    rest: dict[str, Any]


def with_rest(value: Any, rest: dict[str, Any]) -> Any:
    """The value as one that `rest_of` knows; it goes with it when nobody needs the value any more."""
    carrier: Any = _DictWithRest(value) if type(value) is dict else _ListWithRest(value)
    carrier.rest = rest
    return carrier


def rest_of(value: Any) -> dict[str, Any]:
    """The content items and `_meta` that the server sent beside the value of a call."""
    if isinstance(value, (_DictWithRest, _ListWithRest)):
        return value.rest
    if isinstance(value, (dict, list)):
        return {"content": []}
    kind = type(value).__name__
    raise TypeError(f"rest_of() takes the dict or list that a call gave, not {kind}: call with raw() instead")
