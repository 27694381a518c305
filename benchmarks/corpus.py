"""The articles that are loaded: real ones where they are, else copies of the sample."""

import re
from pathlib import Path

from citespan.pipelines.evaluation.shipped import sample

_CRAFT = Path(__file__).parents[2] / "shared/data/craft/train/nxml"
_PMC_ID = re.compile(rb'<article-id pub-id-type="pmc(?:id)?">[^<]*</article-id>')
_SAMPLE_COPIES = 60


def articles_folder(named: Path | None, scratch: Path) -> Path:
    """The folder named, else CRAFT's 60 articles, else 60 copies of the sample's."""
    if named is not None:
        return named
    if _CRAFT.is_dir():
        return _CRAFT
    return repeated(sample("jats"), _SAMPLE_COPIES, scratch / "sample")


def repeated(folder: Path, count: int, target: Path) -> Path:
    """So many copies of the JATS files in `folder`, in turn, each under a PMC id of its own."""
    target.mkdir()
    files = sorted(file for file in folder.iterdir() if file.suffix in {".xml", ".nxml"})
    for number in range(count):
        content = _PMC_ID.sub(b"", files[number % len(files)].read_bytes())
        identifier = f"PMC{90_000_000 + number}"
        tag = f'<article-id pub-id-type="pmc">{identifier}</article-id>'.encode()
        content = content.replace(b"<article-meta>", b"<article-meta>" + tag, 1)
        (target / f"{identifier}.nxml").write_bytes(content)
    return target
