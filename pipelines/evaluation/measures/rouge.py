"""ROUGE-L: how far the texts retrieved and marked have their words in the same order."""

from citespan.pipelines.evaluation.measure import MeanOverCitances, measures

_SOURCE = "Lin 2004, as in the rouge-score library"

measures.add(
    MeanOverCitances(
        "rouge_l",
        "ROUGE-L F1 of the text retrieved against the best matching annotator's",
        _SOURCE,
        lambda outcome: outcome.rouge_l.f1,
    )
)
measures.add(
    MeanOverCitances(
        "rouge_l_precision",
        "ROUGE-L precision against the annotator of the best ROUGE-L F1",
        _SOURCE,
        lambda outcome: outcome.rouge_l.precision,
    )
)
measures.add(
    MeanOverCitances(
        "rouge_l_recall",
        "ROUGE-L recall against the annotator of the best ROUGE-L F1",
        _SOURCE,
        lambda outcome: outcome.rouge_l.recall,
    )
)
