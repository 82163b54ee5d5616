"""Tells where this interpreter and its packages are, as JSON on stdout; runs in a sandbox of its own, before any guest.

Started without `site` (-S), and careful where it does the same: packages may have put programs into their .pth files.
Arguments: `--compile`, for our own code as this interpreter compiles it, and folders of further packages, which are
searched first.
"""

from __future__ import annotations

import base64
import json
import os
import py_compile
import site
import sys
from importlib.util import cache_from_source

_linked: list[str] = []

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Iterator


def main() -> None:
    """Prints the description."""
    _add_site_packages()
    dynamic = [path for path in _existing(sys.path) if os.path.basename(path) == "lib-dynload"]
    stdlib = _existing([os.path.dirname(os.__file__), *map(os.path.dirname, dynamic)])
    further = [path for path in sys.argv[1:] if path != "--compile"]
    packages = [path for path in _existing([*further, *sys.path]) if path not in stdlib and path not in dynamic]
    extensions = [file for folder in dynamic for file in _libraries_in(folder)]
    for folder in packages:
        extensions.extend(_installed_libraries(folder))
    description = {
        "version": list(sys.version_info[:3]),
        "executable": os.path.realpath(sys.executable),
        "prefixes": list(dict.fromkeys([sys.base_prefix, sys.base_exec_prefix, sys.prefix])),
        "stdlib": stdlib,
        "packages": packages,
        "linked": _linked,
        "extensions": extensions,
        "started": sys.executable,
        "modules": sorted({name for folder in packages for name in _modules_in(folder)}),
        "compiled": dict(_compile_our_own()) if "--compile" in sys.argv else {},
    }
    sys.stdout.write(json.dumps(description))


def _add_site_packages() -> None:
    """Extends sys.path as Python does at its start, a virtual environment's included, and executes nothing for it."""
    setattr(site, "addpackage", _add_paths_of)
    site.ENABLE_USER_SITE = False
    known = site.venv(site.removeduppaths())  # type: ignore[attr-defined]
    site.addsitepackages(known)


def _add_paths_of(folder: str, name: str, known: set[str] | None) -> set[str] | None:
    """Takes the paths that a .pth file names; its other lines are programs, which it leaves alone."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as lines:
            entries = [line.strip() for line in lines]
    except OSError:
        return known
    for entry in entries:
        path = os.path.abspath(os.path.join(folder, entry))
        if not entry or entry.startswith(("#", "import ", "import\t")) or path in sys.path:
            continue
        if os.path.isdir(path):
            sys.path.append(path)
        else:
            _linked.append(path)
    return known


def _compile_our_own() -> Iterator[tuple[str, str]]:
    """Our own files, compiled, by the names that they have beside ours: a guest starts twice as fast."""
    folder = os.path.dirname(os.path.abspath(__file__))
    for name in os.listdir(folder):
        if not name.endswith(".py"):
            continue
        source = os.path.join(folder, name)
        compiled = "/tmp/compiled.pyc"
        py_compile.compile(source, compiled, doraise=True)
        with open(compiled, "rb") as file:
            yield os.path.basename(cache_from_source(source)), base64.b64encode(file.read()).decode()


def _existing(paths: list[str]) -> list[str]:
    return list(dict.fromkeys(path for path in paths if path and os.path.isdir(path)))


def _libraries_in(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        if entry.name.endswith(".so"):
            yield entry.path


def _installed_libraries(folder: str) -> Iterator[str]:
    """Extension modules among the packages: by the lists of what was installed; a folder without any is searched."""
    records = [os.path.join(folder, name, "RECORD") for name in os.listdir(folder) if name.endswith(".dist-info")]
    lists = [record for record in records if os.path.isfile(record)]
    if not lists:
        yield from _search(folder)
    for record in lists:
        with open(record, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if ".so," in line:
                    path = os.path.join(folder, line.split(".so,")[0].strip('"') + ".so")
                    if os.path.isfile(path):
                        yield path


def _search(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in files:
            if name.endswith(".so"):
                yield os.path.join(place, name)


def _modules_in(folder: str) -> Iterator[str]:
    for entry in os.scandir(folder):
        name = entry.name.partition(".")[0]
        is_module = entry.name.endswith((".py", ".so")) or ("." not in entry.name and entry.is_dir())
        if is_module and name.isidentifier() and name != "__pycache__":
            yield name


if __name__ == "__main__":
    main()
