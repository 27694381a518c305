"""`citespan kibana`: explore what is indexed in Kibana."""

from citespan.cli.commands import Command, group

app = group(
    "Explore what is indexed in Kibana.",
    {
        "import": Command(
            "citespan.cli.kibana.import_:import_",
            "Import data views, saved searches and dashboards into Kibana; importing again changes "
            "nothing.",
        ),
        "export": Command(
            "citespan.cli.kibana.export:export",
            "Print the objects, for Kibana's own import page (Stack Management, Saved Objects).",
        ),
    },
    epilog="Example: citespan kibana export > citespan.ndjson",
)
