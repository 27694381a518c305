"""The tenses of many sentences at once, by the smaller of the shipped spaCy pipelines."""

from collections.abc import Collection, Sequence
from typing import Any

from citespan.pipelines.answers.tense import Tense, first_finite_tense, only_tense, root_tense
from citespan.pipelines.text.spacy_pipelines import SMALL, load_pipeline

_TAGS = ("tok2vec", "tagger")
_BATCH = 256


def tenses(
    sentences: Sequence[str], features: Collection[str], pipeline: str = SMALL
) -> list[Tense]:
    """The tense of each sentence, for the feature "tense" by the tree of those whose tags leave a
    choice, for "tense by tags" by tags alone; empty where no feature asks for one.

    Args:
        pipeline: as for `load_pipeline`; it needs a tagger and, for "tense", a parser.

    Raises:
        InputError: if the pipeline can't be loaded.
    """
    by_tree = "tense" in features
    if not by_tree and "tense by tags" not in features:
        return []
    nlp = load_pipeline(pipeline)
    with nlp.select_pipes(enable=_TAGS):
        tagged = list(nlp.pipe(sentences, batch_size=_BATCH))
        if not by_tree:
            return [first_finite_tense(sentence) for sentence in tagged]
        known = [only_tense(sentence) for sentence in tagged]
        unsure = [one for one, tense in zip(tagged, known, strict=True) if tense is None]
        parser: Any = nlp.get_pipe("parser")
        parsed = (root_tense(sentence) for sentence in parser.pipe(unsure, batch_size=_BATCH))
        return [next(parsed) if tense is None else tense for tense in known]
