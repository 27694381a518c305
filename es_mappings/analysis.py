"""The analyzer for citances and spans, the same for all models.

Standard tokenizer (Unicode word boundaries), lower case, English possessive, stop words, and the
lightest English stemmer, which unifies singular and plural: vocabularies are normalised by the
same rules (`pipelines/vocabulary/normalise.py`), so what is one term to the server is one term
there. On CL-SciSumm it finds as much as the heavier light_english. British and American spelling,
and numbers in words, become one term (`es_mappings/spelling.py`). Greek letters become their
names first, so that "TGF-β1" and "TGF-beta1" are the same terms, as authors write either.
Accents and typographic variants are folded, because a citance and its article seldom come
through the same typesetting.
"""

from collections.abc import Mapping
from typing import Any

from citespan.es_mappings.spelling import SPELLING_FILTERS, spelling_filters

ANALYZER = "citespan_english"
SYNONYM_ANALYZER = "citespan_synonyms"
"""The same, and the synonyms of the article's concepts beside its words; for queries only."""

GREEK_NAMES = "greek_names"
FOLDING = ("lowercase", "asciifolding", "possessive")
STOP_FILTER = "stop_words"
PLURAL_STEMMER = "plural_stemmer"
TERM_FILTERS = (PLURAL_STEMMER, *SPELLING_FILTERS)
"""What makes one term of a word's forms."""

_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there
these they this to was will with
"""
STOP_WORDS = frozenset(_ENGLISH.split())
"""Those of Lucene's EnglishAnalyzer."""

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau",
    "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
# The micro sign, the lunate and symbol forms, and the beta that looks like a sharp s.
_LOOK_ALIKES = {"µ": "mu", "ϵ": "epsilon", "ϑ": "theta", "ϰ": "kappa", "ϕ": "phi", "ϱ": "rho"}


GREEK: Mapping[str, str] = (
    _GREEK | {letter.upper(): name for letter, name in _GREEK.items()} | _LOOK_ALIKES
)
"""The names of Greek letters, small and capital, and of characters that look like them."""


def analysis() -> dict[str, Any]:
    """Return the `analysis` part of an index's settings."""
    mappings = [f"{letter} => {name}" for letter, name in GREEK.items()]
    return {
        "char_filter": {GREEK_NAMES: {"type": "mapping", "mappings": mappings}},
        "filter": {
            "possessive": {"type": "stemmer", "language": "possessive_english"},
            STOP_FILTER: {"type": "stop", "stopwords": sorted(STOP_WORDS)},
            PLURAL_STEMMER: {"type": "stemmer", "language": "minimal_english"},
            **spelling_filters(),
        },
        "analyzer": {
            ANALYZER: {
                "type": "custom",
                "char_filter": [GREEK_NAMES],
                "tokenizer": "standard",
                "filter": [*FOLDING, STOP_FILTER, *TERM_FILTERS],
            }
        },
    }
