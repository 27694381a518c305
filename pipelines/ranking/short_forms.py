"""Short forms that an article defines, as terms: "brown adipose tissue (BAT)".

The rule is that of A. S. Schwartz, M. A. Hearst, "A simple algorithm for identifying abbreviation
definitions in biomedical text", PSB 2003, for a short form of one word in parentheses behind its
long form. `pipelines/text/abbreviations.py` finds more, by tokens of spaCy's, whose import takes
longer than a search.
"""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from citespan.pipelines.text.abbreviations import find_long_form
from citespan.pipelines.text.lucene import find_terms

_SHORT = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,9})[);,]")
_MOST = 200  # short forms of an article
_BEFORE = 150  # characters in which a long form stands

ShortForms = Mapping[str, frozenset[str]]
"""The terms of short forms, each with those of its long form."""
NO_SHORT_FORMS: Final[ShortForms] = MappingProxyType({})


def find_short_forms(texts: Iterable[str]) -> ShortForms:
    """Return the short forms that texts define; of several long forms the first counts."""
    found: dict[str, frozenset[str]] = {}
    for text in texts:
        if "(" not in text:
            continue
        for match in _SHORT.finditer(text):
            short = match[1]
            if not any(map(str.isupper, short)) or len(found) >= _MOST:
                continue
            before = text[max(0, match.start() - _BEFORE) : match.start()].rstrip()
            words = before.split()[-min(len(short) + 5, 2 * len(short)) :]
            long = find_long_form(short, " ".join(words))
            terms, of_short = frozenset(find_terms(long)), find_terms(short)
            if terms and len(of_short) == 1 and of_short[0] not in terms:
                found.setdefault(of_short[0], terms)
    return found
