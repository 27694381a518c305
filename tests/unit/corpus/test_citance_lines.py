"""Files of citances: TSV, CSV and JSON Lines; a bad line costs only itself."""

import gzip
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.corpus.citance_lines import CitanceLine, read_citance_lines
from citespan.pipelines.errors import InputError


def read(tmp_path: Path, data: str | bytes, name: str = "lines") -> list[CitanceLine | Rejected]:
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return list(read_citance_lines(path))


WANTED = [
    CitanceLine(2, "2", "p53", 'It "stops", the cycle'),
    CitanceLine(3, "b", "PMC1", "α rises"),
]


@pytest.mark.parametrize(
    "text",
    [
        'article\tcitance\tid\np53\tIt "stops", the cycle\t\nPMC1\tα rises\tb\n',
        '\ufeffID,Citance,Article\r\n,"It ""stops"", the cycle",p53\r\nb,α rises,PMC1\r\n',
        '\n{"article": "p53", "citance": "It \\"stops\\", the cycle"}\n'
        '{"id": "b", "citance": "α rises", "article": "PMC1", "other": []}',
    ],
)
def test_each_form_gives_the_same(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == WANTED
    assert read(tmp_path, gzip.compress(text.encode()), "lines.gz") == WANTED


@pytest.mark.parametrize(
    "text",
    [
        'question\nDoes it rise, or fall?\n"Does ""it"", fall?"\n',
        '{"question": "Does it rise, or fall?"}\n{"question": "Does \\"it\\", fall?"}',
    ],
)
def test_lines_without_articles_are_for_all_of_them(tmp_path: Path, text: str) -> None:
    (tmp_path / "lines").write_text(text)
    found = list(read_citance_lines(tmp_path / "lines", "question"))
    texts = ["Does it rise, or fall?", 'Does "it", fall?']
    assert [(line.article, line.citance) for line in found] == [("", text) for text in texts]


def test_a_quoted_field_may_go_on_over_lines(tmp_path: Path) -> None:
    found = read(tmp_path, 'article,citance\np53,"one\ntwo"\nPMC1,three\n')
    assert found == [CitanceLine(2, "2", "p53", "one two"), CitanceLine(4, "4", "PMC1", "three")]


@pytest.mark.parametrize("rest", [1, 300])
def test_a_missing_quotation_mark_costs_one_line(tmp_path: Path, rest: int) -> None:
    text = 'article,citance\np53,"one\n' + "PMC1,two\n" * rest
    broken, *others = read(tmp_path, text)
    assert broken == Rejected(f"{tmp_path / 'lines'}:2", "a quotation mark is missing")
    assert [other.number for other in others if isinstance(other, CitanceLine)] == [
        *range(3, rest + 3)
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"p53", "1 fields, but 2 columns"),
        (b"p53\t ", "no citance"),
        (b'\t"', "no article"),
        (b"p53\t\xff", "not UTF-8; convert it"),
    ],
)
def test_a_bad_line_of_tsv(tmp_path: Path, line: bytes, reason: str) -> None:
    bad, good = read(tmp_path, b"article\tcitance\n" + line + b"\np53\tgood\n")
    assert bad == Rejected(f"{tmp_path / 'lines'}:2", reason)
    assert isinstance(good, CitanceLine)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "not JSON: .*"),
        ("[]", "not a JSON object"),
        ('{"article": "p53"}', "no citance"),
        ('{"article": ["p53"], "citance": "a"}', "article is not a text"),
        ('{"article": true, "citance": "a"}', "article is not a text"),
    ],
)
def test_a_bad_line_of_json(tmp_path: Path, line: str, reason: str) -> None:
    good = '{"article": 53, "citance": "good"}'
    found = read(tmp_path, f"{good}\n{line}\n{good}\n")
    assert [getattr(line, "article", None) for line in found] == ["53", None, "53"]
    assert isinstance(found[1], Rejected)
    assert found[1].source.endswith("lines:2")
    assert re.fullmatch(reason, found[1].reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty; give a line for each citance"),
        ("\n \n", "empty; give a line for each citance"),
        ("article,text\np53,a\n", r":1: no column citance; the first line names the columns"),
        ("a sentence\n", r"no column citance"),
    ],
)
def test_what_is_no_such_file(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read(tmp_path, text)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read: No such file"):
        list(read_citance_lines(tmp_path / "none"))


_BLANK = b"\xef\xbb\xbf \t\r\n"  # empty lines and byte-order marks are passed over
_LINES = st.binary(max_size=40).filter(lambda line: b"\n" not in line and line.strip(_BLANK))


@given(st.lists(_LINES, max_size=10))
def test_every_line_is_a_citance_or_rejected(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "lines"
    path.write_bytes(b"article\tcitance\n" + b"\n".join(lines))
    assert len(list(read_citance_lines(path))) == len(lines)
