"""Which features a detector of answers uses: the six sets of paper B, section 4, and one more."""

from citespan.pipelines.answers.claim_sentences import FeatureName
from citespan.pipelines.errors import UnknownNameError

FEATURE_SETS: dict[str, tuple[FeatureName, ...]] = {
    "1": ("st-sim", "sq-sim"),
    "2": ("Z-score", "sq-sim"),
    "3": ("st-sim", "role-label"),
    "4": ("Z-score", "role-label"),
    "5": ("st-sim", "sq-sim", "role-label"),
    "6": ("Z-score", "sq-sim", "role-label"),
    "question": ("sq-sim", "role-label"),
}
"""The paper's by number. "question" is citespan's own: where the question is the title, as in
corpora made from titles, a detector that looks at the title learns what does not hold of abstracts
with other titles."""

PUBLISHED_SETS = ("1", "2", "3", "4", "5", "6")
DEFAULT = "question"


def feature_set(name: str) -> tuple[FeatureName, ...]:
    """The features of a set.

    Raises:
        UnknownNameError: naming those there are.
    """
    if name not in FEATURE_SETS:
        raise UnknownNameError("feature set", name, list(FEATURE_SETS))
    return FEATURE_SETS[name]
