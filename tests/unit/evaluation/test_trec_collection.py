"""Topics and qrels of TREC as a collection."""

from pathlib import Path

import pytest

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.read_collection import read_collection

_ARTICLES = (
    '{"id": "one", "text": "Yeast grows fast. It likes warmth. It needs sugar."}\n'
    '{"id": "two words", "text": "Mice run. Mice eat."}\n'
    '{"id": "three", "text": "Nobody asks this."}\n'
)
_QRELS = "1 0 one:0 1\n1 0 one:1 2\n1 0 one:2 0\n2 0 one:2 1\n2 0 two%20words:1 1\n"


def write(folder: Path, qrels: str = _QRELS, **files: str) -> str:
    """Write a collection; a topics file by its ending, and what else is to differ."""
    (folder / "articles").mkdir()
    (folder / "articles" / "all.jsonl").write_text(_ARTICLES)
    (folder / "qrels.txt").write_text(qrels)
    for ending, content in (files or {"tsv": "1\tgrowth of yeast\n2\twhat  animals eat\n"}).items():
        (folder / f"topics.{ending}").write_text(content)
    return f"trec:{folder}"


def test_a_topic_is_a_citance_of_each_article_with_a_relevant_sentence(tmp_path: Path) -> None:
    read = read_collection(write(tmp_path))
    assert [(citance.id, citance.text, citance.article_id) for citance in read.citances] == [
        ("one/1", "growth of yeast", "one"),
        ("one/2", "what animals eat", "one"),
        ("twowords/2", "what animals eat", "two words"),
    ]
    texts = [
        [read.articles[citance.article_id].text[a:b] for a, b in citance.annotations[0].spans]
        for citance in read.citances
    ]
    assert texts == [["Yeast grows fast.", "It likes warmth."], ["It needs sugar."], ["Mice eat."]]
    assert (read.records, read.rejected) == (3, ())
    assert [(rejected.reason, rejected.outcome) for rejected in read.unusable] == [
        ("no annotation records", "skipped")
    ]


@pytest.mark.parametrize("element", ["question", "query", "title", None])
def test_topics_in_xml(tmp_path: Path, element: str | None) -> None:
    text = f"<{element}>growth of <i>yeast</i></{element}><note>not this</note>"
    topic = text if element else "growth of yeast"
    xml = f'<topics><topic number="1">{topic}</topic><topic number="9">unasked</topic></topics>'
    read = read_collection(write(tmp_path, "1 0 one:0 1\n", xml=xml))
    assert [(citance.id, citance.text) for citance in read.citances] == [
        ("one/1", "growth of yeast")
    ]
    assert read.unusable[-1].source.endswith("topics.xml, topic 9")
    assert read.unusable[-1].reason == "no relevant sentence"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 0 one:0", "not TOPIC 0 ARTICLE:SENTENCE RELEVANCE"),
        ("1 0 one 1", "not TOPIC 0 ARTICLE:SENTENCE RELEVANCE"),
        (f"1 0 one:{'9' * 5000} 1", "not TOPIC 0 ARTICLE:SENTENCE RELEVANCE"),
        ("7 0 one:0 1", "there is no topic '7'"),
        ("1 0 four:0 1", "there is no article 'four'"),
        ("1 0 one:3 1", "article 'one' has 3 sentences, counted from 0"),
    ],
)
def test_a_line_that_cannot_be_used_costs_itself_only(
    tmp_path: Path, line: str, reason: str
) -> None:
    read = read_collection(write(tmp_path, f"1 0 one:0 1\n\n{line}\n"))
    assert len(read.citances) == 1
    [rejected] = read.rejected
    assert rejected.source.endswith("qrels.txt:3")
    assert rejected.reason == reason
    assert read.records == 2


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"tsv": "1\ta\n", "xml": "<topics/>"}, "put the topics there, as topics.tsv or"),
        ({"tsv": "1\ta\n1\tb\n"}, "topics.tsv, line 2: the number is another's too"),
        ({"tsv": "1 a\n"}, "topics.tsv, line 1: no number or no text"),
        ({"xml": "<topics><topic>a</topic></topics>"}, "topics.xml, topic 1: no number or no text"),
        ({"xml": "<topics/>"}, "topics.xml: no topic there"),
        ({"xml": "<topics><topic"}, "topics.xml: "),
    ],
)
def test_topics_that_cannot_be_read(tmp_path: Path, files: dict[str, str], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_collection(write(tmp_path, **files))


@pytest.mark.parametrize("missing", ["qrels.txt", "articles/all.jsonl"])
def test_a_file_that_is_missing(tmp_path: Path, missing: str) -> None:
    name = write(tmp_path)
    (tmp_path / missing).unlink()
    if missing != "qrels.txt":
        (tmp_path / "articles").rmdir()
    with pytest.raises(InputError, match="no such file or folder; put it there"):
        read_collection(name)
