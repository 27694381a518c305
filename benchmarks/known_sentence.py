"""Does expansion bring back what is said in other words? Known-item search with made-up citances.

A citance is made of a sentence of an article by putting another term of the same concept in place
of one that stands there, and only a word on either side of it is kept, so that what is left of
the sentence does not give it away. Found means that the sentence is in one of the first three
spans. Run as `python -m benchmarks.known_sentence ARTICLES VOCABULARY` on a node of one's own;
every second article by name is used, so that a choice made on these can be reported on others
(`--others`).
"""

import argparse
import random
from collections import Counter
from pathlib import Path

from citespan.deploy.client import connect
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.indexing.catalogue import Catalogue
from citespan.pipelines.indexing.documents.settings import DocumentSettings, SynonymSource
from citespan.pipelines.indexing.load import load_articles
from citespan.pipelines.reformulation.composition import parse
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.retrieval.layouts.layout import SearchRequest
from citespan.pipelines.retrieval.model import models, similarities
from citespan.pipelines.retrieval.search import article_context, search
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters
from citespan.pipelines.text.words import word_offsets
from citespan.pipelines.vocabulary.matching import Match, Matcher
from citespan.pipelines.vocabulary.normalise import keys
from citespan.pipelines.vocabulary.store import open_vocabulary
from citespan.pipelines.vocabulary.terms import ConceptFilter

_PER_ARTICLE = 10
_AROUND = 1
_SYSTEMS = [("baseline", "phrase")] + [
    (name, way) for name in ("umls-expand", "umls-field") for way in ("phrase", "conjunction")
]


def main() -> None:
    """Print how many sentences each system finds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("articles", type=Path)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("--others", action="store_true", help="the other half of the articles")
    arguments = parser.parse_args()
    reader = readers["jats"]
    units = sorted(reader.find(arguments.articles))[int(arguments.others) :: 2]
    found = [article for unit in units for article in reader.read(unit)]
    articles = [article for article in found if isinstance(article, Article)]
    client = connect()
    matcher = Matcher(open_vocabulary(arguments.vocabulary), ConceptFilter())
    source = SynonymSource(arguments.vocabulary)
    load_articles(client, articles, DocumentSettings(similarities([]), synonym_source=source))
    right: Counter[tuple[str, str]] = Counter()
    made = 0
    generator = random.Random(1)
    for article in articles:
        entry = Catalogue(client).find(article.id)
        contexts = {
            way: article_context(
                client, entry, Options(arguments.vocabulary, synonyms=way), models["vsm"]
            )
            for way in ("phrase", "conjunction")
        }
        for number, citance in _citances(article, matcher, generator):
            made += 1
            for name, way in _SYSTEMS:
                terms = parse(name).terms(citance, contexts[way])
                spans = search(client, SearchRequest(entry, terms, models["vsm"])) if terms else []
                right[name, way] += any(
                    s.first_sentence <= number <= s.last_sentence for s in spans
                )
    for name, way in _SYSTEMS:
        print(f"{name:12} {way:12} {right[name, way]} of {made} = {right[name, way] / made:.3f}")


def _citances(
    article: Article, matcher: Matcher, generator: random.Random
) -> list[tuple[int, str]]:
    """Sentence numbers, and the citances made of them."""
    made = []
    for number, sentence in enumerate(split_article(article, splitters[DEFAULT])):
        text = article.text[sentence.start : sentence.end]
        choices = [(m, other) for m in matcher.matches(text) for other in _others(matcher, m)]
        if choices:
            match, other = generator.choice(choices)
            made.append((number, _around(text, match, other)))
    return generator.sample(made, min(_PER_ARTICLE, len(made)))


def _others(matcher: Matcher, match: Match) -> list[str]:
    """The concept's terms that share no word with what stands there."""
    there = set(keys(match.text))
    terms = matcher.vocabulary.terms_of(match.number, matcher.filter)
    return [t.text for t in terms if keys(t.text) and not there & set(keys(t.text))]


def _around(text: str, match: Match, other: str) -> str:
    before = [start for start, end in word_offsets(text) if end <= match.start][-_AROUND:]
    after = [end for start, end in word_offsets(text) if start >= match.end][:_AROUND]
    left = text[before[0] : match.start] if before else ""
    right = text[match.end : after[-1]] if after else ""
    return left + other + right


if __name__ == "__main__":
    main()
