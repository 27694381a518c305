"""What is known before anything is indexed: whether every system has what it needs."""

from pathlib import Path

import pytest
from made_outcomes import make_outcome, tens

from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation.queries import check
from citespan.pipelines.evaluation.specification import SearchSystem
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.vocabulary.builder import build
from citespan.pipelines.vocabulary.terms import VocabularyTerm

ONE = make_outcome(tens(3), [[]], [])


def system(reformulation: str, **own: object) -> SearchSystem:
    return SearchSystem(
        reformulation, "vsm", reformulation, 3, None, merge=True, system_options=own
    )


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Options:
    folder: Path = tmp_path_factory.mktemp("vocabulary") / "store"
    terms = ("citance", "citing sentence")
    build([VocabularyTerm("C1", text, "MADE", "SY", False) for text in terms], folder, "1")
    return Options(vocabulary=folder)


def test_synonyms_are_indexed_for_systems_that_have_the_server_add_them(options: Options) -> None:
    plain = [system("baseline"), system("umls-expand"), system("prf")]
    assert check(plain, options, ONE.citance, ONE.article) is None
    field = [*plain, system("umls-field"), system("umls-reduce+umls-field", synonyms="phrase")]
    synonyms = check(field, options, ONE.citance, ONE.article)
    assert synonyms is not None
    assert synonyms.synonyms.rules_for("One citance.")


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ([system("umls-expand")], r"^system umls-expand: umls-expand needs a vocabulary: name one"),
        ([system("umls-field")], r"^system umls-field: .*name a vocabulary by `vocabulary` or CIT"),
        ([system("umls-reduce", vocabulary=Path("nowhere"))], r"^system umls-reduce: nowhere: "),
    ],
)
def test_what_is_missing_is_named_with_the_system(
    systems: list[SearchSystem], message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check(systems, Options(), ONE.citance, ONE.article)
    assert "\n" not in str(caught.value)


def test_an_index_has_the_synonyms_of_one_vocabulary(options: Options) -> None:
    systems = [system("umls-field"), system("baseline+umls-field", sources=("MADE",))]
    with pytest.raises(InputError, match=r"^systems umls-field, baseline\+umls-field: an index"):
        check(systems, options, ONE.citance, ONE.article)
