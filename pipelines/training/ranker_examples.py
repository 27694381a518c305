"""Collections of citances as what rankers are trained on and measured by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.evaluation.outcome import Outcome
from citespan.pipelines.ranking.analysed_article import analyse
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.training.ranker_trees import Example, TrainingSet


def make_examples(articles: Mapping[str, Article], citances: Sequence[Citance]) -> TrainingSet:
    """Make an example of each citance: a sentence is evidence if any annotator marked it.

    Args:
        articles: by id, split into sentences.
    """
    numbers = {identifier: number for number, identifier in enumerate(articles)}
    examples = [
        Example(
            citance.text,
            citance.topic,
            numbers[citance.article_id],
            Outcome(citance, articles[citance.article_id], ()).gold_sentences,
        )
        for citance in citances
    ]
    analysed = [analyse(take_sentences(article)) for article in articles.values()]
    return TrainingSet(analysed, examples)
