"""The one analyzer for citances and spans, the same for all models.

Standard tokenizer (Unicode word boundaries), lower case, English possessive, stop words, light
English stemmer. Greek letters become their names first, so that "TGF-β1" and "TGF-beta1" are
the same terms, as authors write either. Accents and typographic variants are folded, because a
citance and its article seldom come through the same typesetting.
"""

from typing import Any

ANALYZER = "citespan_english"

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau",
    "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
# The micro sign, the lunate and symbol forms, and the beta that looks like a sharp s.
_LOOK_ALIKES = {"µ": "mu", "ϵ": "epsilon", "ϑ": "theta", "ϰ": "kappa", "ϕ": "phi", "ϱ": "rho"}


def _greek_mappings() -> list[str]:
    letters = _GREEK | {letter.upper(): name for letter, name in _GREEK.items()} | _LOOK_ALIKES
    return [f"{letter} => {name}" for letter, name in letters.items()]


def analysis() -> dict[str, Any]:
    """The `analysis` part of an index's settings."""
    return {
        "char_filter": {"greek_names": {"type": "mapping", "mappings": _greek_mappings()}},
        "filter": {
            "possessive": {"type": "stemmer", "language": "possessive_english"},
            "stop_words": {"type": "stop", "stopwords": "_english_"},
            "light_stemmer": {"type": "stemmer", "language": "light_english"},
        },
        "analyzer": {
            ANALYZER: {
                "type": "custom",
                "char_filter": ["greek_names"],
                "tokenizer": "standard",
                "filter": [
                    "lowercase",
                    "asciifolding",
                    "possessive",
                    "stop_words",
                    "light_stemmer",
                ],
            }
        },
    }
