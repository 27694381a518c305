"""The files of a compiled vocabulary, and its header.

A store is a folder:

- `vocabulary.json`: the header, which holds sizes and SHA-256 checksums of all the others;
- `terms-NN.marisa`: tries of normalised terms (keys), cut where the first token changes. A key is
  the tokens of `normalise`, each followed by a space, so that only whole tokens are prefixes;
- `postings.starts`, `postings`: for each key, in the order of the tries' ids, its postings;
- `concepts.starts`, `concepts.txt`: for each concept, in the order of CUIs, a record: a line with
  the CUI and the number of its set of semantic types, then a line for each term, the preferred one
  first;
- `concepts.types`: for each concept, which of the header's sets of semantic types it has, to ask
  for that alone;
- `writings.txt`: how terms are written that count only so (`spelling`), each way once, on the line
  of its number; the first is empty.

A posting is one 64-bit number, from the upper bits to the lower: the concept's number (28), the
source's (12), that of the term's writing (22; 0 for nearly all), then the two flags below. Numbers
are in the byte order of the machine.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from citespan.pipelines.errors import InputError

STORE_VERSION = 5
"""Another one for any change of the files, or of what `normalise` gives."""

HEADER = "vocabulary.json"
POSTINGS = "postings"
POSTING_STARTS = "postings.starts"
CONCEPTS = "concepts.txt"
CONCEPT_STARTS = "concepts.starts"
CONCEPT_TYPES = "concepts.types"
WRITINGS = "writings.txt"

_CONCEPT_PLACE = 36
_SOURCE_PLACE = 24
_WRITING_PLACE = 2
MOST_CONCEPTS = 1 << 64 - _CONCEPT_PLACE
MOST_SOURCES = 1 << _CONCEPT_PLACE - _SOURCE_PLACE
MOST_WRITINGS = 1 << _SOURCE_PLACE - _WRITING_PLACE
ANY_WRITING = MOST_WRITINGS - 1 << _WRITING_PLACE
"""The bits of a posting that say how the term is written."""
ACRONYM = 1
"""Flag of a posting: the term has a capital inside a word (`is_acronym`)."""
PREFERRED = 2
"""Flag of a posting: the term is its concept's preferred name."""


class VocabularyError(InputError):
    """A vocabulary that can't be built or opened."""


def trie_name(number: int) -> str:
    """Return the file of the trie of that number."""
    return f"terms-{number:02}.marisa"


def posting(concept: int, source: int, writing: int, flags: int) -> int:
    """One term of a concept as a number; see the module."""
    return concept << _CONCEPT_PLACE | source << _SOURCE_PLACE | writing << _WRITING_PLACE | flags


def concept_of(number: int) -> int:
    """Return the concept's number in a posting."""
    return number >> _CONCEPT_PLACE


def source_of(number: int) -> int:
    """Return the source's number in a posting."""
    return number >> _SOURCE_PLACE & MOST_SOURCES - 1


def writing_of(number: int) -> int:
    """Return the number of the term's writing in a posting; 0 if the key says all."""
    return number >> _WRITING_PLACE & MOST_WRITINGS - 1


@dataclass(frozen=True)
class Header:
    """What is known of a vocabulary without reading it.

    Attributes:
        version: of the vocabulary, as its source gives it ("UMLS 2025AB").
        concepts, terms, keys: how many.
        longest: tokens of the longest key.
        sources: terms of each source; the order numbers the sources.
        semantic_types: concepts of each type.
        type_sets: the sets of types that concepts have.
        first_tokens: the first token of each trie's first key.
        files: {name: [bytes, SHA-256]}.
    """

    version: str
    concepts: int
    terms: int
    keys: int
    longest: int
    sources: dict[str, int]
    semantic_types: dict[str, int]
    type_sets: list[list[str]]
    first_tokens: list[str]
    files: dict[str, list[Any]]

    @property
    def checksum(self) -> str:
        """Of the header, hence of everything: SHA-256 in hexadecimal."""
        return _checksum(asdict(self))


def write_header(folder: Path, header: Header) -> None:
    """The header as JSON, with its own checksum."""
    whole = {
        "store_version": STORE_VERSION,
        "sha256": header.checksum,
        "vocabulary": asdict(header),
    }
    (folder / HEADER).write_text(json.dumps(whole, indent=1), encoding="utf-8")


def read_header(folder: Path) -> Header:
    """Return the header of the vocabulary in `folder`, checked, with the sizes of all its files.

    Raises:
        VocabularyError: if there is none, it is of another store version, or it is broken.
    """
    file = folder / HEADER
    if not file.is_file():
        missing = "there is no vocabulary" if not folder.exists() else "not a vocabulary"
        raise VocabularyError(f"{folder}: {missing}; `citespan vocabulary build` makes one")
    try:
        whole = json.loads(file.read_bytes())
        found = whole["store_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise broken_vocabulary(folder, f"{HEADER} can't be read") from error
    if found != STORE_VERSION:
        raise VocabularyError(
            f"{folder}: a vocabulary of store version {found}, and this citespan reads version "
            f"{STORE_VERSION}; build it again with `citespan vocabulary build`"
        )
    try:
        content = whole["vocabulary"]
        sound = _checksum(content) == whole["sha256"]
    except KeyError as error:
        raise broken_vocabulary(folder, f"{HEADER} lacks {error}") from error
    if not sound:
        raise broken_vocabulary(folder, f"{HEADER} does not have its checksum")
    header = Header(**content)
    for name, (size, _) in header.files.items():
        part = folder / name
        if not part.is_file():
            raise broken_vocabulary(folder, f"{name} is missing")
        if part.stat().st_size != size:
            raise broken_vocabulary(
                folder, f"{name} has {part.stat().st_size} bytes in place of {size}"
            )
    return header


def verify_files(folder: Path, header: Header) -> None:
    """Read every file and compare its checksum.

    Raises:
        VocabularyError: naming the first file that differs.
    """
    for name, (_, checksum) in header.files.items():
        if file_checksum(folder / name) != checksum:
            raise broken_vocabulary(folder, f"{name} does not have its checksum")


def file_checksum(file: Path) -> str:
    """SHA-256 of a file in hexadecimal."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _checksum(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def broken_vocabulary(folder: Path, fault: str) -> VocabularyError:
    """Make the error for a vocabulary one of whose files is damaged, as `fault` says."""
    return VocabularyError(
        f"{folder}: the vocabulary is broken: {fault}; build it again with "
        "`citespan vocabulary build`"
    )
