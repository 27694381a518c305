"""What is found for a citance, as text for people: in a terminal, and with marks in a pipe."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from citespan.cli.output import out
from citespan.pipelines.counts import name_sentences
from citespan.pipelines.ranking.evidence import ABSTRACT_MEANS, DIFFERS_MEANS, FOUND_MEANS, Evidence
from citespan.pipelines.reformulation.query import Term
from citespan.pipelines.retrieval.passage import Passage

if TYPE_CHECKING:  # few commands show a table
    from rich.table import Table
_SPAN_MARKS = "⟦", "⟧"
_MATCH_MARKS = "⟨", "⟩"
_DIFFERENCE_MARKS = "⟪", "⟫"


def show_evidence(found: Evidence, terms: Sequence[Term], *, explain: bool) -> None:
    """Print the article, the query, what a ranker says of them, and the passages."""
    _print_article(found)
    weighted = (t.text if t.weight == 1 else f"{t.text}^{t.weight:g}" for t in terms)
    out.print(Text("query: " + " ".join(weighted), style="dim"))
    if found.support is not None:
        out.print(_describe_support(found))
    elif not found:
        out.print("No span has any of these terms.")
    for difference in found.differences:
        out.print(Text(f"differs: {difference}"))
    if found.missing:
        out.print(Text("not in the article: " + ", ".join(found.missing)))
    if found.rival is not None:
        out.print(Text(f"{found.rival.article} fits better: {found.rival.title}", "bold yellow"))
    for passage in found:
        out.print()
        show_passage(passage, weak=found.verdict == "weak")
        if explain:
            out.print(_make_score_table(passage))
    if found.sentences:
        out.print()
        out.print(_make_sentence_table(found))


def _print_article(found: Evidence) -> None:
    out.print(Text.assemble((found.article, "bold"), f"  {found.title}" if found.title else ""))
    for notice in found.notices:
        out.print(Text(str(notice), style="bold red"))
    if found.abstract_only:
        out.print(Text(f"abstract only: {ABSTRACT_MEANS}", "dim"))


def show_passage(passage: Passage, *, weak: bool) -> None:
    """Print where a passage is, the passage within its context, and the words that it has."""
    out.print(_describe_place(passage, weak=weak))
    if sys.stdout.isatty():
        out.print(_format_passage(passage))
    else:
        out.print(mark_passage(passage), markup=False)
    if passage.probability is not None:
        out.print(Text("has: " + (", ".join(passage.matched) or "none of the words")))


def _describe_support(found: Evidence) -> Text:
    if found.verdict == "none":
        return Text("none: no passage of the article has any of these terms", "bold")
    worth = f": the article has evidence with probability {found.support:.2f}"
    if found.verdict == "found":
        return Text.assemble(("found", "bold"), f"{worth} ({found.ranker})\n", (FOUND_MEANS, "dim"))
    if found.verdict == "differs":
        return Text.assemble(
            ("differs", "bold"), f"{worth} ({found.ranker})\n", (DIFFERS_MEANS, "dim")
        )
    return Text.assemble(
        ("weak", "bold yellow"), f"{worth}, below {found.threshold:.2f} ({found.ranker})"
    )


def _describe_place(passage: Passage, *, weak: bool) -> Text:
    if passage.probability is None:
        worth = f"score {passage.score:.3f}"
    else:
        worth = f"evidence with probability {passage.probability:.2f}"
        worth += ", weaker" if passage.weaker else ", weak" if weak else ""
        weak = weak or passage.weaker
    return Text.assemble(
        (f"{passage.rank}. ", "bold"),
        (worth, "bold yellow" if weak else "bold"),
        f"  {name_sentences(passage.first_sentence, passage.last_sentence)}",
        f", characters {passage.start}-{passage.end}",
        f", {passage.section}" if passage.section else "",
        f", page {passage.page}" if passage.page is not None else "",
    )


def _format_passage(passage: Passage) -> Text:
    """Return the span in bold, its matches reversed, and its neighbours dimmed."""
    span = Text(passage.text, style="bold")
    for start, end in passage.matches:
        span.stylize("reverse", start, end)
    for start, end in passage.differing:
        span.stylize("underline", start, end)
    parts = [Text(passage.before, style="dim"), span, Text(passage.after, style="dim")]
    return Text(" ").join(part for part in parts if part.plain)


def mark_passage(passage: Passage) -> str:
    """Return the span, its matches and its neighbours with marks in place of styles."""
    opening, closing = _MATCH_MARKS
    pieces = []
    for piece in passage.pieces:
        text = f"{opening}{piece.text}{closing}" if piece.is_match else piece.text
        pieces.append(text.join(_DIFFERENCE_MARKS) if piece.differs else text)
    span = "".join([_SPAN_MARKS[0], *pieces, _SPAN_MARKS[1]])
    return " ".join(part for part in (passage.before, span, passage.after) if part)


def _make_sentence_table(found: Evidence) -> "Table":
    from citespan.cli.tables import listing

    table = listing("sentence", "score", "probability", "section", "text")
    for sentence in found.sentences:
        table.add_row(
            str(sentence.number),
            f"{sentence.score:.3f}",
            f"{sentence.probability:.4f}",
            Text(sentence.section),
            Text(" ".join(sentence.text.split())),
        )
    return table


def _make_score_table(passage: Passage) -> "Table":
    from rich.table import Table

    own = sum(passage.term_scores.values())
    table = Table("which term scored what")
    table.add_column("score", justify="right")
    for term, score in passage.term_scores.items():
        table.add_row(Text(term), f"{score:.3f}")
    table.add_section()
    table.add_row("the span itself", f"{own:.3f}")
    table.add_row("spans merged into it", f"{max(0.0, passage.score - own):.3f}")
    return table
