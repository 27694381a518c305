"""What each reader of vocabularies makes of its fixture and of broken input."""

import gzip
import shutil
from collections import Counter
from pathlib import Path

import pytest
from places import SHARED_DATA, TEST_DATA

from citespan.pipelines.corpus.article import Rejected
from citespan.pipelines.errors import InputError
from citespan.pipelines.vocabulary.reader import vocabulary_readers
from citespan.pipelines.vocabulary.readers.umls import MixedReleasesError, map_codes
from citespan.pipelines.vocabulary.terms import Selection, VocabularyTerm

FIXTURES = TEST_DATA / "vocabulary"
UMLS, OBO, MESH = FIXTURES / "umls", FIXTURES / "obo" / "heat.obo", FIXTURES / "mesh/desc2026.xml"
CRAFT = SHARED_DATA / "craft/vocabulary/META"
MRSAB = "C91|C92|{0}|{0}|Names|{0}||||{1}||||0|9|9||||ENG|UTF-8|Y|Y|||\n"

SHIVERS = '</Term><Term ConceptPreferredTermYN="N"><String>Shivers</String></Term>'


def read(name: str, path: Path) -> tuple[list[VocabularyTerm], Counter[str], list[Rejected]]:
    """Terms, reasons for what is skipped, and what is quarantined."""
    terms, skipped, quarantined = [], Counter[str](), []
    for term in vocabulary_readers[name].terms(path):
        if isinstance(term, VocabularyTerm):
            terms.append(term)
        elif term.outcome == "skipped":
            skipped[term.reason] += 1
        else:
            quarantined.append(term)
    return terms, skipped, quarantined


@pytest.fixture
def meta(tmp_path: Path) -> Path:
    """A copy of the UMLS fixture."""
    return Path(shutil.copytree(UMLS, tmp_path / "META"))


def add(file: Path, line: str | bytes) -> None:
    """A line more at the end of a file."""
    with file.open("ab") as end:
        end.write(line if isinstance(line, bytes) else line.encode())


def test_umls_fixture() -> None:
    terms, skipped, quarantined = read("umls", UMLS)
    assert skipped == {"not English": 2, "suppressed": 2}
    assert not quarantined
    assert len(terms) == 9
    assert terms[0] == VocabularyTerm(
        "C9100001", "Brown adipose tissue", "SNOMEDCT_US", "PT", True, ("T024",)
    )
    assert terms[2] == VocabularyTerm("C9100001", "Fat, brown", "MSH", "ET", False, ("T024",))
    assert terms[-1].semantic_types == ("T116", "T123")
    assert [term.text for term in terms if term.preferred] == [
        "Brown adipose tissue",
        "Obesity",
        "cold-induced thermogenesis",
        "Uncoupling protein 1",
    ]


def test_umls_gzipped_in_pieces_and_with_windows_ends_reads_the_same(meta: Path) -> None:
    wanted = read("umls", UMLS)
    data = (meta / "MRCONSO.RRF").read_bytes()
    types = (meta / "MRSTY.RRF").read_bytes()
    (meta / "MRCONSO.RRF").write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))
    (meta / "MRSTY.RRF").unlink()
    (meta / "MRSTY.RRF.gz").write_bytes(gzip.compress(types))
    assert read("umls", meta) == wanted
    (meta / "MRCONSO.RRF").unlink()
    cut = len(data) // 2 + 7
    assert data[cut - 1 : cut] != b"\n"
    (meta / "MRCONSO.RRF.aa.gz").write_bytes(gzip.compress(data[:cut]))
    (meta / "MRCONSO.RRF.ab.gz").write_bytes(gzip.compress(data[cut:].rstrip(b"\n")))
    assert read("umls", meta) == wanted


def test_umls_types_do_not_depend_on_order(meta: Path) -> None:
    lines = (meta / "MRSTY.RRF").read_text().splitlines(keepends=True)
    (meta / "MRSTY.RRF").write_text("".join(reversed(lines)))
    assert read("umls", meta) == read("umls", UMLS)


