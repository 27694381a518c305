"""Ranks by what citing sentences are about."""

from citespan.pipelines.ranking.ranker import rankers
from citespan.pipelines.ranking.trained import SHIPPED, TrainedRanker

rankers.add(TrainedRanker(SHIPPED / "citance", "for citing sentences, trained on CL-SciSumm 2018"))
