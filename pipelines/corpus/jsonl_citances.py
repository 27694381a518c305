"""Citances in JSON Lines: a collection of one's own, an article with its citances a line.

Beside the keys of an article (`readers/jsonl.py`), `citances` is a list of objects, one for each
annotator of each citance:

- `text`: string, the citing sentence; required.
- `spans`: `[[start, end], …]`, character offsets into the article's text; required, not empty.
- `number`: string, or whole number; the place in the list, from 1, if absent. Records of one number
  and citing article by different annotators are one citance.
- `citing_article`, `annotator`, `marker`: strings.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from citespan.pipelines.corpus.annotations import Marked
from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.topic import Topic
from citespan.pipelines.errors import InputError
from citespan.pipelines.intervals import union

_STRINGS = ("text", "number", "citing_article", "annotator", "marker")


def make_topic(article: Article | Rejected, line: Any, source: str) -> Topic:
    """Return the topic of a line: its article, and its citances.

    Args:
        line: what the line has.
    """
    topic = Topic(article)
    for one in _read_citances(article, line, source):
        if isinstance(one, Rejected):
            topic.rejected.append(one)
        else:
            topic.marked.append(one)
    return topic


def _read_citances(
    article: Article | Rejected, line: Any, source: str
) -> Iterator[Marked | Rejected]:
    citances = line.get("citances", []) if isinstance(line, Mapping) else []
    if not isinstance(citances, list):
        yield Rejected(f"{source}, record 1", "citances is not a list")
        return
    for number, citance in enumerate(citances, start=1):
        place = f"{source}, record {number}"
        if isinstance(article, Rejected):
            reason = f"its reference article can't be used: {article.reason}"
            yield Rejected(place, reason, article.outcome)
            continue
        try:
            yield _read_citance(article, citance, number, place)
        except InputError as error:
            yield Rejected(place, str(error))


def _read_citance(article: Article, citance: Any, number: int, source: str) -> Marked:
    if not isinstance(citance, Mapping):
        raise InputError("not a JSON object")
    values = {key: citance.get(key, "") for key in _STRINGS}
    if isinstance(values["number"], int):
        values["number"] = str(values["number"])
    for key, value in values.items():
        if not isinstance(value, str):
            raise InputError(f'"{key}" is not a string')
    if not values["text"].strip():
        raise InputError('"text" is missing')
    return Marked(
        source=source,
        topic=article.id,
        number=values["number"] or str(number),
        article_id=article.id,
        citing_article=values["citing_article"],
        passage="",
        text=values["text"],
        marker=values["marker"],
        annotator=values["annotator"],
        spans=_read_spans(citance.get("spans"), len(article.text)),
    )


def _read_spans(spans: Any, length: int) -> tuple[tuple[int, int], ...]:
    if not isinstance(spans, list) or not spans:
        raise InputError('"spans" is not a list of pairs of offsets')
    for span in spans:
        pair = isinstance(span, list) and len(span) == 2
        if not pair or not all(type(offset) is int for offset in span):
            raise InputError(f'"spans": {str(span)[:60]} is not a pair of offsets')
        if not 0 <= span[0] < span[1] <= length:
            raise InputError(f'"spans": {span[0]}-{span[1]} is not within the {length} characters')
    return union((start, end) for start, end in spans)
