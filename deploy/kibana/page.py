"""The shipped page of console requests, written by `python -m citespan.deploy.kibana.page`."""

from pathlib import Path

from citespan.es_mappings.kibana.console import make_console_page
from citespan.pipelines.retrieval.model import models

PAGE = Path(__file__).resolve().parent / "requests.console"


def make_sample_page() -> str:
    """Return the page with requests for one of the sample articles."""
    return make_console_page(
        models.names(), "p53-dna-damage", "p53 stops the cell cycle through p21"
    )


if __name__ == "__main__":
    PAGE.write_text(make_sample_page(), encoding="utf-8")
