"""The error of a failed tool call."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ToolError(Exception):
    """A tool call failed: `delivery` tells whether it reached the server ("not_sent", "failed", "unknown").

    `result` is what the tool has sent with its error, whole; None when there was no answer.
    """

    def __init__(
        self,
        message: str,
        server: str = "",
        tool: str = "",
        delivery: str = "unknown",
        code: str | None = None,
        retry_after_ms: int | None = None,
        result: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.server = server
        self.tool = tool
        self.delivery = delivery
        self.code = code
        self.retry_after_ms = retry_after_ms
        self.result = result


ToolError.__module__ = "mcp_tools"
