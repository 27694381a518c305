"""Numbers that point into a reference list: "[3,4–7]", "refs 1,2", "tumours12,13", "text.12".

The word before tells numbers glued to words from the numbers of genes, chemicals, quantities and
figures, so some markers stay ("p53.12") rather than that a name is damaged. All patterns are
bounded, and the time is linear in the text.
"""

import re
from collections.abc import Iterator

from citespan.pipelines.text.patterns import compile_once

_ANY_DIGIT = re.compile(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹]")
_DASH = r"[-‐‑‒–—−]"
_AND = rf"(?:,\s?and\b|,\s?&|,|;|{_DASH}|\band\b|&)"
# No item starts with 0: "[0, 1]" is an interval and "(1,000)" a number.
_NUMBERS = rf"(?>[1-9]\d{{0,3}}(?:\s{{0,3}}{_AND}\s{{0,3}}[1-9]\d{{0,3}}){{0,40}})"
_LETTERED = rf"(?>[1-9]\d{{0,3}}[a-e]?(?:\s{{0,3}}{_AND}\s{{0,3}}[1-9]\d{{0,3}}[a-e]?){{0,40}})"

_BRACKETS = rf"\[\s{{0,3}}{_LETTERED}\s{{0,3}}\]"
_BRACKETED = rf"{_BRACKETS}(?:\s{{0,3}}[,;–-]?\s{{0,3}}{_BRACKETS}){{0,40}}"
_NAMED = rf"\b[Rr]ef(?:s?\.?|erences?)\s{{0,3}}\[?{_NUMBERS}\]?(?!\w)"
_IDENTIFIER = r"(?i)\b(?:PMC?ID|PubMed(?: ID)?|doi)\s{0,3}:?\s{0,3}\d[\w./-]{3,80}"

_NUMBER = r"[1-9]\d{0,2}"
_MORE = rf"(?:(?:,|{_DASH}){_NUMBER})"
_ENDS = r"(?=[\s.,;:)\]]|$)(?![.,]\d)"
_BEHIND_STOP = rf"(?:(?<=[a-z]{{3}})|(?<=[)\]”\"]))([.,;:]){_NUMBER}{_MORE}{{0,20}}{_ENDS}"
# Behind a name with digits only a list or a range: "PU.1" and "Nkx2.5" are names.
_BEHIND_NAME = rf"(?:(?<=[A-Za-z]\d)|(?<=[A-Za-z]\d\d))(\.){_NUMBER}{_MORE}{{1,20}}{_ENDS}"
_ABBREVIATED = (
    r"(?i)\b(?:figs?|tables?|tabs?|nos?|approx|vols?|eqs?|secs?|chrs?|vers?|suppl|chap|cat|art)$"
)

_GLUED = rf"(?<![\w-])([A-Za-z]?[a-z]{{3,40}}+)({_NUMBER}{_MORE}{{0,20}}){_ENDS}"
_NUMBERED_WORD = (
    r"(?i)(?:in|ase|kine|gen|figs?|figures?|tables?|days?|weeks?|months?|years?|hours?|types?"
    r"|exons?|introns?|lanes?|panels?|steps?|groups?|phases?|stages?|grades?|class(?:es)?|sites?"
    r"|chromosomes?|residues?|positions?|domains?|sections?|equations?|cases?|patients?|models?"
    r"|versions?)$"
)
_INFLECTED_WORD = (
    r"(?:[oe]rs|ours|ies|ions?|ments?|ness|ings?|[^e]ed|ly|ity|isms?|ances?|ences?|cells?|mice"
    r"|tumou?rs?|cancers?|genes|humans?|diseases?|ogy|ical|ents|esis|ous|ive|able)$"
)

_SUPERSCRIPT = r"[⁰¹²³⁴⁵⁶⁷⁸⁹](?:[⁰¹²³⁴⁵⁶⁷⁸⁹]|[,⁻–-](?=[⁰¹²³⁴⁵⁶⁷⁸⁹]))*+(?![⁺⁻\w])"
_RAISED = r"(?:^|[\s(\[/·×])(?:[\d.,−-]{0,8}\d|[kcdmnµμ]?m|[kmnµμ]?g|[^\W\d_])$|[⁺⁻+−-]$|^$"
_WINDOW = 12  # characters looked back at; longer than any abbreviation or unit listed


def _window(found: re.Match[str]) -> str:
    return found.string[max(0, found.start() - _WINDOW) : found.start()]


def _without_glued(found: re.Match[str]) -> str:
    word, numbers = found.groups()
    listed = not numbers.isdigit()
    if compile_once(_NUMBERED_WORD).search(word) or not (
        listed or compile_once(_INFLECTED_WORD).search(word)
    ):
        return found.group()
    return word


def _without_number_behind_stop(found: re.Match[str]) -> str:
    return found.group() if compile_once(_ABBREVIATED).search(_window(found)) else found.group(1)


def _without_superscript(found: re.Match[str]) -> str:
    return found.group() if compile_once(_RAISED).search(_window(found)) else ""


def is_reference_numbers(text: str) -> bool:
    """Whether `text` is a list of reference numbers and nothing else."""
    return compile_once(_NUMBERS).fullmatch(text) is not None


def find_reference_numbers(text: str) -> Iterator[tuple[int, int]]:
    """Find (start, end) of what `remove_reference_numbers` removes, in no particular order."""
    if not _ANY_DIGIT.search(text):
        return
    for pattern in (_BRACKETED, _NAMED):
        yield from (found.span() for found in compile_once(pattern).finditer(text))
    for found in compile_once(_SUPERSCRIPT).finditer(text):
        if not _without_superscript(found):
            yield found.span()
    for found in compile_once(_BEHIND_STOP).finditer(text):
        if _without_number_behind_stop(found) != found.group():
            yield found.end(1), found.end()
    for found in compile_once(_BEHIND_NAME).finditer(text):
        yield found.end(1), found.end()
    for found in compile_once(_GLUED).finditer(text):
        if _without_glued(found) != found.group():
            yield found.start(2), found.end()


def remove_reference_numbers(text: str) -> str:
    """`text` without reference numbers; a space takes the place of those that stand alone.

    Numbers in round brackets stay, since only what stands beside them tells what they are.
    """
    if not _ANY_DIGIT.search(text):
        return text
    for pattern in (_BRACKETED, _NAMED, _IDENTIFIER):
        text = compile_once(pattern).sub(" ", text)
    text = compile_once(_SUPERSCRIPT).sub(_without_superscript, text)
    text = compile_once(_BEHIND_STOP).sub(_without_number_behind_stop, text)
    text = compile_once(_BEHIND_NAME).sub(r"\1", text)
    return compile_once(_GLUED).sub(_without_glued, text)
