"""Summaries measured against those that people wrote, with all models out of fold.

A topic's summary is made by a ranker and a facet model that were trained on the topics of the other
folds. Beside it stand lead, the citances alone, and LexRank (Erkan and Radev 2004) and TextRank
(Mihalcea and Tarau 2004) by sumy, with its English stemmer and stop words, over the sentences that
a summary may have.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

import numpy as np

from citespan.pipelines.citations.summaries.choosing import DEFAULTS, WORDS
from citespan.pipelines.citations.summaries.summary import Summariser
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.corpus.reference_summaries import KINDS
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.measure import FloatArray, MeanOverCitances
from citespan.pipelines.evaluation.rouge import ROUGES, RougeText, score_rouge
from citespan.pipelines.evaluation.scores import estimate_intervals
from citespan.pipelines.evaluation.significance import against_baseline
from citespan.pipelines.logistic_model import LogisticModel
from citespan.pipelines.ranking.sentences import take_sentences
from citespan.pipelines.ranking.stored_article import StoredArticle
from citespan.pipelines.text.words import words
from citespan.pipelines.training.facets import check_folds, make_facet_examples, train_facets
from citespan.pipelines.training.family import FOLDS, Advance, ignore
from citespan.pipelines.training.ranker_fitting import SEEDS, FoldRanker, train_on_folds

Peer = Callable[[StoredArticle, Sequence[str], int], str]


def lead(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the first words of the article, without title and headings."""
    return " ".join(" ".join(_take_sentences(article)).split()[:limit])


