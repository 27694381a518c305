"""What holds for every reader in the registry, on its fixture in `tests/data/readers`."""

import json
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
from places import TEST_DATA

from citespan.pipelines.corpus.article import Article, Rejected
from citespan.pipelines.corpus.reader import AbstractReader, CollectionReader, readers, recognise
from citespan.pipelines.errors import InputError

FIXTURES = TEST_DATA / "readers"
BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
NAMES = readers.names()
COLLECTIONS = [name for name in NAMES if isinstance(readers[name], CollectionReader)]


def articles(name: str) -> list[Article]:
    reader = readers[name]
    read = [a for unit in reader.find(FIXTURES / name) for a in reader.read(unit)]
    assert all(isinstance(a, Article) for a in read), f"the fixture of {name} has bad articles"
    return [a for a in read if isinstance(a, Article)]


@pytest.mark.parametrize("name", NAMES)
def test_only_its_own_fixture_is_recognised(name: str) -> None:
    for other in NAMES:
        assert readers[name].recognises(FIXTURES / other) == (other == name), other
    assert recognise(FIXTURES / name) is readers[name]


@pytest.mark.parametrize("name", NAMES)
def test_units_are_sorted_distinct_and_found_from_themselves(name: str) -> None:
    reader = readers[name]
    units = list(reader.find(FIXTURES / name))
    assert units
    assert units == sorted(set(units))
    for unit in units:
        assert list(reader.find(unit)) == [unit]


@pytest.mark.parametrize("name", NAMES)
def test_inputs_are_counted_beforehand(name: str) -> None:
    reader = readers[name]
    for unit in reader.find(FIXTURES / name):
        assert reader.count(unit) == len(list(reader.read(unit)))


@pytest.mark.parametrize("name", NAMES)
def test_hidden_files_are_no_units(name: str) -> None:
    for unit in readers[name].find(FIXTURES / name):
        assert not any(part.startswith(".") for part in unit.relative_to(FIXTURES).parts)


@pytest.mark.parametrize("name", NAMES)
def test_articles_are_named_and_tell_their_source(name: str) -> None:
    read = articles(name)
    assert len({a.id for a in read}) == len(read)
    for article in read:
        assert article.id == article.id.strip() != ""
        assert article.source.startswith(str(FIXTURES / name))
        assert article.id not in article.also_known_as


@pytest.mark.parametrize("name", NAMES)
def test_sections_are_ordered_and_hold_all_the_text(name: str) -> None:
    for article in articles(name):
        end = 0
        for section in article.sections:
            assert end <= section.start < section.end <= len(article.text)
            assert not article.text[end : section.start].strip("\ufeff \r\n")
            shown = article.text[section.start : section.end]
            assert shown == shown.strip()
            end = section.end
        assert not article.text[end:].strip()


@pytest.mark.parametrize("name", NAMES)
def test_sentences_are_exact_and_within_a_paragraph(name: str) -> None:
    for article in articles(name):
        end = 0
        for sentence in article.sentences or ():
            assert end <= sentence.start < sentence.end <= len(article.text)
            shown = article.text[sentence.start : sentence.end]
            assert shown == shown.strip() != ""
            assert not BLANK_LINE.search(shown)
            end = sentence.end


@pytest.mark.parametrize("name", NAMES)
def test_links_lie_in_the_text_and_references_have_keys_of_their_own(name: str) -> None:
    for article in articles(name):
        end = 0
        for link in article.links:
            assert end <= link.start <= link.end <= len(article.text)
            assert not BLANK_LINE.search(article.text[link.start : link.end])
            end = link.end
        keys = [reference.key for reference in article.references]
        assert len(set(keys)) == len(keys)
        assert all(keys)


@pytest.mark.parametrize("name", NAMES)
def test_reading_twice_gives_the_same(name: str) -> None:
    assert articles(name) == articles(name)


def damaged(name: str, tmp_path: Path, damage: Callable[[bytes], bytes]) -> list[Path]:
    copy = tmp_path / name
    shutil.copytree(FIXTURES / name, copy)
    units = list(readers[name].find(copy))
    for file in (f for unit in units for f in (unit.rglob("*") if unit.is_dir() else [unit])):
        if file.is_file():
            file.write_bytes(damage(file.read_bytes()))
    return units


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "damage",
    [lambda _: b"", lambda _: b" \n", lambda _: bytes(range(128, 256)) * 5],
    ids=["empty", "blank", "random bytes"],
)
def test_bad_input_is_one_rejection_in_one_line(
    name: str, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    for unit in damaged(name, tmp_path, damage):
        read = list(readers[name].read(unit))
        assert len(read) == 1
        assert isinstance(read[0], Rejected)
        assert read[0].source.startswith(str(unit))
        assert read[0].reason
        assert "\n" not in read[0].reason


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.7, 0.95])
def test_truncated_input_never_raises(name: str, share: float, tmp_path: Path) -> None:
    for unit in damaged(name, tmp_path, lambda data: data[: int(len(data) * share)]):
        read = list(readers[name].read(unit))
        assert read
        for reading in read:
            assert isinstance(reading, Article) or (reading.reason and "\n" not in reading.reason)


