"""Runs the tests of a guest's file by pytest, where the environment has it: fixtures, parameters, better messages."""

from __future__ import annotations

import importlib
import importlib.util
import os
import tempfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Describe = Callable[[BaseException], "dict[str, Any]"]

# Our streams are not files; nothing is kept; and our own report takes the place of the printed one.
_QUIET = ("--capture=no", "--import-mode=importlib", "-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:faulthandler")
_NO_TESTS = 5


def has_pytest() -> bool:
    """Whether this environment has it, without loading it."""
    return importlib.util.find_spec("pytest") is not None


def run_pytest(source: str, name: str, add_file: Callable[[str], None], describe: Describe) -> dict[str, Any]:
    """Writes the file where pytest can read it, into the guest's private folder, and runs it there."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(source)
    add_file(path)
    report = _Report(describe)
    status = importlib.import_module("pytest").main([path, f"--rootdir={folder}", *_QUIET], plugins=[report])
    if report.failure is not None:
        raise report.failure
    if status not in (0, 1, _NO_TESTS):
        raise RuntimeError(f"pytest could not run the file and ended with status {int(status)}")
    return {"tests": report.tests}


class _Report:
    """A plugin that keeps what became of each test."""

    def __init__(self, describe: Describe) -> None:
        self.tests: list[dict[str, Any]] = []
        # What the file itself raised: then it has no tests that could run.
        self.failure: BaseException | None = None
        self._describe = describe
        self._errors: dict[str, dict[str, Any]] = {}

    def pytest_exception_interact(self, call: Any, report: Any) -> None:
        if type(report).__name__ == "CollectReport":
            error = call.excinfo.value
            # pytest wraps what an import raised.
            self.failure = error.__cause__ or error

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        if call.excinfo is not None:
            self._errors[item.nodeid] = self._describe(call.excinfo.value)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        _, _, place = report.nodeid.partition("::")
        status = "passed" if hasattr(report, "wasxfail") and report.outcome == "skipped" else report.outcome
        outcome = {"name": place.replace("::", "."), "status": status, "ms": round(report.duration * 1000, 1)}
        if status == "failed":
            outcome["error"] = self._errors.pop(report.nodeid, None) or {
                "name": "Error",
                "message": str(report.longrepr)[:2000],
            }
        self.tests.append(outcome)
