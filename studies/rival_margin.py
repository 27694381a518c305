"""By how much another article has to lead before it is said to fit a citation better.

Run as `python -m studies.rival_margin` where `citespan link` has run, as over articles of PubMed
Central. For each linked citation, the best rival of the article that its authors cite is looked
for, and that of a random other article, as if that were cited. `MARGIN` of
`pipelines/ranking/rivals.py` was chosen by the first half of the links; the table has both halves.
"""

import argparse
import random

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan import search
from citespan.deploy.client import connect
from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.ranker import find_ranker
from citespan.pipelines.ranking.rivals import MARGIN, add_rival
from citespan.pipelines.store.catalogue import Catalogue
from studies.linked_doubt import read_links

_MARGINS = (0.0, 5.0, 10.0, MARGIN, 20.0, 25.0, 30.0)


def main() -> None:
    """Look for rivals, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranker", default="evidence")
    arguments = parser.parse_args()
    ranker = find_ranker(arguments.ranker)
    if ranker is None:
        raise InputError("--ranker none has no rivals")
    client = connect()
    entries = {str(article.entry.article): article.entry for article in Catalogue(client).scan()}
    generator = random.Random(0)
    leads, is_cited = list[tuple[float, float]](), list[bool]()
    for link in track(list(read_links(client)), "asking", console=Console(stderr=True)):
        citing, cited, query = link["citing"], link["cited"], link["query"]
        other = generator.choice(sorted(entries.keys() - {citing, cited}))
        rivals = []
        for asked in (cited, other):
            found = search(query, article=asked, ranker=arguments.ranker, client=client)
            named = add_rival(client, query, entries[asked], found, ranker, citing, -np.inf)
            rivals.append(named.rival)
        right, wrong = (rival.lead if rival is not None else -np.inf for rival in rivals)
        leads.append((right, wrong))
        is_cited.append(rivals[1] is not None and rivals[1].article == cited)
    halves = np.arange(len(leads)) % 2 == 1
    table = Table(
        *("lead", "half", "links", "rivals of the cited", "rivals of a random article"),
        "of these, the cited one",
    )
    for margin in _MARGINS:
        for name, half in (("first", ~halves), ("second", halves)):
            right, wrong = (np.array(leads)[half] >= margin).T
            cited_named = wrong & np.array(is_cited)[half]
            table.add_row(
                f"{margin:g}",
                name,
                str(half.sum()),
                *(f"{share.mean():.1%}" for share in (right, wrong, cited_named)),
            )
    Console().print(table)


if __name__ == "__main__":
    main()
