"""References resolved to articles of a real catalogue."""

import random
from dataclasses import replace

import loading
from elasticsearch import Elasticsearch
from made_articles import random_article

from citespan.es_mappings.articles import INDEX
from citespan.pipelines.citations.resolution import make_catalogue_look_up, resolve
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.store.catalogue import Catalogue

YEAST = Publication(
    authors=("Ito, K.", "Ry, B."),
    title="Growth of made yeast on sugar",
    year=2001,
    journal="J. Yeast",
    pmid="1",
    pmcid="PMC1",
    doi="10.1000/yeast",
)


def made(name: str, publication: Publication) -> Article:
    article = random_article(name, 4, random.Random(name))
    return replace(article, title=publication.title, publication=publication)


def test_references_are_resolved_to_what_is_indexed(es: Elasticsearch) -> None:
    es.indices.delete(index=INDEX, ignore_unavailable=True)
    look_up = make_catalogue_look_up(es)
    by_title = replace(YEAST, pmid="", pmcid="", doi="")
    references = [YEAST, by_title, Publication(doi="10.1000/none"), Publication(pmid="7")]
    assert {resolution.outcome for resolution in resolve(references, look_up)} == {"not indexed"}

    twin = replace(YEAST, pmid="7", pmcid="", doi="10.1000/other", year=1990)
    bare = Publication(title="A made title")
    articles = [made("yeast", YEAST), made("a", twin), made("bare", bare)]
    assert loading.load(es, articles, ["vsm"]).indexed == 3
    found = [
        (resolution.outcome, resolution.article) for resolution in resolve(references, look_up)
    ]
    assert found == [
        ("identifier", "yeast"),
        ("title", "yeast"),
        ("not indexed", None),
        ("identifier", "a"),
    ]
    many = [Publication(pmid=str(number)) for number in range(5_000)]
    assert [resolution.article for resolution in resolve(many, look_up) if resolution.article] == [
        "yeast",
        "a",
    ]


def test_the_catalogue_keeps_what_is_known_of_an_article(es: Elasticsearch) -> None:
    loading.load(es, [made("kept", replace(YEAST, pmid="9"))], ["vsm"])
    entry = Catalogue(es).find("kept")
    assert (list(entry.authors), entry.year, entry.journal) == (
        ["Ito, K.", "Ry, B."],
        2001,
        "J. Yeast",
    )
    assert (entry.pmid, entry.pmcid, entry.doi) == ("9", "PMC1", "10.1000/yeast")
    again = loading.load(es, [made("kept", replace(YEAST, pmid="9"))], ["vsm"])
    assert (again.unchanged, again.replaced) == (1, 0)
    revised = loading.load(es, [made("kept", replace(YEAST, pmid="9", year=2002))], ["vsm"])
    assert (revised.unchanged, revised.replaced) == (0, 1)
    assert Catalogue(es).find("kept").year == 2002
