"""What it is worth that articles are also found by what others say when they cite them.

`python -m studies.cited_words SET` links the citations of a set of articles, asks each linked
citation of all articles, with the article that it is from left out, and says at which rank the
cited article is: mean reciprocal rank among the first ten, and how often it is first. Sets are:

- `indexed`: what is indexed and linked on the server in use;
- `titles:ARCHIVE`, one or more: a corpus with an article for each work outside that at least two of
  its articles cite by a PMID, with its title, of which only these are searched. Citations are real;
  of the works no more than the title is known, so what others say is worth more than elsewhere;
- `scisumm:PATH`: the reference articles of CL-SciSumm, of which only these are searched, and the
  articles that cite them. Each citing sentence that an annotator named has a number in brackets in
  place of its markers.

In the last two, all that is searched is cited: an article that is cited at all would otherwise have
an advantage over one that is not.

Cited articles are divided at random in two halves. The weight is chosen on the citations of one,
and figures are of those of the other.
"""

import argparse
import json
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import scan
from lxml import etree
from rich.console import Console
from rich.progress import track
from rich.table import Table

import citespan
from benchmarks.node import own_node
from citespan.deploy.client import connect
from citespan.es_mappings.index_name import CITESPAN
from citespan.pipelines.citing.marker_patterns import remove_markers
from citespan.pipelines.evaluation.read_collection import read_collection
from citespan.pipelines.ranking.article_ranking import find_articles
from citespan.pipelines.reformulation.reformulation import Context, parse
from citespan.pipelines.requests import SearchAll
from citespan.pipelines.retrieval.article_search import ArticleFilter, search_articles
from citespan.pipelines.store.catalogue import Catalogue

WEIGHTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
_TOP = 10
_CITING = 2  # articles that cite a work outside, at least
_STAND_IN = "work-"
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A linked citation: what it says, of which article, and in which."""

    query: str
    cited: str
    citing: str


def load_titles(client: Elasticsearch, archives: Sequence[str], folder: Path) -> ArticleFilter:
    """Load a corpus, and an article for each work that it cites, and return which these are."""
    citespan.index(*archives, layout="sentences", client=client)
    citing: dict[str, set[str]] = defaultdict(set)
    titles: dict[str, str] = {}
    fields = {"_source": ["article", "pmid", "title"]}
    for hit in scan(client, index=CITESPAN.citations, query=fields, size=5_000):
        source = hit["_source"]
        if (pmid := source.get("pmid")) and source.get("title"):
            citing[pmid].add(source["article"])
            titles[pmid] = max(titles.get(pmid, ""), source["title"], key=len)
    known = {entry.pmid for entry in citespan.articles(client=client)}
    works = sorted(k for k, some in citing.items() if len(some) >= _CITING and k not in known)
    lines = [
        {"id": _STAND_IN + pmid, "title": titles[pmid], "text": titles[pmid], "pmid": pmid}
        for pmid in works
    ]
    citespan.index(write_lines(folder, lines), layout="sentences", client=client)
    return ArticleFilter(articles=tuple(line["id"] for line in lines))


def load_scisumm(client: Elasticsearch, path: str, folder: Path) -> ArticleFilter:
    """Load reference articles and those that cite them."""
    collection = read_collection(f"scisumm:{path}")
    lines: dict[str, dict[str, Any]] = {
        f"cited-{name}": {
            "text": article.text,
            "doi": f"10.1000/{name}",
            "title": article.title or name,
        }
        for name, article in collection.articles.items()
    }
    cited: dict[str, list[str]] = defaultdict(list)
    sentences: dict[str, list[str]] = {}
    for citance in collection.citances:
        citing = Path(citance.citing_article).stem
        cited[citing].append(citance.article_id)
        file = Path(path) / citance.topic / "Citance_XML" / f"{citing}.xml"
        if citing not in sentences and file.exists():
            sentences[citing] = list(read_sentences(file))
        marked = f"{tidy(citance.text)} [{len(cited[citing])}]."
        sentences.setdefault(citing, []).append(marked)
    for citing, texts in sentences.items():
        references = [
            f"{number}. Ito K. {lines[f'cited-{name}']['title']}. 2000. doi:10.1000/{name}"
            for number, name in enumerate(cited[citing], 1)
        ]
        lines[f"citing-{citing}"] = {
            "text": "\n\n".join(texts),
            "title": citing,
            "references": references,
        }
    written = [{"id": name, **line} for name, line in lines.items()]
    citespan.index(write_lines(folder, written), layout="sentences", client=client)
    return ArticleFilter(articles=tuple(f"cited-{name}" for name in collection.articles))


def read_sentences(file: Path) -> Iterator[str]:
    """Yield the sentences of an article of CL-SciSumm without their markers."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    for element in etree.parse(file, parser).iter("S"):
        if text := tidy("".join(map(str, element.itertext()))):
            yield text


def tidy(text: str) -> str:
    """Return a text without markers, nor the stop at its end."""
    return remove_markers(_SPACE.sub(" ", text)).strip().rstrip(".")


