"""`urllib.request` without sockets: the host sends the request, if the user has opened its host."""

from __future__ import annotations

import base64
import io
from typing import Any, Callable, Dict, Optional

from .when_imported import when_imported

Fetch = Callable[[Dict[str, Any]], Any]

_fetch: Optional[Fetch] = None


def install(fetch: Fetch) -> None:
    """Lets `urllib.request` send through the operation "fetch", which takes its arguments."""
    global _fetch
    is_first = _fetch is None
    _fetch = fetch
    if is_first:
        when_imported("urllib.request", _adapt)


def _adapt(request_module: Any) -> None:
    """Replaces the one method that every opener sends http and https through, and keeps secrets out of redirects."""
    redirect = request_module.HTTPRedirectHandler.redirect_request

    def redirect_request(self: Any, req: Any, *details: Any) -> Any:
        redirected = redirect(self, req, *details)
        if redirected is not None and (redirected.type, redirected.host) != (req.type, req.host):
            redirected.remove_header("Authorization")
            redirected.remove_header("Cookie")
        return redirected

    def do_open(self: Any, http_class: Any, req: Any, **_connection: Any) -> Any:
        return _send(req)

    request_module.HTTPRedirectHandler.redirect_request = redirect_request
    request_module.AbstractHTTPHandler.do_open = do_open


def _send(req: Any) -> Any:
    from urllib.error import URLError

    if not req.host:
        raise URLError("no host given")
    headers = {**req.headers, **req.unredirected_hdrs}
    arguments: dict[str, Any] = {
        "url": req.full_url.partition("#")[0],
        "method": req.get_method(),
        "headers": [[name, _text(value)] for name, value in headers.items()],
        "redirect": "manual",
    }
    if req.data is not None:
        arguments["body"] = base64.b64encode(_bytes(req.data)).decode("ascii")
    if isinstance(req.timeout, (int, float)):
        arguments["timeout"] = req.timeout
    assert _fetch is not None
    try:
        answer = _fetch(arguments)
    except Exception as error:
        is_timeout = getattr(error, "code", None) == "call_timeout"
        raise URLError(TimeoutError(str(error)) if is_timeout else str(error)) from error
    return _response(answer, req)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _bytes(data: Any) -> bytes:
    """A body in any of the forms that `urlopen` takes."""
    if hasattr(data, "read"):
        data = data.read()
    if isinstance(data, str):
        return data.encode("latin-1")
    try:
        return memoryview(data).tobytes()
    except TypeError:
        return b"".join(data)


class _Received:
    """What `HTTPResponse` takes for a socket: an answer that has come whole."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(io.BytesIO(self._data))  # type: ignore[arg-type]


def _response(answer: dict[str, Any], req: Any) -> Any:
    from http.client import HTTPResponse

    body = base64.b64decode(answer["body"])
    lines = [f"HTTP/1.1 {answer['status']} {answer['statusText']}"]
    lines += [f"{name}: {value}" for name, value in answer["headers"]]
    if req.get_method() != "HEAD" and not any(name == "content-length" for name, _ in answer["headers"]):
        lines.append(f"content-length: {len(body)}")
    head = "\r\n".join(lines) + "\r\n\r\n"
    response: Any = HTTPResponse(_Received(head.encode("latin-1") + body), method=req.get_method())  # type: ignore[arg-type]
    response.begin()
    response.url = req.get_full_url()
    response.msg = response.reason
    return response
