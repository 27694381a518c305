"""British and American spelling, and numbers from two to twelve in words, as one term each.

The rules change a term, in lower case and singular, to the American form: whole terms by a list,
the others by the letters that British spelling has more, or has in another place. They are
Lucene's `StemmerOverrideFilter`, and `PatternReplaceFilter` in a `ConditionalTokenFilter`;
`pipelines/text/lucene.py` applies the same rules in Python. The result need not be a word: it only
has to be the same on both sides, and no other word's.

Pairs that are two words to many writers are left alone: "storey" and "story", "tyre" and "tire",
"cheque" and "check", "tonne" and "ton". So is "one", which is seldom a number.
"""

from collections.abc import Mapping
from typing import Any

_METRES = ("", *["centi", "deci", "kilo", "micro", "milli", "nano"])
_LITRES = ("", *["centi", "deci", "femto", "micro", "milli", "nano", "pico"])
NUMBERS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
"""Words for 2 to 12, in order."""
_PAIRS = """
aeroplane airplane, ageing aging, aluminium aluminum, analogue analog, antiageing antiaging,
artefact artifact, calibre caliber, catalogue catalog, caesarian cesarean, cesarian cesarean,
centre center, centred centered, centring centering, cosy cozy, defence defense, dialogue dialog,
dietician dietitian, distil distill, enrol enroll, enrolment enrollment, epicentre epicenter,
fibre fiber, fibreoptic fiberoptic, fibrescope fiberscope, fulfil fulfill, fulfilment fulfillment,
goitre goiter, gramme gram, grey gray, greyscale grayscale, haem heme, homologue homolog,
instalment installment, instil instill, interneurone interneuron, judgement judgment,
kilogramme kilogram, lacklustre lackluster, leucocyte leukocyte, leucocytosis leukocytosis,
leucocyturia leukocyturia, leucodepleted leukodepleted, leucodepletion leukodepletion,
leucodystrophy leukodystrophy, leucoencephalopathy leukoencephalopathy,
leucopenia leukopenia, leucopenic leukopenic, leucoplakia leukoplakia, leucotriene leukotriene,
licence license, liquorice licorice, lustre luster, manoeuvre maneuver, meagre meager,
microfibre microfiber, microtitre microtiter, monologue monolog, motoneurone motoneuron,
mould mold, moulded molded, moulding molding, mouldy moldy, moult molt, multicentre multicenter,
multicentred multicentered, nanofibre nanofiber, neurone neuron, ochre ocher, offence offense,
orthologue ortholog, paralogue paralog, plough plow, practise practice, practised practiced,
practising practicing, pretence pretense, programme program, sabre saber, sceptic skeptic,
sceptical skeptical, scepticism skepticism, skilful skillful, smoulder smolder,
smouldering smoldering, sombre somber, speciality specialty, spectre specter, theatre theater,
titre titer, wilful willful
"""
SPELLINGS: Mapping[str, str] = {
    **dict(pair.split() for pair in _PAIRS.split(",")),
    **{f"{prefix}metre": f"{prefix}meter" for prefix in _METRES},
    **{f"{prefix}litre": f"{prefix}liter" for prefix in _LITRES},
    **{word: str(number) for number, word in enumerate(NUMBERS, 2)},
}
"""Terms, and what each becomes."""


# By what goes and what follows it, the rest of the roots, with the letter that goes as "_". The
# letter and the next one are looked for first, since a class of letters fails faster than anything
# else at nearly all places of a term; roots look behind it, which in Python must be of one length.
_SILENT = {
    "u(?=r)": """
arbo_ armo_ behavio_ clamo_ colo_ endeavo_ favo_ flavo_ glamo_ hono_ humo_ labo_ neighbo_ ^odo_
malodo_ rigo_ rumo_ savo_ tumo_ valo_ vapo_ vigo_
""",
    "a(?=e)": """
_emi[ac] _esth _etio c_ec c_erul c_esar c_esi ch_eol ch_ete chim_er f_ec gyn_ec h_em medi_ev n_ev
p_ed p_eni pal_eo ph_eo ph_er pr_evi uk_em
""",
    "oo?(?=e)": "_edem _esoph _estr am_eb c_elia cop_eia f_et hom_eo pn_e rrh_e",
    "l(?=l(?:ed|ing|[eo]r)$)": """
cance_ channe_ counse_ dia_ fue_ funne_ initia_ labe_ leve_ marsha_ mode_ pane_ peda_ rave_ signa_
spira_ tota_ tria_ tunne_
""",
}
# What stands before "ise" in verbs that Americans write with a z, and what ends so, but has an s
# everywhere.
_VERBS = """
[io]d [lr]d [eo]g rg [pt]h ic [aeiouy]l ll [aeioy]m [aeiou]n [gmr]n [aeiou]r [aey]s [aeiou]t etr
tiv
"""
_OTHERS = "^anis ^aris chemis ^demis improvis premis promis treatis"


def _find_silent(letters: str, roots: str) -> str:
    """Return the pattern of letters that go in the given roots, behind the first of them."""
    letter, rest = letters[0], letters[1:]
    split = (root.split("_") for root in roots.split())
    places = (
        f"(?<={before}{letter})" * bool(before) + f"(?={behind})" * bool(behind)
        for before, behind in split
    )
    return f"(?<={letter}){rest}(?:{'|'.join(places)})"


_no_verb = "".join(f"(?<!{verb})" for verb in _OTHERS.split())
_endings = "|".join(f"(?<={ending})" for ending in ("lys", *(f"{end}is" for end in _VERBS.split())))
PATTERNS: Mapping[str, tuple[str, str]] = {
    "silent_letters": (
        f"[aulo](?=[relo])(?:{'|'.join(map(_find_silent, _SILENT, _SILENT.values()))})",
        "",
    ),
    "ize": (
        f"s(?=[aei])(?<=[iy]s){_no_verb}"
        f"(?:(?<=[a-z]is)(?=ation)|(?=(?:e[dr]?|ing|able|ability)$)(?:{_endings}))",
        "z",
    ),
    "sulf": ("sulph", "sulf"),
}
"""Patterns by the names of their filters, and what replaces all that they match."""
_BRITISH = ("ae", "oe", "ur", "ll", "is", "ys", "ph")
"""A term that a pattern matches has at least one of these, as a tenth of all terms have. The server
looks for them first, since its patterns take as long as the rest of the analysis."""
SPELLING_FILTERS = ("spellings", "british")
"""Names of the filters, in order, for terms in lower case and singular."""


def spelling_filters() -> dict[str, dict[str, Any]]:
    """Return the token filters that `SPELLING_FILTERS` names, and those that they consist of."""
    rules = [f"{british} => {american}" for british, american in SPELLINGS.items()]
    found = " || ".join(
        "before == (char)'{}' && letter == (char)'{}'".format(*pair) for pair in _BRITISH
    )
    source = (
        "CharSequence term = token.term; char before = (char)' ';"
        " for (int at = 0; at < term.length(); at++) {"
        f" char letter = term.charAt(at); if ({found}) return true; before = letter;"
        " } return false;"
    )
    return {
        "spellings": {"type": "stemmer_override", "rules": rules},
        "british": {"type": "condition", "script": {"source": source}, "filter": [*PATTERNS]},
        **{
            name: {"type": "pattern_replace", "pattern": pattern, "replacement": replacement}
            for name, (pattern, replacement) in PATTERNS.items()
        },
    }
