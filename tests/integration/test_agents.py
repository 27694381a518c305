"""Agents: the client of the official SDK against the real command, over standard input and HTTP."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import loading
import pytest
from command_line import COMMAND, kill, start
from fault_proxy import Fault, proxy
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent
from served import make_long_article

import citespan as front_door
from citespan.pipelines.evaluation.shipped import sample

P53 = "p53-dna-damage"
CITANCE = "After DNA damage, p53 is stabilised and stops the cell cycle through p21 [12]."
MANUSCRIPT = sample("jats").parent / "manuscript" / "signals.md"
STATUSES = ["found", "found", "found", "none", "not indexed", "unresolved"]
TOKEN = "4f0d2c9be81a7763"
MOST = 20_000
CALLS: dict[str, dict[str, Any]] = {
    "search": {"citance": CITANCE, "article": P53},
    "search_all": {"citance": CITANCE, "top": 20},
    "check": {"text": MANUSCRIPT.read_text(encoding="utf-8")}
    | {"files": {"signals.bib": MANUSCRIPT.with_name("signals.bib").read_text(encoding="utf-8")}},
    "show": {"article": "long"},
    "articles": {},
    "answers": {"question": "Does p53 stop the cell cycle after DNA damage?"},
    "cited": {"article": P53},
}


@pytest.fixture(scope="module")
def indexed(node: str) -> str:
    """The address of a node with the sample and an article of a million characters."""
    with front_door.connect() as client:
        front_door.index(sample("jats"), layout="sentences", client=client, processes=0)
        loading.load(client, [make_long_article()], ["vsm"], layout="sentences")
        client.indices.refresh(index="citespan-*")
        front_door.link(client=client)
    return node


def own_environment(**more: str) -> dict[str, str]:
    return {**os.environ, **more}


def ask_stdio(work: Callable[[Client], Awaitable[None]], *options: str, **environment: str) -> None:
    """Start the command as a client of agents does, and do some work with it."""

    async def run() -> None:
        command, *arguments = COMMAND
        parameters = StdioServerParameters(
            command=command, args=[*arguments, "mcp", *options], env=own_environment(**environment)
        )
        async with Client(parameters) as client:
            await work(client)

    anyio.run(run)


@contextmanager
def served(*options: str, **environment: str) -> Iterator[str]:
    """The address of the command over HTTP."""
    process = start("mcp", "--http", "--port", "0", *options, **environment)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        assert line.startswith("citespan serves agents at http://127.0.0.1:"), line
        yield line.split()[4]
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            kill(process)
            raise


def ask_http(url: str, work: Callable[[Client], Awaitable[None]], token: str = "") -> None:
    async def run() -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            await work(client)

    anyio.run(run)


def text_of(result: CallToolResult) -> str:
    [content] = result.content
    assert isinstance(content, TextContent)
    return content.text


def read(result: CallToolResult) -> dict[str, Any]:
    """What a tool has said, which is short, and the same as text and as an object."""
    assert not result.is_error, text_of(result)
    assert len(result.model_dump_json(by_alias=True).encode()) <= MOST
    said = json.loads(text_of(result))
    assert said == result.structured_content
    assert isinstance(said, dict)
    return said


async def list_and_call_all(client: Client) -> None:
    """List the tools and call each; what each says fits the schema that it has."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == set(CALLS)
    said = {}
    for name, tool in tools.items():
        assert tool.output_schema is not None
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
        Draft202012Validator(tool.input_schema).validate(CALLS[name])
        said[name] = read(await client.call_tool(name, CALLS[name]))
        Draft202012Validator(tool.output_schema).validate(said[name])
    first = said["search"]["results"][0]
    assert said["search"]["verdict"] == "found"
    assert "not that the two agree" in said["search"]["meanings"]["found"]
    assert first["end"] - first["start"] == len(first["text"])
    assert said["search_all"]["results"][0]["article"] == P53
    assert [citation["status"] for citation in said["check"]["citations"]] == STATUSES
    assert said["check"]["totals"]["citations"] == len(STATUSES)
    assert set(said["check"]["meanings"]) == set(STATUSES)
    assert said["articles"]["count"] == 4
    assert said["answers"]["results"][0]["sentence"]
    assert said["show"]["left_off"]["count"] > 5000
    shown = len(said["show"]["sentences"])
    assert said["show"]["left_off"]["how"] == f"call show again with first={shown}"
    rest = read(await client.call_tool("show", {"article": "long", "first": shown}))
    assert rest["sentences"][0]["number"] == shown
    assert isinstance(said["cited"]["links"], list)


@pytest.mark.usefixtures("indexed")
def test_every_tool_answers_over_standard_input() -> None:
    async def work(client: Client) -> None:
        assert "differs" in str(client.instructions).lower()
        await list_and_call_all(client)
        by_path = read(
            await client.call_tool("check", {"path": str(MANUSCRIPT), "status": ["none"]})
        )
        [answer] = by_path["citations"]
        assert answer["text"].startswith("Honeybees dance")
        answer = await client.call_tool("check", {"path": "/nowhere/draft.md"})
        assert text_of(answer) == "/nowhere/draft.md: no such file on the machine of this server"

    ask_stdio(work)


