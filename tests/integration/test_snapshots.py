"""Snapshots of a local node, as deploy/operations.md has them: taken, all lost, restored."""

import random

from elasticsearch import Elasticsearch
from made_articles import random_article

from citespan.deploy.doctor import catalogue as catalogue_check
from citespan.es_mappings import articles
from citespan.es_mappings.index_name import SENTENCES
from citespan.pipelines.indexing import catalogue
from citespan.pipelines.indexing.article_text import article_text
from citespan.pipelines.indexing.documents.windows import SpanLengths
from citespan.pipelines.indexing.writing.loader import Loader
from citespan.pipelines.retrieval.model import similarities
from citespan.pipelines.text.splitter import DEFAULT, splitters


def test_what_is_lost_comes_back(es: Elasticsearch) -> None:
    for index in es.indices.get(index="citespan-*", filter_path="*.aliases"):
        es.indices.delete(index=index)  # what other tests have left; not all of it is whole
    for name, layout in (("kept-spans", "spans"), ("kept-sentences", "sentences")):
        loader = Loader(
            es,
            similarities(["vsm"]),
            SpanLengths(),
            splitters[DEFAULT],
            layout=layout,  # type: ignore[arg-type]
            expected=1,
        )
        loader.load([random_article(name, 5, random.Random(name))])
    entries = [catalogue.find(es, name) for name in ("kept-spans", "kept-sentences")]
    before = [article_text(es, entry) for entry in entries]
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
        assert [article_text(es, catalogue.find(es, e.article)) for e in entries] == before
        assert es.indices.exists_alias(name=SENTENCES)
        assert [f.state for f in catalogue_check.sentences(es)] == ["ok"]
    finally:
        es.snapshot.delete(repository="citespan", snapshot="first")
        es.snapshot.delete_repository(name="citespan")
