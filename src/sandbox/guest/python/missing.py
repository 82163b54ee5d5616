"""What is said of a name that a module lacks."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def missing(module: str, name: str, members: dict[str, Any]) -> str:
    """The text about a name that a module lacks: the nearest one, and all there are."""
    known = sorted(member for member in members if not member.startswith("_"))
    return f"{module} has no {name!r}{nearest(name, known)}{listing('it has', known)}"


def nearest(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    match = get_close_matches(name[:200], known, 1)
    return f"; did you mean {match[0]!r}?" if match else ""


def listing(what: str, known: list[str]) -> str:
    shown = ", ".join(known[:30])
    more = f" and {len(known) - 30} more" if len(known) > 30 else ""
    return f" ({what} {shown}{more})" if known else ""
