"""What systems of experiments did on each citance, for Kibana: a document for each of both.

`citespan evaluate report --index` writes it from run folders, and makes it anew where another
version of citespan has made it, since it holds nothing that run folders and collections do not.

`run` is the path of the run folder; `label` names the system with its experiment and collection, so
that systems of several runs stand side by side; `text` is the citing sentence, to be shown.
"""

from typing import Any, Final

from elasticsearch.dsl import Date, Document, Float, Integer, Keyword, mapped_field

from citespan.es_mappings.index_body import index_settings, strict_mapping

INDEX: Final = "citespan-evaluations"
VERSION: Final = 1
MEASURES: Final = ("f1", "recall", "precision", "rouge_l", "success_1", "mrr_10", "ndcg_10")
"""Those that are stored: means of one value for each citance."""


class EvaluationEntry(Document):
    """One system on one citance."""

    run: str = mapped_field(Keyword())
    experiment: str = mapped_field(Keyword())
    collection: str = mapped_field(Keyword())
    system: str = mapped_field(Keyword())
    label: str = mapped_field(Keyword())
    citance: str = mapped_field(Keyword())
    topic: str = mapped_field(Keyword())
    article: str = mapped_field(Keyword())
    text: str = mapped_field(Keyword(index=False, doc_values=False))
    passages: int = mapped_field(Integer())
    f1: float = mapped_field(Float())
    recall: float = mapped_field(Float())
    precision: float = mapped_field(Float())
    rouge_l: float = mapped_field(Float())
    success_1: float = mapped_field(Float())
    mrr_10: float = mapped_field(Float())
    ndcg_10: float = mapped_field(Float())
    indexed: str = mapped_field(Date())


def mapping() -> dict[str, Any]:
    """The mapping."""
    return strict_mapping(EvaluationEntry, VERSION)


def settings() -> dict[str, Any]:
    """The settings."""
    return index_settings()
