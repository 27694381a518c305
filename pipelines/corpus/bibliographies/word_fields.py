"""The records that Zotero, Mendeley and EndNote put into the fields by which they cite in Word's
documents, and the reference list that these complete."""

import json
import re
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from lxml import etree

from citespan.pipelines.corpus.bibliographies.csl_json import read_items
from citespan.pipelines.corpus.bibliographies.endnote import parse_endnote
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.corpus.xml import local_name

_MENDELEY = "MENDELEY_CITATION_v3_"
_ENDNOTE = re.compile(r"EN\.CITE\s+(<EndNote>.*)", re.DOTALL)
_ENDNOTE_IN_BASE64 = "PEVuZE5vdGU"  # "<EndNote"; fields of other kinds have data too
_DELETED = frozenset(("del", "moveFrom"))
_WORD = re.compile(r"\w+")
_TELLING = 3  # words by which titles are looked up
_MOST_ALIKE = 10
_LONGEST = 4000
_MOST_RECORDS = 50_000


def read_word_fields(*parts: etree._Element) -> Iterator[Reference | str]:
    """Yield what the fields in the parts of a document cite, in order and each record once, and a
    line for each field or record that can't be read."""
    known: set[Publication] = set()
    for number, field in enumerate(chain.from_iterable(map(_find_fields, parts)), 1):
        for found in _read_field(*field, f"citation {number}"):
            if isinstance(found, str):
                yield found
            elif found.publication not in known:
                if len(known) == _MOST_RECORDS:
                    yield f"more than {_MOST_RECORDS:,} records cited; the rest is left out"
                    return
                known.add(found.publication)
                yield found


def _find_fields(body: etree._Element) -> Iterator[tuple[str, bool]]:
    """Yield the JSON or XML of each field that cites, and whether it is in base64: that of its
    instruction, of the data that EndNote puts beside it, or of the tag of a content control."""
    instruction: list[str] = []
    for node in body.iter("{*}fldChar", "{*}fldData", "{*}fldSimple", "{*}instrText", "{*}tag"):
        name = local_name(node.tag)
        values = {local_name(key): str(value) for key, value in node.items()}
        if name == "instrText":
            instruction.append(node.text or "")
            continue
        # A field's instruction ends where another field begins, or the text that it shows.
        written = values.get("instr", "") if name == "fldSimple" else "".join(instruction)
        instruction.clear()
        if any(local_name(above.tag) in _DELETED for above in node.iterancestors()):
            continue
        data = (node.text or "").strip()
        if name == "fldData" and data.startswith(_ENDNOTE_IN_BASE64):
            yield data, True
        elif name == "tag" and values.get("val", "").startswith(_MENDELEY):
            yield values["val"].removeprefix(_MENDELEY) + "==", True
        elif "CSL_CITATION" in written:
            yield written[written.find("{") :], False
        elif endnote := _ENDNOTE.search(written):
            yield endnote[1], False


def _read_field(written: str, is_encoded: bool, place: str) -> Iterator[Reference | str]:
    try:
        data = b64decode(written) if is_encoded else written.encode()
        if data.startswith(b"<"):
            yield from parse_endnote(data.strip(b"\0"), place)
            return
        cited, _ = json.JSONDecoder(strict=False).raw_decode(data.decode())
        items = [item["itemData"] for item in cited["citationItems"] if "itemData" in item]
    except (ValueError, LookupError, TypeError, RecursionError):
        yield f"{place}: the reference manager's record can't be read; insert the citation again"
    else:
        yield from read_items(items, place)


def add_records(listed: ReferenceList, cited: Iterable[Reference | str]) -> ReferenceList:
    """Return a reference list whose entries have what the records of a document's fields say, with
    a reference for each record that no entry shows, and a line for each that can't be read.

    Identifiers that an entry shows are kept. Records without any entry are numbered in the order in
    which they are cited.
    """
    entries = list(listed.references)
    find = _index(entries)
    problems = list(listed.problems)
    for record in cited:
        if isinstance(record, str):
            problems.append(record)
        elif (shown := find(record.publication)) is None:
            label = "" if listed.references else str(len(entries) + 1)
            entries.append(replace(record, key="", names=(), label=label))
        else:
            read = entries[shown].publication
            publication = Publication(pmid=read.pmid, pmcid=read.pmcid, doi=read.doi)
            publication = publication.complete(record.publication).complete(read)
            entries[shown] = replace(entries[shown], publication=publication)
    return ReferenceList.of([*entries, *problems])


def _index(entries: Sequence[Reference]) -> Callable[[Publication], int | None]:
    """Return what finds the number of the entry that has a publication's title, wherever it stands
    in its text; else of the only one with its first author, its year, and most words of its title.
    """
    texts = [f" {' '.join(_find_words(entry.text[:_LONGEST]))} " for entry in entries]
    by_words: dict[tuple[str, ...], list[int]] = {}
    by_author: dict[tuple[str, int | None], list[int]] = {}
    for number, entry in enumerate(entries):
        words = texts[number].split()
        for length in range(1, _TELLING + 1):
            for some in zip(*(words[at:] for at in range(length)), strict=False):
                by_words.setdefault(some, []).append(number)
        read = entry.publication
        by_author.setdefault((read.first_author, read.year), []).append(number)
    titles = [set(_find_words(entry.publication.title)) for entry in entries]

    def find(work: Publication) -> int | None:
        words = _find_words(work.title)
        title, year = f" {' '.join(words)} ", f" {work.year} "
        alike = by_words.get(tuple(words[:_TELLING]), ())[:_MOST_ALIKE]
        alike = [number for number in alike if title in texts[number]]
        if dated := [number for number in alike if year in texts[number]]:
            return dated[0]
        if alike and len(words) >= _TELLING:  # a shorter one may be part of another
            return alike[0]
        others = by_author.get((work.first_author, work.year), ())[:_MOST_ALIKE]
        others = [n for n in others if 2 * len(titles[n].intersection(words)) > len(titles[n])]
        return others[0] if len(others) == 1 else None

    return find


def _find_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
