"""Runs programs, one after the other, in one namespace."""

from __future__ import annotations

import json
import os
import sys
import threading
from types import CodeType, ModuleType

from .failures import describe_error, failure_frame
from .imports import GuestBuiltins, ImportPolicy
from .modules import GuestModules
from .program import RESULT, compile_program, coroutine_of, is_coroutine
from .sockets import explain_sockets
from .streams import Streams
from .result import send_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from .host import Host


_RESERVE_BYTES = 1 << 21


class Session:
    """A guest's state: its namespace, modules and streams."""

    def __init__(self, host: Host, has_threads: bool = True) -> None:
        self._host = host
        self._has_threads = has_threads
        self._modules = GuestModules(host)
        self._streams = Streams(host)
        self._main = ModuleType("__main__")
        # What to say of a frame in each of the guest's files; of a module, its own name.
        self._files: dict[str, str | None] = {}
        self._variables: set[str] = set()
        # Given up when memory runs out, so that the end can still be told.
        self._reserve: bytearray | None = bytearray(_RESERVE_BYTES)

    def run(self, program: dict[str, Any]) -> None:
        """Runs one program to its end and reports it."""
        file = self._next_file(program)
        try:
            value = self._execute(program, file)
            self._streams.flush()
            frame = send_result(value, program["outputBytes"], self._host.add_result)
        except BaseException as error:
            self._fail(error)
        else:
            self._host.finish(frame)

    def _next_file(self, program: dict[str, Any]) -> str:
        earlier = {name: " of an earlier run" for name, place in self._files.items() if place is not None}
        file = "guest.py" if not earlier else f"guest-{len(earlier) + 1}.py"
        modules: dict[str, str | None] = {name: None for name, place in self._files.items() if place is None}
        modules.update({module["id"]: None for module in program["modules"]})
        self._files = {**earlier, **modules, file: ""}
        return file

    def _execute(self, program: dict[str, Any], file: str) -> Any:
        namespace = self._prepare(program)
        code = compile_program(program["code"], file)
        tests = self._tests(program, code, file) if program.get("test") else None
        try:
            if tests is not None:
                namespace[RESULT] = tests()
            elif is_coroutine(code):
                self._await(code, namespace)
            else:
                exec(code, namespace)
        except SystemExit as leaving:
            if leaving.code not in (None, 0):
                raise
        _join_threads()
        return namespace.pop(RESULT, None)

    def _tests(self, program: dict[str, Any], code: CodeType, file: str) -> Callable[[], dict[str, Any]]:
        from .testing import test_run

        def execute(namespace: dict[str, Any]) -> None:
            if is_coroutine(code):
                self._await(code, namespace)
            else:
                exec(code, namespace)

        policy = ImportPolicy(program["imports"]["allow"], program["imports"]["deny"])
        return test_run(
            program,
            file,
            self._main,
            execute,
            lambda path: self._files.update({path: ""}),
            lambda error: describe_error(error, self._files),
            # pytest imports the file by itself: no policy would be kept, and nothing can be awaited at its top.
            may_use_pytest=policy.allows_all and not is_coroutine(code),
        )

    def _prepare(self, program: dict[str, Any]) -> dict[str, Any]:
        namespace = vars(self._main)
        sys.modules["__main__"] = self._main
        self._streams.install()
        self._set_variables(program.get("variables", {}))
        policy = ImportPolicy(program["imports"]["allow"], program["imports"]["deny"])
        own = GuestBuiltins(policy, self._modules.linked.__contains__)
        namespace["__builtins__"] = own.of(namespace)
        self._modules.offer(program, own.of)
        namespace.pop(RESULT, None)
        self._main.__name__ = "__main__"
        sys.argv = list(program.get("argv") or [""])
        explain_sockets(program.get("hosts") or ())
        if any(name == "fetch" for name, *_positional in program["operations"]):
            self._install_network()
        return namespace

    def _set_variables(self, variables: dict[str, str]) -> None:
        """Gives the guest its variables; those of an earlier run that are no longer there go."""
        for name in self._variables - variables.keys():
            os.environ.pop(name, None)
        os.environ.update(variables)
        self._variables = set(variables)

    def _install_network(self) -> None:
        from . import network

        network.install(lambda arguments: self._host.operation("fetch", json.dumps(arguments)))

    def _await(self, code: CodeType, namespace: dict[str, Any]) -> None:
        from .event_loop import run_to_end

        run_to_end(coroutine_of(code, namespace), self._host)

    def _fail(self, error: BaseException) -> None:
        if isinstance(error, MemoryError):
            self._reserve = None
        try:
            self._streams.flush()
            frame = failure_frame(error, self._files, self._has_threads)
        except MemoryError:
            frame = '{"type":"limit","limit":"memory"}'
        except BaseException as second:
            shown = {"name": type(second).__name__, "message": "The error cannot be shown"}
            frame = json.dumps({"type": "failed", "error": shown})
        self._host.fail(frame)


def _join_threads() -> None:
    """Waits for the threads that Python itself would wait for at its end."""
    if threading.active_count() == 1:
        return
    _end_executors()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _end_executors() -> None:
    """Lets the threads of executors that nobody shut down finish their work, as Python does at its end."""
    module: Any = sys.modules.get("concurrent.futures.thread")
    queues = list(getattr(module, "_threads_queues", {}).items())
    if not queues:
        return
    module._shutdown = True
    try:
        for _thread, queue in queues:
            queue.put(None)
        for thread, _queue in queues:
            thread.join()
    finally:
        module._shutdown = False
