"""Values as JSON text, keeping as much of them as JSON can say; the rest is shown in a readable form."""

from __future__ import annotations

import binascii
import enum
import json
import math
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterator

_MOST_EXACT_INT = 2**53
# One level more than the host takes: it then ends the run and names the limit.
_MOST_LEVELS = 514
_REPR_CHARACTERS = 1000
# The host takes no more in one piece.
_MOST_FRAME_BYTES = 16 * 1024 * 1024
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class OutputLimit(Exception):
    """The value is longer than a result may be."""


def to_json(value: Any, most_bytes: int) -> str:
    """The value as JSON text; raises OutputLimit when that is longer than `most_bytes` allows."""
    before = sys.getrecursionlimit()
    # The value's own depth must not count as the guest's recursion.
    sys.setrecursionlimit(max(before, 4 * _MOST_LEVELS + 1000))
    try:
        plainer = _Plainer(most_bytes)
        text = _encode(plainer.plain(value, 0))
    finally:
        sys.setrecursionlimit(before)
    most_bytes += plainer.media
    if len(text) > most_bytes or len(text.encode(errors="replace")) > most_bytes:
        raise OutputLimit
    return text


def rows_to_json(rows: Any) -> str:
    """Rows of a table as JSON text, of any length: written at once where nothing in them has to be shown first."""
    try:
        return _encode_rows(rows)
    except (TypeError, ValueError, RecursionError):
        return to_json(rows, sys.maxsize)


def plain_once(value: Any) -> Any:
    """A list, an object or a text for what is shown as one, its members as they are; any other value itself."""
    while type(value) not in (list, dict, str):
        shown = _shown(value)
        if shown is value:
            return value
        value = shown
    return value


class _Plainer:
    def __init__(self, most_bytes: int) -> None:
        self._left = most_bytes
        self._path: set[int] = set()
        # The length of images, audio and resources: no output in the sense of its limit.
        self.media = 0
        self._drawn: set[int] = set()

    def plain(self, value: Any, level: int) -> Any:
        """The value in terms of JSON."""
        kind = type(value)
        self._left -= len(value) if kind is str else 1
        if self._left < 0:
            raise OutputLimit
        if value is None or kind is str or kind is bool:
            return value
        if kind is int:
            return value if -_MOST_EXACT_INT <= value <= _MOST_EXACT_INT else str(value)
        if kind is float:
            return value if math.isfinite(value) else _float_name(value)
        if level >= _MOST_LEVELS:
            return None
        if id(value) in self._path:
            return "[Circular]"
        self._path.add(id(value))
        try:
            return self._structure(value, kind, level + 1)
        finally:
            self._path.discard(id(value))

    def _structure(self, value: Any, kind: type, level: int) -> Any:
        if kind is list or kind is tuple:
            return [self.plain(item, level) for item in value]
        if kind is dict:
            media = min(_media_length(value), _MOST_FRAME_BYTES - self.media)
            self.media += media
            self._left += media
            return self._object(value.items(), level)
        if isinstance(value, _DRAWN):
            return self._picture(value, level)
        shown = _shown(value)
        return _short(repr(value)) if shown is value else self.plain(shown, level - 1)

    def _picture(self, value: Any, level: int) -> Any:
        """A figure of matplotlib, once: each of its axes would be the same picture."""
        figure = value.figure
        while not hasattr(figure, "savefig"):
            figure = figure.figure
        if id(figure) in self._drawn:
            return "[the same figure]"
        self._drawn.add(id(figure))
        return self._structure(_png(figure), dict, level)

    def _object(self, pairs: Any, level: int) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for key, item in pairs:
            name = key if type(key) is str else key_text(key)
            self._left -= len(name)
            shown[name] = self.plain(item, level)
        return shown


def key_text(key: Any) -> str:
    """A key as JSON has it; the parts of a tuple with slashes between them."""
    if isinstance(key, tuple):
        return "/".join(key_text(part) for part in key)
    plain = _Plainer(_MOST_FRAME_BYTES).plain(key, 0)
    return plain if isinstance(plain, str) else _encode(plain)


def _shown(value: Any) -> Any:
    """A value in plainer terms; one for which there are none itself."""
    kind = type(value)
    if kind is tuple:
        return list(value)
    if value is None or kind is bool or kind is int or kind is float:
        return value
    for known, show in _SHOWN:
        if isinstance(value, known):
            return show(value)
    if hasattr(kind, "__dataclass_fields__"):
        return dict(_fields(value))
    return _of_package(value)


