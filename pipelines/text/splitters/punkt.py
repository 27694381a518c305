"""Paper A's splitter, NLTK's Punkt: with citespan's rules, as it is, and untrained.

Punkt (Kiss and Strunk 2006) decides by counting words. Counts say little about an abbreviation
that stands only before numbers and names ("et al. 2003", "Dr. K."), and nothing about citation
markers or about a full stop with no space behind it. The rules here go over its boundaries,
paragraph by paragraph: some are taken back, some are moved behind a citation marker, some are
added. They were written against CRAFT's training articles alone;
`benchmarks/sentence_boundaries.py` shows on articles that they have not seen what they are worth.
"""

import re
from collections.abc import Iterable, Iterator
from functools import partial

from citespan.pipelines.text.punkt import find_starts
from citespan.pipelines.text.splitter import ParagraphSplitter, splitters

# How far the rules look to either side of a boundary, in characters. A bounded window keeps them
# linear in the text. No abbreviation that they know is as long as `_TAIL`.
_BEFORE = 40
_TAIL = 12
_AFTER = 64

_START = r"(?:^|(?<=[\s(\[{“‘\"'/#–—-]))"
_NEVER_FINAL = re.compile(
    _START + r"(?:[Ff]igs?|[Ee]qn?s?|Tabs?|[Ss]uppl|Sects?|Secs?|[Cc]hap|[Rr]efs?|[Vv]ols?"
    r"|[Cc]hrs?|[Aa]cc|Cat|pp|Nos?|nos|Drs?|Profs?|Mrs?|Ms|Ph|St|Mt|Dept|Univ|Mm|Hs"
    r"|[Vv]s|[Cc]f|[Cc]a|[Aa]pprox|[Ee]\.\s?g|[Ii]\.\s?e|[Vv]iz|[Rr]esp|[Ii]ncl|ssp|subsp|var)\.$"
)
# These end sentences too; the next word must tell.
_SELDOM_FINAL = re.compile(
    _START + r"(?:al|etc|Inc|Ltd|Corp|Co|GmbH|spp?|Jr|Sr|v|Sm|Int|(?:[A-Z]\.){2,3}[A-Z])[.,]?\.\)?$"
)
_BEFORE_NUMBER = re.compile(_START + r"(?:no|cat|p|[Ll]anes?\s\d{1,2})\.$")
_INITIAL = re.compile(r"(?:^|(?<=[\s(\[“\"'.-]))[A-Z]\.$")
# "Vitamin C. Mice" and "Group A. Mice" are two sentences, unlike "Mary C. White".
_INITIAL_OF_NAME = re.compile(
    r"\b(?:(?!Groups?|Panels?|Fig|Table|Type|Class|Part|Step|Phase|Stage|Box|Site|Region|Domain"
    r"|Factor|Protein|Vitamin|Hepatitis|Influenza|Experiment|Method|Model|Line|Strain|Cluster)"
    r"[A-Z][a-z]+|[A-Z]\.|Drs?\.|Profs?\.)\s?-?[A-Z]\.$"
)
_LIST_NUMBER = re.compile(
    r"(?:^|[:;]\s)\(?(?:\d{1,2}|[a-zA-Z])(?:\.|\)\.?)$"
    r"|[a-z]{3}[a-z)]\.\s(?:[a-z]\.|\([a-zA-Z]\)\.?)$"
)
_EXCLAIMED = re.compile(r"[?!][)\]”\"'’]*$")

# Most boundaries, from seven characters before: something that none of the above can end with, a
# full stop and a space, and then neither a marker nor anything stray. None of the rules applies.
_PLAIN = re.compile(
    r"(?:(?!suppl|sects|pprox|subsp)[a-z]{5}"
    r"| (?!chap|chrs|eqns|figs|incl|refs|resp|vols)[a-z]{4}"
    r"|..(?:[A-Z]{3}|[\d.]\d\d|..[\]%])"
    r"|.(?:[^\s(]{3}|\w \w)\)"
    r")\. (?![\[.,;:)\]±=<>])"
)
_PLAIN_LENGTH = 7

_LOWER = re.compile(r"[a-zß-öø-ÿ]{2,}(?![\w-])")
_SPECIES = re.compile(r"[a-z]{3,}(?![\w-])")
_INITIAL_NEXT = re.compile(r"[A-Z]\.")
_NAME = re.compile(r"[A-Z][a-z]+(?![\w-])")
_STRAY = re.compile(r"[.,;:)\]±=<>]")
_NUMBERLIKE = re.compile(r"\d|[A-Z]{1,6}_?\d")
_OPENER = re.compile(
    r"(?:[\"“‘'(]\s?)?(?:A|After|All|Also|Although|An|And|As|At|Because|Before|Both|But|By|Despite"
    r"|During|Each|Finally|First|For|From|Further|Furthermore|Given|Here|How|However|If|In|Indeed"
    r"|Interestingly|It|Its|Moreover|Most|Next|No|Not|Of|On|Once|One|Only|Our|Since|So|Some|Such"
    r"|Taken|That|The|Their|Then|There|Therefore|These|They|This|Those|Three|Through|Thus|To|Two"
    r"|Under|Unlike|Using|We|What|When|Where|Whereas|Whether|Which|While|With|Within|Yet)\b"
)

