"""What is printed for readers: nothing cut without a word, nothing that says nothing."""

from pathlib import Path

import pytest

from citespan.cli.citations import CitationsReport
from citespan.cli.link import _print_summary
from citespan.pipelines.citations.summaries.summary import Summary, SummarySentence
from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.reader import readers
from citespan.pipelines.ranking.sentences import ArticleSentences
from citespan.pipelines.ranking.stored_article import StoredArticle
from citespan.pipelines.text.splitter import DEFAULT, splitters

LONG = "Ito A. " + "Growth of made yeast in ovens and what it means for bread. " * 4 + "Bread 2001."


def test_a_long_reference_is_cut_at_a_word_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "made.md"
    file.write_text(f"# Yeast\n\nYeast grows.\n\n# References\n\n1. {LONG}\n")
    [article] = readers["markdown"].read(file)
    assert isinstance(article, Article)
    CitationsReport().print_article(find_citations(article, splitters[DEFAULT]))
    shown = " ".join(capsys.readouterr().out.split())
    cut = shown.partition("never cited: ")[2]
    assert cut.endswith(" …") and len(cut) < 140
    assert set(cut.split()[2:-1]) <= set(LONG.split())


@pytest.mark.parametrize("name", ["markdown", "latex", "docx", "pdf"])
def test_a_bibliography_is_skipped_for_what_it_is(name: str, tmp_path: Path) -> None:
    file = tmp_path / "signals.bib"
    file.write_text("@article{a, title={Yeast}}")
    [reading] = readers[name].read(file)
    assert isinstance(reading, Rejected)
    assert (reading.outcome, reading.reason) == (
        "skipped",
        "a bibliography is read with what names it",
    )


def test_the_context_of_a_passage_ends_with_its_section() -> None:
    texts = ("Cells divide. ", "They grow. ", "Proteins bind. ", "They fold.")
    sections = ("Methods", "Methods", "Results", "Results")
    article = StoredArticle(ArticleSentences(texts, sections), (0, 1, 2, 3), (1, 2, 3, 4))
    beside = [(article.text_beside(n, -1), article.text_beside(n, 1)) for n in range(4)]
    assert beside == [
        ("", "They grow."),
        ("Cells divide.", ""),
        ("", "They fold."),
        ("Proteins bind.", ""),
    ]


@pytest.mark.parametrize(("facets", "shown"), [(("method", "method"), 0), (("aim", "method"), 1)])
def test_facets_are_shown_where_they_tell_sentences_apart(
    facets: tuple[str, ...], shown: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences = tuple(
        SummarySentence(n, n, n + 1, "Results", f"Sentence {n}.", facet, 0.9, ("a",))
        for n, facet in enumerate(facets)
    )
    shares = {facet: facets.count(facet) / len(facets) for facet in facets}
    _print_summary(Summary("made", "Made", sentences, 2, 1, shares))
    assert ("facet" in (said := capsys.readouterr().out)) == shown
    assert ("of what is cited" in said) == shown