@pytest.mark.usefixtures("indexed")
def test_every_tool_answers_over_http_to_whoever_has_the_token() -> None:
    async def work(client: Client) -> None:
        await list_and_call_all(client)
        refused = await client.call_tool("check", {"path": str(MANUSCRIPT)})
        assert refused.is_error
        assert "send the manuscript as text" in text_of(refused)

    with served(CITESPAN_SERVE_TOKEN=TOKEN) as url:
        ask_http(url, work, TOKEN)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        answer = httpx2.post(url, json=body)
        assert answer.status_code == 401
        assert "Authorization: Bearer" in answer.json()["error"]["message"]
        own = {"authorization": f"Bearer {TOKEN}"}
        assert (
            httpx2.post(url, json=body, headers=own | {"host": "evil.example"}).status_code == 421
        )
        assert (
            httpx2.post(url, json=body, headers=own | {"origin": "http://a.b"}).status_code == 403
        )


@pytest.mark.usefixtures("indexed")
def test_each_token_may_call_what_its_person_may_do(tmp_path: Path) -> None:
    reader, checker = "p3Hs8vKc6Yg1Nw5Xe9Tj", "k7Qm2xWf9Ld4Rt8Zb1Vn"
    people = [{"name": "Bo", "token": reader}, {"name": "Ada", "token": checker, "may": ["check"]}]
    file = tmp_path / "people.yml"
    file.write_text(json.dumps(people))
    file.chmod(0o640)

    async def search_alone(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == set(CALLS) - {"check"}
        for name in names:
            read(await client.call_tool(name, CALLS[name]))
        refused = await client.call_tool("check", CALLS["check"])
        assert refused.is_error
        assert text_of(refused) == "your token may not check; ask for one that may"

    with served("--tokens", str(file)) as url:
        ask_http(url, search_alone, reader)
        ask_http(url, list_and_call_all, checker)
        own = {"authorization": f"Bearer {reader[:-1]}k"}
        assert httpx2.post(url, json={"jsonrpc": "2.0"}, headers=own).status_code == 401


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("search", {"citance": CITANCE, "article": P53, "top": 10_000}, "top has to be 20 or less"),
    ("search", {"citance": CITANCE}, "article is missing"),
    ("search", {"citance": CITANCE, "article": "p53-dna-damag"}, "did you mean p53-dna-damage?"),
    ("search", {"citance": CITANCE, "article": P53, "ranked": 1}, "it takes: first, citance, "),
    ("search", {"citance": "the of and", "article": P53}, "nothing"),
    ("search_all", {"citance": 3}, "citance can't be used"),
    ("articles", {"top": 10_000}, "top has to be 100 or less"),
    ("show", {"article": P53, "first": 10_000}, "has sentences 0-"),
    ("check", {}, "either by its path or by its text"),
    ("check", {"text": "A claim.", "name": "../x.md"}, "the name of a file can't be used"),
    ("check", {"text": "A claim.", "name": "x.exe"}, "files of this kind can't be checked"),
    ("check", {"text": "", "name": "x.md"}, "x.md"),
    ("answers", {"question": ""}, "question is empty"),
    ("fetch", {}, "choose from: search, search_all, check"),
]


@pytest.mark.usefixtures("indexed")
def test_bad_arguments_get_one_line_that_says_what_to_do() -> None:
    async def work(client: Client) -> None:
        for tool, arguments, reason in BAD:
            result = await client.call_tool(tool, arguments)
            assert result.is_error, (tool, arguments)
            assert reason in text_of(result), text_of(result)
            assert "\n" not in text_of(result)
        many = read(await client.call_tool("search", {**CALLS["search"], "top": 20}))
        assert [result["rank"] for result in many["results"]] == list(
            range(1, len(many["results"]) + 1)
        )

    ask_stdio(work)


def test_a_server_that_goes_away_is_said_and_found_again(indexed: str) -> None:
    is_away = False

    def reset(_: int) -> Fault:
        return Fault.RESET_BEFORE if is_away else Fault.NONE

    async def work(client: Client) -> None:
        nonlocal is_away
        for is_away in (False, True, False):
            for name in ("search", "check", "articles"):
                result = await client.call_tool(name, CALLS[name])
                assert result.is_error == is_away, text_of(result)
                if is_away:
                    assert text_of(result).startswith("Elasticsearch "), text_of(result)
                    assert "ask again once `citespan node status` says" in text_of(result)
                    assert "\n" not in text_of(result)

    with proxy(indexed, reset) as url:
        ask_stdio(work, CITESPAN_ES_URL=url)


def test_a_folder_of_articles_needs_no_server(tmp_path: Path) -> None:
    articles = shutil.copytree(sample("jats"), tmp_path / "articles")

    async def work(client: Client) -> None:
        for name in ("search", "check"):
            said = read(await client.call_tool(name, CALLS[name]))
            assert "found" in said["meanings"]
        assert read(await client.call_tool("answers", CALLS["answers"]))["results"]

    ask_stdio(work, "--articles", str(articles), CITESPAN_ES_URL="http://127.0.0.1:9")


def test_without_the_sdk_one_line_says_what_to_install() -> None:
    hide = "import sys; sys.modules['mcp'] = None; from citespan.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", hide, "mcp"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == (
        "citespan: `citespan mcp` needs the MCP SDK: pip install 'citespan[mcp]'\n"
    )


def test_others_can_reach_it_only_with_a_token() -> None:
    process = start("mcp", "--http", "--host", "0.0.0.0", "--port", "0", CITESPAN_SERVE_TOKEN="")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "set CITESPAN_SERVE_TOKEN" in said
