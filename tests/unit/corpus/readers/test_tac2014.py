"""TAC 2014: offsets count the byte-order mark and no carriage returns; the sample verifies."""

import re
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.readers.tac2014 import Tac2014Reader
from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.evaluation.shipped import sample

FIXTURE = TEST_DATA / "readers" / "tac2014"
BOM = b"\xef\xbb\xbf"


def topic(folder: Path, document: bytes, record: str) -> Path:
    for name in ("Documents_Text", "Annotation"):
        (folder / "D1_TEST" / name).mkdir(parents=True)
    (folder / "D1_TEST" / "Documents_Text" / "R.txt").write_bytes(document)
    (folder / "D1_TEST" / "Annotation" / "D1_TEST.C.ann.txt").write_text(record)
    return folder / "D1_TEST"


def record(offsets: str, reference: str = "R.txt", text: str = "") -> str:
    return (
        f"Topic ID: D1_TEST | Citance Number: 1 | Reference Article: {reference} | "
        f"Citing Article: C.txt | Citation Text: Cites. | Reference offset: {offsets} | "
        f"Reference Text: {text} | Discourse Facet: Method_Citation |\n"
    )


def test_the_collection_of_the_fixture() -> None:
    collection = Tac2014Reader().collection(FIXTURE)
    article = collection.articles["D1499_TEST"]
    assert article.text.startswith("\ufeffYeast and sugar\n\nYeast")
    assert "\r" not in article.text
    assert (article.title, article.also_known_as) == ("Yeast and sugar", ("Yeast,2000",))
    got = {
        c.number: {a.annotator: [article.text[s:e] for s, e in a.spans] for a in c.annotations}
        for c in collection.citances
    }
    assert got == {
        "1": {
            "A": ["Yeast ferments glucose.", "Ethanol is made."],
            "B": ["Yeast ferments glucose."],
        },
        "2": {
            "A": ["α-Glucosidase splits maltose."],
            "B": ["Yeast ferments glucose.", "α-Glucosidase splits maltose."],
        },
    }
    assert [r.source.rpartition("TEST.")[2] for r in collection.rejected] == [
        "A.ann.txt, record 3",
        "B.ann.txt, record 3",
    ]
    assert len(collection.remarks) == 1
    assert "B.ann.txt, record 2" in collection.remarks[0]


@pytest.mark.parametrize("document", [BOM + b"One. Two.\r\nThree.", BOM + b"One. Two.\nThree."])
def test_offsets_count_the_mark_and_no_carriage_returns(document: bytes, tmp_path: Path) -> None:
    folder = topic(tmp_path, document, record("['11-17']", text="Three."))
    collection = Tac2014Reader().collection(folder)
    ((start, end),) = collection.citances[0].annotations[0].spans
    assert collection.articles["D1_TEST"].text[start:end] == "Three."
    assert collection.remarks == ()
    assert collection.citances[0].annotations[0].annotator == "C"


@pytest.mark.parametrize(
    ("offsets", "spans"),
    [
        ("['1-5','6-10']", ((1, 5), (6, 10))),
        ("6-10, 1-5", ((1, 5), (6, 10))),
        ("[1 - 5]", ((1, 5),)),
        ("['1-5', '3-9']", ((1, 9),)),
        ("['5-1']", None),
        ("['5-5']", None),
        ("['1-18']", None),
        ("['1-5', '7']", None),
        ("['1']", None),
        ("['" + "1" * 5000 + "-2']", None),
    ],
)
def test_offsets_in_all_their_forms(
    offsets: str, spans: tuple[tuple[int, int], ...] | None, tmp_path: Path
) -> None:
    folder = topic(tmp_path, BOM + b"One. Two.\r\nThree.", record(offsets))
    collection = Tac2014Reader().collection(folder)
    assert collection.records == 1
    if spans is None:
        (told,) = collection.rejected
        assert "reference offset" in told.reason
    else:
        assert collection.citances[0].annotations[0].spans == spans


