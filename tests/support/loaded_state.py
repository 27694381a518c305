"""What loads leave on the server: documents, in a form that can be compared, and leases."""

from typing import Any

from elasticsearch import Elasticsearch

from citespan.es_mappings import articles, citations
from citespan.es_mappings.sentences import SENTENCES
from citespan.es_mappings.spans import SPANS_PREFIX
from citespan.pipelines.store.catalogue import Catalogue

Documents = dict[str, dict[str, Any]]


def loaded_state(es: Elasticsearch, prefix: str) -> dict[str, Documents]:
    """Entries, documents and citations of all articles whose ids start with `prefix`, in both
    layouts; with the ids less the prefix, and without what differs from load to load.

    Every sentence and citation is of the edition that its article's entry names, every span of its
    index.
    """
    es.indices.refresh(index="citespan-*")
    of_prefix = {"prefix": {"article": prefix}}
    entries = _found(es, articles.INDEX, of_prefix)
    editions = {entry["article"]: entry.get("edition") for entry in entries.values()}
    indices = {entry["article"]: entry["index"] for entry in entries.values()}
    state: dict[str, Documents] = {"entries": {}, "sentences": {}, "spans": {}, "citations": {}}
    for entry in entries.values():
        kept = {
            name: value
            for name, value in entry.items()
            if name not in ("article", "content", "edition", "loaded", "index", "title", "source")
        }
        state["entries"][entry["article"].removeprefix(prefix)] = kept
    for sentence in _found(es, SENTENCES, of_prefix).values():
        article = sentence["article"]
        assert sentence["edition"] == editions.get(article), f"{article}: a stray sentence"
        name = f"{article.removeprefix(prefix)} {sentence['number']}"
        assert name not in state["sentences"], name
        state["sentences"][name] = {k: sentence[k] for k in ("start", "end", "text", "section")}
    for place, span in _found(es, f"{SPANS_PREFIX}{prefix}*", of_prefix).items():
        article = span.pop("article")
        assert place.partition(" ")[0] == indices.get(article), f"{article}: a stray span"
        state["spans"][f"{article.removeprefix(prefix)} {place.partition(' ')[2]}"] = span
    for citation in _found(es, citations.INDEX, of_prefix).values():
        article, edition = citation.pop("article"), citation.pop("edition")
        assert edition == editions.get(article), f"{article}: a stray citation"
        name = f"{article.removeprefix(prefix)} {citation['number']}"
        assert name not in state["citations"], name
        state["citations"][name] = citation
    return state


def _found(es: Elasticsearch, index: str, query: dict[str, Any]) -> Documents:
    response = es.search(
        index=index,
        query=query,
        size=10_000,
        ignore_unavailable=True,
        allow_no_indices=True,
        track_total_hits=True,
    )
    hits = response["hits"]["hits"]
    assert response["hits"]["total"]["value"] == len(hits), "more than are looked at"
    return {f"{hit['_index']} {hit['_id']}": hit["_source"] for hit in hits}


def spans_of(es: Elasticsearch, article_id: str) -> str:
    """The name of the index, by the catalogue."""
    return str(Catalogue(es).find(article_id).index)


_LAPSE = "for (writer in ctx._source.writers) writer.renewed -= params.ago"


def let_leases_lapse(es: Elasticsearch, seconds: int = 3600) -> None:
    """Make all leases that there are as old as if nobody had renewed them for so long. Versions of
    citespan without leases have none."""
    es.options(ignore_status=404).update(
        index="citespan-leases",
        id="writers",
        script={"source": _LAPSE, "params": {"ago": seconds * 1000}},
        retry_on_conflict=20,
    )
