"""What searches and questions find as rows and as Markdown, for commands and for the page."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.counts import format_count, name_sentences

if TYPE_CHECKING:  # a search needs nothing of answers
    from citespan.pipelines.answers.answer import Answer

PASSAGE_COLUMNS: Final = (
    *("id", "article", "title", "pmid", "doi", "citance", "verdict", "support"),
    *("rank", "probability", "score"),
    *("first_sentence", "last_sentence", "start", "end", "section", "text", "abstract_only"),
)
ANSWER_COLUMNS: Final = (
    *("rank", "article", "pmid", "doi", "year", "zone"),
    *("score", "probability", "support", "direction", "direction_probability"),
    *("sentence", "title"),
)
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]|^[-+=]|(?<=[pst]):(?=//)|(?<=www)\.")
_NUMBER = re.compile(r"^(\d+)([.)])")

Record = Mapping[str, Any]
"""What a citance has found as `citespan search --from` prints it: its `id` and `citance`, and what
`citespan search --json` has."""


def escape(text: str) -> str:
    """Return the text on one line, with Markdown and HTML escaped."""
    line = _MARKUP.sub(lambda found: f"\\{found[0]}", collapse_space(text))
    return _NUMBER.sub(r"\1\\\2", line)


def list_passages(record: Record) -> Iterator[Record]:
    """Yield a row for each passage of a record, with `PASSAGE_COLUMNS` and more; one without any if
    there are none."""
    yield from ({**record, **passage} for passage in record["results"] or [{}])


def write_passages(record: Record) -> str:
    """Return the passages of a record as Markdown."""
    lines = [f"## {escape(record['id'])}", "", escape(record["citance"]), "", f"*{_judge(record)}*"]
    lines += [""]
    for passage in record["results"]:
        worth = passage.get("probability", passage["score"])
        sentences = name_sentences(passage["first_sentence"], passage["last_sentence"])
        article = "" if "article" in record else passage["article"]
        place = ", ".join(filter(None, (article, passage["section"], sentences)))
        lines += [f"{passage['rank']}. {escape(passage['text'])} ({escape(place)}; {worth:.2f})"]
    return "\n".join(lines).rstrip() + "\n"


def _judge(record: Record) -> str:
    """Return what a ranker says of the article, in a line."""
    if "article" not in record:
        articles = {passage["article"] for passage in record["results"]}
        return format_count(len(articles), "article")
    told = ", abstract only" if record["abstract_only"] else ""
    told += "".join(f"; {Notice(**notice)}" for notice in record["notices"])
    if "verdict" not in record:
        return escape(f"Spans of {record['article']}{told}")
    said = {
        "found": "{article} has evidence",
        "differs": "{article} has evidence that differs",
        "weak": "{article} probably has no evidence; its best passage is weak",
        "none": "{article} has no evidence",
    }[record["verdict"]]
    return escape(f"{said.format(**record)}: probability {record['support']:.2f}{told}")


def write_answers(question: str, found: Sequence["Answer"], counted: str) -> str:
    """Return answers as Markdown.

    Args:
        counted: how many trials found what of what is compared; "" without a comparison.
    """
    summary = "; ".join(filter(None, (format_count(len(found), "answer"), counted)))
    lines = [f"## {escape(question)}", "", f"*{escape(summary)}*", ""]
    for answer in found:
        source = answer.id if answer.full_text else f"PMID {answer.id}"
        place = (answer.title, source, str(answer.year or ""), answer.zone)
        worth = f"score {answer.score:.2f}"
        if answer.support is not None:
            worth += f", probability {answer.support:.2f}"
        if answer.direction is not None:
            worth += f", {answer.direction.said} ({answer.direction.probability:.2f})"
        about = f"{escape(', '.join(filter(None, place)))}; {worth}"
        lines += [f"{answer.rank}. {escape(answer.text)} ({about})"]
    return "\n".join(lines).rstrip() + "\n"
