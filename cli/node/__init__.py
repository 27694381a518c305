"""`citespan node`: start, stop and watch an Elasticsearch server."""

from citespan.cli.commands import Command, group

app = group(
    "Start, stop and watch an Elasticsearch server.",
    {
        "up": Command(
            "citespan.cli.node.up:up",
            "Find or start a server, and show its address.",
        ),
        "down": Command(
            "citespan.cli.node.down:down",
            "Stop the node or cluster that `up` started. Its indices are kept for the next `up`.",
        ),
        "status": Command(
            "citespan.cli.node.status:status",
            "Show which server is in use and whether it answers; exit status 3 if none does.",
        ),
        "logs": Command(
            "citespan.cli.node.logs:logs",
            "Show the last lines of the log of the node that `up` started.",
        ),
    },
    epilog="Example: citespan node up",
)
