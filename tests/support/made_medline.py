"""Medline records made up for tests, as XML."""

from collections.abc import Iterable

PROSE = "We measured the sleep of mice and of rats. It was longer than that of the controls."


def section(text: str, label: str = "", category: str = "") -> str:
    attributes = f' Label="{label}"' * bool(label) + f' NlmCategory="{category}"' * bool(category)
    return f"<AbstractText{attributes}>{text}</AbstractText>"


def citation(
    pmid: int | str = 1,
    title: str = "Sleep of mice",
    abstract: str = section(PROSE),
    *,
    version: int = 1,
    revised: str = "",
    date: str = "<Year>2001</Year>",
    article: str = "",
    more: str = "",
) -> str:
    """A MedlineCitation. `revised` is YYYY-MM-DD; `article` and `more` are XML at the end of
    Article and of the citation."""
    parts = zip(("Year", "Month", "Day"), revised.split("-"), strict=False)
    day = "".join(f"<{name}>{part}</{name}>" for name, part in parts) if revised else ""
    return (
        f'<MedlineCitation><PMID Version="{version}">{pmid}</PMID>'
        + (f"<DateRevised>{day}</DateRevised>" if day else "")
        + f"<Article><Journal><JournalIssue><PubDate>{date}</PubDate></JournalIssue></Journal>"
        + (f"<ArticleTitle>{title}</ArticleTitle>" if title else "")
        + (f"<Abstract>{abstract}</Abstract>" if abstract else "")
        + f"<Language>eng</Language>{article}</Article>{more}</MedlineCitation>"
    )


def medline(citations: Iterable[str], deleted: Iterable[int] = ()) -> bytes:
    """A file of them; `deleted` are the PMIDs of its DeleteCitation."""
    records = "\n".join(f"<PubmedArticle>{citation}</PubmedArticle>" for citation in citations)
    pmids = "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in deleted)
    deletions = f"<DeleteCitation>{pmids}</DeleteCitation>" if pmids else ""
    return f"<PubmedArticleSet>\n{records}\n{deletions}</PubmedArticleSet>\n".encode()
