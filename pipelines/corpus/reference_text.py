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

from citespan.pipelines.corpus.identifiers import find_doi
from citespan.pipelines.corpus.publication import Publication, is_named_as_group
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.patterns import compile_once

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
_LABEL = re.compile(rf"^\s*(?:({LABEL}|\(?\d{{1,4}}[.)]|\d{{1,4}}(?=\s[A-Z]))|{NAMED_LABEL})\s*")
# "et al." in German, Czech, Polish, French and Turkish.
ET_AL = r"\b(?:u\.\s?a\.|a\skol\.|i\sin\.|et\scoll?\.|ve\sark\.)"
_ET_AL = re.compile(ET_AL)
WIDE = str.maketrans("（）［］【】，、；：．", "()[][],,;:.")
"""Brackets and marks as wide as Chinese letters, to the usual ones."""
_KIND = re.compile(  # "Title[J]." of GB/T 7714, "Title [Internet]."
    r"\s?\[(?:J|M|C|D|R|[A-Z]{1,2}/OL|(?i:internet|online|preprint|(?:phd )?thesis"
    r"|(?:doctoral )?dissertation)|(?:[Aa]rticle )?in [A-Z][a-z]{2,19})\](?:\.|(?=[,:]))"
)
_YEAR_AFTER_AUTHORS = re.compile(
    r"^(.{2,600}?)(?:(?<![\s,.])[\s,.]++)?\(((?:1[6-9]|20)\d\d)[a-z]?"
    r"(?:,\s[A-Z][a-z]{2,8}\.?(?:\s\d{1,2})?)?\)[\s.:,]*"
)
_SMALL = "[a-zß-öø-ÿ]"
_CAPITAL = "[^\\W\\d_a-zß-öø-ÿ]"
# All have a full stop or none has: "Roe, L. A trial of yeast" has one.
_INITIALS = (
    rf"(?:{_CAPITAL}{{2,4}}+(?![\w'’])\.?[\s-]?|(?:{_CAPITAL}(?:-{_CAPITAL})?\.[\s-]?){{1,4}}"
    rf"|(?:{_CAPITAL}(?![\w'’.])[\s-]?){{0,3}}{_CAPITAL}(?![\w'’])\.?[\s-]?)"
)
_NO_YEAR = re.compile(r"\s\((?:in\spress|forthcoming|submitted|n\.\s?d\.)\)")
_SLASH = re.compile(  # "Roe, Jane/van Doe, Ann"
    rf"(?:(?<=[^\W\d_])|(?<=\.))\s?/\s?(?=(?:[^\W\d_][\w’'-]{{0,40}}\s){{0,3}}{_CAPITAL}[\w’'-]{{1,40}},\s{_CAPITAL})"
)
_PARTICLES = r"(?:(?!(?:and|et|und|ve|y)\s)(?:[a-z]{1,4}|[dDlO]['’])\s?){0,3}"
_SURNAME = (
    rf"(?:[DLTV][aeiou]\w?\s(?=[a-z]))?{_PARTICLES}[^\W\d_a-z][\w'’‐-]{{1,60}}+"
    r"(?:\s(?:(?:d[aeo]|del|dos|van|von|y)\s(?:l[ao]s?\s|de[nr]\s)?)?[A-Z][\w'’-]{1,60}+){0,2}"
)
_NO_INITIALS = (  # "JA Roe, B Doe" and "J-A Roe, B Doe" have no "Roe, B"
    rf"(?!{_CAPITAL}(?:-?{_CAPITAL}){{1,3}}\s{_CAPITAL}{_SMALL})"
)
_PARTICLES_BEHIND = (
    r"(?:\s?\b(?:d[aeiu]|de[nr]|del|dos|l[ae]|te[nr]|v[ao]n|zu)\b){0,3}"  # "Beek E van der"
)
_AUTHOR = (
    rf"(?:{_NO_INITIALS}{_SURNAME},?\s{_INITIALS}{_PARTICLES_BEHIND}"
    rf"|{_INITIALS}{_SURNAME})(?:,?\s(?:Jr\b\.?|Sr\b\.?|2nd|3rd|4th))?"
)
_COMMA, _AND = r"\s?[,;]\s", r"[,;]?\s(?:and|&|et(?!\sal)|und|[aeiy]|en|och|og|ve)\s"
_BETWEEN = rf"(?:{_AND}|{_COMMA})"
_BEHIND = (
    r"(?:[,;]?\s(?:et al\.?|and others))?(?:,?\s\(?[Ee]d(?:itor)?s?\b\.?\)?)?"
    rf"[\s.,:–—]++(?=\W{{0,2}}(?:{_CAPITAL}|\d))"
)
# Each author is settled before the next one is read: an author may be read in several ways, and a
# list of n in 2^n.
_GOES_ON = rf"(?={_BETWEEN}{_AUTHOR}|{_BEHIND})"
# What a comma divides from those that "and" joins is the title: "A Roe and B Doe, A New Bread".
_AUTHORS = (
    rf"((?>{_AUTHOR}{_GOES_ON})(?>{_COMMA}{_AUTHOR}{_GOES_ON}){{0,100}}"
    rf"(?>{_AND}{_AUTHOR}{_GOES_ON}){{0,100}}){_BEHIND}"
)
_LAST_NAMED = re.compile(rf"{_AND}|\set al\b")  # no further author follows
_ONE_AUTHOR = (
    rf"\b(?:{_NO_INITIALS}({_SURNAME}),?\s({_INITIALS})(?=[,;.:\s&]|$)|({_INITIALS})({_SURNAME}))"
)