_MARKER = re.compile(r"(?:\[\d[\d\s,;–-]{0,40}\]\s*)+")
_NO_SPACE = re.compile(r"\.[A-Z\d]")
# Looking behind only once a full stop is found is faster.
_UNSPACED = re.compile(r"\.(?<=[a-z]{3}\.)(?=[A-Z][a-z]+\s)")
_NUMBERS = r"[1-9]\d{0,2}(?:,\s?[1-9]\d{0,2}|[–-][1-9]\d{0,2}){0,19}"
# "in mice.12,13 However": what follows the number may be any name, since a word before it that is
# never followed by a number of its own tells that the number is a citation.
_SUPERSCRIPT = re.compile(
    r"\.(?:(?<=[a-z]{3}\.)|(?<=[)\]%”\"’]\.)|(?<=[A-Z]{2}\.)(?=\d{2}|\d[,–-]))"
    rf"{_NUMBERS}\s+(?=[(\[“‘\"']?[A-Z])"
)
_NUMBERED = re.compile(
    r"(?i)\b(?:figs?|tabs?|nos?|vols?|eqn?s?|secs?|sect|chrs?|vers?|suppl|chap|cat|art|refs?|approx)\."
    r"\d[\d,\s–-]*$"
)
# In "Growth. A. Mutants" the letter is that of a panel, in "the data. D. Ito wrote" an initial.
_LETTER_NEXT = re.compile(r"(?:[a-z)\]%][.?!]|^)\s?[A-Z]\.$")


def _goes_on(before: str, after: str) -> bool:
    """Whether the sentence that ends with `before` is continued by `after`."""
    tail = before[-_TAIL:]
    if _STRAY.match(after) or _NEVER_FINAL.search(tail) or _LIST_NUMBER.search(tail):
        return True
    if _EXCLAIMED.search(tail):
        return _LOWER.match(after) is not None
    if _SELDOM_FINAL.search(tail):
        return _OPENER.match(after) is None
    if _NUMBERED.search(tail):
        return True
    if _INITIAL.search(tail):
        if _LETTER_NEXT.search(tail):
            return True
        if _INITIAL_NEXT.match(after) or _SPECIES.match(after):
            return True
        named = _INITIAL_OF_NAME.search(before) and _NAME.match(after)
        return bool(named) and not _OPENER.match(after)
    return bool(_BEFORE_NUMBER.search(tail) and _NUMBERLIKE.match(after))


def _places(paragraph: str, starts: Iterable[int]) -> Iterator[int]:
    yield from starts
    if _NO_SPACE.search(paragraph):
        for pattern in (_UNSPACED, _SUPERSCRIPT):
            for found in pattern.finditer(paragraph):
                yield found.end()


def revise_starts(paragraph: str, starts: Iterable[int]) -> list[int]:
    """Find where the sentences of a paragraph start.

    Args:
        paragraph: text without a blank line.
        starts: offsets at which Punkt starts a sentence.

    Returns:
        Sorted offsets, each of a character that is not white space, the first sentence's
        not among them.
    """
    kept: set[int] = set()
    is_plain = _PLAIN.match
    for place in _places(paragraph, starts):
        if place >= _PLAIN_LENGTH and is_plain(paragraph, place - _PLAIN_LENGTH):
            kept.add(place)
            continue
        if place <= 0:
            continue
        before = paragraph[max(0, place - _BEFORE) : place].rstrip()
        after = paragraph[place : place + _AFTER]
        if _goes_on(before, after):
            continue
        marker = _MARKER.match(after)
        if marker:
            # "in mice.[12] We" and "in mice. [12] We": the marker closes what it follows.
            after = after[marker.end() :]
            if not after[:1].isupper():
                continue
            place += marker.end()
        kept.add(place)
    return sorted(kept)


splitters.add(
    ParagraphSplitter(
        "punkt",
        "NLTK's Punkt trained on biomedical articles, with rules for citations",
        lambda part: revise_starts(part, find_starts(part)),
    )
)
splitters.add(
    ParagraphSplitter(
        "punkt-plain",
        "NLTK's Punkt trained on biomedical articles, without further rules",
        find_starts,
    )
)
splitters.add(
    ParagraphSplitter(
        "punkt-untrained", "NLTK's Punkt without parameters", partial(find_starts, trained=False)
    )
)
