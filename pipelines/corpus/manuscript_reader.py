"""What readers of manuscripts share: which folders are theirs."""

from pathlib import Path

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.file_reader import FileReader
from citespan.pipelines.corpus.files import find_first_files

_BESIDE = frozenset(
    (
        *(".bib", ".bst", ".cls", ".csl", ".csv", ".eps", ".gif", ".jpeg", ".jpg", ".pdf", ".png"),
        *(".sty", ".svg", ".tif", ".tiff"),
    )
)


class ManuscriptReader(FileReader):
    """The base of readers of manuscripts. A folder is recognised if it holds nothing but such
    manuscripts and what belongs to them, for a README lies in folders of any format."""

    def recognises(self, path: Path) -> bool:
        """See `Reader.recognises`."""
        files = find_first_files(path)
        own = [file for file in files if self.looks_like(file)]
        others = (file for file in files if file not in own)
        return bool(own) and all(file.suffix.lower() in _BESIDE for file in others)

    def skip(self, file: Path, source: str, usual: str) -> Rejected:
        """Say why a file is none of these manuscripts.

        Args:
            usual: what they are by their names, such as "Markdown by its name (.md)".
        """
        if file.suffix.lower() == ".bib":
            return Rejected(source, "a bibliography is read with what names it", "skipped")
        return Rejected(source, f"not {usual}", "skipped")
