"""The dashboard of citations and links: what is cited, and how far that supports it."""

from typing import Any, Final

from citespan.es_mappings.kibana.dashboard import Dashboard
from citespan.es_mappings.kibana.objects import CITATIONS, LINKS
from citespan.es_mappings.kibana.vega import Panel, bars, columns

_VERDICTS: Final = ("supported", "weak", "none")
_BY_VERDICT: Final[dict[str, Any]] = {
    name: {"filter": {"term": {"verdict": name}}} for name in _VERDICTS
}
_FOLDED: Final[tuple[dict[str, Any], ...]] = (
    {"fold": [f"{name}.doc_count" for name in _VERDICTS], "as": ["count", "citations"]},
    {"calculate": "split(datum.count, '.')[0]", "as": "verdict"},
)
_COLOURS: Final = {"field": "verdict", "type": "nominal", "sort": list(_VERDICTS)}

CITATION_LINKS: Final = Dashboard(
    "citespan-citation-links",
    "citespan: citations",
    "What articles are cited for, and how far they support it. `citespan link` finds it.",
    (
        Panel(
            "citespan-links-passages",
            "citespan: sentences that are cited most, each with a passage of them",
            LINKS,
            {
                "sentences": {
                    "terms": {"field": "sentences", "size": 30},
                    "aggs": {"shown": {"top_hits": {"size": 1, "_source": ["passages.text"]}}},
                }
            },
            "sentences.buckets",
            query={"term": {"verdict": "supported"}},
            transform=(
                {"calculate": "datum.shown.hits.hits[0]._source.passages[0].text", "as": "text"},
                {"calculate": "datum.key + '  ' + substring(datum.text, 0, 60)", "as": "name"},
            ),
            **bars(value="doc_count", title="citations", name="name"),
        ),
        Panel(
            "citespan-links-cited",
            "citespan: articles that are cited most, by verdict",
            LINKS,
            {"cited": {"terms": {"field": "cited", "size": 30}, "aggs": _BY_VERDICT}},
            "cited.buckets",
            transform=_FOLDED,
            **bars(value="citations", title="citations", color=_COLOURS),
        ),
        Panel(
            "citespan-links-doubt",
            "citespan: doubt by section of the citing article",
            LINKS,
            {
                "sections": {
                    "terms": {"field": "section", "size": 25, "order": {"support": "asc"}},
                    "aggs": {"support": {"avg": {"field": "support"}}},
                }
            },
            "sections.buckets",
            transform=({"calculate": "1 - datum.support.value", "as": "doubt"},),
            **bars(value="doubt", title="mean doubt (one minus the probability of evidence)"),
        ),
        Panel(
            "citespan-links-support",
            "citespan: citations by the probability of evidence",
            LINKS,
            {"values": {"histogram": {"field": "support", "interval": 0.05}}},
            "values.buckets",
            **columns(step=0.05, title="probability", value_title="citations"),
        ),
        Panel(
            "citespan-links-without-evidence",
            "citespan: cited articles without evidence, by citations",
            LINKS,
            {"cited": {"terms": {"field": "cited", "size": 30}, "aggs": _BY_VERDICT}},
            "cited.buckets",
            query={"bool": {"must_not": [{"term": {"verdict": "supported"}}]}},
            transform=_FOLDED,
            **bars(value="citations", title="citations", color=_COLOURS),
        ),
        Panel(
            "citespan-citations-publications",
            "citespan: publications that are cited most, indexed or not",
            CITATIONS,
            {"publications": {"terms": {"field": "doi", "size": 30}}},
            "publications.buckets",
            **bars(value="doc_count", title="citations"),
        ),
    ),
)
