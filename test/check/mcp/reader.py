"""Reads a query page by page with the official Python client, and prints what it got as JSON."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

url, key, project_id, sql = sys.argv[1:]


async def read(mode: str) -> dict:
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, read_timeout_seconds=30) as client:
            ids, pages, size, cursor = [], 0, 0, None
            while True:
                page = {"limit": 500} if cursor is None else {"limit": 500, "cursor": cursor}
                params = {"projectId": project_id, "sql": sql, "page": page}
                answer = await client.call_tool("projects_query", params)
                text = answer.content[0].text
                if answer.is_error:
                    raise RuntimeError(text)
                result = json.loads(text)["result"]
                assert [column["name"] for column in result["columns"]] == ["id", "filler"]
                ids += [row[0] for row in result["rows"]]
                size += sum(len(row[1]) for row in result["rows"])
                pages += 1
                cursor = result.get("nextCursor")
                if cursor is None:
                    break
            catalogue = await client.read_resource("foldgate://catalogue")
            relations = json.loads(catalogue.contents[0].text)
            first = await client.read_resource(f"foldgate://catalogue/{relations[0]['name']}")
            columns = len(json.loads(first.contents[0].text)["columns"])
            tools = [tool.name for tool in (await client.list_tools()).tools]
    return {"ids": ids, "pages": pages, "size": size, "relations": len(relations), "columns": columns, "tools": sorted(tools)}


async def main() -> None:
    print(json.dumps([await read("auto"), await read("legacy")]))


asyncio.run(main())