def test_a_record_on_another_article_is_rejected(tmp_path: Path) -> None:
    records = record("1-5") + "\n" + record("6-10") + "\n" + record("1-5", "Other.txt")
    collection = Tac2014Reader().collection(topic(tmp_path, b"One. Two. Three.", records))
    assert [r.reason for r in collection.rejected] == [
        "its reference article is Other, the topic's is R"
    ]


def test_a_field_wrapped_over_lines_is_still_one_record(tmp_path: Path) -> None:
    wrapped = record("1-5", text="One\n\n of these.").replace("Citing", "\nCiting")
    collection = Tac2014Reader().collection(topic(tmp_path, b"One. Two. Three.", wrapped))
    assert (collection.records, len(collection.citances)) == (1, 1)
    assert collection.citances[0].citing_article == "C"


@pytest.mark.parametrize(
    ("document", "text", "reason"),
    [
        (b"x", "", "names the reference article"),
        (b"x", record("0-1", "Absent.txt"), "no Absent.txt in Documents_Text"),
        (b"caf\xe9", record("0-1"), "not UTF-8 at line 1, byte 3; convert it to UTF-8"),
        (BOM + b" \r\n", record("0-1"), "no text"),
    ],
)
def test_a_topic_without_its_article_is_rejected(
    document: bytes, text: str, reason: str, tmp_path: Path
) -> None:
    (told,) = Tac2014Reader().read(topic(tmp_path, document, text))
    assert isinstance(told, Rejected)
    assert reason in told.reason


def test_the_sample_verifies_to_the_character() -> None:
    """Every offset of the shipped topics, in reference and citing articles, by the file alone."""
    root = sample("tac2014") / "data"
    count = 0
    for folder in sorted(root.iterdir()):
        annotations = sorted((folder / "Annotation").iterdir())
        assert [a.name.split(".")[1] for a in annotations] == ["A", "B", "C", "D"]
        for file in annotations:
            assert file.read_bytes().startswith(BOM)
            for line in filter(None, file.read_text("utf-8").removeprefix("\ufeff").split("\n")):
                count += 1
                fields = dict(
                    part.partition(": ")[::2] for part in line.rstrip(" |").split(" | ") if part
                )
                fields = {name.strip().lower(): value for name, value in fields.items()}
                cited = plain(folder, fields["reference article"])
                citing = plain(folder, fields["citing article"])
                pairs = re.findall(r"(\d+)-(\d+)", fields["reference offset"])
                quoted = " ... ".join(cited[int(s) : int(e)] for s, e in pairs)
                assert quoted == fields["reference text"]
                for name in ("citation marker", "citation"):
                    start, _, end = fields[f"{name} offset"].partition("-")
                    text = fields["citation marker" if "marker" in name else "citation text"]
                    assert citing[int(start) : int(end)] == text
    assert count == 44


def plain(folder: Path, name: str) -> str:
    data = (folder / "Documents_Text" / name).read_bytes()
    assert data.startswith(BOM)
    assert data.count(b"\r\n") == data.count(b"\n") > 0
    return data.decode("utf-8").replace("\r", "")


def test_the_sample_is_used_whole_and_its_annotators_disagree() -> None:
    collection = Tac2014Reader().collection(sample("tac2014"))
    assert sorted(collection.articles) == ["D1401_SAMPLE", "D1402_SAMPLE"]
    assert len(collection.citances) == 11
    assert collection.records == 44
    assert collection.rejected == collection.remarks == collection.unusable == ()
    alike = [len({a.spans for a in c.annotations}) for c in collection.citances]
    assert min(alike) == 1
    assert max(alike) == 4


def test_there_is_no_other_sample() -> None:
    with pytest.raises(UnknownNameError, match="jats, tac2014"):
        sample("absent")


def test_articles_are_told_by_their_document_too() -> None:
    (reading,) = Tac2014Reader().read(sample("tac2014") / "data" / "D1401_SAMPLE")
    assert isinstance(reading, Article)
    assert reading.also_known_as == ("oxygen_sensing",)
