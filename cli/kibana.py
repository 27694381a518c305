"""Explore what is indexed in Kibana.

Example: citespan kibana export > citespan.ndjson
"""

from typing import Annotated

import typer

from citespan.cli.commands import Group
from citespan.cli.options import Json
from citespan.cli.output import out, print_json
from citespan.deploy import kibana

app = Group(__doc__)


@app.command("import")
def import_(
    url: Annotated[str, typer.Option(help="Address of Kibana.")] = "http://localhost:5601",
    space: Annotated[
        str, typer.Option(help="The space to import into; it must exist.")
    ] = "default",
    json: Json = False,
) -> None:
    """Import data views, saved searches and dashboards into Kibana; importing again changes
    nothing.

    CITESPAN_KIBANA_API_KEY is the API key, CITESPAN_KIBANA_CA the path of a CA certificate.

    Example: citespan kibana import --url http://localhost:5601 --space research
    """
    count = kibana.import_objects(url, space)
    if json:
        ids = [saved["id"] for saved in kibana.read_objects()]
        print_json({"url": url, "space": space, "imported": count, "ids": ids})
    else:
        out.print(f"{count} objects imported into the space '{space}' of {url}", markup=False)


@app.command()
def export() -> None:
    """Print the objects, for Kibana's own import page (Stack Management, Saved Objects).

    Example: citespan kibana export > citespan.ndjson
    """
    typer.echo(kibana.OBJECTS.read_text(encoding="utf-8"), nl=False)
