"""`citespan kibana export`: the same objects, as a file."""

import typer

from citespan.es_mappings.kibana.export import export as export_objects

EPILOG = "Example: citespan kibana export > citespan.ndjson"


def export() -> None:
    """Print the objects, for Kibana's own import page (Stack Management, Saved Objects)."""
    typer.echo(export_objects().decode(), nl=False)
