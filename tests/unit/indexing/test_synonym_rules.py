"""How many synonyms the index of one article may have."""

from pathlib import Path

import pytest
from made_vocabularies import vocabulary

from citespan.pipelines.errors import InputError
from citespan.pipelines.indexing.documents import synonym_rules
from citespan.pipelines.indexing.documents.synonym_rules import ConceptSynonyms
from citespan.pipelines.vocabulary.matching import Matcher
from citespan.pipelines.vocabulary.terms import ConceptFilter, VocabularyTerm


def test_synonyms_without_end_are_not_sent_to_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = [
        VocabularyTerm(cui, f"{word} concept{number or ''}", "MSH", "SY", not number, ())
        for cui, word, size in (("C1", "endless", 300), ("C2", "small", 3))
        for number in range(size)
    ]
    matcher = Matcher(vocabulary(tmp_path / "v", terms), ConceptFilter())
    monkeypatch.setattr(synonym_rules, "MOST_WORDS", 500)
    synonyms = ConceptSynonyms(matcher)
    assert synonyms.rules_for("The small concept is here.")
    with pytest.raises(InputError, match="more than 500 words of synonyms.*choose fewer `sources`"):
        synonyms.rules_for("The endless concept is here.")
