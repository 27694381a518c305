"""What the rounds of the soak test load: articles in either layout, or abstracts."""

import json
import random
from pathlib import Path
from typing import Any, Protocol

import small_loads
from elasticsearch import Elasticsearch
from loaded_state import loaded_state
from made_articles import random_article
from medline_made import PROSE, citation, medline, section
from small_loads import line

from citespan.es_mappings import abstracts
from citespan.pipelines.indexing.load import Load

State = dict[str, dict[str, Any]]
"""Documents by their names, in parts; the first word of a name is the number of the file."""

_APART = 50
"""By how much the PMIDs of the same abstracts loaded alone are greater."""


class Kind(Protocol):
    """How files are made, loaded and found again."""

    def make(self, number: int, seed: str) -> tuple[str, str]:
        """Return the name and the content of a file; its identifier depends on the number alone."""
        ...

    def rename(self, content: str, number: int) -> str:
        """Return the same content under the identifier that it has when it is loaded alone."""
        ...

    def load(self, url: str, folder: Path, checkpoint: Path | None, **options: Any) -> Load:
        """Return a load of a folder."""
        ...

    def state(self, es: Elasticsearch, alone: bool) -> State:
        """Return all documents that are found, without what differs from load to load."""
        ...


class Articles:
    """Articles in one layout; their ids begin with the prefix."""

    def __init__(self, prefix: str, layout: str) -> None:
        self._prefix = prefix
        self._layout = layout

    def make(self, number: int, seed: str) -> tuple[str, str]:
        text = line(f"{self._prefix}-{number}", 2 + (number + len(seed)) % 5, seed)
        return f"{number}.jsonl", text

    def rename(self, content: str, number: int) -> str:
        return content.replace(self._prefix, f"{self._prefix}alone")

    def load(self, url: str, folder: Path, checkpoint: Path | None, **options: Any) -> Load:
        return small_loads.small_load(url, folder, self._layout, checkpoint, **options)

    def state(self, es: Elasticsearch, alone: bool) -> State:
        return loaded_state(es, f"{self._prefix}alone-" if alone else f"{self._prefix}-")


class Abstracts:
    """Abstracts; their PMIDs are the first and the following ones."""

    def __init__(self, first: int) -> None:
        self._first = first

    def make(self, number: int, seed: str) -> tuple[str, str]:
        generator = random.Random(f"{number} {seed}")
        text = random_article("", 4, generator).text.replace("\n", " ")
        # prose, since what does not look like English is skipped
        record = citation(self._first + number, f"Title {seed}", section(f"{PROSE} {text}"))
        return f"{number}.xml", medline([record]).decode()

    def rename(self, content: str, number: int) -> str:
        pmid = self._first + number
        return content.replace(f">{pmid}<", f">{pmid + _APART}<")

    def load(self, url: str, folder: Path, checkpoint: Path | None, **options: Any) -> Load:
        options.pop("delete_missing", None)  # which is for articles
        return small_loads.abstracts_load(url, folder, checkpoint, **options)

    def state(self, es: Elasticsearch, alone: bool) -> State:
        es.indices.refresh(index=abstracts.INDEX)
        first = self._first + (_APART if alone else 0)
        pmids = [str(first + number) for number in range(_APART)]
        hits = es.search(index=abstracts.INDEX, query={"terms": {"pmid": pmids}}, size=_APART)
        found = {}
        for hit in hits["hits"]["hits"]:
            number = int(hit["_id"]) - first
            kept = {
                name: value
                for name, value in hit["_source"].items()
                if name not in ("pmid", "source", "loaded", "content", "also_known_as")
            }
            found[f"{number} {json.dumps(hit['_id'] == hit['_source']['pmid'])}"] = kept
        return {"abstracts": found}
