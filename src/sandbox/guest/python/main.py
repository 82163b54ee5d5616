"""The guest as a program of its own: frames on stdin and stdout (`python3 -I main.py`); or its fork server.

Arguments: nothing, `fork-server`, or `packages` and a folder.
"""

from __future__ import annotations

import fcntl
import importlib
import importlib.util
import os
import sys

_PACKAGE = "coordinator_guest"


def load_package() -> None:
    """Makes this folder importable as a package, without a place on the path that guests import from."""
    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        _PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec
    # Its own file holds nothing to run.
    sys.modules[_PACKAGE] = importlib.util.module_from_spec(spec)


def search_before_own(folder: str) -> None:
    """Lets packages of a folder come before those of this Python, behind its standard library."""
    own = [place for place, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
    sys.path.insert(own[0] if own else len(sys.path), folder)


def main() -> None:
    """Takes stdin and stdout for the frames; the guest gets empty ones in their place."""
    load_package()
    if sys.argv[1:] == ["fork-server"]:
        importlib.import_module(f"{_PACKAGE}.fork_server").main()
    if sys.argv[1:2] == ["packages"]:
        search_before_own(sys.argv[2])
    sys.argv = [""]
    reader = fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 10)
    writer = fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 10)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    sys.dont_write_bytecode = True
    os.environ.clear()  # Python itself may have set one, for its locale
    channel = importlib.import_module(f"{_PACKAGE}.channel").Channel(reader, writer)
    importlib.import_module(f"{_PACKAGE}.serve").serve(channel)


if __name__ == "__main__":
    main()