def citances_alone(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the citances themselves, each once, in the order of the collection."""
    return " ".join(_fill(dict.fromkeys(citances), str, limit))


def lexrank(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the most central sentences.

    Raises:
        InputError: if sumy is not installed.
    """
    return _run_sumy("lex_rank", "LexRankSummarizer", article, limit)


def textrank(article: StoredArticle, citances: Sequence[str], limit: int) -> str:  # noqa: ARG001
    """Return the sentences that most others recommend.

    Raises:
        InputError: if sumy is not installed.
    """
    return _run_sumy("text_rank", "TextRankSummarizer", article, limit)


PEERS: Final[Mapping[str, Peer]] = {
    "lead": lead,
    "LexRank": lexrank,
    "TextRank": textrank,
    "citances alone": citances_alone,
}


def _take_sentences(article: StoredArticle) -> list[str]:
    return [
        article.text(number, number) for number, may in enumerate(article.positions.evidence) if may
    ]


def _fill(sentences: Iterable[Any], write: Callable[[Any], str], limit: int) -> list[Any]:
    """Return those that fit into what those before them leave of the limit."""
    found = []
    for sentence in sentences:
        length = len(write(sentence).split())
        if length <= limit:
            found.append(sentence)
            limit -= length
    return found


def _run_sumy(module: str, name: str, article: StoredArticle, limit: int) -> str:
    try:
        from importlib import import_module

        from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
        from sumy.nlp.stemmers import Stemmer
        from sumy.utils import get_stop_words

        summariser = getattr(import_module(f"sumy.summarizers.{module}"), name)(Stemmer("english"))
    except ImportError as error:
        raise InputError("sumy is not installed; install citespan[dev] for its peers") from error
    summariser.stop_words = get_stop_words("english")
    sentences = [Sentence(text, _Tokenizer()) for text in _take_sentences(article)]

    def fill(rated: Sequence[Any]) -> list[Any]:
        return _fill(rated, lambda rated: str(rated.sentence), limit)

    found = summariser(ObjectDocumentModel([Paragraph(sentences)]), fill)
    return " ".join(map(str, found))


class _Tokenizer:
    """Finds words for sumy, whose own tokenizer would download data."""

    def to_words(self, sentence: str) -> list[str]:
        """Return the words of a sentence."""
        return words(sentence)


OURS: Final = "citespan"
TRAININGS: Final = FOLDS * SEEDS
_ONE_FACET: Final = LogisticModel(("any",), (0.0,), {})
_MEAN: Final = MeanOverCitances("", "", "", lambda _: 0.0)


@dataclass(frozen=True, slots=True)
class RougeFigure:
    """The mean F1 of a system over topics, with its 95% interval.

    Attributes:
        p_value: of a randomisation test against citespan, by Holm's correction over the systems;
            None for citespan itself.
    """

    value: float
    low: float
    high: float
    p_value: float | None


@dataclass(frozen=True)
class SummaryFigures:
    """The figures of an evaluation.

    Attributes:
        topics: how many have a summary of each kind.
        figures: by system, kind of summary, and ROUGE.
        words: of the systems' summaries, on average.
    """

    topics: Mapping[str, int]
    figures: Mapping[str, Mapping[str, Mapping[str, RougeFigure]]]
    words: Mapping[str, float]

    def to_json(self) -> dict[str, Any]:
        """Return all figures."""
        return {
            "topics": dict(self.topics),
            "systems": {
                system: {
                    "words": self.words[system],
                    "summaries": {
                        kind: {
                            name: {
                                "f1": score.value,
                                "interval": [score.low, score.high],
                                "p_randomisation_corrected": score.p_value,
                            }
                            for name, score in scores.items()
                        }
                        for kind, scores in own.items()
                    },
                }
                for system, own in self.figures.items()
            },
        }


def evaluate_summaries(
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    references: Mapping[str, Mapping[str, str]],
    words: int = WORDS,
    folds: Collection[int] = (),
    advance: Advance = ignore,
) -> SummaryFigures:
    """Measure summaries from citations, their parts left out one by one, and their peers.

    Args:
        articles: by id, split into sentences.
        references: the summaries of each article by their kinds.
        words: of a summary at most.
        folds: numbers of those whose topics are reported, from 1; none for all.
        advance: called with 1 after each of `TRAININGS` trainings.

    Raises:
        InputError: if there are fewer topics than folds, or no topic with a summary is left.
    """
    wanted = check_folds(folds)
    examples = make_facet_examples(articles, citances)
    rankers = train_on_folds(articles, citances, (), advance)

    @cache
    def find_facets(fold: int) -> LogisticModel:
        return train_facets([example for example in examples if example.fold != fold])

    texts: dict[str, dict[str, str]] = {}
    for name, article in articles.items():
        pairs = zip(citances, rankers, strict=True)
        own = {citance: ranker for citance, ranker in pairs if citance.article_id == name}
        if not own or not references.get(name):
            continue
        scored = {text: case for ranker in own.values() for text, case in ranker.scored.items()}
        fold = next(iter(scored.values())).fold
        if fold in wanted:
            ranker = FoldRanker(scored, next(iter(own.values())).calibration)
            summariser = Summariser(ranker, find_facets(fold), words)
            texts[name] = _summarise_all(article, list(own), summariser)
    if not texts:
        raise InputError("no topic has both citances and a summary to compare with")
    return _measure(texts, references)


def _summarise_all(
    article: Article, citances: Sequence[Citance], summariser: Summariser
) -> dict[str, str]:
    """Return what each system says of an article."""
    assert article.sentences is not None
    stored = StoredArticle(
        take_sentences(article),
        tuple(sentence.start for sentence in article.sentences),
        tuple(sentence.end for sentence in article.sentences),
    )
    said = {citance.id: citance.text for citance in citances}
    variants = {
        OURS: summariser,
        "without facets": replace(summariser, facets=_ONE_FACET),
        "without clusters": replace(summariser, settings=replace(DEFAULTS, distance=0.0)),
        "without the abstract's weight": replace(
            summariser, settings=replace(DEFAULTS, abstract=1.0)
        ),
        "without MMR": replace(summariser, settings=replace(DEFAULTS, relevance=1.0)),
    }
    peers = {
        name: peer(stored, list(said.values()), summariser.words) for name, peer in PEERS.items()
    }
    return peers | {
        name: variant.summarise(article.id, article.title, stored, said).text
        for name, variant in variants.items()
    }


def _measure(
    texts: Mapping[str, Mapping[str, str]], references: Mapping[str, Mapping[str, str]]
) -> SummaryFigures:
    """Score the systems' texts, by topic and system, against the references of each kind."""
    systems = list(next(iter(texts.values())))
    counted = {
        topic: {system: RougeText.of(text) for system, text in own.items()}
        for topic, own in texts.items()
    }
    topics: dict[str, int] = {}
    figures: dict[str, dict[str, dict[str, RougeFigure]]] = {system: {} for system in systems}
    for kind in KINDS:
        having = {topic: references[topic][kind] for topic in texts if kind in references[topic]}
        topics[kind] = len(having)
        if not having:
            continue
        values = {system: np.zeros((len(having), len(ROUGES))) for system in systems}
        for row, (topic, text) in enumerate(having.items()):
            reference = RougeText.of(text)
            for system in systems:
                scores = score_rouge(counted[topic][system], reference)
                values[system][row] = [scores[name].f1 for name in ROUGES]
        for system, own in _summarise_scores(values).items():
            figures[system][kind] = own
    words = {
        system: float(np.mean([len(own[system].split()) for own in texts.values()]))
        for system in systems
    }
    return SummaryFigures(topics, figures, words)


def _summarise_scores(values: Mapping[str, FloatArray]) -> dict[str, dict[str, RougeFigure]]:
    """Return means, intervals and tests of (topics, ROUGES) values by system."""
    ones = np.ones(len(values[OURS]))
    counted = [
        (_MEAN, np.column_stack([column, ones])) for own in values.values() for column in own.T
    ]
    bounds = estimate_intervals(counted, [""] * len(ones)).reshape(len(values), len(ROUGES), 2)
    others = {system: own for system, own in values.items() if system != OURS}
    tests = against_baseline(others, values[OURS])
    return {
        system: {
            name: RougeFigure(
                float(own[:, place].mean()),
                float(low),
                float(high),
                tests[system][place].p_randomisation_corrected if system in tests else None,
            )
            for place, (name, (low, high)) in enumerate(zip(ROUGES, limits, strict=True))
        }
        for (system, own), limits in zip(values.items(), bounds, strict=True)
    }
