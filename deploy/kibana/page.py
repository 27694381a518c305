"""The shipped page of console requests. `python -m citespan.deploy.kibana.page` writes it."""

from pathlib import Path

from citespan.es_mappings.kibana.console import console_page
from citespan.pipelines.retrieval.model import models

PAGE = Path(__file__).resolve().parent / "requests.console"


def console_page_of_sample() -> str:
    """The page, asking for one of the sample articles."""
    return console_page(models.names(), "p53-dna-damage", "p53 stops the cell cycle through p21")


if __name__ == "__main__":
    PAGE.write_text(console_page_of_sample(), encoding="utf-8")
