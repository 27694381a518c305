"""`citespan serve`, `demo` and `mcp`: the page to read evidence in, the API, and agents' tools."""

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from citespan.cli.folder import Articles, open_articles
from citespan.cli.output import warn
from citespan.cli.setting_options import with_reformulation_options
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.options import Options

_PAGE_PORT, _AGENTS_PORT = 8765, 8766
_CONNECTIONS = 20
_CHECK_SECONDS = 300
PublicUrl = Annotated[
    str,
    typer.Option(
        help="Address by which others reach this one through a proxy with TLS on this machine, "
        "such as https://evidence.example.org; needs a token too."
    ),
]
CheckSeconds = Annotated[
    int, typer.Option(min=1, max=86_400, help="How long the check of a manuscript may take.")
]
Tokens = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar="CITESPAN_SERVE_TOKENS",
        help="A YAML file of people who may ask: a list of `name`, `token`, and `may`, a list of "
        "read, check and decide. Others on this machine must not be able to read it.",
    ),
]


@with_reformulation_options
def serve(
    context: typer.Context,
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. Any address other than this machine's own needs a token in "
            "CITESPAN_SERVE_TOKEN, as `openssl rand -hex 16` makes one."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any that is free.")
    ] = _PAGE_PORT,
    articles: Articles = None,
    public_url: PublicUrl = "",
    connections: Annotated[
        int, typer.Option(min=1, max=300, help="Connections that an address may have at once.")
    ] = _CONNECTIONS,
    check_seconds: CheckSeconds = _CHECK_SECONDS,
    tokens: Tokens = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where reports and decisions are kept, also for the next start; by default a "
            "folder of this user.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Append the log to this file: a JSON object for each request, without what is "
            "asked, and for each error. Standard error by default."
        ),
    ] = None,
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        typer.Option(help="Log nothing less important; requests are info."),
    ] = "info",
    open_: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    *,
    options: Options,
) -> None:
    """Serve the page to read evidence in, and the JSON API, until Ctrl-C.

    Choose an article, paste a citing sentence, and see its passages marked in the article's text;
    search all articles, ask research questions, and check manuscripts. The API is described at
    /api. Nothing is sent to other machines but to Elasticsearch, for which a key that may only
    read is enough.

    Example: citespan serve --open
    """
    from citespan.serve.log import start_logging
    from citespan.serve.running import listen, run
    from citespan.serve.site import Service

    if articles is not None:
        open_articles(articles)  # before anyone asks, who would have to wait for it
    service = Service(
        host, port, options, public_url, connections, check_seconds, articles, tokens, keep
    )
    start_logging(log, log_level, debug=context.find_root().params["debug"])
    with listen(service) as listening:
        warn(f"citespan serves {listening.url} (Ctrl-C stops it)")
        if open_:
            typer.launch(listening.url)
        run(listening)


def demo(
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; 0 for any that is free.")
    ] = _PAGE_PORT,
    browser: Annotated[bool, typer.Option(help="Open the page in your browser.")] = True,
) -> None:
    """Find or start a server, load the sample, and serve the page, until Ctrl-C.

    The server is the one that `citespan node up` finds or starts: that of CITESPAN_ES_URL, a node
    that runs, a distribution at ES_HOME, Docker, or a node assembled with Maven, which downloads
    1.1 GB once. It keeps running afterwards; `citespan node down` stops it.

    Example: citespan demo --no-browser
    """
    from citespan.cli.node import start_node
    from citespan.library import index
    from citespan.pipelines.evaluation.shipped import sample
    from citespan.serve.log import start_logging
    from citespan.serve.running import listen, run
    from citespan.serve.site import Service

    start_logging(None, "warning", debug=False)
    with listen(Service(port=port)) as listening:  # first: a port in use is known at once
        node = start_node()
        warn(f"Elasticsearch {node.version} answers at {node.addresses}")
        report = index(sample("jats"))
        loaded = format_count(report.articles + report.unchanged, "article")
        warn(f"the sample is loaded: {loaded}")
        warn(f"citespan serves {listening.url} (Ctrl-C stops it)")
        if browser:
            typer.launch(listening.url)
        run(listening)


@with_reformulation_options
def mcp(
    context: typer.Context,
    http: Annotated[
        bool, typer.Option("--http", help="Answer over HTTP, in place of standard input.")
    ] = False,
    host: Annotated[
        str,
        typer.Option(
            help="With --http, the address to listen on. Any address other than this machine's own "
            "needs a token in CITESPAN_SERVE_TOKEN, as `openssl rand -hex 16` makes one."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="With --http, the port; 0 for any that is free.")
    ] = _AGENTS_PORT,
    articles: Articles = None,
    public_url: PublicUrl = "",
    most_bytes: Annotated[
        int,
        typer.Option(
            min=4000,
            max=1_000_000,
            help="How long an answer may be. What is left off is said, with how to get it.",
        ),
    ] = 20_000,
    check_seconds: CheckSeconds = _CHECK_SECONDS,
    tokens: Tokens = None,
    *,
    options: Options,
) -> None:
    """Serve agents, which find evidence and check manuscripts with what is indexed.

    A client of the Model Context Protocol starts this command and talks to it on standard input and
    output; with --http, it asks at the address that is printed. The tools are search, search_all,
    check, show, articles, answers and cited; none of them changes anything. Over HTTP, manuscripts
    are sent as text, and no file of this machine is read.

    Example: citespan mcp --http --port 8766
    """
    try:
        from citespan.serve.agents import ADDRESS, make_agent_app, run_on_standard_input
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise InputError("`citespan mcp` needs the MCP SDK: pip install 'citespan[mcp]'") from error
    from citespan.serve.log import start_logging
    from citespan.serve.running import listen, run
    from citespan.serve.site import Service

    if articles is not None:
        open_articles(articles)  # before anyone asks, who would have to wait for it
    service = Service(
        *(host, port, options, public_url),
        check_seconds=check_seconds,
        articles=articles,
        tokens=tokens,
    )
    start_logging(None, "info" if http else "warning", debug=context.find_root().params["debug"])
    if not http:
        run_on_standard_input(service, most_bytes)
        return
    with listen(service, partial(make_agent_app, most_bytes=most_bytes)) as listening:
        warn(f"citespan serves agents at {listening.url}{ADDRESS} (Ctrl-C stops it)")
        run(listening)
