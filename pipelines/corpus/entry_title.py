"""The title of an entry of a reference list that is text: where it begins, and what ends it."""

import re

from citespan.pipelines.patterns import compile_once

SMALL = "[a-zß-öø-ÿ]"
CAPITAL = "[^\\W\\d_a-zß-öø-ÿ]"
TITLE_START = rf"[a-z]{{0,4}}{CAPITAL}|\d"  # "Bread", "mRNA", "5 loaves"
_TITLE_WORD = re.compile(rf"(?<![\w'’.-]){SMALL}{{4,}}+")
_END = re.compile(r"[.?!][\"”]?\s")
_TITLE_END = re.compile(rf"{SMALL}{{3}}[)\]]?[.?!][\"”]?\s")

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
_TITLE = (
    rf"[\"“]?(.{{15,400}}?)(?:[?]|(?!{_NO_END})\.(?=[:–—-]{{0,2}}(?:\s|$))|\s(?=//\s)"
    rf"|,?\s(?=in:\s[«“\"‘]?{CAPITAL}|„))"
)
# What is quoted may have quotes in it; a short one is the title if a full stop or comma ends it.
_QUOTED_TITLE = (
    r"[\"“]((?:“[^“”]{1,200}”|[^“]){4,400}?)(?:[.,?!][\"”](?=\s[A-Z])"
    r"|(?<=[^“\"]{15})(?:[.,?!][\"”](?=\s|$)|[\"”](?:[.,:](?=\s|$)|(?=\s[A-Z]))))"
)
# In British lists in single ones, which apostrophes look like, and in French ones in « ».
_SINGLY_QUOTED_TITLE = (
    r"(?:[‘']{1,2}(.{15,400}?[\w)\]?!”\"])[.,]?[’']{1,2}(?:[.,](?=\s|$)|(?=\s[A-Z\d(]))"
    r"|«\s?([^«»]{4,400}?)\s?»(?=[\s.,:]|$)|»([^«»]{4,400}?)«(?=[\s.,:]|$)"
    r"|„([^„“”]{4,400}?)[“”](?=[\s.,:]|$)|「([^「」]{4,400}?)」)"
)
_JOURNAL_NAME = (
    rf"{CAPITAL}[\w.:’'()-]{{0,40}}(?:\s(?:\(?{CAPITAL}[\w.:’'()-]{{0,40}}|&|and|d[eu]|der|et|for|für|in|of"
    r"|on|the|und)){0,14}"
)
_NAMED = re.compile(rf"\b{CAPITAL}{{1,3}}[,;]|\b{CAPITAL}\.\s?{CAPITAL}")
_DATED_JOURNAL = re.compile(rf"[”\"]?\s{_JOURNAL_NAME}[.,]?\s\(?(?:1[6-9]|20)\d\d\)?\s?[;:,(]")
# "Does sleep help? Trials among bakers. J Sleep": unlike a journal's name, what goes on has words
# in lower case, and a journal behind it; or small words, and a journal with its volume or year; or
# begins with "A" or in lower case.
_GOES_ON_BEHIND = (
    rf"[\s.”\"]*(?:(?=An?\s|The\s(?!Lancet|New|Journal|\w+\sJ)|{SMALL})[^.?]{{3,300}}[.?]\s(?={CAPITAL})"
    rf"|(?!In[\s:]|Proc)(?={CAPITAL})"
    rf"(?:(?=[^.?]{{1,200}}?\s{SMALL}{{4,}}+\s[^.?]{{0,200}}?{SMALL}{{4}})"
    rf"[^.?]{{8,300}}[.?]\s(?={CAPITAL})"
    r"|(?!J(?:\.|ournal)|Ann(?:als)?\b|Arch)"
    r"(?=[^.?]{1,200}?\s(?:an?|at|by|for|from|in|of|on|the|to|with|vs|versus)\s)"
    rf"[^.?]{{8,300}}[.?]\s(?={_JOURNAL_NAME}[.,;:]?\s\(?\d)))"
)
# Where a comma or a colon ends the authors, a comma ends the title too, before a journal that has a
# volume: "Roe, J.: Does sleep help, J Sleep, 4, 28–37, 2001", "J. Roe, Does sleep help, Sleep (New
# York, N.Y.) 4 (2001) 28–37".
_TITLE_BEFORE_COMMA = (
    rf"[\"“]?([^“”\"]{{15,400}}?),\s(?={CAPITAL}[\w.:&’'-]{{0,40}}"
    r"(?:\s(?:[\w.:&’'-]{1,40}|\([^()]{1,40}\))){0,14}"
    r"(?:,\s(?:[Vv]ol\.?\s)?\d{1,4}(?!\d)[A-Za-z]?\s?[,:(]"
    r"|,?\s\d{1,4}[A-Za-z]?(?:\s?\([^()]{1,20}\))?\s\((?:1[6-9]|20)\d\d\)))"
)
# Where "(2001) Title, J Sleep, vol. 4, pp. 28–37" goes on behind its title: a comma, colon or
# semicolon ends it before a journal that has a volume.
_PLACE = (
    r"[,.:]?\s(?:(?:[Vv]ol|[Nn][ro]|[Bb]d|pp?|[vtS]|n[°º])\.?\s\(?\d"
    r"|\(?(?!(?:1[6-9]|20)\d\d(?!,\s\d{4}))\d{1,4}\s?[(,:]\s?(?:[A-Za-z]{1,2}\.?\s?)?\d"
    r"|(?<=[»’”],\s)[IVXLC]{1,8}\b)"
)
_TITLE_BEFORE_PLACE = (
    rf"[\"“]?([^“”\"]{{15,400}}?)[,:;]?\s?(?<=[,:;\s])(?:(?<=[,:;]\s)|(?=[«‘“]))(?:[Ii]n:?\s)?"
    rf"(?=[«‘“]?{_JOURNAL_NAME}[»’”]?{_PLACE})"
)
_LONGEST_PLACE = 4  # characters behind the full stop of "vol."
_DIGIT = re.compile(r"\d")
_PLACE_OF_JOURNAL = re.compile(
    r"\s[A-Z]?\d{1,5}[,:]\s?\w?\d{1,7}(?:\s?[–-]\s?\w?\d{1,7})?\s?\((?:1[6-9]|20)\d\d\)\Z"
)


