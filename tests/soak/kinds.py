"""What the rounds of the soak test load: articles in either layout, or abstracts."""

import json
import random
from datetime import date, timedelta
from typing import Any, Protocol

from elasticsearch import Elasticsearch
from loaded_state import loaded_state
from made_articles import random_article
from medline_made import PROSE, citation, medline, section
from small_loads import line

from citespan.es_mappings import abstracts, articles
from citespan.es_mappings.index_name import SENTENCES, SPANS_PREFIX

State = dict[str, dict[str, Any]]
"""Documents by their names, in parts; the first word of a name is the number of the file."""

_APART = 50
"""By how much the PMIDs of the same abstracts loaded alone are greater."""
_REVISED = "Revised on day "


class Kind(Protocol):
    """How files are made, loaded and found again.

    Attributes:
        options: of `citespan index`.
        deletes: whether `--delete-missing` is for this kind.
    """

    options: tuple[str, ...]
    deletes: bool

    def make(self, number: int, day: int) -> tuple[str, str]:
        """Return the name and the content of a file; its identifier depends on the number alone,
        its content on the day as well."""
        ...

    def rename(self, content: str, number: int) -> str:
        """Return the same content under the identifier that it has when it is loaded alone."""
        ...

    def state(self, es: Elasticsearch, alone: bool) -> State:
        """Return all documents that are found, without what differs from load to load.

        Raises:
            AssertionError: if one belongs to nothing.
        """
        ...

    def check_entries(self, es: Elasticsearch) -> None:
        """Check that what the catalogue says is there is there, whatever loads have met.

        Raises:
            AssertionError: if it is not.
        """
        ...

    def find_days(self, es: Elasticsearch) -> dict[int, int]:
        """Return, by numbers of files, the days whose content an older one must not replace."""
        ...


class Articles:
    """Articles in one layout; their ids begin with the prefix."""

    deletes = True

    def __init__(self, prefix: str, layout: str) -> None:
        self._prefix = prefix
        self.options = ("--layout", layout, "--longest", "2")

    def make(self, number: int, day: int) -> tuple[str, str]:
        text = line(f"{self._prefix}-{number}", 2 + (number + day) % 5, str(day))
        return f"{number}.jsonl", text

    def rename(self, content: str, number: int) -> str:
        return content.replace(self._prefix, f"{self._prefix}alone")

    def state(self, es: Elasticsearch, alone: bool) -> State:
        prefix = f"{self._prefix}alone-" if alone else f"{self._prefix}-"
        indices = es.indices.get_mapping(index=f"{SPANS_PREFIX}{prefix}*")
        lax = [name for name, one in indices.items() if one["mappings"].get("dynamic") != "strict"]
        assert not lax, f"{len(lax)} indices without the mapping of spans: {sorted(lax)[:3]}"
        found = loaded_state(es, prefix)
        orphans = indices.keys() - {entry["index"] for entry in self._find_entries(es)}
        assert not orphans, f"{len(orphans)} indices of no article: {sorted(orphans)[:3]}"
        return found

    def check_entries(self, es: Elasticsearch) -> None:
        """Check the sentences of articles; indices of spans may have been deleted on purpose."""
        if not es.indices.exists(index=articles.INDEX):
            return
        es.indices.refresh(index="citespan-*")
        wrong = []
        for entry in self._find_entries(es):
            if entry["layout"] == "sentences":
                edition = {"term": {"edition": entry["edition"]}}
                found = es.count(index=SENTENCES, query=edition)["count"]
                if found != entry["sentences"]:
                    wrong.append(f"{entry['article']} has {found} of {entry['sentences']}")
        assert not wrong, f"{len(wrong)} articles without all of their sentences: {wrong[:3]}"

    def find_days(self, es: Elasticsearch) -> dict[int, int]:
        return {}

    def _find_entries(self, es: Elasticsearch) -> list[dict[str, Any]]:
        hits = es.search(index=articles.INDEX, size=1000)["hits"]["hits"]
        return [hit["_source"] for hit in hits]


class Abstracts:
    """Abstracts; their PMIDs are the first and the following ones."""

    options = ()
    deletes = False

    def __init__(self, first: int) -> None:
        self._first = first

    def make(self, number: int, day: int) -> tuple[str, str]:
        text = random_article("", 4, random.Random(f"{number} {day}")).text.replace("\n", " ")
        # prose, since what does not look like English is skipped
        record = citation(
            self._first + number,
            f"{_REVISED}{day}",
            section(f"{PROSE} {text}"),
            revised=str(date(2001, 1, 1) + timedelta(days=day)),
        )
        return f"{number}.xml", medline([record]).decode()

    def rename(self, content: str, number: int) -> str:
        pmid = self._first + number
        return content.replace(f">{pmid}<", f">{pmid + _APART}<")

    def state(self, es: Elasticsearch, alone: bool) -> State:
        first = self._first + (_APART if alone else 0)
        found = {}
        for hit in self._find(es, first):
            number = int(hit["_id"]) - first
            kept = {
                name: value
                for name, value in hit["_source"].items()
                if name not in ("pmid", "source", "loaded", "content", "also_known_as")
            }
            found[f"{number} {json.dumps(hit['_id'] == hit['_source']['pmid'])}"] = kept
        return {"abstracts": found}

    def find_days(self, es: Elasticsearch) -> dict[int, int]:
        return {
            int(hit["_id"]) - self._first: int(hit["_source"]["title"].removeprefix(_REVISED))
            for hit in self._find(es, self._first)
            if "title" in hit["_source"]
        }

    def check_entries(self, es: Elasticsearch) -> None:
        """Check nothing: an abstract is its own entry."""

    def _find(self, es: Elasticsearch, first: int) -> list[dict[str, Any]]:
        if not es.indices.exists(index=abstracts.INDEX):
            return []
        es.indices.refresh(index=abstracts.INDEX)
        pmids = [str(first + number) for number in range(_APART)]
        found = es.search(index=abstracts.INDEX, query={"terms": {"pmid": pmids}}, size=_APART)
        return list(found["hits"]["hits"])
