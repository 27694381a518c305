"""Which part of a citing sentence each of its citation markers stands for.

In "A binds B [1], whereas C does not [2]", each marker has a clause of its own; in "Okada et al.
[1] showed that A binds B", the marker is the subject, and its clause follows it.
"""

import re
from collections.abc import Sequence
from itertools import islice

from citespan.pipelines.citing.marker_patterns import remove_markers

_BOUNDARY = re.compile(
    r"[;:,–—]\s(?:(?<=[;:]\s)"
    r"|(?=(?:but|while|whereas|although|though|yet|which|where|who|as\swell\sas"
    r"|(?:and|or)\s(?:we|it|they|this|these|those|there|here|our|has|have|is|are|was|were))\b))"
)
_EDGE = re.compile(r"[\s,;:.–—-]*")
_CONJUNCTION = re.compile(r"(?:and|or|but)\s")
_OPENED = re.compile(r"[(\[]")
_BRACKET = re.compile(r"[(\[][^()\[\]]*(?:[)\]]|$)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FEW = 3
# What has more markers or characters is a table or a list without full stops.
_MOST_MARKERS = 500
_LONGEST = 20_000
_NAME_WORDS = frozenset(
    (
        *("and", "al", "et", "by", "colleagues", "coworkers", "in", "ref", "reference", "refs"),
        *("references", "see", "also", "reviewed", "e", "g", "for", "review", "cf", "the", "study"),
        *("of", "work", "according", "to", "from", "first", "recently", "however", "moreover"),
    )
)
# Those, and all else without a capital that may be a part of what `remove_markers` removes.
_MARKER_WORDS = _NAME_WORDS | frozenset(
    (
        *("af", "associates", "bin", "co", "da", "data", "de", "del", "della", "dello", "den"),
        *("der", "des", "di", "do", "doi", "dos", "du", "ed", "el", "her", "his", "ibn", "la"),
        *("le", "lo", "nd", "on", "others", "pmcid", "pmid", "pp", "press", "pubmed", "rd"),
        *("submitted", "te", "ten", "ter", "their", "und", "unpublished", "van", "von", "workers"),
        *("zu", "zum", "zur"),
    )
)


def find_clauses(sentence: str, markers: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the clause of each marker, as (start, end) in the sentence; the marker is in it. In what
    is too long for a sentence, a clause is what stands between a marker and the one before it.

    Args:
        markers: (start, end) of each in the sentence, in order, without overlap.
    """
    edges = [0, *(end for _, end in markers)]
    if len(markers) > _MOST_MARKERS or len(sentence) > _LONGEST:
        return [(edge, end) for edge, (_, end) in zip(edges, markers, strict=False)]
    clauses: list[tuple[int, int]] = []
    nexts = [*(start for start, _ in markers[1:]), len(sentence)]
    following: tuple[int, int] | None = None
    for number in range(len(markers) - 1, -1, -1):
        start, end = markers[number]
        first = _skip(sentence, edges[number], start)
        cut = _BOUNDARY.search(sentence, end, nexts[number])
        stop = _trim(sentence, end, cut.start()) if cut else nexts[number]
        cuts = [first, *(found.end() for found in _BOUNDARY.finditer(sentence, first, start))]
        is_last = number == len(markers) - 1
        if len(cuts) > 1 and not _says_something(sentence[cuts[-1] : start]):
            # "…; Smith [2] found": what follows is its clause, if anything does.
            follows = _says_something(sentence[end:stop])
            first = cuts[-1] if follows else cuts[-2]
            last = stop if follows or is_last else end
        elif _says_something(sentence[first:start]):
            first = cuts[-1] if number else first
            last = stop if is_last or cut else end
        elif _says_something(sentence[end:stop]) or following is None:
            last = stop
        else:
            last = following[1]
        if not _says_something(sentence[first:last]):
            first = 0  # "PRC [1] and PGC-1β [2]" share what the sentence says of them
        following = (first, max(end, _trim(sentence, end, last)))
        clauses.append(following)
    return clauses[::-1]


def _says_something(part: str) -> bool:
    """Whether a part of a sentence has a few words besides its markers and names.

    Markers are removed only if that may decide it, since it takes twenty times as long as all else
    that is done here.
    """
    opened = _OPENED.search(part)
    if _has_words_of_its_own(part[: opened.start()] if opened else part):
        return True
    if not _has_words(part):
        return False
    if opened and _has_words_of_its_own(_BRACKET.sub(" ", _BRACKET.sub(" ", part))):
        return True
    return _has_words(remove_markers(part))


def _has_words_of_its_own(part: str) -> bool:
    """Whether there are a few words without brackets that no marker can have, so that all would
    stay if markers were removed."""
    left = _FEW
    for word in part.split():
        if word.islower() and word.isalpha() and len(word) > 1 and word not in _MARKER_WORDS:
            left -= 1
            if not left:
                return True
    return False


def _has_words(part: str) -> bool:
    found = (word[0] for word in _WORD.finditer(part))
    words = (word for word in found if not word[0].isupper() and word not in _NAME_WORDS)
    return next(islice(words, _FEW - 1, None), None) is not None


def _skip(sentence: str, start: int, end: int) -> int:
    """Return where words begin behind a marker's punctuation and conjunction."""
    if start == 0:
        return 0
    for pattern in (_EDGE, _CONJUNCTION):
        if found := pattern.match(sentence, start, end):
            start = found.end()
    return min(start, end)


def _trim(sentence: str, start: int, end: int) -> int:
    while end > start and sentence[end - 1].isspace():
        end -= 1
    return end
