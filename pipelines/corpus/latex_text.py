"""LaTeX as plain text: accents, symbols, units and quotation marks as characters, without commands
and braces.
"""

import re
import unicodedata

from citespan.pipelines.corpus.paragraphs import collapse_space

_ACCENT = re.compile(
    r"\\([`'^\"~=.])\s*(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))"
    r"|\\([uvHckrdb])(?:\s*\{\\?([A-Za-z])\}|\s+([A-Za-z])\b)"
)
_ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308"}
_ACCENTS |= {"=": "\u0304", ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b"}
_ACCENTS |= {"c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331"}
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma "
    "tau upsilon phi chi psi omega varepsilon vartheta varphi Gamma Delta Theta Lambda Xi Pi Sigma "
    "Phi Psi Omega"
)


def _pair(written: str) -> dict[str, str]:
    words = written.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_LETTERS = dict(zip(_GREEK.split(), "αβγδεζηθικλμνξοπρστυφχψωεθφΓΔΘΛΞΠΣΦΨΩ", strict=True)) | _pair(
    "ss ß ae æ AE Æ oe œ OE Œ o ø O Ø l ł L Ł aa å AA Å i ı textmu µ textregistered ®"
)
# Behind these, a space stays.
_SYMBOLS = {"xspace": ""} | _pair(
    "pm ± times × cdot · le ≤ leq ≤ leqslant ≤ ge ≥ geq ≥ geqslant ≥ ll ≪ gg ≫ ne ≠ neq ≠ approx ≈ "
    "sim ~ simeq ≃ to → rightarrow → leftarrow ← infty ∞ uparrow ↑ downarrow ↓ ldots … dots … "
    "textendash – textemdash — textasciitilde ~ textpm ± texttimes × lt < gt > textless < "
    "textgreater > degree ° textdegree ° circ ° percent % slash /"
)
# Those of siunitx; a prefix stands in front of its unit without a space.
_UNITS = _pair(
    "pico p nano n micro µ milli m centi c deci d kilo k mega M giga G per / gram g litre L "
    "liter L metre m meter m second s minute min hour h day d degreeCelsius °C celsius °C kelvin K "
    "mole mol molar M pascal Pa joule J watt W volt V ampere A hertz Hz becquerel Bq gray Gy "
    "sievert Sv dalton Da newton N kg kg mg mg ug µg ng ng ml mL mL mL ul µL uL µL mm mm cm cm "
    "um µm nm nm km km ms ms mM mM uM µM nM nM squared ² cubed ³"
)
_COMMANDS = _LETTERS | _UNITS
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?(\s*)")
_FORMULA = re.compile(r"(?<!\\)\$[^$]{0,500}(?<!\\)\$")
_QUANTITY = re.compile(
    r"\\(?:SI|qty)\s*+(?:\[[^\[\]]{0,300}\]\s*+)?\{([^{}]{0,100})\}\s*+"
    r"(?:\[[^\[\]]{0,100}\]\s*+)?\{([^{}]{0,200})\}"
)
_RANGE = re.compile(
    r"\\(?:SI|qty|num)range\s*+(?:\[[^\[\]]{0,300}\]\s*+)?\{([^{}]{0,100})\}\s*+\{([^{}]{0,100})\}"
)
_UNIT_OF_RANGE = re.compile(rf"({_RANGE.pattern})\s*+(?=\{{)")
_POWER = re.compile(r"(?<=\d)\\textsuperscript\s*+(?=\{)")
_NO_POWER = re.compile(r"(?<!\d)\^")
_SPACE = re.compile(r"\\[,;:> ]")
_SPECIAL = re.compile(r"\\([&%$#_{}])|\\[!/@-]|[{}$]")
_PENALTY = re.compile(r"\\penalty\s*-?\d{1,5}\s?")
_MARKS = {"---": "—", "--": "–", "``": "“", "''": "”"}
_MARK = re.compile("---|--|``|''")


def remove_latex(written: str) -> str:
    """Return LaTeX as plain text, every run of white space as one space."""
    text = _FORMULA.sub(_read_formula, _POWER.sub("^", written))
    text = _QUANTITY.sub(r"\1 \2{}", _RANGE.sub(r"\1 to \2", _UNIT_OF_RANGE.sub(r"\1 ", text)))
    text = _ACCENT.sub(_read_accent, _PENALTY.sub("", text)).replace("~", " ")
    text = _SPACE.sub(" ", _COMMAND.sub(_read_command, text))
    text = _MARK.sub(lambda mark: _MARKS[mark[0]], text)
    text = _SPECIAL.sub(lambda found: found[1] or "", text)
    return collapse_space(unicodedata.normalize("NFC", text))


def _read_formula(found: re.Match[str]) -> str:
    """Return a formula on one line, in which "^" stays where it follows a digit: "10^6", "Ca2+"."""
    inside = found[0].replace("_", "")[1:]
    follows = found.string[max(0, found.start() - 1) : found.start()].isdigit()
    power = "^" if follows and inside.startswith("^") else ""
    return f"${power}{_NO_POWER.sub('', inside)}"


def _read_command(found: re.Match[str]) -> str:
    symbol = _SYMBOLS.get(found[1])
    return _COMMANDS.get(found[1], "") if symbol is None else symbol + found[2]


def _read_accent(found: re.Match[str]) -> str:
    accent = _ACCENTS[found[1] or found[4]]
    return (found[2] or found[3] or found[5] or found[6] or "") + accent
