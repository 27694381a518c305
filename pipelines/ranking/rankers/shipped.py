"""The ranker that comes with citespan, by a model that we trained."""

from citespan.pipelines.ranking.ranker import SHIPPED, TrainedRanker, rankers

rankers.add(TrainedRanker(SHIPPED / "evidence", "for citing sentences, claims and questions"))
