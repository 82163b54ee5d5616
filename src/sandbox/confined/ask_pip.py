"""Tells which index pip would use, as JSON on stdout: its own settings, else its own defaults.

Runs on the host without `site`, so that of all packages only pip itself is loaded. Argument: where pip is, a folder or
a wheel; of pip's settings nothing but these is taken, as they are paths and options of the host.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Prints the settings."""
    sys.path.insert(0, sys.argv[1])
    from pip._internal.configuration import Configuration  # type: ignore[import-not-found]
    from pip._internal.models.index import PyPI  # type: ignore[import-not-found]

    configuration = Configuration(isolated=False)
    configuration.load()
    found: dict[str, str] = {}
    # What comes later counts more: files, then the environment; "install" more than "global".
    for wanted in ("global", "install", ":env:"):
        for key, value in configuration.items():
            # Newer versions give all of a file's settings at once.
            pairs = value.items() if isinstance(value, dict) else [(key, value)]
            for name, setting in pairs:
                section, _, option = name.partition(".")
                if section == wanted:
                    found[option] = setting
    settings = {
        "index": found.get("index-url", PyPI.simple_url),
        "isConfigured": "index-url" in found,
        "extra": found.get("extra-index-url", "").split(),
        "files": PyPI.file_storage_domain,
    }
    sys.stdout.write(json.dumps(settings))


if __name__ == "__main__":
    main()
