"""Reference lists that are text alone: where one begins, and the publications of its entries.

Identifiers and the year are recognised wherever they stand. Authors and title are taken from the
two common orders, "Authors (year). Title. Journal" and "Authors. Title. Journal, year", and left
out where neither fits: a resolver needs a title that is right more than one that is there.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from citespan.pipelines.corpus.identifiers import find_doi
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.references import Reference, ReferenceList

_LONGEST = 4000
_MOST = 50_000
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>]{1,200}")
_PMID = re.compile(
    r"(?i)\b(?:PMID|PubMed(?:\s?ID)?)\s?[:#]?\s?(\d{1,9})\b|pubmed[^\s]{0,30}/(\d{4,9})\b"
)
_PMCID = re.compile(r"\bPMC\s?(\d{2,9})\b", re.IGNORECASE)
_YEAR = re.compile(r"(?:1[6-9]|20)\d\d(?<![\d./:–-]\d{4})(?=[a-z]?\b)(?![./:–-]\d)")
_LABEL = re.compile(r"^\s*(?:\[\w{1,20}\]|\(?\d{1,4}[.)]|\d{1,4}(?=\s[A-Z]))\s*")
_YEAR_AFTER_AUTHORS = re.compile(
    r"^(.{2,600}?)(?:(?<![\s,.])[\s,.]++)?\(((?:1[6-9]|20)\d\d)[a-z]?\)[\s.:,]*"
)
_INITIALS = r"(?:[A-Z]\.?[\s-]?){1,4}"
_PARTICLES = r"(?:(?:[a-z]{1,4}|[dDlO]['’])\s?){0,3}"
_SURNAME = rf"{_PARTICLES}[^\W\d_a-z][\w'’‐-]{{1,60}}+(?:\s[A-Z][\w'’-]{{1,60}}+)?"
_AUTHOR = rf"(?:{_SURNAME},?\s{_INITIALS}|{_INITIALS}{_SURNAME})(?:,?\sJr\.?)?"
_BETWEEN = r"(?:[,;]\s|,?\s(?:and|&)\s)"
_BEHIND = r"(?:,?\s(?:et al\.?|and others))?[\s.,:]++(?=\W?[A-Z0-9])"
# Each author is settled before the next one is read: an author may be read in several ways, and a
# list of n in 2^n.
_GOES_ON = rf"(?={_BETWEEN}{_AUTHOR}|{_BEHIND})"
_AUTHORS = re.compile(
    rf"((?>{_AUTHOR}{_GOES_ON})(?>{_BETWEEN}{_AUTHOR}{_GOES_ON}){{0,100}}){_BEHIND}"
)
_ONE_AUTHOR = re.compile(rf"({_SURNAME}),?\s({_INITIALS})(?=[,;.:\s&]|$)|({_INITIALS})({_SURNAME})")
# "H. pylori", "Ae. aegypti": the full stop of an abbreviated genus ends no title, nor does that of
# "vs.", "St." or "U.S." before a word of the title, or of the number of a part (": I. Methods").
_GENUS = r"(?:(?<=[\s(\[“\"'/–-][A-Z])|(?<=[\s(\[“\"'/–-][A-Z][a-z]))\.\s[a-z]{3,}\b"
_SPECIES = (
    r"(?<=[\s(\[“\"'/–-][A-Z])\.\s(?i:aeruginosa|albicans|aureus|burgdorferi|cerevisiae|coli|difficile"
    r"|elegans|faecalis|faecium|falciparum|gondii|influenzae|melanogaster|meningitidis|pneumoniae"
    r"|pylori|tuberculosis|vivax)\b"
)
_ABBREVIATED = (
    r"(?:(?<=\b[Vv]s)|(?<=\bSt)|(?<=\bMt)|(?<=\bDr)|(?<=\bcf)|(?<=\bca)|(?<=\bspp)|(?<=\bsubsp)"
    r"|(?<=\bi\.e)|(?<=\be\.g)|(?<=\bapprox))\.\s"
    r"|(?:(?<=\bvar)|(?<=\bsp)|(?<=\bal)|(?<=\b[A-Z]\.[A-Z]))\.\s[a-z]{2,}\b"
    r"|(?<=\b[Nn]o)\.\s\d"
    r"|(?:(?<=[:;,]\s[IVX])|(?<=[:;,]\sI[IVX])|(?<=[:;,]\sIII))\.\s[A-Z]"
)
_NO_END = rf"(?:{_GENUS}|{_SPECIES}|{_ABBREVIATED})"
_TITLE = re.compile(rf"[\"“]?(.{{15,400}}?)(?:[?]|(?!{_NO_END})[.”\"](?=\s|$))")
_JOURNAL = re.compile(r"[\s.”\"]*([A-Z][\w&:. -]{2,80}?)[.,;]?\s*(?=[\d(;,]|$)")


def read_entry(text: str) -> Publication:
    """Return what an entry says, as far as it can be told; takes time linear in its length."""
    entry = _remove_label(text)
    identified, words = _read_identifiers(entry, Publication())
    authors, title, rest = _read_names(words)
    journal = _JOURNAL.match(rest) if title else None
    return replace(
        identified, authors=authors, title=title, journal=journal[1].strip() if journal else ""
    )


def add_identifiers(known: Publication, text: str) -> Publication:
    """Return a publication with the year and the identifiers that it lacks taken from its entry,
    where they are recognised wherever they stand."""
    if known.year and known.pmid and known.pmcid and known.doi:
        return known
    return _read_identifiers(_remove_label(text), known)[0]


def _remove_label(text: str) -> str:
    return _LABEL.sub("", text[:_LONGEST], count=1)


def _read_identifiers(entry: str, known: Publication) -> tuple[Publication, str]:
    """Return `known` with what it lacks, and the entry's text before the first identifier that was
    looked for: all of them if the year is not known, else those that `known` lacks."""
    # most entries lack most of these, and looking for what all of a kind have costs little
    lower, dated = entry.lower(), known.year is not None
    doi = pmid = pmcid = None
    if not (dated and known.doi) and "10." in lower:
        doi = _DOI.search(entry)
    if not (dated and known.pmid) and ("pmid" in lower or "pubmed" in lower):
        pmid = _PMID.search(entry)
    if not (dated and known.pmcid) and "pmc" in lower:
        pmcid = _PMCID.search(entry)
    words = entry[: min((m.start() for m in (doi, pmid, pmcid) if m), default=len(entry))]
    year = None if known.year else _YEAR.search(words) or _YEAR.search(entry)
    if not (doi or pmid or pmcid or year):
        return known, words
    found = Publication(
        known.authors,
        known.title,
        known.year or (int(year[0]) if year else None),
        known.journal,
        known.pmid or ((pmid[1] or pmid[2]).lstrip("0") if pmid else ""),
        known.pmcid or (f"PMC{pmcid[1]}" if pmcid else ""),
        known.doi or (find_doi(_balance(doi[0])) if doi else ""),
    )
    return found, words


def read_entries(texts: Sequence[str]) -> ReferenceList:
    """Return the references of a list of entries that are text; the label of each is the one that
    it begins with."""
    found: list[Reference | str] = []
    for text in texts[:_MOST]:
        label = _LABEL.match(text)
        shown = label[0].strip(" []().") if label else ""
        found.append(Reference("", (), shown, text, read_entry(text)))
    if len(texts) > _MOST:
        found.append(f"more than {_MOST:,} references; the rest is left out")
    return ReferenceList.of(found)


def _balance(doi: str) -> str:
    """Return a DOI without a bracket at its end that opens before it."""
    for opening, closing in ("()", "[]"):
        while doi.endswith(closing) and doi.count(closing) > doi.count(opening):
            doi = doi[:-1].rstrip(".,;")
    return doi.rstrip(".,;")


def _read_names(entry: str) -> tuple[tuple[str, ...], str, str]:
    """Return the authors, the title and the text behind it."""
    dated = _YEAR_AFTER_AUTHORS.match(entry)
    named = _AUTHORS.match(entry)
    if dated:
        written, rest = dated[1], entry[dated.end() :]
    elif named:
        written, rest = named[1], entry[named.end() :]
    else:
        return (), "", ""
    authors = []
    for found in _ONE_AUTHOR.finditer(written):
        surname, initials = (found[1], found[2]) if found[1] else (found[4], found[3])
        authors.append(f"{surname}, {initials.strip()}")
    title = _TITLE.match(rest.lstrip()) if authors else None
    if title is None:
        return tuple(authors), "", ""
    return tuple(authors), title[1].strip(), rest.lstrip()[title.end() :]


_NAMES_OF_LISTS = (
    r"(?:(?:list\sof\s)?references?(?:\scited)?|bibliography|(?:literature|works)\scited|sources)"
)
_HEADING_ALONE = re.compile(rf"(?:\d{{1,2}}\.?\s+)?{_NAMES_OF_LISTS}\s?[:.]?", re.IGNORECASE)
_HEADING = re.compile(
    rf"^[^\S\n]*(?:#+\s*|\*\*)?(?:\d{{1,2}}\.?\s+)?{_NAMES_OF_LISTS}\s?[:.]?(?:\*\*)?[^\S\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_NEXT_HEADING = re.compile(
    r"\n[^\S\n]*\n[^\S\n]*(?=(?:#+\s*)?(?:appendix|supplement|acknowledge?ments?|figures?\s(?:legends?)"
    r"|tables?|funding|author contributions)\b[^\n]{0,80}\n)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"^[^\S\n]*(?:\[\w{1,20}\]|\(?\d{1,4}[.)])(?=\s)|^[^\S\n]*\d{1,4}(?=\s+[A-Z])", re.MULTILINE
)
_ENTRY_START = re.compile(r"^(?=\S)", re.MULTILINE)
_LONGEST_ENTRY = 4000


def is_reference_heading(title: str) -> bool:
    """Whether a section of that title is a reference list."""
    return _HEADING_ALONE.fullmatch(title.rpartition(" / ")[2].strip()) is not None


def find_reference_section(text: str) -> tuple[int, int, int] | None:
    """Find the last reference list of a text: where its heading starts, where its entries do, and
    where it ends; None if there is no heading of one on a line of its own."""
    headings = list(_HEADING.finditer(text))
    if not headings:
        return None
    last = headings[-1]
    following = _NEXT_HEADING.search(text, last.end())
    return last.start(), last.end(), following.start() if following else len(text)


def split_entries(text: str) -> list[str]:
    """Return the entries of a reference list: at its numbers if it has two or more, else at blank
    lines, else a line each."""
    marks = [mark.start() for mark in _NUMBERED.finditer(text)]
    if len(marks) > 1 or (marks and not text[: marks[0]].strip()):
        parts = [text[a:b] for a, b in zip(marks, [*marks[1:], len(text)], strict=True)]
    else:
        parts = re.split(r"\n[^\S\n]*\n", text)
        if len(parts) == 1 or max(map(len, parts)) > _LONGEST_ENTRY:
            parts = _ENTRY_START.split(text)
    return [" ".join(part.split()) for part in parts if part.strip()]


def read_reference_section(text: str) -> ReferenceList:
    """Return the references of the last reference list in a text; none if it has no such list."""
    found = find_reference_section(text)
    return read_entries(split_entries(text[found[1] : found[2]])) if found else ReferenceList()