@pytest.mark.parametrize("name", NAMES)
def test_files_of_other_formats_are_told(name: str, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    (tmp_path / ".hidden").write_text("x")
    units = list(readers[name].find(tmp_path))
    assert units == [tmp_path / "picture.png"]
    (told,) = readers[name].read(units[0])
    assert isinstance(told, Rejected)
    assert told.outcome == "skipped"
    assert told.source.endswith("picture.png")


@pytest.mark.parametrize("name", NAMES)
def test_nothing_at_the_path_is_an_input_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        list(readers[name].find(tmp_path / "absent"))


@pytest.mark.parametrize("name", COLLECTIONS)
def test_every_record_of_a_collection_is_accounted_for(name: str) -> None:
    reader = readers[name]
    assert isinstance(reader, CollectionReader)
    collection = reader.collection(FIXTURES / name)
    used = sum(len(citance.annotations) for citance in collection.citances)
    assert used
    assert collection.records == used + len(collection.rejected)
    assert all(", record " in rejected.source for rejected in collection.rejected)
    ids = [citance.id for citance in collection.citances]
    assert len(set(ids)) == len(ids)
    assert not any(re.search(r"\s", identifier) for identifier in ids)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_marked_spans_lie_in_the_article(name: str) -> None:
    reader = readers[name]
    assert isinstance(reader, CollectionReader)
    collection = reader.collection(FIXTURES / name)
    assert {a.id: a for a in articles(name)} == dict(collection.articles)
    for citance in collection.citances:
        text = collection.articles[citance.article_id].text
        assert list(citance.annotations) == sorted(citance.annotations, key=lambda a: a.annotator)
        for annotation in citance.annotations:
            last = -1
            for start, end in annotation.spans:
                assert last < start < end <= len(text)
                last = end


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_folder_without_topics_is_an_input_error(name: str, tmp_path: Path) -> None:
    reader = readers[name]
    assert isinstance(reader, CollectionReader)
    (tmp_path / "note.txt").write_text("no topic")
    with pytest.raises(InputError, match="no .* topic there"):
        reader.collection(tmp_path)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_records_of_a_topic_without_article_are_rejected_by_name(name: str, tmp_path: Path) -> None:
    reader = readers[name]
    assert isinstance(reader, CollectionReader)
    shutil.copytree(FIXTURES / name, tmp_path / name)
    records = reader.collection(tmp_path / name).records
    for folder in ("Reference_XML", "Documents_Text"):
        for file in (tmp_path / name).rglob(f"{folder}/*"):
            file.write_bytes(b"")
    for file in (tmp_path / name).glob("*.jsonl"):  # articles and citances are in one line
        first = file.read_text(encoding="utf-8").splitlines()[0]
        file.write_text(first.replace('"text"', '"txt"', 1), encoding="utf-8")
    collection = reader.collection(tmp_path / name)
    assert collection.records == records == len(collection.rejected)
    assert not collection.articles
    assert len(collection.unusable) == 1
    assert sum("reference article can't be used" in r.reason for r in collection.rejected) > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_not_utf8_is_one_rejection_that_can_be_printed(
    name: str, tmp_path: Path
) -> None:
    copy = tmp_path / name
    shutil.copytree(FIXTURES / name, copy)
    unit = next(iter(readers[name].find(copy)))
    odd = unit.rename(Path(os.fsdecode(os.fsencode(unit) + b"\xff")))
    assert odd in readers[name].find(copy)
    reader = readers[name]
    ways = [reader.read, *([reader.abstracts] if isinstance(reader, AbstractReader) else [])]
    for read in ways:
        (rejected,) = read(odd)
        assert isinstance(rejected, Rejected)
        assert "not UTF-8" in rejected.reason
        assert rejected.source.endswith("\\xff")
        assert json.loads(json.dumps(asdict(rejected))) == asdict(rejected)
        rejected.source.encode()
    assert readers[name].count(odd) >= 1
