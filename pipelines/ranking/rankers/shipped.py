"""The rankers that come with citespan, each by a model that we trained."""

from citespan.pipelines.ranking.ranker import SHIPPED, TrainedRanker, rankers

# by what citing sentences are about
rankers.add(TrainedRanker(SHIPPED / "citance", "for citing sentences, trained on CL-SciSumm 2018"))
# by what answers questions, as about the outcomes of a trial
rankers.add(TrainedRanker(SHIPPED / "question", "for questions, trained on Evidence Inference 2.0"))
