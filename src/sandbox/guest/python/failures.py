"""What the host is told of an exception that the guest did not catch."""

from __future__ import annotations

import errno
import json

from .tool_error import ToolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Mapping, Optional

_MESSAGE_CHARACTERS = 8000
_STACK_FRAMES = 20
_MOST_MEMBERS = 100
_LIMITS = {
    errno.ENOMEM: "memory",
    errno.EMFILE: "open_files",
    errno.ENFILE: "open_files",
    errno.ENOSPC: "scratch",
    errno.EDQUOT: "scratch",
    errno.EFBIG: "scratch",
    errno.EAGAIN: "processes",
}


def failure_frame(error: BaseException, files: Mapping[str, Optional[str]], has_threads: bool) -> str:
    """The frame that ends the run; `files` are the guest's, each with what to say of a frame in it; None is a module."""
    limit = _limit_of(error, has_threads)
    if limit:
        return json.dumps({"type": "limit", "limit": limit})
    return json.dumps({"type": "failed", "error": _describe(error, files)})


def _limit_of(error: BaseException, has_threads: bool) -> Optional[str]:
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, OSError):
        # EAGAIN of a file has the file's name; without one it is about a process.
        return None if error.errno == errno.EAGAIN and error.filename is not None else _LIMITS.get(error.errno or 0)
    if has_threads and type(error) is RuntimeError and error.args[:1] == ("can't start new thread",):
        return "processes"
    return None


def _describe(error: BaseException, files: Mapping[str, Optional[str]]) -> dict[str, Any]:
    lines = _guest_lines(error, files)
    described: dict[str, Any] = {"name": type(error).__name__, "message": _message(error)}
    if lines:
        # The program that ran last is the one that the host knows the lines of.
        current = next(reversed(list(files)), "")
        own = [(line, file) for line, file, _name in lines if files[file] is not None]
        line = next((line for line, file in own if file == current), own[0][0] if own else 0)
        if line > 0:  # that of an exception group may be none
            described["line"] = line
        described["stack"] = _stack(lines, files)
    if isinstance(error, ToolError):
        for field in ("server", "tool", "delivery", "code"):
            value = getattr(error, field, None)
            if isinstance(value, str):
                described[field] = value
    return described


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return _exit_message(error.code)
    if isinstance(error, SyntaxError):
        return _text(error.msg)
    notes = [_text(note) for note in (getattr(error, "__notes__", None) or ())[:10]]
    return "\n".join([_text(error), *notes, *_members(error, 1)])[:_MESSAGE_CHARACTERS]


def _members(error: BaseException, level: int) -> list[str]:
    """The exceptions inside a group, not too many of them."""
    members = getattr(error, "exceptions", None)
    if not isinstance(members, tuple) or level > 4:
        return []
    shown: list[str] = []
    for member in members[:20]:
        if len(shown) >= _MOST_MEMBERS:
            break
        shown.append(f"{'  ' * level}- {type(member).__name__}: {_text(member)}"[:1000])
        shown.extend(_members(member, level + 1))
    return shown[:_MOST_MEMBERS]


def _exit_message(code: object) -> str:
    if isinstance(code, int):
        return f"The guest ended its process with code {int(code)}"
    return _text(code)


def _text(value: object) -> str:
    try:
        return str(value)[:_MESSAGE_CHARACTERS]
    except Exception:
        return f"<a {type(value).__name__} that cannot be shown>"


def _guest_lines(error: BaseException, files: Mapping[str, Optional[str]]) -> list[tuple[int, str, str]]:
    """Line, file and function of the guest's own frames, innermost first."""
    lines: list[tuple[int, str, str]] = []
    traceback: Optional[TracebackType] = error.__traceback__
    while traceback:
        code = traceback.tb_frame.f_code
        if code.co_filename in files:
            name = "" if code.co_name == "<module>" else getattr(code, "co_qualname", code.co_name)
            lines.append((traceback.tb_lineno, code.co_filename, name))
        traceback = traceback.tb_next
    lines.reverse()
    if isinstance(error, SyntaxError) and error.filename in files and error.lineno:
        lines.insert(0, (error.lineno, error.filename or "", ""))
    return lines


def _place(line: int, file: str, suffix: Optional[str]) -> str:
    return f"{file}:{line}" if suffix is None else f"line {line}"


def _stack(lines: list[tuple[int, str, str]], files: Mapping[str, Optional[str]]) -> str:
    shown = [f"{_place(line, file, files[file])}{f' in {name}' if name else ''}{files[file] or ''}" for line, file, name in lines]
    if len(shown) > _STACK_FRAMES:
        half = _STACK_FRAMES // 2
        shown = [*shown[:half], f"… {len(shown) - _STACK_FRAMES} more", *shown[-half:]]
    return "\n".join(shown)
