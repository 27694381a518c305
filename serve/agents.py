"""The server that agents ask by the Model Context Protocol, over standard input or HTTP."""

from importlib.metadata import version
from typing import Any

import anyio
import orjson
from mcp.server import Server
from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import (
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp_types import Tool as DescribedTool
from pydantic import ValidationError
from starlette.types import ASGIApp

from citespan.pipelines.ranking.evidence import DIFFERS_MEANS, FOUND_MEANS
from citespan.serve.access import RIGHTS, Access, Person, Right
from citespan.serve.guard import PERSON, Guard, explain_lacking
from citespan.serve.problems import describe, explain_parameters
from citespan.serve.site import Service, Site
from citespan.serve.tools import MOST_BYTES, TOOLS, Desk, Tool, bound

ADDRESS = "mcp"
"""The path of the server over HTTP."""
_INSTRUCTIONS = (
    "citespan finds which sentences of a cited article a citing sentence is about. Find articles "
    "with `articles`, evidence with `search` (one article) or `search_all`, read it in its place "
    "with `show`, check a manuscript with `check`, answer questions with `answers`, and see who "
    f"cites an article with `cited`. {FOUND_MEANS} {DIFFERS_MEANS} Offsets are of characters, from "
    "0, into the text of the article or manuscript; numbers of sentences count from 0."
)
_BY_NAME = {tool.name: tool for tool in TOOLS}


def make_server(desk: Desk, most_bytes: int) -> Server[Any]:
    """Return a server with all tools.

    Args:
        most_bytes: how long an answer may be.
    """

    async def list_tools(
        context: ServerRequestContext[Any, Any], _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        may = _find_rights(context)
        return ListToolsResult(tools=[_describe_tool(tool) for tool in TOOLS if tool.needs in may])

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: CallToolRequestParams
    ) -> CallToolResult:
        tool = _BY_NAME.get(params.name)
        if tool is None:
            return _refuse(f"there is no tool of this name; choose from: {', '.join(_BY_NAME)}")
        if tool.needs not in _find_rights(context):
            return _refuse(explain_lacking(tool.needs))
        return await _call(tool, params.arguments or {}, desk, most_bytes)

    return Server(
        "citespan",
        version=version("citespan"),
        instructions=_INSTRUCTIONS,
        get_tool_input_schema=_find_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def make_agent_app(site: Site, most_bytes: int = MOST_BYTES) -> ASGIApp:
    """Return the application of the server over HTTP, behind the checks that the page has."""
    app = make_server(Desk(site, may_read=False), most_bytes).streamable_http_app(
        streamable_http_path=f"/{ADDRESS}",
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(app, site.access)  # it knows this site's names, the token, rates and sizes


def run_on_standard_input(service: Service, most_bytes: int) -> None:
    """Answer what comes on standard input, until it ends."""

    async def run(site: Site) -> None:
        server = make_server(Desk(site, may_read=True), most_bytes)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    with Site(service, Access(())) as site:
        anyio.run(run, site)


def _find_rights(context: ServerRequestContext[Any, Any]) -> tuple[Right, ...]:
    """Return what somebody may do: over standard input, everything."""
    if context.request is None:
        return RIGHTS
    person: Person = context.request.scope[PERSON]
    return ("read", *person.may)


def _find_schema(name: str) -> dict[str, Any] | None:
    return _BY_NAME[name].takes.model_json_schema() if name in _BY_NAME else None


def _describe_tool(tool: Tool) -> DescribedTool:
    return DescribedTool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes.model_json_schema(),
        output_schema=tool.returns,
        annotations=ToolAnnotations(
            title=tool.title, read_only_hint=True, idempotent_hint=True, open_world_hint=False
        ),
    )


async def _call(
    tool: Tool, arguments: dict[str, Any], desk: Desk, most_bytes: int
) -> CallToolResult:
    try:
        asked = tool.takes.model_validate(arguments)
        if tool.name == "check":  # its process asks the server, for as long as a check may take
            described = await anyio.to_thread.run_sync(tool.ask, None, asked, desk)
        else:
            described = await desk.site.ask(lambda client: tool.ask(client, asked, desk))
    except ValidationError as error:
        said = explain_parameters(error)
        return _refuse(f"{tool.name}: {said}; it takes: {', '.join(tool.takes.model_fields)}")
    except Exception as error:  # noqa: BLE001  the boundary of the protocol: it is told
        return _refuse(_explain(error))
    answer = bound(tool, described, getattr(asked, "first", None) or 0, most_bytes)
    data = orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)
    return CallToolResult(
        content=[TextContent(type="text", text=data.decode())],
        structured_content=orjson.loads(data),
    )


def _explain(error: Exception) -> str:
    """Return what is wrong in a line; what is no fault of the request is logged."""
    problem = describe(error)
    if problem.passes:
        return f"{problem.message}; ask again once `citespan node status` says that it answers"
    return problem.message


def _refuse(message: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=message)], is_error=True)
