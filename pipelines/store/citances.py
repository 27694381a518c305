"""Reading what others say of articles."""

import re
from collections.abc import Sequence
from hashlib import blake2b

from elasticsearch import Elasticsearch

from citespan.es_mappings.citances import Citance
from citespan.es_mappings.index_name import CITESPAN, IndexNames, slug
from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.store.paging import read_by_ids

_LETTERS = re.compile(r"[^\W\d_]+")
_KEY_BYTES = 8


def make_key(text: str) -> str:
    """Return what two texts have in common if they differ in nothing but citation markers, digits,
    punctuation, white space, or capital and small letters."""
    letters = " ".join(_LETTERS.findall(remove_markers(text).casefold()))
    return blake2b(letters.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).hexdigest()


def read_citances(
    client: Elasticsearch, articles: Sequence[str], names: IndexNames = CITESPAN
) -> dict[str, tuple[Citance, ...]]:
    """Return what others say of each article; of an article that nobody cites, nothing.

    Raises:
        ShardMissingError: if the server answers for a part of them only.
    """
    found: dict[str, tuple[Citance, ...]] = dict.fromkeys(articles, ())
    if not articles or not client.indices.exists(index=names.citances):
        return found
    for hit in read_by_ids(client, names.citances, [slug(article) for article in articles]):
        if hit is not None and hit["_source"]["article"] in found:
            source = hit["_source"]
            found[source["article"]] = tuple(Citance(**citance) for citance in source["citances"])
    return found
