"""Snapshots of a local node, as deploy/operations.md has them: taken, all lost, restored."""

import random

import loading
from elasticsearch import Elasticsearch
from made_articles import random_article

from citespan.deploy.doctor.catalogue import check_layout
from citespan.es_mappings import articles
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.store.catalogue import Catalogue
from citespan.pipelines.store.layout import layout_of, layouts


def test_what_is_lost_comes_back(es: Elasticsearch) -> None:
    for name, layout in (("kept-spans", "spans"), ("kept-sentences", "sentences")):
        loading.load(es, [random_article(name, 5, random.Random(name))], layout=layout)
    entries = [Catalogue(es).find(name) for name in ("kept-spans", "kept-sentences")]
    before = [layout_of(entry).reader.read_text(es, entry) for entry in entries]
    names = ",".join({articles.INDEX, *(str(entry.index) for entry in entries)})

    es.snapshot.create_repository(
        name="citespan", repository={"type": "fs", "settings": {"location": "citespan"}}
    )
    try:
        taken = es.snapshot.create(
            repository="citespan", snapshot="first", indices=names, wait_for_completion=True
        )
        assert taken["snapshot"]["state"] == "SUCCESS"
        es.indices.delete(index=names)
        assert not es.indices.exists(index=str(entries[0].index))
        es.snapshot.restore(
            repository="citespan",
            snapshot="first",
            indices=names,
            include_global_state=False,
            wait_for_completion=True,
        )
        assert [
            layout_of(e).reader.read_text(es, e)
            for e in (Catalogue(es).find(entry.article) for entry in entries)
        ] == before
        assert es.indices.exists_alias(name=SENTENCES)
        assert [f.state for f in check_layout(es, layouts["sentences"])] == ["ok"]
    finally:
        es.snapshot.delete(repository="citespan", snapshot="first")
        es.snapshot.delete_repository(name="citespan")
