"""What a zone model is made of: its features and the settings of its training.

`alamri2015` is section 3.1.2 of paper B (A. Alamri, M. Stevenson, "Automatic detection of answers
to research questions from Medline abstracts", BioNLP 2015). The paper does not say how text is
tokenized, whether numbers are normalised or what the penalties were; here words are lower-cased,
numbers stay as they are, and the penalties are CRFsuite's defaults.

`hirohata2008` is the system that paper B compares itself with: K. Hirohata, N. Okazaki,
S. Ananiadou, M. Ishizuka, "Identifying sections in scientific abstracts using conditional random
fields", IJCNLP 2008. What paper B and its authors' abstract say of it is kept: a CRF over the
sentences, four zones, n-grams of the sentence and of its neighbours. The rest is assumed: uni- and
bigrams of Porter's stems, a window of one sentence on either side, relative location in ten bins.

`citespan` was chosen by cross-validation within 400 of PubMedQA's abstracts, those outside the
first of the five folds of `training.zones`.
"""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args

from citespan.pipelines.errors import InputError, UnknownNameError

FeatureName = Literal[
    "title n-grams",
    "n-grams",
    "previous n-grams",
    "next n-grams",
    "title similarity",
    "location",
    "tense",
    "tense by tags",
    "places",
    "opening",
    "length",
]


@dataclass(frozen=True, slots=True)
class Configuration:
    """Features and training of a zone model.

    Attributes:
        features: names in `zones.features.FEATURES`.
        numbers_as_one: whether all numbers count as one word.
        stemmed: whether words are stemmed.
        shared_weight: the Euclidean norm of the vector of a sentence's n-grams; if None, each
            n-gram has the weight 1, so that long sentences weigh more.
        c1, c2: weights of the L1 and L2 penalties of CRFsuite's L-BFGS.
        min_frequency: features that are not more frequent than this in training are left out.
        max_iterations: of L-BFGS.
    """

    name: str
    description: str
    features: tuple[FeatureName, ...]
    numbers_as_one: bool = False
    stemmed: bool = False
    shared_weight: float | None = None
    c1: float = 0.0
    c2: float = 1.0
    min_frequency: int = 0
    max_iterations: int = 200

    def to_json(self) -> dict[str, Any]:
        """Return the members that the head of a model contains."""
        return asdict(self)


ALAMRI2015 = Configuration(
    "alamri2015",
    "paper B: n-grams of the title, the sentence and its neighbours, title similarity, relative "
    "location, tense of the root verb",
    (
        *("title n-grams", "n-grams", "previous n-grams", "next n-grams"),
        *("title similarity", "location", "tense"),
    ),
)
HIROHATA2008 = Configuration(
    "hirohata2008",
    "Hirohata et al. 2008: n-grams of the stemmed words of the sentence and its neighbours, "
    "relative location",
    ("n-grams", "previous n-grams", "next n-grams", "location"),
    stemmed=True,
)
CITESPAN = Configuration(
    "citespan",
    "n-grams of the sentence at a weight that does not grow with its length, numbers as one word, "
    "opening words, relative location, places from both ends, length",
    ("n-grams", "opening", "location", "places", "length"),
    numbers_as_one=True,
    shared_weight=8.0,
    c1=0.05,
    c2=0.8,
)

CONFIGURATIONS = {c.name: c for c in (CITESPAN, ALAMRI2015, HIROHATA2008)}
DEFAULT = CITESPAN.name


def get_configuration(name: str) -> Configuration:
    """Return the configuration of that name.

    Raises:
        UnknownNameError: listing the known ones.
    """
    if name not in CONFIGURATIONS:
        raise UnknownNameError("zone configuration", name, list(CONFIGURATIONS))
    return CONFIGURATIONS[name]


def add_features(known: Configuration, added: Iterable[str]) -> Configuration:
    """Add feature groups to a configuration, and to its name.

    Raises:
        UnknownNameError: if there is no such group.
    """
    groups = get_args(FeatureName)
    for name in added:
        if name not in groups:
            raise UnknownNameError("feature group", name, list(groups))
        if name not in known.features:
            features = (*known.features, cast(FeatureName, name))
            known = replace(known, name=f"{known.name} + {name}", features=features)
    return known


def read_configuration(members: dict[str, Any]) -> Configuration:
    """Read what `Configuration.to_json` returned.

    Raises:
        InputError: if it is something else.
    """
    try:
        return Configuration(**members | {"features": tuple(members["features"])})
    except (KeyError, TypeError) as error:
        raise InputError(f"no configuration of a zone model: {error}") from error
