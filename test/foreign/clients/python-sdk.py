# The Python SDK's MCP client: connects as it is told, lists, calls, prints what it got.
import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult


async def main(stdio=None, http=None, calls=(), mode="auto", answer=None):
    if stdio:
        target = StdioServerParameters(**stdio)
    else:
        target = streamable_http_client(http["url"], http_client=httpx2.AsyncClient(headers=http["headers"]))
    asked = []

    async def elicit(_context, params):
        asked.append(params.message)
        return ElicitResult(**answer)

    # Without a callback the client declares that it cannot be asked.
    async with Client(target, mode=mode, elicitation_callback=elicit if answer else None) as client:
        tools = await client.list_tools()
        results = [await client.call_tool(name, arguments) for name, arguments in calls]
        found = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "asked": asked,
            "results": [result.structured_content for result in results],
        }
        print(json.dumps(found))


asyncio.run(main(**json.loads(sys.argv[1])))
