"""Runs a command on a terminal of its own and types: `terminal.py STEPS COMMAND...`, STEPS being a JSON array of texts, typed in turn.

A step [text, wanted] is typed when `wanted` has been written since the last step. Prints what the terminal got, and the exit code, as JSON.
"""
import json
import os
import pty
import select
import sys
import time

steps = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])

written = b""
seen = 0
deadline = time.monotonic() + 40
while time.monotonic() < deadline:
    if steps:
        text, wanted = steps[0]
        found = written.find(wanted.encode(), seen)
        if found >= 0:
            seen = found + len(wanted.encode())
            steps.pop(0)
            os.write(terminal, text.encode())
            continue
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break  # Linux says so when nobody has the other side open any more
    if not piece:
        break
    written += piece
else:
    os.kill(child, 9)
code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps({"written": written.decode("utf-8", "replace"), "code": code, "left": len(steps)}))