def read_title(
    rest: str, *, is_signed: bool, is_dated: bool, is_behind_comma: bool
) -> tuple[str, str]:
    """Return the title that a text begins with, and the text behind it; "" and "" where none is
    recognised.

    Args:
        is_signed: whether authors stand before it.
        is_dated: whether a year does.
        is_behind_comma: whether a comma or a colon ends the authors.
    """
    ended = compile_once(_QUOTED_TITLE).match(rest)
    ended = ended or compile_once(_SINGLY_QUOTED_TITLE).match(rest)
    stopped = None if ended else compile_once(_TITLE).match(rest)
    if not ended and is_behind_comma and not is_dated:
        ended = compile_once(_TITLE_BEFORE_COMMA).match(rest)
    if not ended and stopped:
        ended = _find_before_place(rest, stopped.end())
    title = ended or stopped
    if title is None or not (is_signed or _is_unsigned(title[0], rest[title.end() :])):
        return "", ""
    end = title.end()
    if not ended and (more := compile_once(_GOES_ON_BEHIND).match(rest, end)):
        end = more.end()
    named = rest[title.start(title.lastindex or 0) : end].strip(' "“”«»,.:;—')
    if ended and rest.startswith(("‘", "'")):
        named = named.rstrip("’'.,")
    if _PLACE_OF_JOURNAL.search(named):  # "Roe J., Nature 4, 28 (1994)" has no title
        return "", ""
    return named, rest[end:]


def has_title(entry: str, start: int, stop: int) -> bool:
    """Whether an entry has a title between its first authors and a year: what is quoted, what a
    comma ends before a journal, or a word in lower case and the end of a sentence. In names, full
    stops are behind initials."""
    titled = compile_once(_TITLE_BEFORE_COMMA).match(entry, start)
    if titled and titled.end() < stop:
        return True
    text = entry[start:stop]
    if compile_once(_QUOTED_TITLE).match(text) or compile_once(_SINGLY_QUOTED_TITLE).match(text):
        return True
    word = _TITLE_WORD.search(text)
    return bool(_TITLE_END.search(text) or (word and _END.search(text, word.end())))


def _find_before_place(rest: str, stop: int) -> re.Match[str] | None:
    """Return the title that a comma, colon or semicolon ends before `stop`, where a journal and its
    volume stand between, without words in lower case."""
    if not _DIGIT.search(rest, 0, stop + _LONGEST_PLACE):
        return None
    found = compile_once(_TITLE_BEFORE_PLACE).match(rest, 0, stop + _LONGEST_PLACE)
    if found is None or found.end() >= stop:
        return None
    place = compile_once(_JOURNAL_NAME + r"[»’”]?").match(
        rest, found.end() + (rest[found.end()] in "«‘“")
    )
    return None if place is None or _TITLE_WORD.search(rest, place.end(), stop) else found


def _is_unsigned(title: str, behind: str) -> bool:
    """Whether an entry without authors that are recognised has none: it begins with a title in
    words, behind which a journal and its year stand."""
    return (
        _TITLE_WORD.search(title) is not None
        and _NAMED.search(title) is None
        and _DATED_JOURNAL.match(behind) is not None
    )
