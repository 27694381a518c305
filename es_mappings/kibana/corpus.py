"""The dashboard of what is loaded: articles, their sections and sentences, and the loads."""

from typing import Any, Final

from citespan.es_mappings.kibana.dashboard import Dashboard
from citespan.es_mappings.kibana.objects import ARTICLES, LOADS, SENTENCE_DOCUMENTS, SPANS
from citespan.es_mappings.kibana.vega import Panel, bars, columns

_OUTCOMES: Final = ("indexed", "replaced", "unchanged", "skipped", "quarantined")
_LENGTH: Final[dict[str, Any]] = {
    "characters_of_a_sentence": {
        "type": "double",
        "script": {
            "source": "if (doc.containsKey('sentences') && doc.containsKey('characters') "
            "&& doc['characters'].size() > 0 && doc['sentences'].size() > 0 "
            "&& doc['sentences'].value > 0) "
            "emit(doc['characters'].value / (double) doc['sentences'].value)"
        },
    }
}

CORPUS: Final = Dashboard(
    "citespan-corpus",
    "citespan: corpus",
    "What is loaded: articles, their sections and sentences, and the loads.",
    (
        Panel(
            "citespan-corpus-years",
            "citespan: articles by year",
            ARTICLES,
            {"years": {"histogram": {"field": "year", "interval": 1, "min_doc_count": 1}}},
            "years.buckets",
            **columns(step=1, title="year", value_title="articles"),
        ),
        Panel(
            "citespan-corpus-journals",
            "citespan: articles by journal",
            ARTICLES,
            {"journals": {"terms": {"field": "journal", "size": 20}}},
            "journals.buckets",
            **bars(value="doc_count", title="articles"),
        ),
        Panel(
            "citespan-corpus-sentences",
            "citespan: sentences of an article",
            ARTICLES,
            {"sizes": {"histogram": {"field": "sentences", "interval": 25, "min_doc_count": 1}}},
            "sizes.buckets",
            **columns(step=25, title="sentences", value_title="articles"),
        ),
        Panel(
            "citespan-corpus-sentence-length",
            "citespan: mean length of an article's sentences",
            ARTICLES,
            {
                "lengths": {
                    "histogram": {
                        "field": "characters_of_a_sentence",
                        "interval": 10,
                        "min_doc_count": 1,
                    }
                }
            },
            "lengths.buckets",
            runtime=_LENGTH,
            **columns(step=10, title="characters of a sentence", value_title="articles"),
        ),
        Panel(
            "citespan-corpus-sections-spans",
            "citespan: sentences by section (layout spans)",
            SPANS,
            {"sections": {"terms": {"field": "section", "size": 25}}},
            "sections.buckets",
            query={"term": {"length": 1}},
            **bars(value="doc_count", title="sentences"),
        ),
        Panel(
            "citespan-corpus-sections-sentences",
            "citespan: sentences by section (layout sentences)",
            SENTENCE_DOCUMENTS,
            {"sections": {"terms": {"field": "section", "size": 25}}},
            "sections.buckets",
            **bars(value="doc_count", title="sentences"),
        ),
        Panel(
            "citespan-corpus-loads",
            "citespan: inputs of loads, by day",
            LOADS,
            {
                "days": {
                    "date_histogram": {
                        "field": "started",
                        "calendar_interval": "day",
                        "min_doc_count": 1,
                    },
                    "aggs": {name: {"sum": {"field": name}} for name in _OUTCOMES},
                }
            },
            "days.buckets",
            transform=(
                {"fold": [f"{name}.value" for name in _OUTCOMES], "as": ["sum", "inputs"]},
                {"calculate": "split(datum.sum, '.')[0]", "as": "outcome"},
            ),
            mark={"type": "bar", "tooltip": True},
            encoding={
                "x": {
                    "field": "key",
                    "type": "temporal",
                    "timeUnit": "yearmonthdate",
                    "title": None,
                },
                "y": {"field": "inputs", "type": "quantitative"},
                "color": {"field": "outcome", "type": "nominal", "sort": list(_OUTCOMES)},
            },
        ),
        Panel(
            "citespan-corpus-reasons",
            "citespan: why inputs were not indexed, by loads",
            LOADS,
            {"reasons": {"terms": {"field": "reasons.reason", "size": 20}}},
            "reasons.buckets",
            **bars(value="doc_count", title="loads"),
        ),
    ),
)
