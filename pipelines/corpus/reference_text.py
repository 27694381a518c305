"""The entries of reference lists that are text alone, and the publications that they name.

Identifiers are recognised wherever they stand, and so is the year, best outside of the title.
Authors and title are taken from the two common orders, "Authors (year). Title. Journal" and
"Authors. Title. Journal, year", with given names in full or as initials, before or behind the
surname; and left out where neither fits: a resolver needs a title that is right more than one that
is there.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from citespan.pipelines.corpus.entry_authors import read_authors, read_joint_names
from citespan.pipelines.corpus.entry_title import CAPITAL, SMALL, TITLE_START, read_title
from citespan.pipelines.corpus.identifiers import find_doi
from citespan.pipelines.corpus.paragraphs import RAISED_DIGIT
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
_YEAR_AT_END = re.compile(  # not of "accessed June 3, 2017"
    r"(?<!\s\d)(?<!\s\d\d),\s(?:[A-Z][a-z]{2,8}\.?\s)?((?:1[6-9]|20)\d\d)[a-z]?\.?"
    r"(?:\s(?:DOI|ISBN|ISSN|URL|doi|https?)\b.{0,80})?\s*\Z"
)
LABEL = r"\[[\w+⁺]{1,20}\]"  # "[12]", or "[RDB+07]" as BibTeX's style alpha writes it
# "[Roe and Doe(2003)]": of LaTeX's styles with names, without the package that hides them.
NAMED_LABEL = r"\[(?=[^\W\d_])[^\[\]]{2,100}?(?:1[6-9]|20)\d\d[a-z]?(?:\)[^\[\]]{0,100})?\]"
_LABEL = re.compile(  # "12.", "12)", "12-", "¹²", "12 van Roe", "12. - Roe"
    rf"^\s*(?:({LABEL}|\(?\d{{1,4}}\s?[.)]|\d{{1,4}}"
    rf"(?:[-–](?=\s)|(?=\s(?:[^\W\d_a-z]|v[ao]n\s|d[aei]\s|de[nrl]\s)))"
    rf"|{RAISED_DIGIT}{{1,4}})\.?(?:\s?[-–](?=\s))?|{NAMED_LABEL})\s*"
)
_LABEL_SIGNS = str.maketrans("⁺⁰¹²³⁴⁵⁶⁷⁸⁹", "+0123456789")
# "et al." in German, Czech, Polish, French, Turkish, Hungarian, Swedish, Dutch, Spanish, Portuguese
# and Russian.
ET_AL = (
    r"(?:&\sal\b\.?|\b(?:u\.\s?a\.|a\skol\.|i\sin\.|et\s(?:coll?|alii)\.|ve\sark\.|és\smtsai\b\.?"
    r"|m\.\s?fl\.|e\.a\.|y\s(?:cols?\.|otros\b)|e\s(?:cols?\.|outros\b)|и\sдр\.))"
)
_ET_AL = re.compile(ET_AL)
WIDE = str.maketrans("（）［］【】，、；：．", "()[][],,;:.")
"""Brackets and marks as wide as Chinese letters, to the usual ones."""
_KIND = re.compile(  # "Title[J]." of GB/T 7714, "Title [Internet]."
    r"\s?\[(?:J|M|C|D|R|[A-Z]{1,2}/OL|(?i:internet|online|preprint|(?:phd )?thesis"
    r"|(?:doctoral )?dissertation)|(?:[Aa]rticle )?in [A-Z][a-z]{2,19})\](?:\.|(?=[,:]))"
)
_NO_YEAR = re.compile(r"\s\((?:in\spress|forthcoming|submitted|n\.\s?d\.)\)")
_WITHOUT_SPACE = re.compile(rf"(?<={SMALL}),(?={CAPITAL}\.)")  # "Roe,J."
_IN_BRACKETS = re.compile(  # "Roe (J. A.), Doe (A.)"
    rf"(?<=[^\W\d_])\s\(((?:{CAPITAL}{SMALL}?\.[\s-]?){{1,3}})\)"
)
_LONGEST_SURNAME = 40
_CITED_AS = re.compile(  # "Roe et al. 2014 : J. A. Roe and B. Doe, Title"
    rf"({CAPITAL}[\w’'-]{{1,40}})[^.()\d:]{{0,100}}(?:\bal\.)?,?\s\(?(?:1[6-9]|20)\d\d[a-z]?\)?\s?:?\s?"
    rf"(?=(?:{CAPITAL}\.[\s-]?){{0,4}}(?i:\1)(?:,|\s(?:{CAPITAL}\.|et\s)))"
)
_DIVIDED = re.compile(  # "Roe, Jane/van Doe, Ann", "Roe, J. – Doe, A.", "J. Roe / A. Doe"
    rf"(?:(?<=[^\W\d_])|(?<=\.))(?:\s?/\s?|\s[–-]\s)(?="
    rf"(?:[^\W\d_][\w’'-]{{0,40}}\s){{0,3}}{CAPITAL}[\w’'-]{{1,40}},\s{CAPITAL}"
    rf"|(?:{CAPITAL}\.[\s-]?){{1,3}}{CAPITAL}[\w’'-]{{1,40}}(?:\s?[/,.:;–-]|\s(?:and|et|[12]\d{{3}}|[–-]))"
    rf"|…\s|et\sal\b)"
)
_DIVIDING = re.compile(r"/|\s[–-]\s")
_YEAR_FIRST = re.compile(
    rf"[(\[]?((?:1[6-9]|20)\d\d)[a-z]?[)\]]?"
    rf"(?:\s?[.,:;]\s*(?:[–—-]\s)?|\s(?=[\"“‘«„]?(?:{TITLE_START}))(?!.{{0,4000}}\1))"
)
_NAMES_FIRST = 0.2  # the least share of joint authors with names first, in lists written so
_SAME_AUTHORS = re.compile(r"(?:[—―]{1,6}|[–_-]{2,12})[\s.,:]*")  # as those of the entry before
_JOURNAL = re.compile(
    rf"[\s.,”\"/]*(?:[Ii]n:\s)?({CAPITAL}[\w&:. -]{{2,80}}?)[.,;]?\s*(?=[\d(;,]|$)"
)


def read_entry(
    text: str, *, names_first: bool = False, before: tuple[str, ...] = ()
) -> Publication:
    """Return what an entry says, as far as it can be told; takes time linear in its length.

    Args:
        names_first: whether the list that it is from is known to write "Jane A. Roe. Title", which
            alone may be an author with an initial, "Jane A.", and the title "Roe. Title".
        before: the authors of the entry before, which a dash in their place ("———. 2001.") repeats.
    """
    entry = _spell_alike(text)
    identified, words = _read_identifiers(entry, Publication())
    authors, title, rest = _read_names(words, names_first, before)
    if not title:
        return replace(identified, authors=authors)
    # The title may name years, and so may the journal: "Cortex (New York, NY: 1991), 31:217, 2015."
    year = _YEAR.search(words.partition(title)[0]) or _YEAR_AT_END.search(rest)
    year = year or _YEAR.search(rest)
    journal = _JOURNAL.match(rest)
    return replace(
        identified,
        authors=authors,
        title=title,
        year=int(year[year.lastindex or 0]) if year else identified.year,
        journal=journal[1].strip() if journal else "",
    )


def are_references(notes: Collection[str]) -> bool:
    """Whether footnotes or endnotes are a reference list: most of them have an identifier, or an
    author, a title and a year."""
    read = map(read_entry, notes)
    alike = sum(bool(n.identifiers or (n.authors and n.title and n.year)) for n in read)
    return 2 * alike > len(notes)


def add_identifiers(known: Publication, text: str) -> Publication:
    """Return a publication with the year and the identifiers that it lacks taken from its entry,
    where they are recognised wherever they stand."""
    if known.year and known.pmid and known.pmcid and known.doi:
        return known
    return _read_identifiers(_spell_alike(text), known)[0]


def _spell_alike(text: str) -> str:
    """Return an entry without its label, and with "et al.", ";", "." and brackets where lists in
    some languages and standards have other signs."""
    entry = _LABEL.sub("", text[:_LONGEST].translate(WIDE), count=1)
    for sign, usual in ((_KIND, "."), (_NO_YEAR, ""), (_ET_AL, "et al.")):
        entry = sign.sub(usual, entry, count=1)
    if cited := _CITED_AS.match(entry):
        entry = entry[cited.end() :]
    if _IN_BRACKETS.search(entry, 0, _LONGEST_SURNAME):  # not of "the States (U.S.)" in a title
        entry = _IN_BRACKETS.sub(r", \1", entry)
    entry = _WITHOUT_SPACE.sub(", ", entry)
    return _DIVIDED.sub("; ", entry) if _DIVIDING.search(entry) else entry


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
    # Lists that write one author so write several so.
    joint = sum(read_joint_names(_spell_alike(text)) is not None for text in texts[:_MOST])
    names_first = joint >= max(2, _NAMES_FIRST * len(texts))
    before: tuple[str, ...] = ()
    for text in texts[:_MOST]:
        label = _LABEL.match(text.translate(WIDE))
        shown = (label[1] or "").strip("[]().–- ").translate(_LABEL_SIGNS) if label else ""
        read = read_entry(text, names_first=names_first, before=before)
        before = read.authors
        found.append(Reference("", (), shown, text, read))
    if len(texts) > _MOST:
        found.append(f"more than {_MOST:,} references; the rest is left out")
    return ReferenceList.of(found)


def _balance(doi: str) -> str:
    """Return a DOI without a bracket at its end that opens before it."""
    for opening, closing in ("()", "[]"):
        while doi.endswith(closing) and doi.count(closing) > doi.count(opening):
            doi = doi[:-1].rstrip(".,;")
    return doi.rstrip(".,;")


def _read_names(
    entry: str, names_first: bool, before: tuple[str, ...]
) -> tuple[tuple[str, ...], str, str]:
    """Return the authors, the title and the text behind it."""
    same = _SAME_AUTHORS.match(entry)
    authors, end = (before, same.end()) if same else read_authors(entry, names_first)
    rest = entry[end:].lstrip()
    dated = _YEAR_FIRST.match(rest)
    title, behind = read_title(
        rest[dated.end() :] if dated else rest,
        is_signed=bool(authors),
        is_dated=dated is not None,
        is_behind_comma=entry[:end].rstrip().endswith((",", ":")),
    )
    return authors, title, behind
