"""What runs inside a Python sandbox: takes programs as frames, runs them, reports how they ended.

Nothing here is trusted by the host: a guest shares this process and may change any of it.
"""
