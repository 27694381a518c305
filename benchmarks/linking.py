"""Storing and linking the citations of a corpus, against what its mark-up says by lxml alone.

`python -m benchmarks.linking ARCHIVE...` loads archives of JATS articles into a node of its own,
and shows in a table:

- whether all inputs are accounted for, and articles a second, against the same documents sent ready
  (entries without the texts of articles, which their `_source` lacks);
- for each article, whether the links of its mark-up (`xref`) and the entries of its reference list
  (`ref`) are as many as an XPath counts, and whether all citations are stored;
- whether just those references are linked by an identifier that have one of another article;
- citations a second, and the ratio of searching to the same searches without a ranker;
- whether linking that is killed, at times drawn at random, leaves the same links;
- which links change with one article.
"""

import argparse
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch
from elasticsearch.helpers import parallel_bulk, scan
from lxml import etree
from rich.console import Console
from rich.table import Table

import citespan as front_door
from benchmarks.node import citespan, own_node
from benchmarks.row import Row
from citespan.deploy.client import connect
from citespan.es_mappings import articles, citations, links, sentences
from citespan.es_mappings.sentences import SENTENCES
from citespan.pipelines.citing.citations import find_citations
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.ranking.ranker import NONE
from citespan.pipelines.text.splitter import DEFAULT, splitters

_MAIN = "not(ancestor::sub-article) and not(ancestor::response)"
_IDS = ("pmid", "doi", "pmc", "pmcid")
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>]+")


@dataclass
class MarkUp:
    """What XPath finds in one article.

    Attributes:
        own: its identifiers.
        links: how many names of references its `xref` have in all.
        references: the identifiers of each entry of the reference list, by the ids of the entry.
        cited: the ids of the entries that an `xref` names.
    """

    source: str
    own: set[str]
    links: int
    entries: int
    references: dict[str, set[str]] = field(default_factory=dict)
    cited: set[str] = field(default_factory=set)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        "benchmarks.linking",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("archives", nargs="+", type=Path, help="archives of JATS articles")
    parser.add_argument("--kills", type=int, default=10, help="how often linking is killed")
    arguments = parser.parse_args()
    table = Table("what", "figure", "against", "ratio", "wanted")
    with own_node(), connect() as client:
        for row in _run(client, arguments.archives, arguments.kills):
            table.add_row(row.label, row.figure, row.against, row.ratio, row.wanted)
            sys.stderr.write(f"{row}\n")
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _run(client: Elasticsearch, archives: Sequence[Path], kills: int) -> Iterator[Row]:
    marked_up = [article for archive in archives for article in _read_mark_up(archive)]
    loaded = citespan("index", *map(str, archives), "--layout", "sentences")
    seconds = loaded["seconds"]
    speed = f"{loaded['inputs'] / seconds:.1f} articles/s"
    inputs = f"{loaded['inputs']:,} inputs, {loaded['indexed']:,} indexed"
    yield Row("citespan index", f"{inputs}; {speed}", f"{len(marked_up):,} articles", "", "all")
    client.indices.refresh(index="citespan-*")
    raw = _load_raw(client)
    ratio = f"{raw / seconds:.2f} of its speed"
    ready = f"{loaded['inputs'] / raw:.1f} articles/s by parallel_bulk of ready documents"
    yield Row("the same", speed, ready, ratio)
    yield from _compare_counts(client, archives, marked_up)
    started = time.perf_counter()
    first = citespan("link")
    seconds = time.perf_counter() - started
    speed = f"{first['citations'] / seconds:,.0f} citations/s in all"
    names = ("linked", "not_indexed", "ambiguous", "unidentifiable", "no_reference", "itself")
    outcome = ", ".join(f"{first[name]:,} {name}" for name in (*names, "failed"))
    yield Row("citespan link", f"{seconds:.1f} s; {speed}", f"{first['citations']:,}: {outcome}")
    before = _read_links(client)
    yield from _compare_links(marked_up, before)
    yield _compare_speed(client, before)
    started = time.perf_counter()
    again = citespan("link")
    seconds = time.perf_counter() - started
    same = "the same links" if _read_links(client) == before else "OTHER LINKS"
    yield Row("another run", f"{seconds:.1f} s; {again['linked']} linked", same, "", "0, the same")
    yield _kill(client, before, seconds, kills)
    yield from _change(client, archives)


def _load_raw(client: Elasticsearch) -> float:
    """Seconds that the client's own parallel helper takes for the same documents of sentences and
    citations and the same entries, made before it starts."""
    seconds = 0.0
    for index, body in (
        (articles.INDEX, articles),
        (f"{SENTENCES}-000", sentences),
        (citations.INDEX, citations),
    ):
        raw = f"raw-{index}"
        client.indices.create(index=raw, mappings=body.mapping(), settings=body.settings())
        ready = [
            {"_index": raw, "_id": hit["_id"], "routing": hit.get("_routing"), **hit["_source"]}
            for hit in scan(client, index=index, size=5000)
        ]
        started = time.perf_counter()
        for done, result in parallel_bulk(client, ready):
            assert done, result
        client.indices.refresh(index=raw)
        seconds += time.perf_counter() - started
        client.indices.delete(index=raw)
    return seconds


