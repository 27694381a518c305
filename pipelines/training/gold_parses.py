"""Texts whose tags and dependencies people have marked, read from CoNLL-U."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from citespan.pipelines.errors import InputError

if TYPE_CHECKING:
    from spacy.tokens import Doc

_PARAGRAPH = "# newpar"
_COLUMNS = 10


def find_conllu(paths: Sequence[Path]) -> list[Path]:
    """Return the CoNLL-U files named, and those in the folders named, by file name.

    Raises:
        InputError: for a path that isn't there, or a folder without such files.
    """
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob("*.conllu")) if path.is_dir() else [path]
        if not inside:
            raise InputError(f"{path}: no *.conllu files in there")
        found += inside
    return sorted(found, key=lambda file: (file.name, file))


def read_parses(file: Path) -> "Iterator[Doc]":
    """Yield the paragraphs of one file, each a `Doc` with gold tokens, tags, heads and labels.

    Paragraphs are parted by `# newpar`; without any, the file is one paragraph. The label "root"
    becomes spaCy's "ROOT"; CRAFT's other labels are those that spaCy looks for in English.

    Raises:
        InputError: for a file that can't be read or isn't CoNLL-U with tags and heads.
    """
    from spacy.tokens import Doc
    from spacy.training.converters.conllu_to_docs import conllu_to_docs

    for paragraph in _paragraphs(file):
        sentences: list[Doc] = list(
            conllu_to_docs(paragraph, n_sents=1, no_print=True)  # type: ignore[no-untyped-call]
        )
        yield Doc.from_docs(sentences)


def read_text(file: Path) -> str:
    """Return the text of a file.

    Raises:
        InputError: if it can't be read or isn't UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 at byte {error.start}; convert it") from error


def _paragraphs(file: Path) -> Iterator[str]:
    text = read_text(file)
    sentences: list[str] = []
    tokens: list[str] = []
    any_sentence = False
    for number, line in enumerate([*text.splitlines(), "", _PARAGRAPH], start=1):
        if line.startswith(_PARAGRAPH):
            if sentences:
                any_sentence = True
                yield "\n\n".join(sentences)
            sentences = []
        elif line and not line.startswith("#"):
            _check(line, f"{file}, line {number}")
            tokens.append(line)
        elif not line and tokens:
            _check_tree(tokens, f"{file}, the sentence before line {number}")
            sentences.append("\n".join(tokens))
            tokens = []
    if not any_sentence:
        raise InputError(f"{file}: no sentence in there; CoNLL-U with tags and heads is needed")


def _check(line: str, place: str) -> None:
    columns = line.split("\t")
    if len(columns) != _COLUMNS:
        raise InputError(f"{place}: {len(columns)} columns, where CoNLL-U has {_COLUMNS}")
    identifier, tag, head, label = columns[0], columns[4], columns[6], columns[7]
    if identifier.isdecimal() and (tag == "_" or not head.isdecimal() or label == "_"):
        raise InputError(f"{place}: no tag (column 5), head (7) or label (8)")


def _check_tree(tokens: list[str], place: str) -> None:
    columns = [token.split("\t") for token in tokens]
    heads = {token[0]: token[6] for token in columns if token[0].isdecimal()}
    for token in heads:
        head, steps = token, 0
        while head in heads and steps <= len(heads):
            head, steps = heads[head], steps + 1
        if head != "0":
            raise InputError(f"{place}: the heads (column 7) make no tree")


def map_coarse_tags(docs: "Iterable[Doc]") -> dict[str, str]:
    """Return tag (column 5) to the part of speech (column 4) that it has most often."""
    counts: dict[str, Counter[str]] = {}
    for doc in docs:
        for token in doc:
            counts.setdefault(token.tag_, Counter())[token.pos_] += 1
    return {tag: count.most_common(1)[0][0] for tag, count in sorted(counts.items())}
