"""The import policy: which modules the guest's own code may import. A rule about code, not the sandbox."""

from __future__ import annotations

import builtins
import importlib
import re
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

_OURS = re.compile(r"(mcp_tools|coordinator|skills)(\Z|\.)")
_import_module = importlib.import_module


class ImportPolicy:
    """Patterns of module names that are allowed and denied; deny wins."""

    def __init__(self, allow: Sequence[str], deny: Sequence[str]) -> None:
        self._allow = [_pattern(glob) for glob in allow]
        self._deny = [_pattern(glob) for glob in deny]
        self.allows_all = "*" in allow and not deny

    def check(self, name: str, members: Sequence[str] = ()) -> None:
        """Raises ImportError for a module that may not be imported; a member may be a module of its own."""
        if _OURS.match(name):
            return
        if not _is_named(name, self._allow) or _is_named(name, self._deny):
            raise _refusal(name)
        for member in members:
            if _is_named(f"{name}.{member}", self._deny):
                raise _refusal(f"{name}.{member}")


def _refusal(name: str) -> ImportError:
    return ImportError(f'The import of "{name}" is not allowed (coordinator.sandbox.imports)', name=name)


def _pattern(glob: str) -> Callable[[str], Any]:
    return re.compile(re.escape(glob).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL).fullmatch


def _is_named(name: str, patterns: Sequence[Callable[[str], Any]]) -> bool:
    """Whether a pattern names the module or a package that holds it."""
    parts = name.split(".")
    holders = [".".join(parts[: count + 1]) for count in range(len(parts))]
    return any(pattern(holder) for pattern in patterns for holder in holders)


class GuestBuiltins:
    """`__builtins__` of the guest's modules alone: the standard library's own imports are not its business."""

    def __init__(self, policy: ImportPolicy, is_own: Callable[[str], bool]) -> None:
        self._policy = policy
        self._is_own = is_own
        self._guests: list[dict[str, Any]] = []
        importlib.import_module = _import_module if policy.allows_all else self._import_module

    def of(self, guest: dict[str, Any]) -> Any:
        """The builtins of a module, by its namespace."""
        if self._policy.allows_all:
            return builtins
        self._guests.append(guest)
        return {**vars(builtins), "__import__": self._import}

    def _import(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] = (), level: int = 0
    ) -> Any:
        if level == 0 and not self._is_own(name):
            self._policy.check(name, fromlist or ())
        return builtins.__import__(name, globals, locals, fromlist, level)

    def _import_module(self, name: str, package: str | None = None) -> Any:
        caller = sys._getframe(1).f_globals
        if any(caller is guest for guest in self._guests) and not name.startswith(".") and not self._is_own(name):
            self._policy.check(name)
        return _import_module(name, package)
