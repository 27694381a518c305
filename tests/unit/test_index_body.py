"""What the bodies of all indices have in common."""

from citespan.es_mappings import articles, sentences, spans
from citespan.pipelines.retrieval.model import similarities


def test_a_mapping_is_its_callers_own() -> None:
    for mapping in (articles.mapping, sentences.mapping, lambda: spans.mapping(())):
        mapping()["_meta"]["made_for"] = "one article"
        assert "made_for" not in mapping()["_meta"]


def test_fields_of_an_earlier_mapping_are_not_in_the_next() -> None:
    several = spans.mapping(similarities(["vsm", "bm25"]), with_synonyms=True)
    assert set(several["properties"]["text"]["fields"]) == {"bm25", "umls"}
    assert "fields" not in spans.mapping(similarities(["vsm"]))["properties"]["text"]
