"""Changes a module of Python's own when the guest imports it: most runs never do."""

from __future__ import annotations

import sys
from importlib.util import find_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Callable


def when_imported(name: str, adapt: Callable[[Any], None]) -> None:
    """Adapts the module, now if it is there already."""
    module = sys.modules.get(name)
    if module is not None:
        adapt(module)
    else:
        sys.meta_path.insert(0, _Finder(name, adapt))


class _Finder:
    """Waits for the import of one module."""

    def __init__(self, name: str, adapt: Callable[[Any], None]) -> None:
        self._name = name
        self._adapt = adapt

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._adapt)  # type: ignore[assignment]
        return spec


class _Loader:
    """Loads a module as its own loader does, then adapts it."""

    def __init__(self, loader: Any, adapt: Callable[[Any], None]) -> None:
        self._loader = loader
        self._adapt = adapt

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__.loader = module.__loader__ = self._loader  # type: ignore[union-attr]
        self._loader.exec_module(module)
        self._adapt(module)
