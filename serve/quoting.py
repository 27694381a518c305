"""What is written behind a quote: where it is from."""

from citespan.es_mappings.articles import ArticleEntry

_MOST_AUTHORS = 3


def make_source(entry: ArticleEntry) -> str:
    """Return authors, year, title, journal and identifier of an article, as far as it has them."""
    authors = [*(entry.authors or ())]
    named = "; ".join(authors[:_MOST_AUTHORS]) + ("; et al." if authors[_MOST_AUTHORS:] else "")
    year = f"({entry.year})" if entry.year else ""
    doi = f"https://doi.org/{entry.doi}" if entry.doi else ""
    beginning = " ".join(part for part in (named, year) if part)
    identifier = doi or (f"PMID {entry.pmid}" if entry.pmid else entry.article)
    parts = (beginning, entry.title or "", entry.journal or "", identifier)
    return ". ".join(part.strip().rstrip(".") for part in parts if part)
