"""Cross-validation of zone models."""

from dataclasses import replace

import pytest
from made_abstracts import abstract_of, made_abstract, made_parts
from places import SHARED_DATA

from citespan.pipelines.answers.abstract_files import gather
from citespan.pipelines.answers.zones.configuration import CITESPAN, HIROHATA2008
from citespan.pipelines.corpus.abstract import AbstractPart
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.zones import ablate, analyse_split_and_joined, cross_validate

PUBMEDQA = SHARED_DATA / "pubmedqa/train.json"


def test_every_labelled_sentence_is_tagged_once() -> None:
    parts = [AbstractPart(label, text) for label, text in made_parts(3)]
    parts[1] = AbstractPart("METHODS AND RESULTS", parts[1].text)
    made = [*(made_abstract(number) for number in range(9)), abstract_of(parts, "99")]
    unlabelled = made_abstract(50, labels=False)
    data = analyse_split_and_joined([*made, unlabelled], HIROHATA2008)
    assert len(data) == 10
    seen: list[int] = []
    found = cross_validate(data, HIROHATA2008, 5, seen.append)
    assert seen == [1] * 5
    assert found.scores.overall.sentences == found.joined.overall.sentences == 9 * 8 + 6
    assert found.scores.abstracts == 10
    assert found.scores.overall.f1 > 0.9
    assert found.glued == 0
    assert cross_validate(data, HIROHATA2008, 5) == found


def test_what_is_learnt_from_is_never_what_is_tagged() -> None:
    """Each abstract has words of its own that tell its zones, and those of others mislead."""
    made = []
    for number in range(4):
        zones = ("AIM", "METHODS", "RESULTS", "CONCLUSION")
        order = [zones[(place + number) % 4] for place in range(4)]
        parts = [AbstractPart(label, f"This is word{number}x{label}.") for label in order]
        made.append(abstract_of(parts, str(number)))
    words_only = replace(HIROHATA2008, features=("n-grams",))
    found = cross_validate(analyse_split_and_joined(made, words_only), words_only, 4)
    assert found.scores.sentence_accuracy < 0.5


def test_sentences_that_joining_glues_are_counted() -> None:
    made = []
    for number in range(4):
        parts = [AbstractPart(label, text) for label, text in made_parts(number)]
        parts[1] = AbstractPart("SETTING", "a hospital of the town")
        parts[2] = AbstractPart("RESULTS", "they were well there. They slept.")
        made.append(abstract_of(parts, str(number)))
    found = cross_validate(analyse_split_and_joined(made, HIROHATA2008), HIROHATA2008, 2)
    assert found.glued == 4
    assert found.joined.overall.sentences == found.scores.overall.sentences
    assert found.joined.sentence_accuracy < found.scores.sentence_accuracy


def test_ablation_leaves_out_each_group_in_turn() -> None:
    data = analyse_split_and_joined([made_abstract(number) for number in range(6)], HIROHATA2008)
    found = dict(ablate(data, HIROHATA2008, 2))
    assert tuple(found) == HIROHATA2008.features


def test_more_folds_than_abstracts() -> None:
    with pytest.raises(InputError, match="2 abstracts with labels; 5 folds"):
        cross_validate(
            analyse_split_and_joined([made_abstract(0), made_abstract(1)], CITESPAN), CITESPAN
        )


@pytest.mark.skipif(not PUBMEDQA.exists(), reason="../shared/data is not here")
def test_pubmedqa_zones_are_as_good_as_published() -> None:
    gathered = gather([PUBMEDQA])
    assert (len(gathered.abstracts), gathered.rejected) == (500, [])
    found = cross_validate(analyse_split_and_joined(gathered.abstracts, CITESPAN), CITESPAN, 2)
    assert found.scores.abstracts == 500
    assert found.scores.overall.f1 >= 0.89
    assert found.joined.overall.f1 >= 0.89
