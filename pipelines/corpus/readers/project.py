"""A manuscript with the files that it names in one .zip file, as Overleaf exports it.

The manuscript is the LaTeX file that is no part of another; of several, the one called main.tex.
Without LaTeX, it is the one file of Markdown or Word. Nothing but such files and bibliographies is
unpacked.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.bibliographies import bibliography
from citespan.pipelines.corpus.file_reader import ManuscriptReader
from citespan.pipelines.corpus.files import STANDARD_INPUT
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.corpus.readers import latex, markdown
from citespan.pipelines.corpus.zip_file import read_members
from citespan.pipelines.errors import InputError

_READERS = {
    **dict.fromkeys(latex.ENDINGS, "latex"),
    **dict.fromkeys(markdown.ENDINGS, "markdown"),
    ".docx": "docx",
}
_BESIDE = (*bibliography.ENDINGS, ".bbl", ".yml")
_NOT_UNPACKED = ("/", ".", "__MACOSX")  # absolute, hidden or leading out, of a Mac's own
_MOST_FILES = 2_000
_MAIN = "main"  # as Overleaf calls it


@readers.register
class ProjectReader(ManuscriptReader):
    """Reads files called .zip."""

    name = "project"
    description = "a manuscript with its files in one .zip, as Overleaf exports it"
    self_contained = True

    def looks_like(self, file: Path) -> bool:
        return file.suffix.lower() == ".zip"

    def read_file(self, file: Path, source: str) -> Iterator[Article | Rejected]:
        if file == STANDARD_INPUT or not self.looks_like(file):
            yield self.skip(file, source, "a project by its name (.zip)")
            return
        members = read_members(file, _choose_files, "pack it again")
        files = {_spell(name): data for name, data in members.items()}
        name = _find_manuscript(files)
        if not name:
            reason = f"no manuscript in it, which would end in {', '.join(_READERS)}"
            yield Rejected(source, reason, "skipped")
            return
        with TemporaryDirectory(prefix="citespan-") as folder:
            _write(files, Path(folder))
            for reading in readers[_READERS[_ending(name)]].read(Path(folder, name)):
                if isinstance(reading, Article):
                    yield replace(reading, id=file.stem, source=source)
                else:
                    yield replace(reading, source=source)


def _spell(name: str) -> str:
    """Return the name of a member with the separators that it should have; old programs of Windows
    write others."""
    return name.replace("\\", "/")


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _choose_files(names: Iterable[str]) -> list[str]:
    chosen = [
        name
        for name in names
        if _ending(name) in (*_READERS, *_BESIDE)
        and not any(part.startswith(_NOT_UNPACKED) for part in PurePosixPath(_spell(name)).parts)
    ]
    if len(chosen) > _MOST_FILES:
        raise InputError(f"{len(chosen):,} files to read in it; at most {_MOST_FILES:,} are")
    return chosen


def _find_manuscript(files: dict[str, bytes]) -> str:
    """Return the name of the manuscript; "" if none is there.

    Raises:
        InputError: if there are several.
    """
    manuscripts = [name for name in files if _ending(name) in _READERS]
    typeset = [name for name in manuscripts if b"\\documentclass" in files[name]]
    found = typeset or [name for name in manuscripts if _READERS[_ending(name)] != "latex"]
    mains = [name for name in found if PurePosixPath(name).stem.lower() == _MAIN]
    if len(found) > 1 and len(mains) != 1:
        raise InputError(f"several manuscripts: {', '.join(found[:5])}; leave the others out")
    return (mains or found or [""])[0]


def _write(files: dict[str, bytes], folder: Path) -> None:
    for name, data in files.items():
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        except (OSError, ValueError) as error:
            raise InputError(f"{name[:80]!r} can't be unpacked; rename it") from error
