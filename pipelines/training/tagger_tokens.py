"""Where tokens end: spaCy's English tokenizer, with rules for biomedical names.

CRAFT parts names at every hyphen, slash and sign ("PGC-1α" is three tokens, "+/−" too), as the
later treebanks of biomedical English do, except behind prefixes that are no words ("anti-HA",
"non-coding") and before "fold".
"""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from spacy.language import Language

_DASH: Final = "-‐‑–—−"
_PREFIXES: Final = """
anti non co pre post sub auto mid inter cross multi pro over semi re pseudo micro hetero intra pan
homo extra poly peri neo immuno bi di bio
"""
_ABBREVIATIONS: Final = "Fig Figs Ref Refs fig figs al chr no No approx vs ca cf etc Drs"


def _infixes() -> list[str]:
    from spacy.lang.char_classes import ALPHA, ALPHA_LOWER, ALPHA_UPPER, LIST_ELLIPSES

    no_prefix = "".join(
        rf"(?<!\b[{prefix[0]}{prefix[0].upper()}]{prefix[1:]})" for prefix in _PREFIXES.split()
    )
    return [
        *LIST_ELLIPSES,
        rf"(?<=[{ALPHA}0-9'′\)\]+*%°]){no_prefix}[{_DASH}](?!fold)(?=[{ALPHA}0-9(\['′+~])",
        r"[/+×~&=<>≥≤:;±→↔{}()\[\]]",
        rf"(?<=[/(])[{_DASH}]",
        rf"[{_DASH}](?=[/)])",
        # A comma inside a number stands before three digits; any other separates.
        rf"(?<=[{ALPHA}]),(?=[{ALPHA}0-9])",
        rf"(?<=[0-9]),(?=[{ALPHA}]|[0-9]{{1,2}}(?:[^0-9]|$))",
        r"(?<=[0-9]{4}),",
        r"(?<=[0-9])[′']+",
        rf"(?<=[{ALPHA_LOWER}]{{2}})\.(?=[{ALPHA_UPPER}])",
    ]


def _prefixes() -> list[str]:
    from spacy.lang.char_classes import LIST_CURRENCY, LIST_ELLIPSES, LIST_PUNCT, LIST_QUOTES

    signs = [*"§%=—–−/:~±×", "-", r"\+"]
    return [*signs, *LIST_PUNCT, *LIST_ELLIPSES, *LIST_QUOTES, *LIST_CURRENCY]


def _suffixes() -> list[str]:
    from spacy.lang.char_classes import (
        ALPHA_LOWER,
        ALPHA_UPPER,
        CONCAT_QUOTES,
        LIST_ELLIPSES,
        LIST_PUNCT,
        LIST_QUOTES,
    )

    return [
        *LIST_PUNCT,
        *LIST_ELLIPSES,
        *LIST_QUOTES,
        *["'s", "'S", "’s", "’S", "—", "–", "−", "-", r"\+", "/", "′"],
        r"(?<=[0-9])(?:%|°[CF]|kb|kDa|[μµnm]?M|[μµmk]g|[μµm]l|h|min|bp)",
        rf"(?<=[0-9{ALPHA_LOWER}%²\-\+{CONCAT_QUOTES}°\)\]])\.",
        rf"(?<=[{ALPHA_UPPER}][{ALPHA_UPPER}])\.",
        r"(?<=°[CF])\.",
    ]


def set_rules(nlp: "Language") -> "Language":
    """Give the pipeline's tokenizer these rules; they are saved with the pipeline."""
    from spacy.util import compile_infix_regex, compile_prefix_regex, compile_suffix_regex

    tokenizer: Any = nlp.tokenizer
    tokenizer.infix_finditer = compile_infix_regex(_infixes()).finditer
    tokenizer.prefix_search = compile_prefix_regex(_prefixes()).search
    tokenizer.suffix_search = compile_suffix_regex(_suffixes()).search
    for abbreviation in _ABBREVIATIONS.split():
        tokenizer.add_special_case(f"{abbreviation}.", [{"ORTH": f"{abbreviation}."}])
    return nlp
