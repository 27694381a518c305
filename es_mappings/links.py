"""Citations with what the cited article has for them: one document for each citation of an indexed
article by another.

The id of a document is made of the citing article and the citation, so linking again overwrites and
never doubles. A link counts only while the catalogue's entries of both articles have the hashes
that are in it: `citing_content` and `cited_content`.

`sentences` are the ids of the sentences of the passages, each as the article, "#" and the number of
the sentence, by which Kibana and Elasticsearch count how often each is cited.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from elasticsearch.dsl import Date, Float, Integer, Keyword, Object, Text

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.index_body import (
    COMPRESSED,
    describe_fields,
    loaded_index_settings,
    record_mapping,
)
from citespan.es_mappings.index_name import CITESPAN, slug

INDEX = CITESPAN.links
VERSION = 2


@dataclass(frozen=True, slots=True)
class LinkedPassage:
    """A passage of the cited article.

    Attributes:
        first_sentence, last_sentence: their numbers in the article, from 0.
        start, end: offsets into its text.
        probability: that it is the evidence.
    """

    rank: Annotated[int, Integer(index=False, doc_values=False)]
    first_sentence: Annotated[int, Integer(index=False, doc_values=False)]
    last_sentence: Annotated[int, Integer(index=False, doc_values=False)]
    start: Annotated[int, Integer(index=False, doc_values=False)]
    end: Annotated[int, Integer(index=False, doc_values=False)]
    section: Annotated[str, Keyword(ignore_above=1024)]
    text: Annotated[str, Text(analyzer=ANALYZER)]
    probability: Annotated[float, Float()]

    @property
    def sentences(self) -> range:
        """The numbers of its sentences."""
        return range(self.first_sentence, self.last_sentence + 1)


@dataclass(frozen=True, slots=True)
class CitationLink:
    """A citation of an indexed article by another, with what the cited article has for it.

    Attributes:
        citing, cited: the ids of the two articles.
        citation: its id in the citing article, as `citespan citations` shows it.
        number: its place among the citations of the article, from 0.
        section, start, end, text: of the citing sentence.
        query: what the citation says by itself: its clause without markers.
        reference: the key of the entry of the reference list.
        found_by: "identifier" or "title": what has led to the cited article.
        verdict: by `support`, the probability that the article has evidence, against `threshold`.
        passages: best first.
        ranker, ranker_version: what has judged them.
        citing_content, cited_content: hashes of the articles; the link counts while they have
            these.
        linked: when, in ISO 8601.
    """

    citing: Annotated[str, Keyword()]
    citing_title: Annotated[str, Text()]
    cited: Annotated[str, Keyword()]
    cited_title: Annotated[str, Text()]
    citation: Annotated[str, Keyword(doc_values=False)]
    number: Annotated[int, Integer(index=False)]
    section: Annotated[str, Keyword(ignore_above=1024)]
    start: Annotated[int, Integer(index=False, doc_values=False)]
    end: Annotated[int, Integer(index=False, doc_values=False)]
    text: Annotated[str, Text(analyzer=ANALYZER)]
    query: Annotated[str, Text(index=False)]
    reference: Annotated[str, Keyword(ignore_above=1024)]
    found_by: Annotated[str, Keyword()]
    verdict: Annotated[Literal["found", "weak", "none"], Keyword()]
    support: Annotated[float, Float()]
    threshold: Annotated[float, Float(index=False)]
    passages: Annotated[
        tuple[LinkedPassage, ...], Object(properties=describe_fields(LinkedPassage))
    ]
    ranker: Annotated[str, Keyword()]
    ranker_version: Annotated[str, Keyword()]
    citing_content: Annotated[str, Keyword(index=False, doc_values=False)]
    cited_content: Annotated[str, Keyword(index=False, doc_values=False)]
    linked: Annotated[str, Date()]

    @classmethod
    def from_document(cls, source: Mapping[str, Any]) -> "CitationLink":
        """Return the link of a document."""
        passages = tuple(LinkedPassage(**one) for one in source["passages"])
        kept = {name: source[name] for name in cls.__dataclass_fields__}
        return cls(**kept | {"passages": passages})

    def to_document(self) -> dict[str, Any]:
        """Return its document, which has also the `sentences` of its passages."""
        numbers = {number for passage in self.passages for number in passage.sentences}
        return asdict(self) | {"sentences": [f"{self.cited}#{n}" for n in sorted(numbers)]}

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan cited --json` prints it."""
        described = asdict(self)
        for name in ("citing_content", "cited_content"):
            del described[name]
        return described


def mapping() -> dict[str, Any]:
    """The mapping."""
    body = record_mapping(CitationLink, VERSION)
    body["properties"]["sentences"] = Keyword(multi=True).to_dict()
    return body


def settings() -> dict[str, Any]:
    """The settings."""
    return loaded_index_settings(**COMPRESSED, analysis=analysis())


def link_id(article: str, citation: str) -> str:
    """The document id of a link: the same on every run.

    Args:
        article: the one that cites.
        citation: the id of the citation in it.
    """
    return f"{slug(article)}:{citation}"
