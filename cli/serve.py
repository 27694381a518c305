"""`citespan serve`: the page to read evidence in, and the JSON API."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from citespan.cli.folder import Articles, open_articles
from citespan.cli.output import warn
from citespan.cli.setting_options import with_reformulation_options
from citespan.pipelines.reformulation.options import Options

DEFAULT_PORT = 8765
CONNECTIONS = 20
CHECK_SECONDS = 300
PublicUrl = Annotated[
    str,
    typer.Option(
        help="Address by which others reach this one through a proxy with TLS on this machine, "
        "such as https://evidence.example.org; needs a token too.",
        show_default=False,
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
        show_default=False,
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
    ] = DEFAULT_PORT,
    articles: Articles = None,
    public_url: PublicUrl = "",
    connections: Annotated[
        int, typer.Option(min=1, max=300, help="Connections that an address may have at once.")
    ] = CONNECTIONS,
    check_seconds: CheckSeconds = CHECK_SECONDS,
    tokens: Tokens = None,
    keep: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where reports and decisions are kept, also for the next start; by default a "
            "folder of this user.",
            show_default=False,
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option(
            help="Append the log to this file: a JSON object for each request, without what is "
            "asked, and for each error. Standard error by default.",
            show_default=False,
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
    from citespan.serve.running import Service, listen, run

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
