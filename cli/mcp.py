"""`citespan mcp`: the tools for agents, by the Model Context Protocol."""

from functools import partial
from typing import Annotated

import typer

from citespan.cli.folder import Articles, open_articles
from citespan.cli.output import warn
from citespan.cli.serve import CHECK_SECONDS, CheckSeconds, PublicUrl, Tokens
from citespan.cli.setting_options import with_reformulation_options
from citespan.pipelines.errors import InputError
from citespan.pipelines.reformulation.options import Options

DEFAULT_PORT = 8766


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
        int,
        typer.Option(min=0, max=65535, help="With --http, the port; 0 for any that is free."),
    ] = DEFAULT_PORT,
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
    check_seconds: CheckSeconds = CHECK_SECONDS,
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
    from citespan.serve.running import Service, listen, run

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
