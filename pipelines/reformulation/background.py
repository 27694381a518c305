"""Background corpora: in how many documents each term is, and how often it occurs in them all.

A word's terms are its runs of letters and digits, normalised as Elasticsearch does for spans (see
`citespan.pipelines.vocabulary.normalise`); a run without a letter is none. So "TGF-β1", one word
of a citance, is the terms "tgf" and "beta1", and all questions about a word are about its terms.
Corpora and citances go through the same function.

A table is a file of gzipped JSON: what was counted, and the columns `terms` (sorted),
`term_documents` and `term_occurrences`. The same counts give the same bytes.
"""

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import log
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from citespan.pipelines.errors import InputError
from citespan.pipelines.text.words import is_number, words
from citespan.pipelines.vocabulary.normalise import keys

VERSION: Final = 1
_VERSION_KEY: Final = "citespan_background"
_REMEDY: Final = "make one by `citespan background build`"


def terms_of(text: str) -> list[str]:
    """The terms of a text, in order and as often as they occur."""
    return [key for word in words(text) for key in keys(word) if not is_number(key)]


@dataclass(frozen=True)
class Background:
    """The counts of one corpus.

    Attributes:
        corpus: what was counted, for people.
        licence: the terms under which the corpus was had, for people.
        documents: how many there are.
        occurrences: of all terms, also of those that are left out.
        min_documents: terms in fewer documents are left out.
        counts: for each term, its documents and its occurrences.
    """

    corpus: str
    licence: str
    documents: int
    occurrences: int
    min_documents: int
    counts: Mapping[str, tuple[int, int]]

    def idf(self, word: str) -> float:
        """ln(N / df), N documents of which df have the word; 0 for a word without a term.

        A term that the table doesn't have counts as in one document, and a word of several terms
        as its rarest, since no more documents can have the whole.
        """
        frequencies = (self.counts.get(term, (1, 1))[0] for term in terms_of(word))
        return max((log(self.documents / documents) for documents in frequencies), default=0.0)

    def probability(self, term: str) -> float:
        """The share of the term among all occurrences; 0 for one that the table doesn't have."""
        return self.counts.get(term, (0, 0))[1] / self.occurrences

    def to_bytes(self) -> bytes:
        """The table as a file."""
        terms = sorted(self.counts)
        members = {
            _VERSION_KEY: VERSION,
            "corpus": self.corpus,
            "licence": self.licence,
            "documents": self.documents,
            "occurrences": self.occurrences,
            "min_documents": self.min_documents,
            "terms": terms,
            "term_documents": [self.counts[term][0] for term in terms],
            "term_occurrences": [self.counts[term][1] for term in terms],
        }
        return gzip.compress(orjson.dumps(members), mtime=0)


def from_bytes(data: bytes, source: str) -> Background:
    """The table in a file that `to_bytes` wrote.

    Raises:
        InputError: naming `source`, if it is no such file, broken, or of another version.
    """
    try:
        members: dict[str, Any] = orjson.loads(gzip.decompress(data))
        version = members[_VERSION_KEY]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{source}: not a whole table of document frequencies; {_REMEDY}"
        ) from error
    if version != VERSION:
        raise InputError(
            f"{source}: a table of version {version}, where {VERSION} is read; build it again"
        )
    # Nothing but a table holds the key of the version, so the rest needs no looking at.
    columns = zip(members["term_documents"], members["term_occurrences"], strict=True)
    return Background(
        members["corpus"],
        members["licence"],
        members["documents"],
        members["occurrences"],
        members["min_documents"],
        dict(zip(members["terms"], columns, strict=True)),
    )


@cache
def read(path: Path) -> Background:
    """The table at a path, read once.

    Raises:
        InputError: if there is none that can be used.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}; {_REMEDY}") from error
    return from_bytes(data, str(path))


@cache
def shipped(name: Literal["biomedical", "general"]) -> Background:
    """A table shipped with citespan; its card is `background-NAME.md` beside it."""
    file = files("citespan.pipelines.text").joinpath(f"models/background-{name}.json.gz")
    return from_bytes(file.read_bytes(), str(file))
