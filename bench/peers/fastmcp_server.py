"""FastMCP with CodeMode and Monty over the server whose command is given, served on stdio."""

import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.experimental.transforms.code_mode import CodeMode
from fastmcp.server import create_proxy


async def main() -> None:
    command, *args = sys.argv[1:]
    # A client that is connected before keeps its session for all calls, which is the fastest way that a proxy has.
    async with Client(StdioTransport(command, args)) as upstream:
        server = create_proxy(upstream, name="peer")
        server.add_transform(CodeMode(max_tool_calls=None))
        await server.run_async(transport="stdio", show_banner=False)


if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