def _read_mark_up(archive: Path) -> Iterator[MarkUp]:
    with tarfile.open(archive) as members:
        for member in members:
            content = members.extractfile(member) if member.isfile() else None
            if content is None:
                continue
            root = etree.fromstring(content.read(), etree.XMLParser(huge_tree=True))
            yield _find_mark_up(root, member.name)


def _find_mark_up(root: Any, name: str) -> MarkUp:
    own = {
        _normalise(identifier.get("pub-id-type"), identifier.text or "")
        for identifier in root.xpath("//article-meta/article-id")
        if identifier.get("pub-id-type") in _IDS and _is_main(identifier)
    }
    xrefs = root.xpath(f"//xref[@ref-type='bibr'][@rid][{_MAIN}][not(ancestor::ref-list)]")
    refs = root.xpath(f"//ref-list//ref[{_MAIN}]")
    found = MarkUp(name, own, len(xrefs), len(refs))
    for ref in refs:
        known = {
            _normalise(identifier.get("pub-id-type"), "".join(identifier.itertext()))
            for identifier in ref.xpath(".//pub-id")
            if identifier.get("pub-id-type") in _IDS
        }
        written = " ".join([*ref.itertext(), *ref.xpath(".//@*[local-name()='href']")])
        known |= {_normalise("doi", doi) for doi in _DOI.findall(written)}
        for element in (ref, *ref.xpath(".//*[@id]")):
            found.references[element.get("id") or ""] = known
    found.cited = {name for xref in xrefs for name in xref.get("rid").split()}
    return found


def _is_main(node: Any) -> bool:
    return not any(element.tag in ("sub-article", "response") for element in node.iterancestors())


def _normalise(kind: str, written: str) -> str:
    value = written.strip().lower().rstrip(".,;)")
    if kind in ("pmc", "pmcid"):
        return f"pmc:{value.removeprefix('pmc')}"
    return f"{kind}:{value.rpartition('doi.org/')[2] if kind == 'doi' else value}"


def _compare_counts(
    client: Elasticsearch, archives: Sequence[Path], marked_up: Sequence[MarkUp]
) -> Iterator[Row]:
    """Compare each article with its mark-up, and with what is stored of it."""
    stored: Counter[str] = Counter()
    query: Mapping[str, Any] = {"_source": ["article"]}
    for hit in scan(client, index=citations.INDEX, query=query, size=5000):
        stored[hit["_source"]["article"]] += 1
    by_source = {article.source: article for article in marked_up}
    equal: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    for reading in read_articles(Sources([str(archive) for archive in archives], "auto")):
        if not isinstance(reading, Article):
            continue
        found = find_citations(reading, splitters[DEFAULT])
        marked = by_source[reading.source.rpartition("!")[2].lstrip("/")]
        linked = sum(marker.links for marker in found.markers) + found.elsewhere
        entries = len(found.references)
        sums += Counter(
            articles=1,
            links=linked,
            xrefs=marked.links,
            references=entries,
            refs=marked.entries,
            citations=len(found.citations),
        )
        equal["links"] += linked == marked.links
        equal["references"] += entries >= marked.entries
        equal["citations"] += stored[reading.id] == len(found.citations)
    total = sums["articles"]
    for name, figure, other, wanted in (
        ("links to references", "links", "xrefs", "links"),
        ("entries of reference lists, at least", "references", "refs", "references"),
    ):
        share = f"{equal[wanted]:,} of {total:,} articles"
        yield Row(name, f"{sums[figure]:,}", f"{sums[other]:,} by XPath", share, "all")
    share = f"{equal['citations']:,} of {total:,} articles"
    found_in = f"{sums['citations']:,} in the articles"
    yield Row("citations stored", f"{stored.total():,}", found_in, share, "all")


def _compare_links(
    marked_up: Sequence[MarkUp], found: Mapping[str, Mapping[str, Any]]
) -> Iterator[Row]:
    """Compare the pairs of articles that identifiers link with those of the mark-up."""
    by_id: dict[str, set[str]] = {}
    names = {article.source: _name(article) for article in marked_up}
    for article in marked_up:
        for identifier in article.own:
            by_id.setdefault(identifier, set()).add(names[article.source])
    listed = {
        (names[article.source], other, key in article.cited)
        for article in marked_up
        for key, identifiers in article.references.items()
        for identifier in identifiers
        for other in by_id.get(identifier, ())
        if len(by_id[identifier]) == 1 and other != names[article.source]
    }
    wanted = {(citing, cited) for citing, cited, is_named in listed if is_named}
    allowed = {(citing, cited) for citing, cited, _ in listed}
    linked = {
        (link["citing"], link["cited"])
        for link in found.values()
        if link["found_by"] == "identifier"
    }
    titles = sum(link["found_by"] == "title" for link in found.values())
    yield Row(
        "pairs of articles linked by identifier",
        f"{len(linked):,}; {len(wanted - linked)} missing, {len(linked - allowed)} too many",
        f"{len(wanted):,} by XPath, {len(linked & allowed - wanted)} within ranges",
        "",
        "all, and no other",
    )
    yield Row("citations linked by title", f"{titles:,}")
    for pair in sorted((wanted - linked) | (linked - allowed))[:20]:
        sys.stderr.write(f"{'missing' if pair in wanted else 'too many'}: {pair}\n")


