"""What splits sentences of articles and what doesn't."""

import sys

import pytest
from places import SHARED_DATA

from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.errors import InputError, UnknownNameError
from citespan.pipelines.text.splitter import DEFAULT, MOST_SENTENCES, split_article, splitters

CRAFT = SHARED_DATA / "craft"


def split(text: str) -> list[str]:
    return [text[s.start : s.end] for s in splitters[DEFAULT].split(text)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The loss was seen before [1,2] and after [3-5] treatment.",
        "This was shown by Smith et al. (2006) in mice.",
        "It was shown before (Smith et al., 2006; Lee et al. 2001).",
        "As Lee et al. [12] found, growth stops.",
        "As Lee et al. found, growth stops.",
        "Cells were lost (Fig. 2B and Figs. 3 and 4).",
        "We used a carbon source, e.g. Glucose, or none, i.e. Water.",
        "Growth of mutants vs. Wild-type cells was slow.",
        "The band of ca. 80 kDa and another of approx. 20 kDa were cut.",
        "The sequence (accession no. AF123456) was used, as was No. 12.",
        "We thank Dr. Green and Drs. A. Brown and Mary C. White for mice.",
        "Proteins were made in E. coli and in S. cerevisiae.",
        "Worms (C. elegans) and flies were fed.",
        "We found Bacillus spp. in water and Vibrio sp. in milk.",
        "The pH was 7.4 and the dose 0.05 mg of St. John's wort.",
        "The difference (p < 0.05; n = 12.5) was large.",
        "J. A. Green and B. C. White made the mice.",
        "The drug (Sigma, St. Louis, MO) was bought.",
        "Is it “cone?” or rod here.",
        "We compared chr. 9 with chr. 10 of mice.",
        "We bought no.12 Abc and read vol.3 Cell, as in Fig.3 A.",
        "We saw PU.1 DNA and sold approx.12 Mb.",
    ],
)
def test_one_sentence(sentence: str) -> None:
    assert split(sentence) == [sentence]
    assert split(f"First this is said. {sentence} Then this is said.") == [
        "First this is said.",
        sentence,
        "Then this is said.",
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Growth stopped in mice.", "p53 is lost there."),
        ("This was seen in all cells.", "mRNA levels fell."),
        ("The difference was large, p < 0.05.", "The cells died."),
        ("Growth was slow in mice.[12]", "We saw this too."),
        ("Growth was slow in mice. [12,13]", "We saw this too."),
        ("Growth was slow in tumours.12,13", "We saw this too."),
        ("Growth was slow in this text.12", "The cells died."),
        ("Growth was slow in cells.23", "AT1 is a receptor."),
        ("Growth was slow in cells.2,4–6", "However, the cells died."),
        ("Growth was slow in cells (Fig. 1).7", "The cells died."),
        ("Growth took place without any DNA.12", "TGF-β1 was lost."),
        ("Growth was slow in cells of the mutant.", "A. Schematic of the gene."),
        ("A. Schematic of the gene.", "B. As in A."),
        ("Growth was slow.", "D. Ito wrote the text."),
        ("This was done by Smith et al.", "The cells died."),
        ("They were fed with vitamin C.", "The mice grew."),
        ("It was kept at 37 °C.", "The mice grew."),
        ("They were treated as in Group A.", "Mice of Group B were not."),
        ("They grew (see below).", "(B) The mice were fed."),
        ("We took it from the cat.", "The dog was left alone."),
        ("Mutants were taken at E17.5.", "Embryos were cut."),
        ("Do they grow?", "They do!"),
    ],
)
def test_two_sentences(first: str, second: str) -> None:
    assert split(f"{first} {second}") == [first, second]


def test_no_space_after_a_full_stop() -> None:
    assert split("We used standard procedures.Blots were washed.") == [
        "We used standard procedures.",
        "Blots were washed.",
    ]


def test_line_breaks_part_nothing_and_blank_lines_part() -> None:
    assert split("A line\nand another\r\n \r\nnext one\n\n\n") == [
        "A line\nand another",
        "next one",
    ]


def test_byte_order_mark_is_white_space() -> None:
    assert split("\ufeffOne here. Two there.\ufeff\n\ufeff\nThree") == [
        "One here.",
        "Two there.",
        "Three",
    ]


def test_all_white_space_of_python_is_white_space() -> None:
    white = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    assert split("".join(white)) == []
    assert split(f"{''.join(white)}x{''.join(white)}") == ["x"]


@pytest.mark.parametrize("text", ["", " ", "\ufeff", "\n\n \n"])
def test_nothing_to_split(text: str) -> None:
    assert split(text) == []


def test_sentences_of_the_format_are_kept() -> None:
    own = (Sentence(0, 3), Sentence(4, 9))
    article = Article("a", "", "One. Two.", "test", sentences=own)
    assert split_article(article, splitters[DEFAULT]) == own


def test_an_article_without_sentences_is_split() -> None:
    article = Article("a", "", "One is here. Two is there.", "test")
    assert split_article(article, splitters[DEFAULT]) == (Sentence(0, 12), Sentence(13, 26))


def test_an_article_of_too_many_sentences_is_refused() -> None:
    most = MOST_SENTENCES
    text = "A. " * (most + 1)
    own = tuple(Sentence(3 * n, 3 * n + 2) for n in range(most + 1))
    all_allowed = Article("a", "", text, "test", sentences=own[:-1])
    assert len(split_article(all_allowed, splitters[DEFAULT])) == most
    too_many = Article("a", "", text, "test", sentences=own)
    with pytest.raises(InputError, match=r"50,001 sentences.*at most 50,000"):
        split_article(too_many, splitters[DEFAULT])


def test_unknown_splitter_names_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'none'.*punkt.*pysbd.*spacy"):
        splitters["none"]


def test_time_is_linear_in_a_paragraph() -> None:
    text = "et al. (" * 20_000 + "e. g. " * 20_000 + "[1" * 20_000 + "a" * 100_000
    (only, *_) = splitters[DEFAULT].split(text)
    assert only.start == 0


def test_default_finds_nearly_all_boundaries_of_craft_dev() -> None:
    if not CRAFT.is_dir():
        pytest.skip("CRAFT is not beside the checkout (../shared/data/craft)")
    from citespan.pipelines.training.splitter import read_gold_sentences, score_boundaries

    gold = list(read_gold_sentences(CRAFT / "dev" / "conllu", CRAFT / "dev" / "txt"))
    assert sum(len(text.sentences) for text in gold) == 2780
    assert sum(text.unaligned for text in gold) == 0
    of_default, _ = score_boundaries(splitters[DEFAULT], gold)
    of_untrained, _ = score_boundaries(splitters["punkt-untrained"], gold)
    assert of_default.f1 > 0.998
    assert of_default.f1 > of_untrained.f1
