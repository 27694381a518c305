"""The dashboard of evaluations: what systems are worth, and which citances are hard."""

from typing import Any, Final

from citespan.es_mappings.kibana.dashboard import Dashboard
from citespan.es_mappings.kibana.objects import EVALUATIONS
from citespan.es_mappings.kibana.vega import Panel, bars, columns

_F1: Final[dict[str, Any]] = {"f1": {"avg": {"field": "f1"}}}
_FIRST: Final[dict[str, Any]] = {"first": {"avg": {"field": "success_1"}}}

EVALUATION: Final = Dashboard(
    "citespan-evaluation",
    "citespan: evaluations",
    "What systems of experiments are worth, and on which citances they fail. "
    "`citespan evaluate report RUN --index` writes what it shows.",
    (
        Panel(
            "citespan-evaluation-f1",
            "citespan: F1 by system",
            EVALUATIONS,
            {"systems": {"terms": {"field": "label", "size": 60, "order": {"f1": "desc"}},
                         "aggs": _F1}},
            "systems.buckets",
            **bars(value="f1.value", title="F1 (characters)"),
        ),
        Panel(
            "citespan-evaluation-first",
            "citespan: how often the first passage is right, by system",
            EVALUATIONS,
            {"systems": {"terms": {"field": "label", "size": 60, "order": {"first": "desc"}},
                         "aggs": _FIRST}},
            "systems.buckets",
            **bars(value="first.value", title="share of citances"),
        ),
        Panel(
            "citespan-evaluation-worst",
            "citespan: citances on which systems are worst",
            EVALUATIONS,
            {
                "citances": {
                    "terms": {"field": "citance", "size": 40, "order": {"f1": "asc"}},
                    "aggs": _F1 | {"shown": {"top_hits": {"size": 1, "_source": ["text"]}}},
                }
            },
            "citances.buckets",
            transform=(
                {"calculate": "datum.shown.hits.hits[0]._source.text", "as": "text"},
                {"calculate": "datum.key + '  ' + substring(datum.text, 0, 60)", "as": "name"},
            ),
            **bars(value="f1.value", title="mean F1 of all systems", name="name"),
        ),
        Panel(
            "citespan-evaluation-topics",
            "citespan: F1 by topic",
            EVALUATIONS,
            {"topics": {"terms": {"field": "topic", "size": 40, "order": {"f1": "asc"}},
                        "aggs": _F1}},
            "topics.buckets",
            **bars(value="f1.value", title="mean F1 of all systems"),
        ),
        Panel(
            "citespan-evaluation-distribution",
            "citespan: citances by F1",
            EVALUATIONS,
            {"values": {"histogram": {"field": "f1", "interval": 0.1}}},
            "values.buckets",
            **columns(step=0.1, title="F1", value_title="citances of all systems"),
        ),
        Panel(
            "citespan-evaluation-passages",
            "citespan: passages returned for a citance, by system",
            EVALUATIONS,
            {"systems": {"terms": {"field": "label", "size": 60},
                         "aggs": {"passages": {"avg": {"field": "passages"}}}}},
            "systems.buckets",
            **bars(value="passages.value", title="mean number"),
        ),
    ),
)  # fmt: skip
