"""Serves a host: takes its programs until it is gone."""

from __future__ import annotations

from .host import Host
from .session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from .channel import Channel


def serve(channel: Channel) -> NoReturn:
    """Says that it is ready, then runs each program that comes; ends with the host."""
    host = Host(channel)
    if not channel.can_poll:
        from .event_loop import use_host_event_loop

        use_host_event_loop(host)
    # Where nothing can be polled, there are no threads either.
    session = Session(host, has_threads=channel.can_poll)
    host.ready()
    while True:
        session.run(host.next_program())
