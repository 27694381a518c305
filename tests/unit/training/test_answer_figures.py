"""Corpora of answered abstracts, and detectors measured on them."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_abstracts import abstract_of, made_abstract, made_parts, made_title
from made_mancon import made_mancon, made_medline
from places import SHARED_DATA

from citespan.pipelines.answers.abstract_files import gather
from citespan.pipelines.answers.zones.configuration import HIROHATA2008
from citespan.pipelines.answers.zones.model import open_model
from citespan.pipelines.corpus.abstract import AbstractPart
from citespan.pipelines.corpus.mancon import read_mancon
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.answer_corpora import evaluate_on_paper_corpora, evaluate_on_titles
from citespan.pipelines.training.answer_examples import (
    AnsweredAbstract,
    from_mancon,
    from_titles,
    make_examples,
)
from citespan.pipelines.training.answers import (
    AnswerScores,
    Judgement,
    cross_validate,
    score_all_conclusions,
    score_answers,
    split_into_folds,
)
from citespan.pipelines.training.zones import ClassScore, make_zone_examples, train_crf

PUBMEDQA = SHARED_DATA / "pubmedqa/train.json"


def test_questions_made_of_titles() -> None:
    untold = replace(made_abstract(1), title="Morvanol in migraine")
    parts = [AbstractPart(label, text) for label, text in made_parts(2) if label != "RESULTS"]
    found = from_titles([made_abstract(0), untold, abstract_of(parts, "3", made_title(2))])
    (case,) = found.answered
    assert case.question == made_title(0)
    assert case.abstract.text[case.start : case.end] == (
        "These findings suggest that zelatine helps patients with gout."
    )
    assert (found.other_titles, found.without_zones) == (1, 1)


def test_scores_of_a_confusion_matrix() -> None:
    scores = score_answers(
        [Judgement(True, True)] * 3
        + [Judgement(True, False)]
        + [Judgement(False, True)] * 2
        + [Judgement(False, False)] * 14
    )
    assert scores == AnswerScores(3, 1, 2, 14)
    assert scores.answer == ClassScore(0.6, 0.75, 2 / 3, 4)
    assert scores.other == ClassScore(14 / 15, 14 / 16, 28 / 31, 16)
    assert scores.overall.recall == pytest.approx((3 + 14) / 20)
    assert scores.overall.sentences == 20
    assert score_answers([]).overall == ClassScore(0, 0, 0, 0)


def test_an_answer_outside_of_the_claim_zone_is_missed() -> None:
    abstract = made_abstract(0)
    aim = AnsweredAbstract("Why?", abstract, abstract.start, abstract.start + 20)
    (example,) = make_examples([aim])
    assert example.outside
    assert len(example.sentences) == 4
    assert score_all_conclusions([example]) == AnswerScores(0, 1, 2, 2)


def test_no_question_is_on_both_sides() -> None:
    answered = [
        replace(case, question=f"question {number % 7}?")
        for number, case in enumerate(from_titles(map(made_abstract, range(40))).answered)
    ]
    data = list(make_examples(answered))
    found = split_into_folds(data, 5)
    assert sorted(number for fold in found for number in fold.test) == list(range(40))
    for fold in found:
        learnt = {data[number].question for number in fold.train}
        assert learnt.isdisjoint(data[number].question for number in fold.test)
    with pytest.raises(InputError, match="7 questions with answers; 8 folds"):
        split_into_folds(data, 8)


def test_hidden_sections_are_zoned_by_the_model() -> None:
    answered = from_titles(map(made_abstract, range(8))).answered
    abstracts = [made_abstract(number) for number in range(20, 40)]
    crf = train_crf(list(make_zone_examples(abstracts, HIROHATA2008)), HIROHATA2008)
    found = list(make_examples(answered, open_model(crf, HIROHATA2008), hidden=True))
    assert {claim.sentence.by for example in found for claim in example.sentences} == {"model"}
    assert not any(example.outside for example in found)
    told = [example.sentences[example.answers.index(True)].sentence.text for example in found]
    assert told == [case.abstract.text[case.start : case.end] for case in answered]


def test_both_steps_on_titles() -> None:
    answered = from_titles(made_abstract(number) for number in range(35)).answered
    found = evaluate_on_titles(answered, HIROHATA2008, 3)
    assert found.both is not None
    for scores in (found.by_labels["5"], found.both["5"]):
        assert scores.answer.sentences == 35
        assert scores.answer.f1 > 0.9, "each title has the words of its answer"
    assert found.conclusions == AnswerScores(35, 0, 35, 70)


def test_the_papers_corpora_from_medline(tmp_path: Path) -> None:
    (tmp_path / "mancon.xml").write_text(made_mancon(range(30)))
    (tmp_path / "abstracts.xml").write_bytes(made_medline(range(18), range(18, 28)))
    abstracts = gather([tmp_path / "abstracts.xml"]).abstracts
    corpora = from_mancon(read_mancon(tmp_path / "mancon.xml"), abstracts)
    assert (len(corpora.structured), len(corpora.unstructured)) == (18, 10)
    assert (len(corpora.absent), len(corpora.unaligned)) == (2, 0)
    for case in (*corpora.structured, *corpora.unstructured):
        answer = case.abstract.text[case.start : case.end]
        assert answer.startswith(("Pain fell by", "These findings suggest"))
    found = evaluate_on_paper_corpora(corpora, abstracts, HIROHATA2008, 3)
    assert found.by_labels["1"].answer.sentences == 18
    assert found.both is not None
    assert found.both["1"].answer.sentences == 10
    assert "10 abstracts" in found.data_of_both


def test_without_unstructured_abstracts_there_is_no_corpus_3(tmp_path: Path) -> None:
    (tmp_path / "mancon.xml").write_text(made_mancon(range(9)))
    (tmp_path / "abstracts.xml").write_bytes(made_medline(range(9), ()))
    abstracts = gather([tmp_path / "abstracts.xml"]).abstracts
    corpora = from_mancon(read_mancon(tmp_path / "mancon.xml"), abstracts)
    found = evaluate_on_paper_corpora(corpora, abstracts, HIROHATA2008, 3)
    assert found.both is None
    assert "no corpus-3" in found.caveat


@pytest.mark.skipif(not PUBMEDQA.exists(), reason="../shared/data is not here")
def test_answers_of_pubmedqa() -> None:
    titles = from_titles(gather([PUBMEDQA]).abstracts)
    assert (len(titles.answered), titles.other_titles, titles.without_zones) == (483, 0, 17)
    data = list(make_examples(titles.answered))
    assert sum(len(example.answers) for example in data) == 2917
    assert not any(example.outside for example in data)
    found = cross_validate(data)
    assert found["3"].answer.f1 > 0.6 > 0.5 > found["2"].answer.f1 > found["1"].answer.f1