def write_lines(folder: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """Write articles as JSON Lines."""
    path = folder / "articles.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read_asked(client: Elasticsearch) -> list[Asked]:
    """Return all linked citations that say anything, each text once for each article that it
    cites."""
    client.indices.refresh(index=CITESPAN.links)
    fields = {"_source": ["query", "cited", "citing"]}
    found = {
        Asked(hit["_source"]["query"], hit["_source"]["cited"], hit["_source"]["citing"])
        for hit in scan(client, index=CITESPAN.links, query=fields, size=5_000)
    }
    words = (asked for asked in found if parse("baseline").terms(asked.query, Context()))
    return sorted(words, key=lambda asked: (asked.cited, asked.citing, asked.query))


def divide(asked: Sequence[Asked], most: int, seed: int) -> tuple[list[Asked], list[Asked]]:
    """Return at most so many citations of either half of the cited articles."""
    generator = random.Random(seed)
    cited = sorted({citance.cited for citance in asked})
    generator.shuffle(cited)
    first = set(cited[: len(cited) // 2])
    halves: tuple[list[Asked], list[Asked]] = ([], [])
    for citance in asked:
        halves[citance.cited not in first].append(citance)
    return (
        generator.sample(halves[0], min(most, len(halves[0]))),
        generator.sample(halves[1], min(most, len(halves[1]))),
    )


def measure(
    client: Elasticsearch,
    asked: Sequence[Asked],
    weight: float,
    articles: ArticleFilter,
    ranker: str = "none",
) -> dict[str, float]:
    """Return the mean reciprocal rank of the cited article, and how often it is first."""
    ranks = []
    console = Console(stderr=True)
    for citance in track(asked, f"weight {weight}", console=console, transient=True):
        search = SearchAll(
            ranker=ranker, top=_TOP, depth=_TOP, citing=citance.citing, citance_weight=weight
        )
        request = replace(search.make_corpus_request(citance.query), articles=articles)
        if ranker == "none":
            found = [
                hit.entry.article
                for hit in search_articles(
                    Catalogue(client), request.searched, articles, _TOP, request.asked
                )
            ]
        else:
            found = [hit.evidence.article for hit in find_articles(client, request)]
        ranks.append(found.index(citance.cited) + 1 if citance.cited in found else 0)
    return {
        "MRR@10": sum(1 / rank for rank in ranks if rank) / len(ranks),
        "first": sum(rank == 1 for rank in ranks) / len(ranks),
    }


def main() -> None:
    """Load, link, ask, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", nargs="+", metavar="SET")
    parser.add_argument("--most", type=int, default=500, help="citations of either half")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ranker", help="ask by this ranker too, as many citations as --ranked")
    parser.add_argument("--ranked", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    kinds = {name.partition(":")[0] for name in arguments.set}
    paths = [name.partition(":")[2] for name in arguments.set]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        articles = ArticleFilter()
        if kinds != {"indexed"}:
            stack.enter_context(own_node())
        client = connect()
        if kinds == {"titles"}:
            articles = load_titles(client, paths, folder)
        elif kinds == {"scisumm"}:
            articles = load_scisumm(client, paths[0], folder)
        elif kinds != {"indexed"}:
            parser.error("name `indexed`, or sets of one kind: titles:ARCHIVE or scisumm:PATH")
        report = citespan.link(client=client)
        searched = set(articles.articles)
        asked = [
            citance for citance in read_asked(client) if not searched or citance.cited in searched
        ]
        choosing, other = divide(asked, arguments.most, arguments.seed)
        figures = {weight: measure(client, choosing, weight, articles) for weight in WEIGHTS}
        chosen = max(WEIGHTS, key=lambda weight: figures[weight]["MRR@10"])
        held_out = {
            weight: measure(client, other, weight, articles)
            for weight in dict.fromkeys((0.0, 0.5, chosen))
        }
        ranked = {
            weight: measure(client, other[: arguments.ranked], weight, articles, arguments.ranker)
            for weight in (dict.fromkeys((0.0, chosen)) if arguments.ranker else ())
        }
        count = len(searched) or len(citespan.articles(client=client))
    if arguments.json:
        counts = {"articles": count, "citations": len(asked), "linked": report.to_json()}
        halves = {"choosing": figures, "other": held_out, "ranked": ranked, "chosen": chosen}
        print(json.dumps(counts | halves))
        return
    title = f"{len(asked):,} linked citations, {count:,} articles searched"
    table = Table("citations", "n", "weight", "MRR@10", "first", title=title)
    rows = (
        ("of one half", len(choosing), figures),
        ("of the other", len(other), held_out),
        (f"by {arguments.ranker}", len(other[: arguments.ranked]), ranked),
    )
    for name, number, of_weights in rows:
        for weight, own in of_weights.items():
            mark = " (chosen)" if weight == chosen else ""
            cells = f"{own['MRR@10']:.3f}", f"{own['first']:.3f}"
            table.add_row(name, f"{number:,}", f"{weight}{mark}", *cells)
    Console().print(table)


if __name__ == "__main__":
    main()
