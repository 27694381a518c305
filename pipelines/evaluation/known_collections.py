"""Collections that figures were published on, told by what is in them."""

import re
from dataclasses import dataclass

from citespan.pipelines.corpus.collection import Collection


@dataclass(frozen=True, slots=True)
class KnownCollection:
    """A collection as those who published on it had it.

    Attributes:
        format: of the reader.
        topics: how many, each named like `topic`, a regular expression.
        citances: how many they counted.
    """

    name: str
    format: str
    topic: str
    topics: int
    citances: int

    def is_it(self, collection: Collection) -> bool:
        """Whether this is that collection, by its format and the names of its topics."""
        names = set(collection.articles)
        return (
            collection.name.partition(":")[0] == self.format
            and len(names) == self.topics
            and all(re.fullmatch(self.topic, name) for name in names)
        )

    def remark(self, collection: Collection) -> str | None:
        """What keeps its published figures from being compared; None if nothing does."""
        if not self.is_it(collection):
            return f"{collection.name} is not the {self.topics} topics of {self.name}"
        if len(collection.citances) != self.citances:
            return f"they are on {self.citances} citances, and here are {len(collection.citances)}"
        return None


TAC2014 = KnownCollection("TAC 2014 (training)", "tac2014", r"D14\d\d_TRAIN", 20, 313)
KNOWN = {"tac2014-train": TAC2014}
