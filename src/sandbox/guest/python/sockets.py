"""What a guest is told that opens a socket: the sandbox has none, and says so in words of a passing fault."""

from __future__ import annotations

from .when_imported import when_imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

_LOOKUPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex", "gethostbyaddr")
_MOST_HOSTS = 20
_hosts: Sequence[str] = ()
_is_installed = False


def explain_sockets(hosts: Sequence[str]) -> None:
    """Makes the errors of `socket` say what is possible; `hosts` are those that the user has opened."""
    global _hosts, _is_installed
    _hosts = hosts
    if not _is_installed:
        _is_installed = True
        when_imported("socket", _adapt)


def _reason() -> str:
    if not _hosts:
        return "Guests have no network (coordinator.sandbox.network.allow): call a tool of an MCP server instead"
    more = f" and {len(_hosts) - _MOST_HOSTS} more" if len(_hosts) > _MOST_HOSTS else ""
    return f"Guests have no sockets: use urllib.request, which reaches {', '.join(_hosts[:_MOST_HOSTS])}{more}"


def _adapt(module: Any) -> None:
    for name in _LOOKUPS:
        original = getattr(module, name, None)
        if original is not None:
            setattr(module, name, _explaining(original, module))
    own = module.socket
    families = {getattr(module, name, None) for name in ("AF_INET", "AF_INET6")}
    create, connect = own.__init__, own.connect

    def __init__(self: Any, family: int = -1, *rest: Any, **named: Any) -> None:
        try:
            create(self, family, *rest, **named)
        except OSError as error:
            if family != -1 and family not in families:
                raise
            raise type(error)(error.errno, _reason()) from None

    def connect_explained(self: Any, address: Any) -> None:
        try:
            connect(self, address)
        except OSError as error:
            if self.family not in families or error.errno not in _out_of_reach(module):
                raise
            raise type(error)(error.errno, _reason()) from None

    own.__init__ = __init__
    own.connect = connect_explained


def _explaining(original: Callable[..., Any], module: Any) -> Callable[..., Any]:
    def look_up(*given: Any, **named: Any) -> Any:
        try:
            return original(*given, **named)
        except OSError:
            # Never the code of a fault that passes: programs try again after that one.
            raise module.gaierror(module.EAI_FAIL, _reason()) from None

    look_up.__name__ = look_up.__qualname__ = original.__name__
    look_up.__doc__ = original.__doc__
    return look_up


def _out_of_reach(module: Any) -> set[int]:
    """How a system says that nothing leads there; that nobody listens at an address of its own is another thing."""
    errno = module.errno
    return {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EAFNOSUPPORT}
