"""How well concepts are recognised, against mentions that people have marked in texts."""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.text.abbreviations import find_abbreviations
from citespan.pipelines.vocabulary.matching import Matcher, match_with_abbreviations
from citespan.pipelines.vocabulary.store import Vocabulary

_COLUMNS = ("start", "end", "code")


@dataclass(frozen=True, slots=True)
class Mention:
    """`text[start:end]` names the concept `code`."""

    start: int
    end: int
    code: str


@dataclass(frozen=True)
class MarkedText:
    """A text with the mentions in it, in order, each once."""

    name: str
    text: str
    mentions: tuple[Mention, ...]


def read_mentions(
    table: Path, texts: Path, codes: Mapping[str, str] | None
) -> tuple[list[MarkedText], list[Rejected]]:
    """Marked texts, sorted by name, and the rows that could not be used.

    Args:
        table: tab-separated with a heading line: the text's name first, and columns `start`,
            `end` (characters) and `code`; where there is a column `text`, it must be what stands
            there.
        texts: the folder of the texts, NAME.txt in UTF-8.
        codes: what a code is called in the vocabulary; codes not in it stay as they are.

    Raises:
        InputError: if the table or a text can't be read, or a column is missing.
    """
    mentions: dict[str, set[Mention]] = defaultdict(set)
    contents: dict[str, str] = {}
    rejected = []
    codes = codes or {}
    try:
        with table.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            columns = reader.fieldnames or []
            missing = [name for name in _COLUMNS if name not in columns]
            if missing:
                raise InputError(f"{table}: no column {', '.join(missing)} in the heading line")
            for row in reader:
                name = row[columns[0]]
                if name not in contents:
                    contents[name] = (texts / f"{name}.txt").read_text(encoding="utf-8")
                mention = _mention(row, contents[name], codes)
                if mention is None:
                    reason = "offsets are not those of the text there; mend or remove the row"
                    rejected.append(Rejected(f"{table}:{reader.line_num}", reason))
                else:
                    mentions[name].add(mention)
    except OSError as error:
        raise InputError(f"{error.filename}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{table} or its texts: not UTF-8; convert them") from error
    marked = [
        MarkedText(
            name, text, tuple(sorted(mentions[name], key=lambda m: (m.start, m.end, m.code)))
        )
        for name, text in sorted(contents.items())
    ]
    return marked, rejected


def _mention(row: Mapping[str, str], text: str, codes: Mapping[str, str]) -> Mention | None:
    try:
        start, end = int(row["start"]), int(row["end"])
    except (TypeError, ValueError):
        return None
    if not 0 <= start < end <= len(text) or row.get("text", text[start:end]) != text[start:end]:
        return None
    return Mention(start, end, codes.get(row["code"], row["code"]))


@dataclass(frozen=True)
class Recognition:
    """Exact agreement in the characters (`spans`), and in these and the concept (`concepts`).

    A span that is marked with two concepts is one span and two concepts.
    """

    spans: PrecisionRecall
    concepts: PrecisionRecall


def score_recognition(
    texts: Iterable[MarkedText], recognise: Callable[[str], Iterable[Mention]]
) -> Recognition:
    """Return what `recognise` finds in each text, compared with what is marked there."""
    spans = concepts = PrecisionRecall()
    for marked in texts:
        found = set(recognise(marked.text))
        gold = set(marked.mentions)
        concepts += PrecisionRecall.of(found, gold)
        spans += PrecisionRecall.of(
            {(m.start, m.end) for m in found}, {(m.start, m.end) for m in gold}
        )
    return Recognition(spans, concepts)


def has_any_code(vocabulary: Vocabulary, texts: Iterable[MarkedText]) -> bool:
    """Return whether a mention has the code of a concept of the vocabulary; True without mentions.

    Where none has, codes and concepts are identifiers of different kinds, and none can agree.
    """
    codes = {mention.code for text in texts for mention in text.mentions}
    return not codes or any(vocabulary.concept_number(code) is not None for code in codes)


def make_recogniser(matcher: Matcher) -> Callable[[str], list[Mention]]:
    """Return what `matcher` finds in a text, with the abbreviations that the text defines."""

    def recognise(text: str) -> list[Mention]:
        found = match_with_abbreviations(matcher, text, find_abbreviations(text))
        return [Mention(match.start, match.end, match.concept.cui) for match in found]

    return recognise
