"""What an indexed article is cited for: who cites it, and for which of its sentences."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from elasticsearch import Elasticsearch

from citespan.es_mappings.articles import ArticleEntry
from citespan.es_mappings.citances import Citance
from citespan.es_mappings.links import VERDICTS, CitationLink
from citespan.pipelines.citations.stored import read_links
from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.retrieval.passage import ShownSentence
from citespan.pipelines.shown import Row, Shown, flatten, short_repr
from citespan.pipelines.store.abstracts import is_abstract
from citespan.pipelines.store.catalogue import Catalogue, read_publication
from citespan.pipelines.store.citances import read_citances
from citespan.pipelines.store.layout import layout_of
from citespan.pipelines.store.notices import find_notices

_NOT_NEEDED = ("lengths", "also_known_as", "source", "found_by", "authors", "title")


@short_repr
@dataclass(frozen=True, slots=True)
class CitedSentence(ShownSentence):
    """A sentence of a cited article.

    Attributes:
        citations: how many citations for which evidence was found have it in one of their passages.
    """

    citations: int


@short_repr
@dataclass(frozen=True)
class CitedArticle(Shown):
    """An article with all links to it.

    Attributes:
        links: in the order of the citing articles and their texts, whatever their verdicts.
        sentences: all of the article, in order.
        notices: what later publications say of the article, such as that it is retracted.
        outdated: how many further links there are of an article that has been deleted or has
            changed since; linking again mends them.
        citances: what others say of it, by which searches of all articles find it. Unlike links,
            they stay when the article is replaced.
        abstract_only: whether only its abstract is indexed.
    """

    html: ClassVar[str] = "cited"

    article: str
    title: str
    links: tuple[CitationLink, ...]
    sentences: tuple[CitedSentence, ...]
    outdated: int = 0
    citances: tuple[Citance, ...] = ()
    notices: tuple[Notice, ...] = ()
    abstract_only: bool = False

    @cached_property
    def citing(self) -> Mapping[str, int]:
        """The number of citations in each article that cites it, most first."""
        return dict(Counter(link.citing for link in self.links).most_common())

    @cached_property
    def verdicts(self) -> Mapping[str, int]:
        """The number of citations of each verdict."""
        counted = Counter(link.verdict for link in self.links)
        return {verdict: counted[verdict] for verdict in VERDICTS}

    @cached_property
    def sections(self) -> Mapping[str, int]:
        """For each section, in order, how many citations with evidence have a passage in it."""
        counted = dict.fromkeys((sentence.section for sentence in self.sentences), 0)
        for link in self.links:
            if link.has_evidence:
                for section in {passage.section for passage in link.passages}:
                    counted[section] = counted.get(section, 0) + 1
        return counted

    @property
    def cited(self) -> tuple[CitedSentence, ...]:
        """The sentences that somebody cites, the most cited first."""
        cited = (sentence for sentence in self.sentences if sentence.citations)
        return tuple(sorted(cited, key=lambda sentence: (-sentence.citations, sentence.number)))

    @property
    def without_evidence(self) -> tuple[Citance, ...]:
        """What others say of it for which no evidence is known, since one of the two articles has
        changed after they were linked."""
        linked = {(link.citing, " ".join(link.query.split())) for link in self.links}
        return tuple(
            citance for citance in self.citances if (citance.citing, citance.text) not in linked
        )

    @property
    def rivalled(self) -> tuple[CitationLink, ...]:
        """The links of citations that another indexed article fits better."""
        return tuple(link for link in self.links if link.better)

    @property
    def uncited(self) -> tuple[CitedSentence, ...]:
        """The sentences that nobody cites, in order."""
        return tuple(sentence for sentence in self.sentences if not sentence.citations)

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan cited --json` prints it."""
        return {
            "article": self.article,
            "title": self.title,
            "abstract_only": self.abstract_only,
            "citations": len(self.links),
            "verdicts": dict(self.verdicts),
            "outdated": self.outdated,
            "notices": [notice.to_json() for notice in self.notices],
            "citing": dict(self.citing),
            "sections": dict(self.sections),
            "sentences": [asdict(sentence) for sentence in self.sentences],
            "links": [link.to_json() for link in self.links],
            "cited_for": [
                {"citing": citance.citing, "text": citance.text} for citance in self.citances
            ],
        }

    def to_rows(self) -> list[Row]:
        """Return its sentences as rows, each with the number of its citations."""
        return [
            flatten({"article": self.article, **asdict(sentence)}) for sentence in self.sentences
        ]


def find_cited(client: Elasticsearch, article: str) -> CitedArticle:
    """Return what an indexed article is cited for, as far as citations have been linked.

    Args:
        article: any of its identifiers.

    Raises:
        UnknownNameError, InputError: if no such article is indexed, or the list of retractions
            can't be read.
        CitespanError: if its documents are gone, or its sentences are not stored singly.
    """
    catalogue = Catalogue(client)
    entry = catalogue.find(article)
    found = [
        CitationLink.from_document(link) for link in read_links(client, "cited", [entry.article])
    ]
    named = {link.citing for link in found} | {link.better for link in found if link.better}
    citing = catalogue.look_up_loaded(named, _NOT_NEEDED)
    current = tuple(
        link if link.better in citing else replace(link, better="", better_title="")
        for link in found
        if link.cited_content == entry.content
        and link.citing in citing
        and link.citing_content == citing[link.citing].content
    )
    counted = Counter(
        number
        for link in current
        if link.has_evidence
        for number in {sentence for passage in link.passages for sentence in passage.sentences}
    )
    [notices] = find_notices(catalogue, [read_publication(entry)])
    return CitedArticle(
        str(entry.article),
        entry.title or "",
        current,
        _read_sentences(client, entry, counted),
        len(found) - len(current),
        read_citances(client, [entry.article])[entry.article],
        notices,
        is_abstract(entry),
    )


def _read_sentences(
    client: Elasticsearch, entry: ArticleEntry, counted: Mapping[int, int]
) -> tuple[CitedSentence, ...]:
    [documents] = layout_of(entry).reader.read_articles(client, [entry])
    return tuple(
        CitedSentence.of(number, document, citations=counted.get(number, 0))
        for number, document in documents.items()
    )
