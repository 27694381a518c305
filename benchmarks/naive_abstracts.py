"""The naive way to load the same abstracts: the whole file as one tree, then one request for each
abstract, with the client's defaults. Same records, sentences, zones and documents.

Run as `python -m benchmarks.naive_abstracts FILE`; prints how many abstracts were indexed.
"""

import gzip
import json
import sys
from pathlib import Path

from lxml import etree

from citespan.deploy.client import connect
from citespan.es_mappings import abstracts
from citespan.es_mappings.analysis import analysis
from citespan.pipelines.answers.zones.zoning import LoadingZoner
from citespan.pipelines.corpus.abstract import Abstract
from citespan.pipelines.corpus.readers.medline import parse_citation
from citespan.pipelines.indexing.documents.abstract_document import (
    build_document,
    needs_zones,
    split_abstract,
)
from citespan.pipelines.text.splitter import DEFAULT, splitters


def main() -> None:
    """Load one file."""
    file = Path(sys.argv[1])
    client = connect()
    client.indices.create(
        index=abstracts.INDEX,
        mappings=abstracts.mapping(),
        settings={"index": {"analysis": analysis()}},
    )
    with gzip.open(file) as packed:
        root = etree.fromstring(packed.read())
    zoner = LoadingZoner()
    indexed = 0
    for number, record in enumerate(root, 1):
        abstract = parse_citation(record, str(file), number)
        if isinstance(abstract, Abstract):
            sentences = split_abstract(abstract, splitters[DEFAULT])
            body = build_document(abstract, sentences, "")
            if needs_zones(abstract):
                (zones,) = zoner([(abstract, sentences)])
                body = build_document(abstract, sentences, "", zones, zoner.version)
            client.index(index=abstracts.INDEX, id=abstract.id, document=body)
            indexed += 1
    client.indices.refresh(index=abstracts.INDEX)
    print(json.dumps({"indexed": indexed}))


if __name__ == "__main__":
    main()
