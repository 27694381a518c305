"""ROUGE-L: how far the texts retrieved and marked have their words in the same order."""

from operator import attrgetter

from citespan.pipelines.evaluation.measure import MeanOverCitances, measures

for name, part, description in (
    ("rouge_l", "f1", "F1 of the text retrieved against the best matching annotator's"),
    ("rouge_l_precision", "precision", "precision against the annotator of the best ROUGE-L F1"),
    ("rouge_l_recall", "recall", "recall against the annotator of the best ROUGE-L F1"),
):
    measures.add(
        MeanOverCitances(
            name,
            f"ROUGE-L {description}",
            "Lin 2004, as in the rouge-score library",
            attrgetter(f"rouge_l.{part}"),
        )
    )
