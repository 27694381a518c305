"""Articles whose every sentence says of which article and which version it is, so that what is
found shows by itself whether it belongs together."""

import gzip
import io
import json
import random
import re
import tarfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from made_articles import WORDS

_MARK = re.compile(r"\bkin(\d+)v(\d+)n(\d+)\b", re.IGNORECASE)
_CITED = 2
FORMATS = ("jats", "jsonl")

Marks = dict[int, dict[int, set[int]]]
"""Numbers of sentences, by article and version."""


def name(number: int) -> str:
    """Return the id of an article."""
    return f"PMC{number}"


def word(number: int) -> str:
    """Return the word that each sentence of an article has and no other article."""
    return f"kin{number}"


def mark(number: int, version: int, sentence: int) -> str:
    """Return the word that one sentence of a version of an article has."""
    return f"{word(number)}v{version}n{sentence}"


def find_marks(text: str) -> Marks:
    """Return what sentences a text has."""
    found: Marks = defaultdict(lambda: defaultdict(set))
    for number, version, sentence in _MARK.findall(text):
        found[int(number)][int(version)].add(int(sentence))
    return found


def list_sentences(number: int, version: int) -> list[str]:
    """Return the sentences of a version, the last of which cites two neighbours."""
    generator = random.Random(f"{number} {version}")
    sentences = []
    for at in range(count_sentences(number, version)):
        some = " ".join(generator.choice(WORDS) for _ in range(6))
        sentences.append(
            f"Kinase {word(number)} binds the receptor {mark(number, version, at)} of {some}"
        )
    return [*(f"{sentence}." for sentence in sentences[:-1]), f"{sentences[-1]} [1,2]."]


def count_sentences(number: int, version: int) -> int:
    """Return how many sentences a version has."""
    return 2 + (number + version) % 4


def _list_cited(number: int) -> list[int]:
    """Return the articles that one cites: its neighbours in a ring of ten."""
    return [number - number % 10 + (number + step) % 10 for step in range(1, _CITED + 1)]


def _doi(number: int) -> str:
    return f"10.1000/{word(number)}"


def _title(number: int) -> str:
    return f"Kinase {word(number)} in the cells of mice"


def _make_line(number: int, version: int) -> str:
    references = [
        f"Ito K. {_title(cited)}. J Soak. 2001. doi:{_doi(cited)}" for cited in _list_cited(number)
    ]
    return json.dumps(
        {"id": name(number), "title": _title(number), "doi": _doi(number)}
        | {"text": " ".join(list_sentences(number, version)), "references": references}
    )


def _make_xml(number: int, version: int) -> str:
    *others, last = list_sentences(number, version)
    cites = ",".join(
        f'<xref ref-type="bibr" rid="r{at}">{at}</xref>' for at in range(1, _CITED + 1)
    )
    references = "".join(
        f'<ref id="r{at}"><label>{at}</label><mixed-citation><article-title>{_title(cited)}'
        f'</article-title><pub-id pub-id-type="doi">{_doi(cited)}</pub-id></mixed-citation></ref>'
        for at, cited in enumerate(_list_cited(number), 1)
    )
    return (
        f'<article><front><article-meta><article-id pub-id-type="pmc">{number}</article-id>'
        f'<article-id pub-id-type="doi">{_doi(number)}</article-id><title-group><article-title>'
        f"{_title(number)}</article-title></title-group></article-meta></front>"
        f"<body><p>{' '.join(others)}</p><p>{last.replace('1,2', cites)}</p></body>"
        f"<back><ref-list>{references}</ref-list></back></article>"
    )


class Shelf:
    """A folder of files that have articles of one format: files of one or several articles,
    compressed files, and archives.

    Attributes:
        files: the versions of the articles that each file has, by its name.
    """

    def __init__(self, folder: Path, form: str) -> None:
        self.folder = folder
        self.form = form
        self.files: dict[str, dict[int, int]] = {}
        folder.mkdir(parents=True)

    @property
    def versions(self) -> dict[int, int]:
        """The versions of all articles in the folder."""
        return {
            number: version
            for versions in self.files.values()
            for number, version in versions.items()
        }

    def fill(self, versions: Mapping[int, int], generator: random.Random) -> None:
        """Write articles that the folder does not have to new files."""
        waiting = list(versions)
        while waiting:
            kinds = [".nxml", ".nxml.gz"] if self.form == "jats" else [".jsonl", ".jsonl.gz"]
            kind = generator.choice([*kinds, kinds[0], ".tar", ".tar.gz"])
            several = kind not in (".nxml", ".nxml.gz")
            taken = [waiting.pop() for _ in range(generator.randint(1, 4 if several else 1))
                     if waiting]  # fmt: skip
            self.write(f"{taken[0]}{kind}", {number: versions[number] for number in taken})

    def write(self, file: str, versions: Mapping[int, int]) -> None:
        """Write a file at once, so that no load meets half of it."""
        self.files[file] = dict(versions)
        if ".tar" in file:
            content = self._pack(versions, "w:gz" if file.endswith(".gz") else "w")
        else:
            content = "\n".join(self._list_texts(versions)).encode()
            content = gzip.compress(content) if file.endswith(".gz") else content
        beside = self.folder.parent / f".{self.folder.name}-{file}"
        beside.write_bytes(content)
        beside.replace(self.folder / file)

    def change(self, file: str, version: int) -> None:
        """Write a file again with another version of its articles."""
        self.write(file, dict.fromkeys(self.files[file], version))

    def remove(self, file: str) -> None:
        """Delete a file."""
        del self.files[file]
        (self.folder / file).unlink()

    def move(self, file: str, shelf: "Shelf") -> None:
        """Move a file to another folder of that format, which has none of its articles."""
        shelf.files[file] = self.files.pop(file)
        (self.folder / file).rename(shelf.folder / file)

    def _list_texts(self, versions: Mapping[int, int]) -> list[str]:
        make = _make_xml if self.form == "jats" else _make_line
        return [make(number, version) for number, version in versions.items()]

    def _pack(self, versions: Mapping[int, int], mode: str) -> bytes:
        end = ".nxml" if self.form == "jats" else ".jsonl"
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
            for number, text in zip(versions, self._list_texts(versions), strict=True):
                member = tarfile.TarInfo(f"in/{number}{end}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
        return packed.getvalue()


def draw_numbers(
    generator: random.Random, numbers: Collection[int], part: float = 0.7
) -> Iterable[int]:
    """Return some of the numbers, one at least."""
    chosen = [number for number in numbers if generator.random() < part]
    return chosen or [min(numbers)]
