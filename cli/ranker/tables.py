"""The table of a ranker's figures."""

from citespan.cli.output import out
from citespan.cli.tables import FigureTable
from citespan.pipelines.evaluation.scores import Score
from citespan.pipelines.training.ranker_figures import RANKED, SELECTED, Figures

_HEADINGS = {
    "sentence_f1_micro": "sent. F1",
    "sentence_precision_micro": "P",
    "sentence_recall_micro": "R",
    "success_1": "success@1",
    "mrr_10": "MRR@10",
    "ndcg_10": "nDCG@10",
}


def show_figures(figures: Figures) -> None:
    """Print the figures of every system, and how far the ranker's probabilities hold."""
    out.print(f"{figures.citances:,} citances of {figures.topics} topics")
    table = FigureTable(["system"], [*_HEADINGS.values(), "sentences"])
    for system, scores in figures.scores.items():
        cells = [_format(scores[name]) for name in (*SELECTED, *RANKED)]
        table.add_row(system, *cells, f"{figures.sentences[system]:.2f}")
    table.print()
    out.print("With 95% bootstrap intervals; sent. F1, P, R: of the sentences retrieved, micro.")
    tests = figures.scores["ranker"]
    for name in ("sentence_f1_micro", "success_1"):
        test = tests[name].tests
        if test.p_randomisation is not None:
            out.print(
                f"{_HEADINGS[name]} of ranker against bm25: p = {test.p_randomisation:.4f} "
                "(paired randomisation)"
            )
    doubt = figures.doubt
    support = doubt["articles"]
    for kind, value in support["auroc"].items():
        below = support["wrong_below_threshold"][kind]
        out.print(
            f"support, right article or {kind} other one: AUROC {value:.3f}; below the threshold "
            f"{support['right_below_threshold']:.3f} of the right and {below:.3f} of the others"
        )
    out.print(
        f"expected calibration error: support {support['calibration_error']:.3f}, sentences "
        f"{doubt['sentences']['calibration_error']:.3f}"
    )


def _format(score: Score) -> str:
    return f"{score.value:.3f} {score.low:.3f}-{score.high:.3f}".replace("0.", ".")
