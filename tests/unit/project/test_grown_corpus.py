"""The articles that benchmarks are made of."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.grown_corpus import GrownCorpus, fit_exponent, write
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.evaluation.shipped import sample
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles


def read(path: Path) -> list[Article]:
    readings = list(read_articles(Sources([str(path)], "jats")))
    assert all(isinstance(reading, Article) for reading in readings), readings
    return [reading for reading in readings if isinstance(reading, Article)]


def test_each_article_that_is_made_can_be_read_and_cites_older_ones(tmp_path: Path) -> None:
    known = Publication(("Okada, Y",), "Insulin and what follows", 1999, "Cell")
    listed = ReferenceList(tuple(Reference.of(f"B{number}", known) for number in range(5)))
    real = [replace(article, reference_list=listed) for article in read(sample("jats"))]
    write(GrownCorpus(real), 40, tmp_path)
    made = read(tmp_path)
    assert len({article.id for article in made}) == 40
    numbers = {article.publication.pmid: number for number, article in enumerate(made)}
    cited = [
        (number, numbers[reference.publication.pmid])
        for number, article in enumerate(made)
        for reference in article.references
        if reference.publication.pmid in numbers
    ]
    assert cited
    assert all(older < number for number, older in cited)


def test_an_article_is_the_same_whatever_was_made_before() -> None:
    corpus = GrownCorpus(read(sample("jats")))
    made = [corpus.make(number) for number in (3, 7)]
    assert made[0] != made[1]
    assert GrownCorpus(read(sample("jats"))).make(7) == made[1]


@pytest.mark.parametrize(("draws", "distinct"), [(100_000, 20_000), (1_000_000, 60_000)])
def test_the_exponent_of_the_law_gives_as_many_words_as_were_found(
    draws: int, distinct: int
) -> None:
    exponent = fit_exponent(draws, distinct)
    assert exponent > 1
    assert fit_exponent(2 * draws, distinct) > exponent
    assert fit_exponent(draws, 2 * distinct) < exponent
