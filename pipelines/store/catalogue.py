"""The catalogue of loaded articles: looking up, finding and writing its entries.

Whoever cites, reads or searches an article asks it for full texts and abstracts alike: `find`,
`entries`, `look_up_any` and `search` return entries of both. A full text comes before the abstract
of the same article. Loads ask for full texts alone: `look_up`, `look_up_loaded` and `scan`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from elasticsearch import Elasticsearch, NotFoundError
from elasticsearch.dsl.query import Bool, Fuzzy, Match, MatchAll, Prefix, Query, Term, Terms
from elasticsearch.helpers import scan

from citespan.es_mappings import abstracts, articles
from citespan.es_mappings.articles import ArticleEntry, Source
from citespan.es_mappings.index_name import CITESPAN, IndexNames, slug
from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.identifiers import find_spellings, is_pmid
from citespan.pipelines.corpus.notices import Notice
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.errors import CitespanError, InputError, UnknownNameError
from citespan.pipelines.store.abstracts import READ as ABSTRACT_FIELDS
from citespan.pipelines.store.abstracts import is_abstract, make_entry
from citespan.pipelines.store.index_versions import IndexVersion, check_versions, read_versions
from citespan.pipelines.store.operation import Operation, replace_document
from citespan.pipelines.store.paging import count_all, read_by_ids, search_all_shards

if TYPE_CHECKING:  # searching reads the catalogue without what writes it
    from citespan.pipelines.store.sender import BulkSender

_ABSTRACTS = "abstracts"
_PUBLISHED = ("title", "journal", "pmid", "pmcid", "doi", "notice")
_MOST_SUGGESTIONS = 5
_LOOKED_UP = 1_000  # at once, where all that are asked for are
_OF_LOADING = (
    *("article", "content", "layout", "index", "mapping_version", "models", "vocabulary"),
    *("edition", "shortest", "longest", "characters", "sentences", "spans", "citations"),
    "source.digest",
)


class SameNameError(CitespanError):
    """Two articles whose ids have the same slug."""

    def __init__(self, article: str, other: str) -> None:
        super().__init__(
            f"articles '{article}' and '{other}' have the same index name; rename one of them"
        )


class UnknownArticleError(InputError):
    """An identifier that no indexed article has, nor a similar one."""


@dataclass(frozen=True, slots=True)
class Version:
    """An entry, and the identity of this writing of it."""

    entry: ArticleEntry
    seq_no: int
    primary_term: int

    @property
    def sources(self) -> list[Source]:
        """Where the article was read from, the latest first."""
        return list(self.entry.source or ())


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry that is to be written, with the text of its article.

    Attributes:
        replaces: the writing of the entry that it takes the place of; None if it is the first.

    Raises:
        ValueError: if the text is empty: searches over all articles would lose the article.
    """

    entry: ArticleEntry
    text: str
    replaces: Version | None

    def __post_init__(self) -> None:
        if not self.text:
            raise ValueError(f"no text is given for the entry of article '{self.entry.article}'")