# Given names in full: "Carol van Dyke", or "Van Dyke, Carol" where the list begins so.
_MOST_AUTHORS = 100
_PAIR = 2
_NAMES_FIRST = 0.2  # the least share of joint authors with names first, in lists written so
_INITIAL = rf"{_CAPITAL}(?:[.‐-]{{0,2}}{_CAPITAL}){{0,3}}(?!\w)\.?"
_NAME = rf"{_CAPITAL}['’]?[\w‐-]{{0,40}}{_SMALL}(?:[\w‐-]|['’](?=\w)){{0,40}}"
_LARGE_NAME = rf"{_CAPITAL}(?>(?:{_CAPITAL}|['’‐-]){{1,40}})(?!\w)"
_PARTICLE = r"(?!(?:al|and|et|for|from|in|of|on|the|to|und|with)\s)[a-z]{1,4}"
_NATURAL = rf"(?:{_INITIAL}|{_NAME})(?:\s(?:{_INITIAL}|{_NAME}|{_PARTICLE})){{0,6}}\s{_NAME}(?!\w)"
_LARGE_INVERTED = rf"{_LARGE_NAME}(?>(?:\s{_LARGE_NAME})*),"
_LARGE_NATURAL = (  # behind "ROE, Jane and": ISO 690
    rf"(?:{_INITIAL}|{_NAME})(?:(?!{_AND})\s(?:{_INITIAL}|{_NAME}|{_PARTICLE})){{0,4}}"
    rf"\s{_LARGE_NAME}"
    rf"(?:\s{_LARGE_NAME}){{0,3}}(?!\w)"
)
_INVERTED = (
    rf"(?:{_PARTICLE}\s){{0,3}}(?:{_NAME}(?:\s{_NAME}){{0,2}}"
    rf"|{_LARGE_NAME}(?:\s{_LARGE_NAME}){{0,2}}),\s"
    rf"(?:(?:{_INITIAL}\s?){{1,3}}(?:\s?{_NAME}(?=[,;]\s|\s(?:and|&)\s|\.?\s\(?[12]\d{{3}}))?"
    rf"|{_NAME}(?:\s{_NAME}){{0,3}}(?:\s{_INITIAL}){{0,3}})(?!\w)"
)
_IN_FULL = re.compile(_SMALL)
_FULL_BETWEEN = re.compile(_BETWEEN)
_WITH_INITIAL = re.compile(rf"(?:^|\s){_INITIAL}(?:\s|$)")
_LARGE_PARTICLE = re.compile(r"(?:V[ao]n|Ter?|De[nrls]?|Del[al]a?|D[aiou]s?|L[aeo]s?|El|Mac|St\.?)")
_YEAR_BEHIND = re.compile(
    r"(?:[,;]?\s(?:et al\.?|and others))?,?(?:\s\(?(?:[Ee]ditors?|[Ee]ds?\.?)\)?)?[.,:]?\s?"
    r"(?:\((?:1[6-9]|20)\d\d[a-z]?\)[.,:;]?\s?|(?:1[6-9]|20)\d\d[a-z]?(?:[.,:;]\s|\s(?=[A-Z])))"
)
_TITLE_BEHIND = re.compile(
    r"(?:[,;]?\s(?:et al\.?|and others))?(?:,?\s\(?(?:[Ee]ditors?|[Ee]ds?\.?)\)?)?"
    rf"(?:\.|(?<=\.),?)\s(?=[\"“'‘]?(?:{_CAPITAL}|\d))"
)
_COLON_BEHIND = re.compile(rf":\s(?={_CAPITAL})")  # "Roe, Jane: Title"
_YEAR_FIRST = re.compile(
    rf"[(\[]?((?:1[6-9]|20)\d\d)[a-z]?[)\]]?(?:[.,:;]\s*|\s(?={_CAPITAL})(?!.{{0,4000}}\1))"
)
_GROUP_BEFORE_YEAR = re.compile(
    r"([A-Z][^.()\d]{1,150}?)(?:[.,]\s|[.,]?\s\()(?:1[6-9]|20)\d\d[a-z]?\)?[.,:;]?\s"
)
_GROUP_BEFORE_TITLE = re.compile(
    rf"([A-Z][^.:()\d“\"]{{1,150}}?)(?:[.:]\s(?={_CAPITAL})|,\s(?=[“\"]))"
)
_ACRONYM = range(3, 7)  # letters of one before a title: "NICE. Depression in adults"
_SAME_AUTHORS = re.compile(r"(?:[—―]{1,6}|[–_-]{2,12})[\s.,:]*")  # as those of the entry before
_TITLE_WORD = re.compile(rf"(?<![\w'’.-]){_SMALL}{{4,}}+")
_END = re.compile(r"[.?!][\"”]?\s")
_TITLE_END = re.compile(rf"{_SMALL}{{3}}[)\]]?[.?!][\"”]?\s")

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
    r"|(?<=\bU\.S)\.\s(?:Army|Department|Food|Multi|National|Navy|Preventive|Public|Renal|Veterans)"
    r"|(?:(?<=[:;,]\s[IVX])|(?<=[:;,]\sI[IVX])|(?<=[:;,]\sIII))\.\s[A-Z]"
)
_NO_END = rf"(?:{_GENUS}|{_SPECIES}|{_ABBREVIATED})"
# Russian lists divide the title from the journal by "//", German and Polish ones by a comma.
_TITLE = rf"[\"“]?(.{{15,400}}?)(?:[?]|(?!{_NO_END})\.(?=\s|$)|\s(?=//\s)|,\s(?=in:\s{_CAPITAL}|„))"
# What is quoted may have quotes in it; a short one is the title if a full stop or comma ends it.
_QUOTED_TITLE = (
    r"[\"“]((?:“[^“”]{1,200}”|[^“]){4,400}?)(?:[.,?!][\"”](?=\s[A-Z])"
    r"|(?<=[^“\"]{15})(?:[.,?!][\"”](?=\s|$)|[\"”](?:[.,:](?=\s|$)|(?=\s[A-Z]))))"
)
# In British lists in single ones, which apostrophes look like, and in French ones in « ».
_SINGLY_QUOTED_TITLE = (
    r"(?:[‘']{1,2}(.{15,400}?[\w)\]?!”\"])[.,]?[’']{1,2}(?:[.,](?=\s|$)|(?=\s[A-Z\d(]))"
    r"|«\s?([^«»]{4,400}?)\s?»(?=[\s.,:]|$))"
)
_JOURNAL_NAME = (
    rf"{_CAPITAL}[\w.:’'()-]{{0,40}}(?:\s(?:\(?{_CAPITAL}[\w.:’'()-]{{0,40}}|&|and|d[eu]|der|et|for|für|in|of"
    r"|on|the|und)){0,14}"
)
_NAMED = re.compile(rf"\b{_CAPITAL}{{1,3}}[,;]|\b{_CAPITAL}\.\s?{_CAPITAL}")
_DATED_JOURNAL = re.compile(rf"[”\"]?\s{_JOURNAL_NAME}[.,]?\s\(?(?:1[6-9]|20)\d\d\)?\s?[;:,(]")
# "Does sleep help? Trials among bakers. J Sleep": unlike a journal's name, what goes on has words
# in lower case, and a journal behind it; or small words, and a journal with its volume or year; or
# begins with "A" or in lower case.
_GOES_ON_BEHIND = (
    rf"[\s.”\"]*(?:(?=An?\s|{_SMALL})[^.?]{{3,300}}[.?]\s(?={_CAPITAL})|(?!In\s|Proc)(?={_CAPITAL})"
    rf"(?:(?=[^.?]{{1,200}}?\s{_SMALL}{{4,}}+\s[^.?]{{0,200}}?{_SMALL}{{4}})"
    rf"[^.?]{{8,300}}[.?]\s(?={_CAPITAL})"
    r"|(?!J(?:\.|ournal)|Ann(?:als)?\b|Arch)"
    r"(?=[^.?]{1,200}?\s(?:an?|at|by|for|from|in|of|on|the|to|with|vs|versus)\s)"
    rf"[^.?]{{8,300}}[.?]\s(?={_JOURNAL_NAME}[.,;:]?\s\(?\d)))"
)
# Where a comma or a colon ends the authors, a comma ends the title too, before a journal that has a
# volume: "Roe, J.: Does sleep help, J Sleep, 4, 28–37, 2001", "J. Roe, Does sleep help, Sleep (New
# York, N.Y.) 4 (2001) 28–37".
_TITLE_BEFORE_COMMA = (
    rf"[\"“]?([^“”\"]{{15,400}}?),\s(?={_CAPITAL}[\w.:&’'-]{{0,40}}"
    r"(?:\s(?:[\w.:&’'-]{1,40}|\([^()]{1,40}\))){0,14}"
    r"(?:,\s(?:[Vv]ol\.?\s)?\d{1,4}(?!\d)[A-Za-z]?\s?[,:(]"
    r"|,?\s\d{1,4}[A-Za-z]?(?:\s?\([^()]{1,20}\))?\s\((?:1[6-9]|20)\d\d\)))"
)
# Where "(2001) Title, J Sleep, 4: 28–37." goes on behind its title.
_PLACE_BEHIND_COMMA = re.compile(r",\s\d{1,4}\s?(?:\(\d{1,4}\)\s?)?(?::\s?|,\s)\d{1,5}")
_PLACE_OF_JOURNAL = re.compile(
    r"\s[A-Z]?\d{1,5}[,:]\s?\w?\d{1,7}(?:\s?[–-]\s?\w?\d{1,7})?\s?\((?:1[6-9]|20)\d\d\)\Z"
)
_JOURNAL = re.compile(
    rf"[\s.,”\"/]*(?:[Ii]n:\s)?({_CAPITAL}[\w&:. -]{{2,80}}?)[.,;]?\s*(?=[\d(;,]|$)"
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
    return _SLASH.sub("; ", entry)


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
    joint = sum(_read_joint_names(_spell_alike(text)) is not None for text in texts[:_MOST])
    names_first = joint >= max(2, _NAMES_FIRST * len(texts))
    before: tuple[str, ...] = ()
    for text in texts[:_MOST]:
        label = _LABEL.match(text.translate(WIDE))
        shown = (label[1] or "").strip("[]().").replace("⁺", "+") if label else ""
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
    authors, end = (
        (before, same.end())
        if same
        else _read_full_names(entry, names_first) or _read_group(entry) or _read_initials(entry)
    )
    rest = entry[end:].lstrip()
    if dated := _YEAR_FIRST.match(rest):
        rest = rest[dated.end() :]
    ended = compile_once(_QUOTED_TITLE).match(rest)
    ended = ended or compile_once(_SINGLY_QUOTED_TITLE).match(rest)
    stopped = None if ended else compile_once(_TITLE).match(rest)
    is_behind_comma = not dated and entry[:end].rstrip().endswith((",", ":"))
    if not ended and (is_behind_comma or (stopped and _PLACE_BEHIND_COMMA.search(stopped[0]))):
        ended = compile_once(_TITLE_BEFORE_COMMA).match(rest)
    title = ended or stopped
    if title is None or not (authors or _is_unsigned(title[0], rest[title.end() :])):
        return authors, "", ""
    end = title.end()
    if not ended and (more := compile_once(_GOES_ON_BEHIND).match(rest, end)):
        end = more.end()
    named = rest[title.start(title.lastindex or 0) : end].strip(' "“”«»,.—')
    if ended and rest.startswith(("‘", "'")):
        named = named.rstrip("’'.,")
    if _PLACE_OF_JOURNAL.search(named):  # "Roe J., Nature 4, 28 (1994)" has no title
        return authors, "", ""
    return authors, named, rest[end:]


def _is_unsigned(title: str, behind: str) -> bool:
    """Whether an entry without authors that are recognised has none: it begins with a title in
    words, behind which a journal and its year stand."""
    return (
        _TITLE_WORD.search(title) is not None
        and _NAMED.search(title) is None
        and _DATED_JOURNAL.match(behind) is not None
    )


_Names = tuple[tuple[str, ...], int]


def _read_initials(entry: str) -> _Names:
    """Return the authors with initials at the beginning of an entry, and where they end."""
    named = compile_once(_AUTHORS).match(entry)
    dated = _YEAR_AFTER_AUTHORS.match(entry)
    if dated and named and _LAST_NAMED.search(named[0]) and named.end() < dated.end(1):
        dated = None
    if dated and named:
        titled = compile_once(_TITLE_BEFORE_COMMA).match(entry, named.end())
        if (titled and titled.end() < dated.end(1)) or _has_title(
            entry[named.end() : dated.end(1)]
        ):
            dated = None  # the year stands behind the journal
    found = dated or named
    if found is None:
        return (), 0
    authors = []
    for name in compile_once(_ONE_AUTHOR).finditer(entry[: found.end(1) + 1]):
        surname, initials = (name[1], name[2]) if name[1] else (name[4], name[3])
        authors.append(f"{surname}, {initials.strip()}")
    return tuple(authors), found.end()


def _has_title(text: str) -> bool:
    """Whether a text between the first authors and a year has a title: what is quoted, or a word
    in lower case and the end of a sentence. In names, full stops are behind initials."""
    if compile_once(_QUOTED_TITLE).match(text) or compile_once(_SINGLY_QUOTED_TITLE).match(text):
        return True
    word = _TITLE_WORD.search(text)
    return bool(_TITLE_END.search(text) or (word and _END.search(text, word.end())))


def _read_group(entry: str) -> _Names | None:
    """Return the group at the beginning of an entry, if it is named so, or is one word before a
    year or an acronym."""
    dated = _GROUP_BEFORE_YEAR.match(entry)
    found = dated or _GROUP_BEFORE_TITLE.match(entry)
    if found is None:
        return None
    is_word = " " not in found[1] and (dated or (found[1].isupper() and len(found[1]) in _ACRONYM))
    if not is_word and not is_named_as_group(found[1]):
        return None
    return (found[1].strip(),), found.end()


def _read_full_names(entry: str, names_first: bool) -> _Names | None:
    """Return the authors at the beginning of an entry, and where they end; None unless they are
    written with given names in full, or with initials before all surnames."""
    if found := _read_joint_names(entry):
        return found
    names, end, _ = _read_list(entry, (_NATURAL,))
    stop = _YEAR_BEHIND.match(entry, end) if names else None
    if stop is None and names and names_first:
        stop = _TITLE_BEHIND.match(entry, end)
    if stop is None:
        large = compile_once(_LARGE_INVERTED).match(entry)
        others = (_LARGE_NATURAL, _INVERTED) if large else (_NATURAL,)
        names, end, _ = _read_list(entry, (_INVERTED, *others))
        if any(_IN_FULL.search(name.partition(",")[2] or name) for name in names):
            behind = (_YEAR_BEHIND, _TITLE_BEHIND, _COLON_BEHIND)
            stop = next(filter(None, (form.match(entry, end) for form in behind)), None)
    return (tuple(map(_invert, names)), stop.end()) if stop else None


def _read_joint_names(entry: str) -> _Names | None:
    """Return the authors at the beginning of an entry, and where they end; None unless they are
    several with given names before the surnames, and the title is behind them."""
    names, end, joint = _read_list(entry, (_NATURAL,))
    if not joint:
        return None
    # "Roe A. Yeast and Bread. Old recipes" has one author
    if (
        len(names) == _PAIR
        and not _WITH_INITIAL.search(names[1])
        and _WITH_INITIAL.search(names[0])
    ):
        return None
    stop = _TITLE_BEHIND.match(entry, end)
    return (tuple(map(_invert, names)), stop.end()) if stop else None


def _read_list(entry: str, forms: Sequence[str]) -> tuple[list[str], int, str]:
    """Return the names at the beginning of an entry, the first of which is written in the first of
    the forms; where they end; and what is written before the last."""
    names: list[str] = []
    joint = ""
    end = 0
    found = compile_once(forms[0]).match(entry)
    while found is not None:
        names.append(found[0])
        end = found.end()
        between = _FULL_BETWEEN.match(entry, end)
        if between is None or len(names) == _MOST_AUTHORS:
            break
        # Only behind a semicolon, "Roe Doe, Jane" can't be "Roe Doe" and "Jane …".
        ordered = forms if ";" in between[0] else forms[::-1]
        others = (compile_once(form).match(entry, between.end()) for form in ordered)
        found = next(filter(None, others), None)
        joint = between[0].strip(",; ") if found else joint
    return names, end, joint


def _invert(name: str) -> str:
    """Return a name as "Surname, Given names"; that of a group as it is."""
    if "," in name or is_named_as_group(name):
        return name
    words = name.split()
    last = len(words) - 1
    particles = (
        at
        for at, word in enumerate(words[1:last], 1)
        if word[0].islower()
        or _LARGE_PARTICLE.fullmatch(word)
        or (re.fullmatch(_LARGE_NAME, word) and words[last].isupper())
    )
    at = next(particles, last)
    return f"{' '.join(words[at:])}, {' '.join(words[:at])}"
