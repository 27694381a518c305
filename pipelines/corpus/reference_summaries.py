"""The summaries that people wrote of CL-SciSumm's reference papers, to measure summaries by.

A topic's folder `summary` has one file of each kind, in mark-up or as plain text: the `abstract` of
the authors, the `community` summary (the sentences that annotators found to be cited), and the
`human` one, which an annotator wrote. The kind is in the file's name, in one topic only in its
mark-up. The title (`sid` 0) is no part of a summary.
"""

import html
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.files import decode, list_files, read_bytes, source_of
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.errors import InputError

KINDS: Final = ("human", "community", "abstract")

_ANY_KIND = "|".join(KINDS)
_IN_NAME = re.compile(rf"[._]({_ANY_KIND})(?:[._]|$)", re.IGNORECASE)
_IN_TEXT = re.compile(rf"<({_ANY_KIND})>", re.IGNORECASE)
_TITLE = re.compile(r"<S\s+sid\s*=\s*[\"']0[\"'][^<>]*>[^<]*(?:</S>)?", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


@dataclass(frozen=True)
class ReferenceSummaries:
    """The summaries of a collection.

    Attributes:
        texts: by topic and kind.
        unused: files that are no summary of these kinds, or a second one.
    """

    texts: dict[str, dict[str, str]]
    unused: tuple[Rejected, ...]


def read_summaries(folder: Path) -> ReferenceSummaries:
    """Read the summaries of all topics in a folder, or of one topic.

    Raises:
        InputError: if there is none.
    """
    texts: dict[str, dict[str, str]] = {}
    unused: list[Rejected] = []
    folders = sorted([*folder.glob("*/summary"), *folder.glob("summary")])
    topics = [folder.resolve().parent.name for folder in folders]
    for inside, topic in zip(folders, topics, strict=True):
        found = texts.setdefault(topic, {})
        for file in _sort(list_files(inside), topic):
            kind, text = _read(file, [other for other in topics if other != topic])
            if kind in KINDS and kind not in found and text:
                found[kind] = text
            else:
                reason = f"a second {kind} summary" if kind in found else text or "no text"
                unused.append(Rejected(source_of(file), reason, "skipped"))
    if not any(texts.values()):
        raise InputError(
            f"{folder}: no summaries there; give CL-SciSumm's folder of topics, each with a "
            "folder 'summary'"
        )
    return ReferenceSummaries(texts, tuple(unused))


def _sort(files: list[Path], topic: str) -> list[Path]:
    """Return files with those first whose names are of the topic: in others, it is misspelt."""
    return sorted(files, key=lambda file: not file.name.lower().startswith(topic.lower()))


def _read(file: Path, others: list[str]) -> tuple[str, str]:
    """Return the kind of a file's summary with its text; or "" with what is wrong with it."""
    other = next((topic for topic in others if file.name.lower().startswith(topic.lower())), None)
    if other is not None:
        return "", f"named after topic {other}"
    try:
        written = decode(read_bytes(file))
    except InputError as error:
        return "", str(error)
    kind = _IN_NAME.search(file.name) or _IN_TEXT.search(written)
    if kind is None:
        return "", f"not named as one of {', '.join(KINDS)}"
    text = _TAG.sub(" ", _TITLE.sub(" ", written))
    return kind[1].lower(), collapse_space(html.unescape(text))
