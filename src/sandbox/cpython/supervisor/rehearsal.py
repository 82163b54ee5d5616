"""A small program, run by the fork server with itself as the host: the first real one then finds warm code."""

from __future__ import annotations

import importlib
import json
import linecache
import os
import sys

from .channel import Channel
from .host import Host
from .session import Session

_PROGRAM = {
    "type": "run",
    "code": """
import json
from mcp_tools.rehearsal import call, tool
def f(x):
    return [tool(a=x), call("tool", {"a": x})]
print("done", f(1))
{"a": [1, 2.5, "x", None, True], "b": [json.dumps(x) for x in range(3)]}
""",
    "libraries": [{"server": "rehearsal", "module": "rehearsal", "tools": [["tool", "tool"]]}],
    "modules": [],
    "operations": [],
    "imports": {"allow": ["*"], "deny": []},
    "outputBytes": 1000,
}


class _Mirror(Channel):
    """A host that answers each call at once."""

    def write(self, body: bytes) -> None:
        """Takes a frame; a call is answered."""
        request = json.loads(body).get("id")
        if request is not None:
            super().write(b'{"type":"answer","id":%d,"value":{"a":[1]}}' % request)


def rehearse() -> None:
    """Runs it; nothing of it is left but what Python itself remembers."""
    reader, writer = os.pipe()
    kept = (sys.modules["__main__"], sys.meta_path[:], sys.stdin, sys.stdout, sys.stderr, importlib.import_module)
    channel = _Mirror(reader, writer)
    Channel(reader, writer).write(json.dumps(_PROGRAM).encode())
    host = Host(channel)
    Session(host).run(host.next_program())
    sys.modules["__main__"], sys.meta_path[:], sys.stdin, sys.stdout, sys.stderr, importlib.import_module = kept
    for name in [name for name in sys.modules if name.partition(".")[0] in ("mcp_tools", "coordinator", "skills")]:
        del sys.modules[name]
    linecache.clearcache()
    os.close(reader)
    os.close(writer)
