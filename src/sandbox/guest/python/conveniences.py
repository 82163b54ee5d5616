"""Functions that guests find among the operations and that are made of them: what only the guest's side can do.

Each is a generator of steps. The plain modules take one after the other, their async twins await them.
"""

from __future__ import annotations

import binascii
import os
import sys
from contextlib import closing

from .host import CoordinatorError
from .turns import Turn
from .values import plain_once, rows_to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Generator

    Step = Callable[[], Any]
    Steps = Callable[..., Generator[Step, Any, Any]]
    Make = Callable[..., Steps]

_NOTHING_RETURNED = "The function given to memory.update returned None, and nothing was written: return the new value"
_MOST_ATTEMPTS = 50
_LONGEST_PAUSE_SECONDS = 0.1
# What goes in one message: as Base64, well below what the host takes.
_PART_BYTES = 6_000_000
_TABLES = (("pandas", "DataFrame"), ("pandas", "Series"), ("polars", "DataFrame"))
_IMAGE_FORMATS = {"jpg": "JPEG", "tif": "TIFF"}


class _Pause:
    """A step that only waits."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds


def go_through(steps: Generator[Any, Any, Any]) -> Any:
    """Takes the steps one after the other; answers what they come to."""
    with closing(steps):
        return _all_of(steps)


def _all_of(steps: Generator[Any, Any, Any]) -> Any:
    result: Any = None
    failure: Exception | None = None
    while True:
        try:
            step = steps.throw(failure) if failure else steps.send(result)
        except StopIteration as end:
            return end.value
        try:
            result, failure = _take(step), None
        except Exception as error:
            failure = error


def _take(step: Any) -> Any:
    if isinstance(step, Turn):
        return step.wait()
    if not isinstance(step, _Pause):
        return step()
    import time

    time.sleep(step.seconds)


async def go_through_async(steps: Generator[Any, Any, Any]) -> Any:
    """The same for steps that are awaited."""
    with closing(steps):
        return await _all_of_async(steps)


async def _all_of_async(steps: Generator[Any, Any, Any]) -> Any:
    result: Any = None
    failure: Exception | None = None
    while True:
        try:
            step = steps.throw(failure) if failure else steps.send(result)
        except StopIteration as end:
            return end.value
        try:
            result, failure = await _take_async(step), None
        except Exception as error:
            failure = error


async def _take_async(step: Any) -> Any:
    if isinstance(step, Turn):
        return await step.wait_async()
    if not isinstance(step, _Pause):
        return await step()
    import asyncio

    await asyncio.sleep(step.seconds)


def _memory_update(info: Callable[..., Any], set: Callable[..., Any], patch: Callable[..., Any]) -> Steps:
    def update(key: str, change: Any, *, default: Any = None, **place: Any) -> Generator[Any, Any, Any]:
        if not callable(change):
            return (yield lambda: patch(key, change, **place))
        with Turn(repr((place.get("namespace", "default"), key))) as turn:
            yield turn
            return (yield from by_function(key, change, default, place))

    def by_function(key: str, change: Any, default: Any, place: dict[str, Any]) -> Generator[Any, Any, Any]:
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            entry = yield lambda: info(key, value=True, **place)
            value = change(entry["value"] if entry else default)
            if hasattr(value, "__await__"):
                value = yield _given(value)
            if value is None:
                raise TypeError(_NOTHING_RETURNED)
            revision = entry["revision"] if entry else 0
            try:
                yield lambda: set(key, value, if_revision=revision, **place)
                return value
            except CoordinatorError as error:
                if error.code != "memory_conflict":
                    raise
            import random

            yield _Pause(random.random() * min(0.002 * attempt, _LONGEST_PAUSE_SECONDS))
        raise CoordinatorError(f"{key!r} was not updated: others wrote it before each of {_MOST_ATTEMPTS} attempts")

    return update


def _given(value: Any) -> Callable[[], Any]:
    return lambda: value


def _skills_save(save: Callable[..., Any]) -> Steps:
    def save_function(name: Any = None, code: Any = None, **options: Any) -> Generator[Any, Any, Any]:
        given = {"name": name, "code": code}
        if callable(name):
            given = {"code": name}
        if callable(given["code"]):
            # The host has its source: it is found by its name.
            given["function"] = str(getattr(given.pop("code"), "__name__", "")) or "?"
        return (yield lambda: save(**{key: value for key, value in given.items() if value is not None}, **options))

    return save_function


def _artifacts_save(save: Callable[..., Any]) -> Steps:
    def save_content(name: str, data: Any) -> Generator[Any, Any, Any]:
        content = _content(name, data)
        if isinstance(content, str) and len(content) > _PART_BYTES // 4:
            # Half of a surrogate pair is not text; it is shown as such.
            content = content.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        if not isinstance(content, (bytes, bytearray, memoryview)) or len(content) <= _PART_BYTES:
            return (yield lambda: save(name, content))
        upload = os.urandom(16).hex()
        view, offset = memoryview(content).cast("B"), 0
        while True:
            part, offset = view[offset : offset + _PART_BYTES], offset + _PART_BYTES
            last = offset >= len(view)
            saved = yield lambda: save(name, part, part={"upload": upload, "last": last})
            if last:
                return saved

    return save_content


def _artifacts_read(read: Callable[..., Any], read_bytes: Callable[..., Any]) -> Steps:
    def read_text(uri: str, **named: Any) -> Generator[Any, Any, str]:
        if named:
            return (yield lambda: read(uri, **named))
        answer = yield lambda: read_bytes(uri)
        try:
            return binascii.a2b_base64(answer["base64"]).decode()
        except UnicodeDecodeError:
            raise CoordinatorError(f"{uri} is not text. Read it with artifacts.read_bytes(uri).", "input_invalid") from None

    return read_text


def _read_bytes(read: Callable[..., Any]) -> Steps:
    def read_bytes(*given: Any, **named: Any) -> Generator[Any, Any, bytes]:
        answer = yield lambda: read(*given, **named)
        return binascii.a2b_base64(answer["base64"])

    return read_bytes


def _workspace_read_bytes(read: Callable[..., Any]) -> Steps:
    def read_bytes(path: str, **named: Any) -> Generator[Any, Any, bytes]:
        return binascii.a2b_base64((yield lambda: read(path, encoding="base64", **named)))

    return read_bytes


def _content(name: str, data: Any) -> Any:
    """Figures, images and tables of well-known packages as the bytes or text of a file; any other data itself."""
    ending = str(name).rpartition(".")[2].lower()
    package, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if callable(getattr(data, "savefig", None)):
        # A figure of matplotlib, or its pyplot, which saves the current one.
        return _written(lambda file: data.savefig(file, format=ending))
    if package == "PIL":
        return _written(lambda file: data.save(file, format=_IMAGE_FORMATS.get(ending, ending.upper())))
    if (package, kind) in _TABLES:
        return _table(data, ending, package, kind)
    return data


def _written(write: Callable[[Any], Any]) -> bytes:
    import io

    file = io.BytesIO()
    write(file)
    return file.getvalue()


def _table(data: Any, ending: str, package: str, kind: str) -> str:
    if ending == "csv":
        if package == "polars":
            return data.write_csv()
        from .tables import only_counts

        return data.to_csv(index=not only_counts(data.index))
    if ending == "json":
        return data.write_json() if package == "polars" else rows_to_json(plain_once(data))
    raise TypeError(f"A {kind} is saved as .csv or .json, not as .{ending}")


CONVENIENCES: dict[str, tuple[tuple[str, ...], Make]] = {
    "memory.update": (("memory.info", "memory.set", "memory.update"), _memory_update),
    "skills.save": (("skills.save",), _skills_save),
    "artifacts.save": (("artifacts.save",), _artifacts_save),
    # Before the next, which takes the place of what it is made of.
    "artifacts.read": (("artifacts.read", "artifacts.read_bytes"), _artifacts_read),
    "artifacts.read_bytes": (("artifacts.read_bytes",), _read_bytes),
    "workspace.read_bytes": (("workspace.read",), _workspace_read_bytes),
}


def expect_figures() -> None:
    """Before matplotlib is imported: it draws without a screen, and `show` saves (see figures.py)."""
    os.environ.setdefault("MPLBACKEND", f"module://{__package__}.figures")
    if sys.platform != "win32":
        os.environ.setdefault("MPLCONFIGDIR", "/tmp")