def _media_length(item: dict[Any, Any]) -> int:
    kind, content = item.get("type"), item.get("data")
    if kind == "resource" and type(item.get("resource")) is dict:
        content = item["resource"].get("text") or item["resource"].get("blob")
    return len(content) if kind in ("image", "audio", "resource") and type(content) is str else 0


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    import dataclasses  # there already: the value's class was made by it

    return ((field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value))


def _float_name(value: float) -> str:
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def _short(text: str) -> str:
    return text if len(text) <= _REPR_CHARACTERS else text[:_REPR_CHARACTERS] + "…"


def _set_items(value: Any) -> list[Any]:
    items = list(value)
    try:
        # Python shuffles sets of strings differently in each process; sorted, the same code answers the same.
        return sorted(items)
    except TypeError:
        return items


def _exception(value: BaseException) -> dict[str, str]:
    return {"name": type(value).__name__, "message": _short(str(value))}


def _tuple(value: Any) -> Any:
    names = getattr(type(value), "_fields", None)
    return dict(zip(names, value)) if isinstance(names, tuple) else list(value)


def _of_package(value: Any) -> Any:
    """Data of well-known packages in plain terms; any other value itself."""
    package = type(value).__module__.partition(".")[0]
    show = _PACKAGES.get(package)
    return show(value) if show else value


def _numpy(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def _pandas(value: Any) -> Any:
    from . import tables

    kind = type(value).__name__
    if kind == "DataFrame":
        return tables.records(value, key_text)
    if kind == "Series":
        return tables.series(value, key_text)
    if hasattr(value, "tolist") and hasattr(value, "isna"):
        return tables.cells(value)
    return str(value) if kind in ("Interval", "Period") else value


def _polars(value: Any) -> Any:
    return value.to_dicts() if hasattr(value, "to_dicts") else value.to_list() if hasattr(value, "to_list") else value


_PACKAGES: dict[str, Callable[[Any], Any]] = {"numpy": _numpy, "pandas": _pandas, "polars": _polars}


def _shown_cell(value: Any) -> Any:
    shown = _shown(value)
    if shown is value:
        raise TypeError
    return shown


_encode_rows = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_shown_cell
).encode


def _lazily(module: str, name: str) -> tuple[type, ...]:
    """A class of a module, if the module is there: a value of it cannot exist otherwise."""
    loaded = sys.modules.get(module)
    return (getattr(loaded, name),) if loaded else ()


class _Late(type):
    """Stands for a class whose module may not have been imported."""

    module: str
    of: str

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, _lazily(cls.module, cls.of))


def _late(module: str, of: str) -> type:
    return _Late(of, (), {"module": module, "of": of})


def _nothing(_value: Any) -> None:
    return None


def _png(figure: Any) -> dict[str, str]:
    import io

    file = io.BytesIO()
    figure.savefig(file, format="png")
    data = binascii.b2a_base64(file.getvalue(), newline=False).decode()
    return {"type": "image", "mimeType": "image/png", "data": data}


_DRAWN: Any = (_late("matplotlib.figure", "FigureBase"), _late("matplotlib.axes", "Axes"))


# In this order: an enum that is an int is shown as its value, a datetime is a date as well.
_SHOWN: list[tuple[Any, Callable[[Any], Any]]] = [
    # Of pandas; NaT is a datetime as well.
    (_late("pandas._libs.tslibs.nattype", "NaTType"), _nothing),
    (_late("pandas._libs.missing", "NAType"), _nothing),
    (enum.Enum, lambda value: value.value),
    (str, str.__str__),
    (int, int.__index__),
    (float, float.__float__),
    (dict, lambda value: dict(value.items())),
    (tuple, _tuple),
    (list, list),
    ((set, frozenset), _set_items),
    ((bytes, bytearray, memoryview), lambda value: {"base64": binascii.b2a_base64(value, newline=False).decode()}),
    (_late("datetime", "date"), lambda value: value.isoformat()),
    (_late("datetime", "time"), lambda value: value.isoformat()),
    (_late("datetime", "timedelta"), str),
    (complex, str),
    (_late("decimal", "Decimal"), str),
    (_late("fractions", "Fraction"), str),
    (_late("uuid", "UUID"), str),
    (_late("pathlib", "PurePath"), str),
    (_late("collections", "deque"), list),
    ((range, type({}.keys()), type({}.values())), list),
    (type({}.items()), lambda value: [list(pair) for pair in value]),
    (_late("types", "MappingProxyType"), dict),
    (_late("types", "SimpleNamespace"), vars),
    (BaseException, _exception),
]
