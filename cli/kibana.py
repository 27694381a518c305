"""`citespan kibana`: explore what is indexed in Kibana."""

from typing import Annotated

import typer

from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy.kibana import importer
from citespan.es_mappings.kibana import objects

app = typer.Typer(no_args_is_help=True, help="Explore what is indexed in Kibana.")


@app.command(
    "import", epilog="Example: citespan kibana import --url http://localhost:5601 --space research"
)
def import_(
    url: Annotated[str, typer.Option(help="Kibana's address.")] = "http://localhost:5601",
    space: Annotated[
        str, typer.Option(help="The space to import into; it must exist.")
    ] = "default",
    json: Json = False,
) -> None:
    """Bring data views and saved searches into Kibana; doing it again changes nothing.

    The API key is read from CITESPAN_KIBANA_API_KEY, the path of a CA certificate from
    CITESPAN_KIBANA_CA.
    """
    count = importer.import_objects(url, space)
    if json:
        ids = [thing["id"] for thing in objects.saved_objects()]
        print_json({"url": url, "space": space, "imported": count, "ids": ids})
    else:
        out.print(f"{count} objects imported into the space '{space}' of {url}", markup=False)


@app.command(epilog="Example: citespan kibana export > citespan.ndjson")
def export() -> None:
    """Print the objects, for Kibana's own import page (Stack Management, Saved Objects)."""
    typer.echo(objects.export().decode(), nl=False)
