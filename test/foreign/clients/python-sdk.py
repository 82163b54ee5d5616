# The Python SDK's MCP client: connects as it is told, lists, calls, prints what it got.
import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def main(stdio=None, http=None, calls=(), mode="auto"):
    if stdio:
        target = StdioServerParameters(**stdio)
    else:
        target = streamable_http_client(http["url"], http_client=httpx2.AsyncClient(headers=http["headers"]))
    async with Client(target, mode=mode) as client:
        tools = await client.list_tools()
        results = [await client.call_tool(name, arguments) for name, arguments in calls]
        found = {
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "results": [result.structured_content for result in results],
        }
        print(json.dumps(found))


asyncio.run(main(**json.loads(sys.argv[1])))
