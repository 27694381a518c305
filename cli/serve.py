"""`citespan serve`: the page to read evidence in, and the JSON API."""

from typing import Annotated

import typer

from citespan.cli.output import warn
from citespan.cli.reformulation_options import with_reformulation_options
from citespan.pipelines.reformulation.options import Options

EPILOG = "Example: citespan serve --open"
DEFAULT_PORT = 8765


@with_reformulation_options
def serve(
    host: Annotated[
        str,
        typer.Option(
            help="Address to listen on. Another than this machine's own needs a token of 16 "
            "characters or more in CITESPAN_SERVE_TOKEN."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 for any that is free.")
    ] = DEFAULT_PORT,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    *,
    options: Options,
) -> None:
    """Serve the page to read evidence in, and the JSON API, until Ctrl-C.

    Choose an article, paste a citing sentence, and see its passages marked in the article's text;
    search all articles, ask research questions, and check manuscripts. The API is described at
    /api. Nothing is sent to other machines but to Elasticsearch.
    """
    from citespan.serve.running import listen, run

    with listen(host, port, options) as listening:
        warn(f"citespan serves {listening.url} (Ctrl-C stops it)")
        if open_:
            typer.launch(listening.url)
        run(listening)