class Catalogue:
    """The catalogue of one set of indices.

    Each method that reads raises an OtherVersionError if another version of citespan has made the
    index, or those of citations, links or citances; or that of abstracts, if it reads them.

    Args:
        names: of the indices; those of users' articles unless stated otherwise.
    """

    def __init__(self, client: Elasticsearch, names: IndexNames = CITESPAN) -> None:
        self.client = client
        self.names = names
        self._versions_read: list[IndexVersion] | None = None

    @property
    def _versions(self) -> list[IndexVersion]:
        # While a cached_property waits for the server, it locks those of all other catalogues.
        if self._versions_read is None:
            names = self.names
            shared = [names.articles, names.citations, names.links, names.citances]
            # Experiments have no abstracts.
            shared += [abstracts.INDEX] if names == CITESPAN else []
            self._versions_read = read_versions(self.client, *shared, names=names)
        return self._versions_read

    @property
    def index(self) -> str:
        """The name of the index, which is known to be of the right version."""
        check_versions(found for found in self._versions if found.kind != _ABSTRACTS)
        return self.names.articles

    @property
    def has_abstracts(self) -> bool:
        """Whether there are abstracts beside the articles, which are of the right version then."""
        return bool(check_versions(found for found in self._versions if found.kind == _ABSTRACTS))

    def address(self, query: Query, *, full_texts: bool = False) -> dict[str, Any]:
        """Return the parameters of a search for a query.

        Args:
            full_texts: whether abstracts are not searched.
        """
        if full_texts or not self.has_abstracts:
            return {"index": self.index, "query": query.to_dict()}
        # What stands for an abstract that Medline has deleted is not found.
        kept = Bool(must=[query], must_not=[Term("deleted", {"value": True})])
        indices = [self.index, abstracts.INDEX]
        return {"index": indices, "query": kept.to_dict(), "ignore_unavailable": True}

    def ensure(self, expected: int = 0) -> None:
        """Create the catalogue of so many articles if it does not exist."""
        from citespan.pipelines.store.server import ensure_index

        settings = articles.settings(expected)
        ensure_index(self.client, self.names.articles, articles.mapping(), settings)

    def look_up(
        self, article_ids: Sequence[str], without: Sequence[str] = ()
    ) -> dict[str, Version]:
        """Return the entries of those articles that are loaded, by id, as last written.

        An entry can be of another article whose id has the same slug.

        Args:
            without: fields that are not needed.
        """
        found = self.look_up_slugs([slug(article) for article in article_ids], without)
        return {article: found[slug(article)] for article in article_ids if slug(article) in found}

    def look_up_slugs(self, slugs: Sequence[str], without: Sequence[str]) -> dict[str, Version]:
        """Return the entries of articles by the slugs of their ids.

        Raises:
            TransportError, ShardMissingError: if the server answers for a part of them only.
        """
        if not slugs:
            return {}
        found = read_by_ids(self.client, self.index, slugs, source_excludes=[*without])
        return {hit["_id"]: _read_version(hit) for hit in found if hit is not None}

    def look_up_loaded(
        self, article_ids: Iterable[str], without: Sequence[str] = ()
    ) -> dict[str, ArticleEntry]:
        """Return the entries of those articles that are loaded, by id; as many as are asked for.

        Unlike `look_up`, an entry is never of another article whose id has the same slug.
        """
        wanted = list(dict.fromkeys(article_ids))
        return {
            name: version.entry
            for some in batched(wanted, _LOOKED_UP)
            for name, version in self.look_up(some, without).items()
            if version.entry.article == name
        }

    def look_up_digests(self, digests: Sequence[str]) -> dict[str, ArticleEntry]:
        """Return the entries of articles by the digests of the bytes that they were read from, with
        nothing but how they are loaded, as of the last refresh."""
        found = search_all_shards(
            self.client,
            index=self.index,
            size=len(digests),
            source_includes=list(_OF_LOADING),
            query=Terms("source.digest", list(digests)).to_dict(),
            track_total_hits=False,
        )
        entries = map(read_entry, found["hits"]["hits"])
        return {source.digest: entry for entry in entries for source in entry.source or ()}

    def look_up_any(
        self, article_ids: Iterable[str], without: Sequence[str] = ()
    ) -> dict[str, ArticleEntry]:
        """Return what `look_up_loaded` does, and the entries of abstracts by their PMIDs, where
        these are no ids of articles.
        """
        wanted = list(dict.fromkeys(article_ids))
        return self._add_abstracts(wanted, self.look_up_loaded(wanted, without))

    def _add_abstracts(
        self, article_ids: Sequence[str], found: dict[str, ArticleEntry]
    ) -> dict[str, ArticleEntry]:
        rest = [name for name in article_ids if name not in found and is_pmid(name)]
        if not rest or not self.has_abstracts:
            return found
        for some in batched(rest, _LOOKED_UP):
            for hit in read_by_ids(
                self.client, abstracts.INDEX, some, source_includes=list(ABSTRACT_FIELDS)
            ):
                if hit is not None and "pmid" in hit["_source"]:  # not one that Medline has deleted
                    found[hit["_id"]] = make_entry(hit["_source"])
        return found

    def entries(self, article_ids: Sequence[str]) -> dict[str, ArticleEntry]:
        """Return the entries of those articles that are loaded, or else of abstracts, by id.

        Raises:
            SameNameError: if an entry is of another article, whose id has the same slug.
        """
        found = self.look_up(article_ids)
        for article_id, version in found.items():
            if version.entry.article != article_id:
                raise SameNameError(article_id, version.entry.article)
        known = {article_id: version.entry for article_id, version in found.items()}
        return self._add_abstracts(article_ids, known)

    def find(self, identifier: str) -> ArticleEntry:
        """Return the entry of an article by its id, by the name that its documents have instead,
        or by another of its identifiers, written as people write them: "PMID: 123",
        "https://doi.org/10.1/x", "PMC12.nxml.gz".

        Raises:
            UnknownNameError: with similar ids.
            UnknownArticleError: if no article is similar, or none is loaded.
            CitespanError: if several articles have that identifier.
        """
        spellings = find_spellings(identifier)
        found = self.look_up(spellings)
        for spelling in spellings:
            if spelling in found:
                return found[spelling].entry
        if other := self.find_known_as(identifier):
            return self.entries([other.article])[other.article]
        if abstract := self._find_abstract(spellings):
            return abstract
        raise self.describe_unknown(identifier.strip())

    def find_known_as(self, identifier: str) -> ArticleEntry | None:
        """Return the entry of the article that is also known by an identifier, if any, without its
        `lengths`.

        Raises:
            CitespanError: if several articles have that identifier.
        """
        spellings = find_spellings(identifier)
        query = Terms("also_known_as", list(spellings))
        others = self.search(query, _MOST_SUGGESTIONS, full_texts=True)
        for spelling in spellings:
            same = [entry for entry in others if spelling in entry.also_known_as]
            if len(same) > 1:
                raise CitespanError(
                    f"several articles are known as '{spelling}': "
                    + ", ".join(f"'{entry.article}'" for entry in same)
                    + "; ask for one of these"
                )
            if same:
                return same[0]
        return None

    def _find_abstract(self, spellings: Sequence[str]) -> ArticleEntry | None:
        """Return the entry of the abstract with one of these PMIDs, PMC ids or DOIs; that of its
        full text, if that is indexed without the identifier."""
        found = [*self._add_abstracts(spellings, {}).values()]
        if not found and self.has_abstracts:
            found = self.search(Terms("also_known_as", list(spellings)), 1)
        if not found:
            return None
        article = self.find_full_texts(found).get(found[0].article, "")
        return self.look_up_loaded(filter(None, [article])).get(article) or found[0]

    def describe_unknown(self, identifier: str) -> CitespanError:
        """Return the error of an identifier that no article has, with similar ones."""
        similar = Bool(
            should=[
                Prefix("article", {"value": identifier, "case_insensitive": True}),
                Fuzzy("article", {"value": identifier}),
                Fuzzy("also_known_as", {"value": identifier}),
                Match("title", {"query": identifier}),
            ]
        )
        if near := self.search(similar, _MOST_SUGGESTIONS):
            return UnknownNameError(
                "article", identifier, [entry.article for entry in near], similar=True
            )
        if self.search(MatchAll(), 1):
            return UnknownArticleError(
                f"unknown article '{identifier}': no indexed article is similar; see `citespan "
                "articles`"
            )
        return UnknownArticleError(
            f"unknown article '{identifier}': none is indexed yet; see `citespan index --help`"
        )

    def search(
        self,
        query: Query,
        most: int,
        sort: Sequence[Any] | None = None,
        first: int = 0,
        *,
        full_texts: bool = False,
    ) -> list[ArticleEntry]:
        """Return entries for a query without their `lengths`; none if the catalogue does not exist.
        An abstract whose full text is indexed is left out.

        Args:
            sort: fields to sort by, as Elasticsearch takes them; None for the best first.
            first: how many entries to leave out before these.
            full_texts: whether abstracts are not searched.
        """
        try:
            hits = search_all_shards(
                self.client,
                **self.address(query, full_texts=full_texts),
                size=most,
                from_=first,
                sort=list(sort) if sort is not None else None,
                source_excludes=["lengths", "text", "sections", "mesh"],
            )["hits"]["hits"]
        except NotFoundError:
            return []
        entries = [read_entry(hit) for hit in hits]
        doubled = self.find_full_texts(entries)
        return [
            entry for entry in entries if not is_abstract(entry) or entry.article not in doubled
        ]

    def find_full_texts(self, entries: Iterable[ArticleEntry]) -> dict[str, str]:
        """Return the ids of the full texts that are indexed of abstracts, by the PMIDs of these.

        Args:
            entries: those of articles are passed over.
        """
        found = filter(is_abstract, entries)
        wanted = {entry.article: read_publication(entry).identifiers for entry in found}
        keys = dict.fromkeys(key for some in wanted.values() for key in some)
        articles: dict[str, str] = {}
        for some in batched(keys, _LOOKED_UP):
            query = Terms("found_by", some)
            for version in self.scan(["article", "pmid", "pmcid", "doi"], query.to_dict()):
                for key in read_publication(version.entry).identifiers:
                    articles.setdefault(key, version.entry.article)
        return {
            abstract: articles[key] for abstract, some in wanted.items() for key in some
            if key in articles
        }  # fmt: skip

    def count(self, query: Query, *, full_texts: bool = False) -> int:
        """Return how many entries a query finds, with all abstracts, or of full texts alone."""
        try:
            asked = self.address(query, full_texts=full_texts)
            return count_all(self.client, **asked)
        except NotFoundError:
            return 0

    def count_articles(self) -> int:
        """Return how many articles are loaded, as of the last refresh."""
        return self.count(MatchAll(), full_texts=True)

    def scan(
        self,
        fields: Sequence[str] = (),
        query: Mapping[str, Any] | None = None,
        shard: int | None = None,
    ) -> Iterator[Version]:
        """Yield all entries as of the last refresh, or those that a query finds, in no particular
        order.

        Args:
            fields: those to read; none named for all.
            shard: the one that is read; None for all.
        """
        if not self.client.indices.exists(index=self.index):
            return
        body: dict[str, Any] = {"_source": list(fields) or True, "seq_no_primary_term": True}
        body |= {"query": query} if query is not None else {}
        of = None if shard is None else f"_shards:{shard}"
        for hit in scan(self.client, index=self.index, query=body, preference=of):
            yield _read_version(hit)

    def last_writes(self) -> list[int]:
        """Return for each shard a number that is lower than the `seq_no` of all entries written to
        it from now on."""
        self.client.indices.refresh(index=self.index)
        number = "*.settings.index.number_of_shards"
        [found] = self.client.indices.get_settings(index=self.index, filter_path=number).values()
        last = []
        for shard in range(int(found["settings"]["index"]["number_of_shards"])):
            hits = search_all_shards(
                self.client,
                index=self.index,
                size=1,
                sort=[{"_seq_no": "desc"}],
                source=False,
                preference=f"_shards:{shard}",
            )["hits"]["hits"]
            last.append(int(hits[0]["sort"][0]) if hits else -1)
        return last

    def put(self, sender: "BulkSender", entries: Iterable[NewEntry]) -> dict[str, str]:
        """Write entries, each in place of a certain writing of it, or as the first.

        Returns:
            The reason for each entry that is refused, by the article's id; "conflict" if the
            entry has been written or deleted since.
        """
        return sender.send(map(self._write, entries))

    def delete(self, sender: "BulkSender", versions: Iterable[Version]) -> dict[str, str]:
        """Delete entries, unless they have been written since.

        Returns:
            The reason for each that is refused, by the article's id.
        """
        return sender.send(self._replace(version.entry, None, version) for version in versions)

    def _write(self, new: NewEntry) -> Operation:
        document = new.entry.to_dict(skip_empty=True) | {articles.TEXT: new.text}
        return self._replace(new.entry, document, new.replaces)

    def _replace(
        self, entry: ArticleEntry, document: Mapping[str, Any] | None, replaced: Version | None
    ) -> Operation:
        version = None if replaced is None else (replaced.seq_no, replaced.primary_term)
        name = slug(entry.article)
        return replace_document(self.names.articles, entry.article, name, document, version)


def read_entry(hit: dict[str, Any]) -> ArticleEntry:
    """Return the entry of a hit in either index."""
    source = hit["_source"]
    return ArticleEntry.from_es(hit) if "article" in source else make_entry(source)


def _read_version(hit: dict[str, Any]) -> Version:
    return Version(ArticleEntry.from_es(hit), hit["_seq_no"], hit["_primary_term"])


def read_publication(entry: ArticleEntry) -> Publication:
    """Return what the catalogue knows of an article."""
    known = dict(entry.items())  # asking an entry for a field that it has not takes long
    return Publication(
        authors=tuple(known.get("authors") or ()),
        year=known.get("year"),
        notices=tuple(
            Notice(notice.kind, notice.by or "") for notice in known.get("notices") or ()
        ),
        notice_of=tuple(known.get("notice_of") or ()),
        **{name: known.get(name) or "" for name in _PUBLISHED},
    )
