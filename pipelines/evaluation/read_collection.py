"""Collections by the names that users give them, and split into sentences."""

from dataclasses import replace
from pathlib import Path

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.corpus.collection import Collection
from citespan.pipelines.corpus.reader import CollectionReader, readers
from citespan.pipelines.errors import InputError
from citespan.pipelines.evaluation import trec_collection
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters


def read_collection(name: str) -> Collection:
    """Read the collection that FORMAT:PATH names.

    Raises:
        InputError: if there is none, or the format brings no citances.
    """
    format_, separator, path = name.partition(":")
    if not separator:
        raise InputError(f"collection '{name}': write it as FORMAT:PATH, as in scisumm:data/train")
    reader = None if format_ == trec_collection.FORMAT else readers[format_]
    if reader is not None and not isinstance(reader, CollectionReader):
        known = [one.name for one in readers if isinstance(one, CollectionReader)]
        names = ", ".join(sorted((*known, trec_collection.FORMAT)))
        raise InputError(f"format '{format_}' has no citances; use one of: {names}")
    if not Path(path).exists():
        raise InputError(f"{path}: no such file or folder")
    if reader is None:
        return trec_collection.read_trec_collection(Path(path))
    return reader.collection(Path(path))


def make_absolute(name: str) -> str:
    """Return the same FORMAT:PATH for use in any working folder."""
    format_, _, path = name.partition(":")
    return f"{format_}:{Path(path).resolve()}"


def split_articles(collection: Collection) -> dict[str, Article]:
    """Return the articles of a collection by id, each split into sentences."""
    splitter = splitters[DEFAULT]
    return {
        article.id: replace(article, sentences=split_article(article, splitter))
        for article in collection.articles.values()
    }
