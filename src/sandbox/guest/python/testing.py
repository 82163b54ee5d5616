"""Runs the tests that a guest's file defines: unittest cases, and plain functions and classes as pytest names them."""

from __future__ import annotations

import inspect
import linecache
import sys
import time
import unittest

from .pytest_runner import has_pytest, run_pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, Callable, Iterator

    # An error as data, with the lines of the guest's files.
    Describe = Callable[[BaseException], "dict[str, Any]"]


def test_run(
    program: dict[str, Any],
    file: str,
    main: ModuleType,
    execute: Callable[[dict[str, Any]], None],
    add_file: Callable[[str], None],
    describe: Describe,
    may_use_pytest: bool,
) -> Callable[[], dict[str, Any]]:
    """How the tests of a file are run here: by pytest, or by ourselves."""
    name = (program.get("argv") or ["test_guest.py"])[0].rpartition("/")[2]
    if may_use_pytest and has_pytest():
        return lambda: run_pytest(program["code"], name, add_file, describe)

    def run() -> dict[str, Any]:
        # A module, so that what it does as a program of its own (`unittest.main()`) stays away.
        main.__name__ = name.partition(".")[0] or "guest"
        sys.modules.setdefault(main.__name__, main)
        execute(vars(main))
        return _run_tests(vars(main), file, describe)

    return run


def _run_tests(namespace: dict[str, Any], file: str, describe: Describe) -> dict[str, Any]:
    """Runs what the namespace defines, in its order; one failure does not end the others."""
    report = _Report(file, describe)
    own = namespace.get("__name__")
    cases: list[type[unittest.TestCase]] = []
    for name, value in list(namespace.items()):
        if getattr(value, "__module__", None) != own:
            continue  # imported, not defined here
        if inspect.isclass(value) and issubclass(value, unittest.TestCase):
            cases.append(value)
        elif inspect.isclass(value) and name.startswith("Test"):
            for label, run in _methods(name, value):
                report.run(label, run)
        elif inspect.isfunction(value) and name.startswith("test_"):
            report.run(name, _caller(value, ()))
    if cases:
        loader = unittest.defaultTestLoader
        # One suite for all: it runs the set-up of each class and of the module once.
        unittest.TestSuite([loader.loadTestsFromTestCase(case) for case in cases]).run(_Result(report))
    return {"tests": report.tests}


class _Report:
    def __init__(self, file: str, describe: Describe) -> None:
        self.tests: list[dict[str, Any]] = []
        self._file = file
        self._describe = describe

    def run(self, name: str, call: Callable[[], Any]) -> None:
        started = time.perf_counter()
        try:
            call()
        except unittest.SkipTest:
            self.add(name, "skipped", started)
        except Exception as error:
            self.add(name, "failed", started, error)
        else:
            self.add(name, "passed", started)

    def add(self, name: str, status: str, started: float, error: BaseException | None = None) -> None:
        outcome: dict[str, Any] = {
            "name": name,
            "status": status,
            "ms": round((time.perf_counter() - started) * 1000, 1),
        }
        if error is not None:
            outcome["error"] = described = self._describe(error)
            if not described.get("message") and "line" in described:
                # A plain assert says nothing: its own text says at least what was expected.
                described["message"] = linecache.getline(self._file, described["line"]).strip()
        self.tests.append(outcome)


class _Result(unittest.TestResult):
    def __init__(self, report: _Report) -> None:
        super().__init__()
        self._report = report
        self._started = time.perf_counter()

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._started = time.perf_counter()

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self._report.add(_label(test), "passed", self._started)

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self._report.add(_label(test), "failed", self._started, err[1])

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self._report.add(_label(test), "failed", self._started, err[1])

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._report.add(f"{_label(test)} {subtest._subDescription()}", "failed", self._started, err[1])

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self._report.add(_label(test), "skipped", self._started)

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self._report.add(_label(test), "passed", self._started)

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        error = AssertionError("it was expected to fail, and did not")
        self._report.add(_label(test), "failed", self._started, error)


def _label(test: Any) -> str:
    name = getattr(test, "_testMethodName", None)
    return f"{type(test).__qualname__}.{name}" if name else str(test)


def _methods(name: str, cls: type) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The tests of a class without a base of unittest; each gets an object of its own."""
    for member, function in list(vars(cls).items()):
        if member.startswith("test_") and inspect.isfunction(function):
            yield f"{name}.{member}", _method_caller(cls, function)


def _method_caller(cls: type, function: Any) -> Callable[[], Any]:
    def call() -> None:
        test = cls()
        _call_hook(test, "setup_method")
        try:
            _caller(function, (test,))()
        finally:
            _call_hook(test, "teardown_method")

    return call


def _call_hook(test: object, name: str) -> None:
    hook = getattr(test, name, None)
    if hook is not None:
        hook()


def _caller(function: Any, given: tuple[Any, ...]) -> Callable[[], Any]:
    def call() -> None:
        needed = [
            parameter.name
            for parameter in list(inspect.signature(function).parameters.values())[len(given) :]
            if parameter.default is parameter.empty and parameter.kind <= parameter.POSITIONAL_OR_KEYWORD
        ]
        if needed:
            raise TypeError(f"the test wants {', '.join(needed)}: fixtures need pytest, which this environment does not have")
        value = function(*given)
        if inspect.iscoroutine(value):
            import asyncio

            asyncio.run(value)

    return call