def test_umls_without_mrsty_has_no_types(meta: Path) -> None:
    (meta / "MRSTY.RRF").unlink()
    assert not vocabulary_readers["umls"].typed(meta)
    terms, _, quarantined = read("umls", meta)
    assert len(terms) == 9
    assert not quarantined
    assert not any(term.semantic_types for term in terms)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"C9100001|ENG|P|L9|PF|S9|Y|A9||||MSH|PT|D9|cut\n", "15 columns in place of 18"),
        (b"C9100001|ENG|P|L9|PF|S9|Y|A9||||MSH|PT|D9|a|b|0|N||\n", "19 columns"),
        (b"\n", "0 columns"),
        (b"C9100001|ENG|P|L9|PF|S9|Y|A9||||MSH|PT|D9|caf\xe9|0|N||\n", "not UTF-8"),
        (b"C9100001|ENG|P|L9|PF|S9|Y|A9||||MSH|PT|D9| |0|N||\n", "STR is empty"),
        (b"C9100001|ENG|P|L9|PF|S9|Y|A9|||||PT|D9|x|0|N||\n", "SAB or STR is empty"),
    ],
)
def test_umls_broken_row_is_told_by_line_and_the_rest_goes_on(
    meta: Path, line: bytes, reason: str
) -> None:
    former = (meta / "MRCONSO.RRF").read_bytes()
    (meta / "MRCONSO.RRF").write_bytes(line + former)
    terms, skipped, (broken,) = read("umls", meta)
    assert broken.source == f"{meta / 'MRCONSO.RRF'}:1"
    assert reason in broken.reason
    assert (terms, skipped) == read("umls", UMLS)[:2]


def test_umls_broken_types_are_told(meta: Path) -> None:
    add(meta / "MRSTY.RRF", "C9100001|T024\n")
    add(meta / "MRSTY.RRF", b"C9100001|T0\xff|A|B|C||\n")
    terms, _, quarantined = read("umls", meta)
    assert [rejected.source for rejected in quarantined] == [
        f"{meta / 'MRSTY.RRF'}:{n}" for n in (6, 7)
    ]
    assert len(terms) == 9


def test_umls_a_concept_whose_type_is_unreadable_is_quarantined_not_the_release(meta: Path) -> None:
    text = (meta / "MRSTY.RRF").read_text()
    (meta / "MRSTY.RRF").write_text(text.replace("C9100002|T047", "C9100002"))
    terms, _, quarantined = read("umls", meta)
    assert not any(term.cui == "C9100002" for term in terms)
    assert Counter(Path(rejected.source).name.split(":")[0] for rejected in quarantined) == {
        "MRSTY.RRF": 1,
        "MRCONSO.RRF": 3,
    }


def test_umls_two_releases_by_concepts(meta: Path) -> None:
    row = (meta / "MRCONSO.RRF").read_text().splitlines()[0]
    add(meta / "MRCONSO.RRF", row.replace("C9100001", "C9199999") + "\n")
    with pytest.raises(MixedReleasesError, match="two releases mixed.* 1 of 14 rows"):
        read("umls", meta)


def test_umls_two_releases_by_sizes(meta: Path) -> None:
    size = (meta / "MRCONSO.RRF").stat().st_size
    row = "MRCONSO.RRF|Concepts|CUI,LAT|18|13|{0}|\nbroken\n"
    (meta / "MRFILES.RRF").write_text(row.format(size))
    assert vocabulary_readers["umls"].version(meta) == ""
    (meta / "MRFILES.RRF").write_text(row.format(size + 1))
    with pytest.raises(MixedReleasesError, match=f"{size} bytes, where MRFILES.RRF says"):
        vocabulary_readers["umls"].version(meta)


