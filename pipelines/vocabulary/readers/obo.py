"""Ontologies in OBO format (versions 1.2 and 1.4), such as those of the OBO Foundry.

Read line by line here: the tags that name a concept are five, and a library for the whole format
gives up a term, or the file, for a fault in any other tag.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.reader import (
    read_lines,
    read_vocabulary_head,
    vocabulary_readers,
)
from citespan.pipelines.vocabulary.terms import VocabularyTerm

_TAG = re.compile(r"(?<![\w-])(?P<tag>[A-Za-z_][\w-]*):\s*(?P<value>.*)")
_SYNONYM = re.compile(r'"(?P<text>(?:[^"\\]|\\.)*)"\s*(?P<scope>EXACT|RELATED|BROAD|NARROW)?')
_ESCAPED = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "W": " ", "t": "\t"}
_COMMENT = re.compile(r"(?<!\\)\s(?:!\s|\{[^{}]*\}\s*(?:!|$)).*")
_SCOPES_OF_OLD_TAGS = {
    f"{scope.lower()}_synonym": scope for scope in ("EXACT", "RELATED", "BROAD", "NARROW")
}


@dataclass
class _Stanza:
    place: str
    identifier: str = ""
    names: list[str] = field(default_factory=list)
    synonyms: list[tuple[str, str]] = field(default_factory=list)
    namespace: str = ""
    obsolete: bool = False
    faults: list[Rejected] = field(default_factory=list)


@vocabulary_readers.register
class Obo:
    """Reads names and exact synonyms of the terms that are not obsolete.

    A concept's source is its namespace, else the prefix of its identifier ("CL" of CL:0000000);
    the header's default namespace is the file's, not that of terms merged in from elsewhere.
    """

    name = "obo"
    description = "an OBO file, plain or .gz: names and exact synonyms"

    def version(self, path: Path) -> str:
        """Return the header's data-version, else its date."""
        head = read_vocabulary_head(path).decode("utf-8", "replace")
        if "format-version:" not in head and "[Term]" not in head:
            raise InputError(f"{path}: not an OBO file: no format-version and no [Term]")
        header = head.partition("\n[")[0]
        said: dict[str, str] = {match["tag"]: match["value"] for match in _TAG.finditer(header)}
        return (said.get("data-version") or said.get("date") or "").strip()

    def typed(self, path: Path) -> bool:  # noqa: ARG002
        """Never: the format has no semantic types."""
        return False

    def terms(self, path: Path) -> Iterator[VocabularyTerm | Rejected]:
        """Names and synonyms of all [Term] stanzas.

        Raises:
            InputError: if the file can't be read to its end.
        """
        stanza: _Stanza | None = None
        for number, line in enumerate(read_lines([path]), 1):
            place = f"{path}:{number}"
            if line.startswith(b"["):
                if stanza:
                    yield from _terms(stanza)
                stanza = _Stanza(place) if line.strip() == b"[Term]" else None
            elif stanza:
                try:
                    _read_tag(stanza, line.decode(), place)
                except UnicodeDecodeError:
                    stanza.faults.append(Rejected(place, "not UTF-8; mend or remove the line"))
        if stanza:
            yield from _terms(stanza)


def _read_tag(stanza: _Stanza, line: str, place: str) -> None:
    match = _TAG.match(line)
    if not match:
        return
    tag, value = match.group("tag", "value")
    if tag == "synonym" or tag in _SCOPES_OF_OLD_TAGS:
        synonym = _SYNONYM.match(value)
        if synonym:
            scope = _SCOPES_OF_OLD_TAGS.get(tag) or synonym["scope"] or "RELATED"
            stanza.synonyms.append((_unescaped(synonym["text"]), scope))
        else:
            stanza.faults.append(Rejected(place, 'a synonym is not in "quotes"; mend the line'))
        return
    value = _unescaped(_COMMENT.sub("", value)).strip()
    if tag == "id":
        stanza.identifier = value
    elif tag == "name":
        stanza.names.append(value)
    elif tag == "namespace":
        stanza.namespace = value
    elif tag == "is_obsolete":
        stanza.obsolete = value.lower() == "true"


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text)


def _terms(stanza: _Stanza) -> Iterator[VocabularyTerm | Rejected]:
    """Yield all that a stanza's names and synonyms come to, one by one."""
    yield from stanza.faults
    names = [name for name in stanza.names if name]
    rows = len(names) + len(stanza.synonyms)
    if not stanza.identifier:
        reason = "a [Term] without id; mend or remove it"
        yield from [Rejected(stanza.place, reason)] * max(rows, 1)
        return
    if stanza.obsolete:
        yield from [Rejected(stanza.place, "obsolete", "skipped")] * rows
        return
    if not names:
        yield Rejected(stanza.place, "a term without a name", "skipped")
    source = stanza.namespace or stanza.identifier.partition(":")[0]
    for number, name in enumerate(names):
        yield VocabularyTerm(
            stanza.identifier, name, source, "PT" if not number else "SY", not number
        )
    for text, scope in stanza.synonyms:
        if scope == "EXACT" and text.strip():
            yield VocabularyTerm(stanza.identifier, text, source, "SY", False)
        else:
            reason = f"{scope.lower()} synonym" if text.strip() else "empty synonym"
            yield Rejected(stanza.place, reason, "skipped")
