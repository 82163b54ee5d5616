"""A guest's source as code to run."""

from __future__ import annotations

import ast
import linecache
from types import CodeType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CO_COROUTINE = 0x80  # as in inspect, which is slow to load

# No identifier, so that no name of the guest can be the same.
RESULT = "<result>"


def compile_program(source: str, file: str) -> CodeType:
    """Compiles it with top-level await; the value of a last expression is kept under RESULT."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    source = _remember(source, file)
    try:
        tree = compile(source, file, "exec", ast.PyCF_ONLY_AST | flags, dont_inherit=True)
        assert isinstance(tree, ast.Module)
        _keep_last_value(tree)
        return compile(tree, file, "exec", flags, dont_inherit=True)
    except (ValueError, MemoryError) as error:
        raise _unreadable(error) from None


def compile_module(source: str, file: str) -> CodeType:
    """Compiles a module, as Python does."""
    try:
        return compile(_remember(source, file), file, "exec", dont_inherit=True)
    except (ValueError, MemoryError) as error:
        raise _unreadable(error) from None


def _remember(source: str, file: str) -> str:
    """Keeps the lines for tracebacks and inspect."""
    source = source[1:] if source.startswith("\ufeff") else source
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    linecache.cache[file] = (len(source), None, [line + "\n" for line in lines], file)
    return source


def _unreadable(error: Exception) -> SyntaxError:
    # NUL characters and halves of surrogate pairs are wrong values to Python.
    text = "The code is nested too deeply" if isinstance(error, MemoryError) else str(error)
    return SyntaxError(text)


def _keep_last_value(tree: ast.Module) -> None:
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return
    target = ast.Name(RESULT, ast.Store())
    kept = ast.copy_location(ast.Assign([target], last.value), last)
    ast.copy_location(target, last.value)
    tree.body[-1] = ast.fix_missing_locations(kept)


def is_coroutine(code: CodeType) -> bool:
    """Whether the code awaits at its top level."""
    return bool(code.co_flags & _CO_COROUTINE)


def coroutine_of(code: CodeType, namespace: dict[str, Any]) -> Any:
    """The coroutine that runs it."""
    return FunctionType(code, namespace)()
