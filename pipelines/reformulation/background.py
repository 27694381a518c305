"""Background corpora: in how many documents each term is, how often it occurs, and how to count.

A word's terms are its runs of letters and digits, normalised as Elasticsearch does for spans (see
`citespan.pipelines.vocabulary.normalise`); a run without a letter is no term. So "TGF-β1", one word
of a citance, has the terms "tgf" and "beta1". Corpora and citances go through the same function.

A table is a file of gzipped JSON: what was counted, and the columns `terms` (sorted),
`term_documents` and `term_occurrences`. The same counts give the same bytes.
"""

import gzip
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from citespan.pipelines.corpus.files import unpack
from citespan.pipelines.errors import InputError
from citespan.pipelines.text.shipped_models import check_shipped
from citespan.pipelines.text.words import is_number, words

Corpus = Literal["biomedical", "general"]
VERSION: Final = 2
_VERSION_KEY: Final = "citespan_background"
_MAX_BYTES: Final = 30 * 2**20
_REMEDY: Final = "make one by `citespan background build`"


def terms_of(text: str) -> list[str]:
    """Return the terms of a text, in order and as often as they occur."""
    from citespan.pipelines.vocabulary.normalise import keys

    return [key for word in words(text) for key in keys(word) if not is_number(key)]


@dataclass(frozen=True)
class Background:
    """The counts of one corpus.

    Attributes:
        corpus: what was counted, for people.
        licence: the licence of the corpus, for people.
        documents: the number of documents.
        occurrences: of all terms, including those that are left out.
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
        """Return ln(N / df), N documents of which df have the word; 0 for a word without a term.

        A term that is not in the table counts as in one document, and a word of several terms
        as its rarest, since no more documents can have the whole.
        """
        frequencies = (self.counts.get(term, (1, 1))[0] for term in terms_of(word))
        return max((log(self.documents / documents) for documents in frequencies), default=0.0)

    def probability(self, term: str) -> float:
        """Return the share of the term among all occurrences; 0 if it is not in the table."""
        return self.counts.get(term, (0, 0))[1] / self.occurrences

    def to_bytes(self) -> bytes:
        """Return the table as the content of a file."""
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
    """Return the table in a file that `to_bytes` wrote.

    Raises:
        InputError: naming `source`, if it is no such file, broken, or of another version.
    """
    try:
        members: dict[str, Any] = orjson.loads(unpack(data, source, _MAX_BYTES))
        version = members[_VERSION_KEY]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{source}: not a whole table of document frequencies; {_REMEDY}"
        ) from error
    if version != VERSION:
        raise InputError(
            f"{source}: a table of version {version}, where {VERSION} is read; build it again"
        )
    # Only a table has the version's key, so the rest needs no checks.
    columns = zip(members["term_documents"], members["term_occurrences"], strict=True)
    return Background(
        members["corpus"],
        members["licence"],
        members["documents"],
        members["occurrences"],
        members["min_documents"],
        dict(zip(members["terms"], columns, strict=True)),
    )


def count(
    documents: Iterable[str], corpus: str, licence: str, min_documents: int = 1
) -> Background:
    """Count documents, each given as its text, streaming; texts without a term don't count.

    Memory is bounded by the size of the corpus's vocabulary.

    Args:
        corpus, licence, min_documents: see `Background`.

    Raises:
        InputError: if no document has a term.
    """
    containing: Counter[str] = Counter()
    occurrences: Counter[str] = Counter()
    number = 0
    for text in documents:
        terms = terms_of(text)
        number += bool(terms)
        containing.update(set(terms))
        occurrences.update(terms)
    if not number:
        raise InputError(f"{corpus}: no document with a word in it, so there is nothing to count")
    counts = {
        term: (df, occurrences[term]) for term, df in containing.items() if df >= min_documents
    }
    return Background(corpus, licence, number, occurrences.total(), min_documents, counts)


@cache
def read(path: Path) -> Background:
    """Return the table at a path, read once.

    Raises:
        InputError: if it can't be used.
    """
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES)
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror}; {_REMEDY}") from error
    return from_bytes(data, str(path))


def background_at(path: Path | None, default: Corpus) -> Background:
    """Return the table at a path, or a shipped one if there is no path.

    Raises:
        InputError: if it can't be used.
    """
    return read_shipped(default) if path is None else read(path)


@cache
def read_shipped(name: Corpus) -> Background:
    """Return a table shipped with citespan; its card is `background-NAME.md` beside it.

    Raises:
        MachineError: if the file is damaged.
    """
    file = check_shipped(f"background-{name}.json.gz")
    return from_bytes(file.read_bytes(), str(file))
