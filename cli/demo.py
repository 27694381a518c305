"""`citespan demo`: from nothing to the page, over the sample."""

from typing import Annotated

import typer

from citespan.cli.output import warn
from citespan.cli.serve import DEFAULT_PORT
from citespan.pipelines.counts import format_count


def demo(
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, help="Port of the page; 0 for any that is free."),
    ] = DEFAULT_PORT,
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
    from citespan.serve.running import Service, listen, run

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