def _name(article: MarkUp) -> str:
    """Return the id that an article has in the catalogue."""
    number = next((i.partition(":")[2] for i in sorted(article.own) if i.startswith("pmc:")), "")
    return f"PMC{number}"


def _compare_speed(client: Elasticsearch, found: Mapping[str, Mapping[str, Any]]) -> Row:
    """Compare the searches of links with a ranker and without."""
    ordered = sorted(found.values(), key=lambda link: link["cited"])
    queries = [link["query"] for link in ordered]
    cited = [link["cited"] for link in ordered]
    seconds = {}
    for ranker in ("evidence", NONE):
        front_door.search(queries[:3], cited[:3], ranker=ranker, client=client)
        started = time.perf_counter()
        front_door.search(queries, cited, ranker=ranker, client=client)
        seconds[ranker] = time.perf_counter() - started
    speed = {name: len(queries) / taken for name, taken in seconds.items()}
    return Row(
        f"searches of {len(queries):,} citations",
        f"{speed['evidence']:.1f}/s",
        f"{speed[NONE]:.1f}/s without a ranker",
        f"{speed['evidence'] / speed[NONE]:.2f}",
    )


def _kill(client: Elasticsearch, before: Mapping[str, Any], seconds: float, kills: int) -> Row:
    """Link anew, killed so many times, and compare the links. Every other run is killed at a time
    drawn at random, mostly before anything is written; the others while they write."""
    client.indices.delete(index=links.INDEX)
    generator = random.Random(0)
    killed, counts = 0, []
    command = [sys.executable, "-m", "citespan.cli.main", "link", "--json"]
    for number in range(kills):
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wanted = len(before) * number // kills
        until = time.monotonic() + generator.uniform(0.1, 0.9) * seconds
        while run.poll() is None:
            if number % 2 and _count_links(client) > wanted:
                break
            if number % 2 == 0 and time.monotonic() > until:
                break
            time.sleep(0.05)
        if run.poll() is None:
            run.kill()
            killed += 1
        run.wait()
        counts.append(_count_links(client))
    last = citespan("link")
    same = _without_time(_read_links(client)) == _without_time(before)
    return Row(
        f"linking killed {killed} times",
        f"{counts} links, then {last['linked']} linked and {last['unchanged']} unchanged",
        "the same links" if same else "OTHER LINKS",
        "",
        "the same",
    )


def _count_links(client: Elasticsearch) -> int:
    client.indices.refresh(index=links.INDEX, ignore_unavailable=True)
    return int(client.count(index=links.INDEX, ignore_unavailable=True)["count"])


def _change(client: Elasticsearch, archives: Sequence[Path]) -> Iterator[Row]:
    """Change the article that is cited most, and see which links change."""
    before = _read_links(client)
    [(article, _)] = Counter(link["cited"] for link in before.values()).most_common(1)
    [entry] = front_door.articles(article, top=1, client=client)
    with tempfile.TemporaryDirectory(prefix="citespan-") as folder:
        changed = Path(folder) / "changed.nxml"
        changed.write_bytes(_add_paragraph(archives, entry.source[0].path))
        loaded = citespan("index", str(changed), "--layout", "sentences")
    report = citespan("link")
    after = _read_links(client)
    other = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    own = {
        name
        for name, link in {**before, **after}.items()
        if article in (link["citing"], link["cited"])
    }
    yield Row(
        f"one article changed ({loaded['replaced']} replaced)",
        f"{len(other)} links changed; {report['linked']} linked, {report['unchanged']} unchanged",
        f"{len(own)} links from or to it",
        "",
        "just these",
    )
    if other != own:
        sys.stderr.write(f"changed: {sorted(other ^ own)}\n")


def _add_paragraph(archives: Sequence[Path], source: str) -> bytes:
    """Return the file of an article with one more paragraph at the end of its text."""
    wanted = source.rpartition("!")[2].lstrip("/")
    for archive in archives:
        with tarfile.open(archive) as members:
            for member in members:
                if member.name == wanted:
                    content = members.extractfile(member)
                    assert content is not None
                    more = b"<sec><p>One more sentence stands here.</p></sec></body>"
                    return content.read().replace(b"</body>", more, 1)
    raise ValueError(f"{source} is in none of the archives")


def _read_links(client: Elasticsearch) -> dict[str, dict[str, Any]]:
    client.indices.refresh(index=links.INDEX, ignore_unavailable=True)
    hits = scan(
        client, index=links.INDEX, query={"seq_no_primary_term": True}, ignore_unavailable=True
    )
    return {hit["_id"]: hit["_source"] | {"_seq_no": hit["_seq_no"]} for hit in hits}


def _without_time(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        name: {key: link[key] for key in link if key not in ("linked", "_seq_no")}
        for name, link in found.items()
    }


if __name__ == "__main__":
    main()
