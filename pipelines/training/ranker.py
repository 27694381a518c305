"""Train a ranker on collections, measure it out of fold, and write its folder with a card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.ranking.features.families import FAMILIES
from citespan.pipelines.ranking.model import Calibration, write_model
from citespan.pipelines.training.ranker_examples import make_examples
from citespan.pipelines.training.ranker_figures import (
    RANKED,
    SELECTED,
    Figures,
    measure_out_of_fold,
)
from citespan.pipelines.training.ranker_fitting import (
    FOLDS,
    calibrate,
    score_out_of_fold,
)
from citespan.pipelines.training.ranker_trees import OBJECTIVES, train_trees

TRAININGS: Final = (FOLDS + 1) * len(OBJECTIVES)


def train_and_write(
    articles: Mapping[str, Article],
    citances: Sequence[Citance],
    to: Path,
    paths: Sequence[str],
    about: str = "",
    advance: Callable[[int], None] = lambda _: None,
) -> Figures:
    """Train on all citances, calibrate and measure out of fold, and write the model's folder.

    Args:
        articles: by id, split into sentences.
        to: the folder, whose name is the ranker's.
        paths: the collections that were read, for the card.
        about: a description of the data with its licence, for the card.
        advance: called with 1 after each of `TRAININGS` trainings.

    Raises:
        InputError: if there is too little to train on, or the folder can't be written.
    """
    data = make_examples(articles, citances)
    scored = score_out_of_fold(data, advance=advance)
    figures = measure_out_of_fold(articles, citances, data, scored)
    trees = train_trees(data, range(len(data.examples)), advance=advance)
    calibration = calibrate(scored)
    card = _format_card(to.name, figures, calibration, len(articles), paths, about)
    write_model(to, to.name, data.counts, trees.texts, trees.ensemble.scales, calibration, card)
    return figures


def _format_card(
    name: str,
    figures: Figures,
    calibration: Calibration,
    articles: int,
    paths: Sequence[str],
    about: str,
) -> str:
    support = figures.doubt["articles"]
    caught = ", ".join(
        f"{value:.0%} of the {kind} other ones"
        for kind, value in support["wrong_below_threshold"].items()
    )
    rows = [
        ("Task", "which sentences of an article are the evidence for a query, and whether any is"),
        (
            "Method",
            "gradient-boosted trees by LightGBM, LambdaMART and cross-entropy of a softmax over "
            "the sentences of an article, scores averaged; probabilities by logistic regression "
            "on scores out of fold",
        ),
        ("Data", about or "not described"),
        (
            "Trained on",
            f"{figures.citances:,} citances of {figures.topics} topics, {articles} articles",
        ),
        ("Features", "; ".join(f"{one.name}: {one.description}" for one in FAMILIES.values())),
        (
            "Threshold",
            f"support of {calibration.threshold}, below which an article is said to have no "
            "evidence: it more likely has none, if right articles and others are asked equally "
            "often",
        ),
        (
            "Files",
            "`lambdarank.txt`, `rank_xendcg.txt`: trees as LightGBM writes them; "
            "`terms.json.gz`: in how many of the articles each term is; `ranker.json`: "
            "calibration, and the SHA-256 of the others",
        ),
    ]
    lines = ["# Ranker " + name, "", "| | |", "| --- | --- |"]
    lines += [f"| {key} | {value} |" for key, value in rows]
    command = f'citespan ranker train {name} {" ".join(paths)} --out … --about "{about}"'
    lines += ["", "The same collections and libraries give the same files, byte for byte:", ""]
    lines += [f"    {command}", "", "## Figures", ""]
    lines += [
        f"{FOLDS}-fold cross-validation by topic: trees, probabilities and the number of sentences",
        "that the untrained rankings retrieve come from the other folds. Idf is that of the other",
        "articles of the collection. Settings of the trees were not chosen by such figures;",
        "inputs and penalty of the logistic regressions were, by the calibration of both shipped",
        "rankers. In brackets, 95% bootstrap intervals.",
        "",
        "| | sentence F1 | precision | recall | success at 1 | MRR@10 | nDCG@10 | sentences |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for system, scores in figures.scores.items():
        cells = []
        for measure in (*SELECTED, *RANKED):
            one = scores[measure]
            interval = f" ({one.low:.3f}–{one.high:.3f})"
            cells.append(
                f"{one.value:.3f}{interval if measure in (SELECTED[0], RANKED[0]) else ''}"
            )
        lines.append(f"| {system} | {' | '.join(cells)} | {figures.sentences[system]:.2f} |")
    lines += [
        "",
        "Support of the right article against that of another one of the same collection: area "
        "under the",
        "ROC curve "
        + ", ".join(f"{value:.3f} ({kind})" for kind, value in support["auroc"].items())
        + "; “hardest” is the one most similar to the query by BM25. The",
        "other article may be one whose own queries the fold's trees were trained on.",
        f"Below the threshold are {support['right_below_threshold']:.1%} of the right articles, "
        f"{caught}.",
        f"Expected calibration error: support {support['calibration_error']:.3f}, as many right as "
        "other articles;",
        "probabilities of the three best sentences "
        f"{figures.doubt['sentences']['calibration_error']:.3f}.",
        "",
        "| support said | right articles among them | share of all |",
        "| --- | --- | --- |",
        *(
            f"| {one['probability']:.2f} | {one['frequency']:.2f} | {one['share']:.3f} |"
            for one in support["reliability"]
        ),
    ]
    return "\n".join(lines) + "\n"
