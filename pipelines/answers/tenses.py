"""The tenses of many sentences at once, by the shipped spaCy pipeline."""

from collections.abc import Collection, Sequence

from citespan.pipelines.answers.tense import Tense, first_finite_tense, root_tense
from citespan.pipelines.text.spacy_pipelines import load_pipeline

_TAGS = ("tok2vec", "tagger")
_TREES = (*_TAGS, "parser")


def tenses(sentences: Sequence[str], features: Collection[str]) -> list[Tense]:
    """The tense of each sentence, by the tree for the feature "tense", by tags alone for
    "tense by tags", which needs no parser; empty where no feature asks for one.

    Raises:
        InputError: if the shipped pipeline can't be loaded.
    """
    by_tree = "tense" in features
    if not by_tree and "tense by tags" not in features:
        return []
    tense_of = root_tense if by_tree else first_finite_tense
    nlp = load_pipeline()
    # Without a memory zone, spaCy would keep every word of a million abstracts.
    with nlp.select_pipes(enable=_TREES if by_tree else _TAGS), nlp.memory_zone():
        return [tense_of(sentence) for sentence in nlp.pipe(sentences)]
