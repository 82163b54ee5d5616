"""Modules whose code comes with the program: skills, and the neighbours of a file that runs."""

from __future__ import annotations

import importlib
import sys

from .program import compile_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Iterator, Sequence


class LinkedModules:
    """What the host has found for the imports of the program and of its modules, by name."""

    def __init__(self) -> None:
        self._code: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._first_names: dict[str, str] = {}
        self._builtins: Callable[[dict[str, Any]], Any] = lambda _namespace: None

    def offer(self, program: dict[str, Any], builtins_for: Callable[[dict[str, Any]], Any]) -> None:
        """Replaces what was there for an earlier program; who imports a module again gets a new one."""
        for name in [name for name in self._ids if name in sys.modules]:
            del sys.modules[name]
        modules: Sequence[dict[str, Any]] = program["modules"]
        self._builtins = builtins_for
        self._code = {module["id"]: module["code"] for module in modules}
        self._ids = dict(_links(program))
        self._first_names = {}
        for name, identifier in self._ids.items():
            self._first_names.setdefault(identifier, name)

    def __contains__(self, name: str) -> bool:
        return name in self._ids

    def names(self) -> list[str]:
        """All names under which there is a module."""
        return list(self._ids)

    def holds(self, name: str) -> bool:
        """Whether there are modules below that name."""
        return any(known.startswith(f"{name}.") for known in self._ids)

    def run(self, module: ModuleType) -> None:
        """Runs a module's code in it. One that has two names is run once, under the first."""
        name = module.__name__
        identifier = self._ids.get(name)
        if identifier is None:
            return  # a package that only holds others
        first = self._first_names[identifier]
        if first != name:
            sys.modules[name] = importlib.import_module(first)
            return
        namespace = vars(module)
        namespace["__file__"] = identifier
        namespace["__builtins__"] = self._builtins(namespace)
        exec(compile_module(self._code[identifier], identifier), namespace)


def _links(program: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The guest's own come first: their names are those that it sees."""
    for holder in (program, *program["modules"]):
        for name, identifier in holder.get("links") or ():
            yield name, identifier
