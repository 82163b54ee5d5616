"""Runs the fork server of the Python guest with nothing that isolates: used by the fake bwrap beside it."""

import importlib
import importlib.util
import os
import sys
import types

path = sys.argv.pop(1)
spec = importlib.util.spec_from_file_location("guest_main", path)
assert spec and spec.loader
main = importlib.util.module_from_spec(spec)
spec.loader.exec_module(main)
main.load_package()
kernel = importlib.import_module("coordinator_guest.kernel")
for name, value in list(vars(kernel).items()):
    if isinstance(value, types.FunctionType) and not name.startswith("_"):
        setattr(kernel, name, os.fork if name.startswith("fork") else lambda *_: None)
limits = importlib.import_module("coordinator_guest.limits")
limits.limit_process = lambda *_: None
setattr(os.environ, "clear", lambda: None)
fork_server = importlib.import_module("coordinator_guest.fork_server")
read_settings = fork_server._read_settings


def read_without_control_groups():
    settings, rest = read_settings()
    return {**settings, "cgroups": []}, rest


fork_server._read_settings = read_without_control_groups
fork_server.main()