def test_umls_release(meta: Path) -> None:
    reader = vocabulary_readers["umls"]
    assert reader.version(meta) == ""
    (meta / "MRSAB.RRF").write_text(MRSAB.format("MTH", "2025AA") + MRSAB.format("X", "2019AB"))
    assert reader.version(meta) == "2025AA"
    (meta.parent / "release.dat").write_text("# made\numls.release.name=2025AB\n")
    assert reader.version(meta) == "2025AB"
    (meta / "release.dat").write_text("umls.release.name=2024AB\r\n")
    with pytest.raises(MixedReleasesError, match="release.dat says 2024AB.* sources of 2025AA"):
        reader.version(meta)


def test_umls_folder_without_mrconso(tmp_path: Path) -> None:
    reader = vocabulary_readers["umls"]
    with pytest.raises(InputError, match="no MRCONSO.RRF"):
        reader.version(tmp_path)
    shutil.copytree(UMLS, tmp_path / "META")
    with pytest.raises(InputError, match="did you mean .*META"):
        reader.version(tmp_path)
    with pytest.raises(InputError, match="not a folder"):
        reader.version(tmp_path / "META" / "MRCONSO.RRF")


def test_umls_cut_off_gzip(meta: Path) -> None:
    data = gzip.compress((meta / "MRCONSO.RRF").read_bytes() * 500)
    (meta / "MRCONSO.RRF").unlink()
    (meta / "MRCONSO.RRF.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="broken or cut off gzip file"):
        read("umls", meta)
    (meta / "MRCONSO.RRF.gz").write_bytes(b"no gzip at all")
    with pytest.raises(InputError, match="broken or cut off gzip file"):
        read("umls", meta)


def test_umls_codes() -> None:
    codes = map_codes(UMLS)
    assert codes["GO:9100003"] == "C9100003"
    assert codes["D900001"] == "C9100001"


def test_umls_craft_counts() -> None:
    if not CRAFT.is_dir():
        pytest.skip("CRAFT is not beside the checkout (../shared/data/craft)")
    terms, skipped, quarantined = read("umls", CRAFT)
    assert (len(terms), len({term.cui for term in terms})) == (6314, 3450)
    assert (skipped, quarantined) == ({}, [])
    assert sum(term.preferred for term in terms) == 3450


def test_obo_fixture() -> None:
    terms, skipped, quarantined = read("obo", OBO)
    assert [(t.cui, t.text, t.source, t.preferred) for t in terms] == [
        ("HEAT:0000001", "shivering", "heat_process", True),
        ("HEAT:0000001", "shivering thermogenesis", "heat_process", False),
        ("HEAT:0000001", 'muscle "heat" making', "heat_process", False),
        ("HEAT:0000002", "brown adipocyte", "HEAT", True),
        ("HEAT:0000002", "brown fat cell", "HEAT", False),
        ("HEAT:0000003", "adipocyte", "HEAT", True),
        ("HEAT:0000003", "fat cell", "HEAT", False),
    ]
    assert skipped == {"related synonym": 2, "broad synonym": 1, "narrow synonym": 1, "obsolete": 2}
    assert not quarantined
    assert vocabulary_readers["obo"].version(OBO) == "releases/2026-05-01"


def test_obo_broken_lines_are_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "broken.obo.gz"
    content = (
        b"format-version: 1.2\n\n[Term]\nid: X:1\nname: one\nsynonym: uno EXACT []\n"
        b'synonym: "\xff" EXACT []\ndef: unquoted\n\n[Term]\nname: no id\n\n'
        b"[Term]\nid: X:2\n\n[Term]\nid: X:3\nname: three\n"
    )
    file.write_bytes(gzip.compress(content))
    terms, skipped, quarantined = read("obo", file)
    assert [term.text for term in terms] == ["one", "three"]
    assert skipped == {"a term without a name": 1}
    assert [rejected.source for rejected in quarantined] == [f"{file}:{n}" for n in (6, 7, 10)]


def test_what_is_no_obo_file(tmp_path: Path) -> None:
    (tmp_path / "x.obo").write_text("<owl/>")
    with pytest.raises(InputError, match="not an OBO file"):
        vocabulary_readers["obo"].version(tmp_path / "x.obo")


def test_mesh_fixture() -> None:
    terms, skipped, quarantined = read("mesh", MESH)
    assert [(t.cui, t.text, t.term_type, t.preferred, t.semantic_types) for t in terms] == [
        ("D900001", "Adipose Tissue, Brown", "MH", True, ("T024",)),
        ("D900001", "Brown Fat", "ET", False, ("T024",)),
        ("M900002", "Hibernating Gland", "PEP", True, ()),
        ("M900002", "Gland of Winter Sleep & Cold", "ET", False, ()),
        ("D900002", "Shivering", "MH", True, ()),
    ]
    assert {term.source for term in terms} == {"MSH"}
    assert skipped == {"permuted term": 1}
    assert not quarantined
    reader = vocabulary_readers["mesh"]
    assert reader.version(MESH) == "2026"
    assert reader.typed(MESH)


def test_mesh_gzipped_reads_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "desc2026.xml.gz"
    packed.write_bytes(gzip.compress(MESH.read_bytes()))
    assert read("mesh", packed) == read("mesh", MESH)
    packed.write_bytes(packed.read_bytes()[:-200])
    with pytest.raises(InputError, match="broken or cut off|truncated"):
        read("mesh", packed)


@pytest.mark.parametrize(
    ("was", "becomes", "reason"),
    [
        ("</DescriptorRecordSet>", "", "truncated or not well-formed"),
        ('LanguageCode="eng"', 'LanguageCode="fre"', "only English"),
        ('_20260101.dtd">', '_20260101.dtd" [<!ENTITY a "b">]>', "declares entities"),
        ("Brown Fat", "Brown &fat;", "ntit"),
    ],
)
def test_mesh_that_is_not_read(tmp_path: Path, was: str, becomes: str, reason: str) -> None:
    text = MESH.read_text(encoding="utf-8")
    assert was in text
    (tmp_path / "d.xml").write_text(text.replace(was, becomes), encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        read("mesh", tmp_path / "d.xml")


def test_mesh_faulty_records_are_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    text = MESH.read_text(encoding="utf-8")
    text = text.replace("<DescriptorUI>D900001</DescriptorUI>", "")
    text = text.replace("<String>Shivering</String>\n        </Term>", SHIVERS)
    (tmp_path / "d.xml").write_text(text, encoding="utf-8")
    terms, _, quarantined = read("mesh", tmp_path / "d.xml")
    assert [rejected.reason.split(";")[0] for rejected in quarantined] == [
        "a descriptor without DescriptorUI or concepts",
        "a term without String or ConceptUI",
    ]
    assert [term.text for term in terms] == ["Shivers"]


def test_selection() -> None:
    def chosen(sources: tuple[str, ...] | None, types: tuple[str, ...]) -> tuple[int, Counter[str]]:
        selection = Selection(sources, types)
        seen = list(selection.apply(vocabulary_readers["umls"].terms(UMLS)))
        reasons = Counter(reading.reason for reading in seen if isinstance(reading, Rejected))
        assert len(seen) == 13
        unknown = [n for n in (*(sources or ()), *types) if n in ("NCI", "T999")]
        assert selection.unseen == unknown
        return sum(isinstance(reading, VocabularyTerm) for reading in seen), reasons

    left = {"not English": 2, "suppressed": 2}
    assert chosen(None, ()) == (9, left)
    assert chosen(("MSH", "NCI"), ()) == (2, left | {"of a source not asked for": 7})
    assert chosen(None, ("T123", "T040")) == (4, left | {"of a semantic type not asked for": 5})
    assert chosen(("GO",), ("T999",)) == (
        0,
        left | {"of a source not asked for": 7, "of a semantic type not asked for": 2},
    )
