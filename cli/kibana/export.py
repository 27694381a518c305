"""`citespan kibana export`: the same objects, as a file."""

import typer

from citespan.deploy.kibana import importer

EPILOG = "Example: citespan kibana export > citespan.ndjson"


def export() -> None:
    """Print the objects, for Kibana's own import page (Stack Management, Saved Objects)."""
    typer.echo(importer.OBJECTS.read_text(encoding="utf-8"), nl=False)
