"""Ranks by what answers questions, as about the outcomes of a trial."""

from citespan.pipelines.ranking.ranker import rankers
from citespan.pipelines.ranking.trained import SHIPPED, TrainedRanker

rankers.add(TrainedRanker(SHIPPED / "question", "for questions, trained on Evidence Inference 2.0"))
