"""A Medline file of so many records, the same for the same seed.

    python -m benchmarks.synthetic_medline 30000 medline.xml.gz

Records look like NLM's: authors, a reference list, MeSH, four in ten structured, one in ten without
abstract. Abstracts are 4 to 16 sentences of 8 to 35 words, drawn by Zipf's law from common English
words and 20,000 made-up ones, so that terms are about as rare as in Medline.
"""

import argparse
import gzip
import random
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

_COMMON = (
    *("the", "of", "and", "in", "to", "with", "was", "were", "for", "that", "is", "by", "from"),
    *("we", "this", "are", "on", "between", "these", "patients", "not", "as", "at", "than"),
    *("after", "which", "or", "had", "be", "group", "study", "treatment", "effect", "compared"),
)
_SYLLABLES = (
    *("ba", "car", "do", "en", "fi", "gly", "ha", "in", "ka", "lo", "mi", "ne", "os", "pro"),
    *("ri", "sul", "ta", "ul", "ver", "xa"),
)
_SECTIONS = (
    ("BACKGROUND", "BACKGROUND"),
    ("METHODS", "METHODS"),
    ("RESULTS", "RESULTS"),
    ("CONCLUSIONS", "CONCLUSIONS"),
)
_HEAD = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE PubmedArticleSet PUBLIC '
    '"-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    '"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
_RARE_WORDS = 20_000


class _Author:
    """Writes sentences."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        rare = {
            "".join(self.random.choices(_SYLLABLES, k=self.random.randint(2, 5)))
            for _ in range(_RARE_WORDS)
        }
        self._words = [*_COMMON, *sorted(rare)]
        self._weights = list(accumulate(1 / rank for rank in range(3, len(self._words) + 3)))

    def words(self, count: int) -> str:
        return " ".join(self.random.choices(self._words, cum_weights=self._weights, k=count))

    def sentences(self, count: int) -> str:
        lengths = (self.random.randint(8, 35) for _ in range(count))
        return " ".join(f"{self.words(length).capitalize()}." for length in lengths)


def records(count: int, seed: int = 0) -> Iterator[str]:
    """So many `<PubmedArticle>` elements, with PMIDs from 1."""
    author = _Author(seed)
    for pmid in range(1, count + 1):
        yield _record(pmid, author)


def write(path: Path, count: int, seed: int = 0) -> None:
    """A whole file, gzipped if its name ends in .gz."""
    with gzip.open(path, "wb", 6) if path.suffix == ".gz" else path.open("wb") as file:
        file.write(_HEAD.encode())
        for record in records(count, seed):
            file.write(record.encode())
        file.write(b"</PubmedArticleSet>\n")


def _record(pmid: int, author: _Author) -> str:
    draw = author.random
    year = draw.randint(1975, 2025)
    people = "".join(
        f'<Author ValidYN="Y"><LastName>{author.words(1)}</LastName><Initials>A</Initials>'
        f"<AffiliationInfo><Affiliation>{author.words(12)}</Affiliation></AffiliationInfo></Author>"
        for _ in range(draw.randint(1, 8))
    )
    mesh = "".join(
        f"<MeshHeading><DescriptorName>{author.words(2)}</DescriptorName></MeshHeading>"
        for _ in range(draw.randint(3, 14))
    )
    references = "".join(
        f"<Reference><Citation>{author.words(12)}</Citation><ArticleIdList><ArticleId "
        f'IdType="pubmed">{draw.randint(1, 10**7)}</ArticleId></ArticleIdList></Reference>'
        for _ in range(draw.randint(0, 20))
    )
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">{pmid}</PMID>'
        f"<DateRevised><Year>{year}</Year><Month>06</Month><Day>15</Day></DateRevised>"
        f"<Article><Journal><JournalIssue><PubDate><Year>{year}</Year></PubDate></JournalIssue>"
        f"<Title>{author.words(4)}</Title></Journal>"
        f"<ArticleTitle>{author.words(draw.randint(6, 18)).capitalize()}.</ArticleTitle>"
        f"{_abstract(author)}<AuthorList>{people}</AuthorList><Language>eng</Language>"
        "<PublicationTypeList><PublicationType>Journal Article</PublicationType>"
        f"</PublicationTypeList></Article><MeshHeadingList>{mesh}</MeshHeadingList>"
        f"</MedlineCitation><PubmedData><ReferenceList>{references}</ReferenceList>"
        f'<ArticleIdList><ArticleId IdType="doi">10.9999/{pmid}</ArticleId></ArticleIdList>'
        "</PubmedData></PubmedArticle>\n"
    )


def _abstract(author: _Author) -> str:
    kind = author.random.random()
    if kind < 0.1:
        return ""
    if kind < 0.6:
        text = author.sentences(author.random.randint(4, 16))
        return f"<Abstract><AbstractText>{text}</AbstractText></Abstract>"
    sections = "".join(
        f'<AbstractText Label="{label}" NlmCategory="{category}">'
        f"{author.sentences(author.random.randint(1, 4))}</AbstractText>"
        for label, category in _SECTIONS
    )
    return f"<Abstract>{sections}</Abstract>"


def main() -> None:
    """Write a file."""
    parser = argparse.ArgumentParser(prog="benchmarks.synthetic_medline", description=__doc__)
    parser.add_argument("records", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    write(arguments.file, arguments.records, arguments.seed)


if __name__ == "__main__":
    main()
