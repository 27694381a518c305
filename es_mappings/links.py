"""Citations with what the cited article has for them: one document for each citation of an indexed
article by another.

The id of a document is made of the citing article and the citation, so linking again overwrites and
never doubles. A link counts only while the catalogue's entries of both articles have the hashes
that are in it: `citing_content` and `cited_content`.

`sentences` are the ids of the sentences of the passages, each as the article, "#" and the number of
the sentence, by which Kibana and Elasticsearch count how often each is cited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, get_args

from elasticsearch.dsl import Boolean, Date, Float, Integer, Keyword, Text

from citespan.es_mappings.analysis import ANALYZER, analysis
from citespan.es_mappings.index_body import (
    COMPRESSED,
    count_shards,
    loaded_index_settings,
    record_mapping,
)
from citespan.es_mappings.index_name import CITESPAN, slug

INDEX = CITESPAN.links
VERSION = 3
ARTICLE_BYTES = 2_400
"""What the links of an article take on average, as in deploy/growth.json."""

Verdict = Literal["found", "differs", "weak", "none"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
WITH_EVIDENCE: Final[tuple[Verdict, ...]] = ("found", "differs")
DifferenceKind = Literal["number", "direction", "negation", "comparison", "population", "quotation"]


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
class Place:
    """Characters of a text, and what they are.

    Attributes:
        passage: the rank of the passage, from 1; 0 for the citation.
    """

    start: Annotated[int, Integer(index=False, doc_values=False)]
    end: Annotated[int, Integer(index=False, doc_values=False)]
    text: Annotated[str, Keyword(ignore_above=1024)]
    passage: Annotated[int, Integer(index=False, doc_values=False)] = 0

    def move(self, by: int) -> "Place":
        """Return the place in a text that has so many characters before this one."""
        return replace(self, start=self.start + by, end=self.end + by)

    def to_json(self) -> dict[str, Any]:
        """Return the place by name; of the citation without a passage."""
        own = {"start": self.start, "end": self.end, "text": self.text}
        return {"passage": self.passage, **own} if self.passage else own


@dataclass(frozen=True, slots=True)
class Difference:
    """Two places that do not say the same.

    Attributes:
        closeness: from 0 to 1, how much of what surrounds the place in the citation surrounds the
            other too.
    """

    kind: Annotated[DifferenceKind, Keyword()]
    citation: Place
    article: Place
    closeness: Annotated[float, Float(index=False)]

    def __str__(self) -> str:
        ours, theirs = (" ".join(place.text.split()) for place in (self.citation, self.article))
        return (
            f"{self.kind}: “{ours}” in the citation, “{theirs}” in passage {self.article.passage}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the kind and both places."""
        return {
            "kind": self.kind,
            "citation": self.citation.to_json(),
            "article": self.article.to_json(),
        }


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
        verdict: by `support`, the probability that the article has evidence, against `threshold`;
            "differs" if there are `differences`.
        passages: best first.
        differences: between `query`, into which the offsets of the citation are, and the passages.
        rivals: whether articles were looked for that fit better; `better` is the id of the one
            that does, and "" where none does.
        ranker, ranker_version: what has judged them; the version is that of the model of what
            differs, too.
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
    verdict: Annotated[Verdict, Keyword()]
    support: Annotated[float, Float()]
    threshold: Annotated[float, Float(index=False)]
    passages: tuple[LinkedPassage, ...]
    differences: tuple[Difference, ...]
    rivals: Annotated[bool, Boolean()]
    better: Annotated[str, Keyword()]
    better_title: Annotated[str, Text()]
    ranker: Annotated[str, Keyword()]
    ranker_version: Annotated[str, Keyword()]
    citing_content: Annotated[str, Keyword(index=False, doc_values=False)]
    cited_content: Annotated[str, Keyword(index=False, doc_values=False)]
    linked: Annotated[str, Date()]

    @classmethod
    def from_document(cls, source: Mapping[str, Any]) -> "CitationLink":
        """Return the link of a document."""
        kept = {name: source[name] for name in cls.__dataclass_fields__}
        passages = tuple(LinkedPassage(**passage) for passage in source["passages"])
        differences = tuple(
            Difference(
                **said
                | {"citation": Place(**said["citation"]), "article": Place(**said["article"])}
            )
            for said in source["differences"]
        )
        return cls(**kept | {"passages": passages, "differences": differences})

    @property
    def pieces(self) -> list[tuple[str, bool]]:
        """Its query in pieces, each with whether it differs from a passage."""
        return split_query(self.query, self.differences)

    @property
    def has_evidence(self) -> bool:
        """Whether its passages are about what the citation says."""
        return self.verdict in WITH_EVIDENCE

    def to_document(self) -> dict[str, Any]:
        """Return its document, which has also the `sentences` of its passages."""
        numbers = {number for passage in self.passages for number in passage.sentences}
        return asdict(self) | {"sentences": [f"{self.cited}#{n}" for n in sorted(numbers)]}

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan cited --json` prints it."""
        described = asdict(self)
        for name in ("citing_content", "cited_content"):
            del described[name]
        return described | {"differences": [each.to_json() for each in self.differences]}


def split_query(query: str, differences: Sequence[Difference]) -> list[tuple[str, bool]]:
    """Return the text of a query in pieces, each with whether it differs from a passage."""
    places = [(difference.citation.start, difference.citation.end) for difference in differences]
    edges = sorted({0, len(query), *(at for place in places for at in place)})
    return [
        (query[start:end], any(first <= start and end <= last for first, last in places))
        for start, end in pairwise(edges)
    ]


def mapping() -> dict[str, Any]:
    """The mapping."""
    body = record_mapping(CitationLink, VERSION)
    body["properties"]["sentences"] = Keyword(multi=True).to_dict()
    return body


def settings(articles: int = 0) -> dict[str, Any]:
    """The settings for the links of so many articles."""
    shards = count_shards(articles, ARTICLE_BYTES)
    return loaded_index_settings(shards, **COMPRESSED, analysis=analysis())


def link_id(article: str, citation: str) -> str:
    """The document id of a link: the same on every run.

    Args:
        article: the one that cites.
        citation: the id of the citation in it.
    """
    return f"{slug(article)}:{citation}"
