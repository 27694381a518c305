"""The reference lists of a JATS article."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from lxml import etree

from citespan.pipelines.corpus.identifiers import find_doi, find_pmcid, find_pmid
from citespan.pipelines.corpus.inline_text import extract_text
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.corpus.readers.jats.front import NAMES, read_name
from citespan.pipelines.corpus.reference_text import read_entry, read_identifiers
from citespan.pipelines.corpus.references import Reference, ReferenceList, name_uniquely
from citespan.pipelines.corpus.xml import find_child, local_name, parse

_FORMATTING = frozenset(("bold", "italic", "monospace", "sc", "sub", "sup", "underline"))
_PREFIXES = {"doi": "doi:", "pmid": "PMID ", "pmcid": "", "pmc": ""}
_SPACE_BEFORE = re.compile(r" (?:(?=[,.;:)\]])|(?<=[(\[] ))")
_CITATIONS = ("element-citation", "mixed-citation", "nlm-citation", "citation", "product")
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "trans-title")
_OTHER_ARTICLES = ("{*}sub-article", "{*}response", "{*}ref-list")
_HREF = "{http://www.w3.org/1999/xlink}href"
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_KINDS = {"pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "doi": "doi"}
_FIND = {"pmid": find_pmid, "pmcid": find_pmcid, "doi": find_doi}
_PREFIXED = (("doi", re.compile(r"(?i)10\.|doi|https?:")), ("pmcid", re.compile(r"(?i)PMC\d")))


def read_references(article: bytes) -> ReferenceList:
    """Return the references of every list of an article, in order.

    Args:
        article: as XML, which can be kept without the tree of the article.
    """
    refs = (
        ref
        for part in parse(article).iter("{*}ref-list")
        if next(part.iterancestors(*_OTHER_ARTICLES), None) is None
        for ref in part.iter("{*}ref")
    )
    return ReferenceList(tuple(name_uniquely(one for ref in refs for one in _read_entry(ref))))


def _read_entry(ref: etree._Element) -> Iterator[Reference]:
    """Yield the references of one entry, usually one; an empty entry is one without text."""
    label = find_child(ref, "label")
    shown = extract_text(label).strip("[]().") if label is not None else ""
    name = ref.get("id") or ""
    found: list[Reference] = []
    for node in ref:
        forms = list(node) if local_name(node.tag) == "citation-alternatives" else [node]
        forms = [form for form in forms if local_name(form.tag) in _CITATIONS]
        if not forms:
            continue
        texts = [_extract_entry(form) for form in forms]
        publication = _merge([*map(_read_publication, forms, texts)])
        own = find_child(forms[0], "label")
        one = Reference(
            key=next(filter(None, (form.get("id") for form in forms)), name),
            names=tuple(dict.fromkeys(filter(None, (name, *(form.get("id") for form in forms))))),
            label=(extract_text(own).strip("[]().") if own is not None else "") or shown,
            text=texts[0],
            publication=publication,
        )
        if found and _is_same(found[-1].publication, publication):
            before = found.pop()
            names = tuple(dict.fromkeys((*before.names, *one.names)))
            merged = _merge([before.publication, publication])
            one = replace(before, names=names, publication=merged)
        found.append(one)
    if not found:
        text = _extract_entry(ref)
        found.append(Reference(name, (name,) if name else (), shown, text, read_entry(text)))
    if len(found) == 1 and name:
        found = [replace(found[0], key=name)]
    yield from found


def _is_same(one: Publication, other: Publication) -> bool:
    """Whether two forms beside each other in an entry are of one publication."""
    shared = set(one.identifiers) & set(other.identifiers)
    return bool(shared) or bool(one.title and one.title == other.title)


def _merge(forms: Sequence[Publication]) -> Publication:
    """Return one publication of all that its forms say, the first form before the others."""
    first, *others = forms
    for other in others:
        first = Publication(
            *(getattr(first, name) or getattr(other, name) for name in Publication.__slots__)
        )
    return first


def _read_publication(node: etree._Element, text: str) -> Publication:
    """Return what a citation says; what its mark-up leaves out is looked for in its text."""
    parts: dict[str, etree._Element] = {}
    for child in node.iter():
        if child is not node:
            parts.setdefault(local_name(child.tag), child)
    titles = (extract_text(parts[name]) for name in _TITLES if name in parts)
    title = next(filter(None, titles), "").rstrip(".")
    source = extract_text(parts["source"]).rstrip(".") if "source" in parts else ""
    if not title and source and _kind(node) != "journal":
        title, source = source, ""
    years = _YEAR.search(extract_text(parts["year"])) if "year" in parts else None
    marked = Publication(
        authors=tuple(_read_authors(node)),
        title=title,
        year=int(years[0]) if years else None,
        journal=source,
        **_read_identifiers(node),
    )
    return _merge([marked, read_identifiers(text) if title or source else read_entry(text)])


def _kind(node: etree._Element) -> str:
    return node.get("publication-type") or node.get("citation-type") or ""


def _read_authors(node: etree._Element) -> Iterator[str]:
    groups = [g for g in node.iter("{*}person-group") if _is_of_authors(g)]
    direct = [child for child in node if local_name(child.tag) in ("name", "string-name", "collab")]
    for name in [n for g in groups for n in g.iter(*NAMES)] or direct:
        if author := read_name(name):
            yield author


def _is_of_authors(group: etree._Element) -> bool:
    return group.get("person-group-type", "author") in ("author", "allauthors")


def _read_identifiers(node: etree._Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in node.iter("{*}pub-id", "{*}object-id", "{*}ext-link", "{*}uri"):
        written = "".join(map(str, one.itertext())).strip()
        kind = _KINDS.get((one.get("pub-id-type") or one.get("ext-link-type") or "").lower(), "")
        for text in (written, one.get(_HREF) or ""):
            kinds = [kind] if kind else [k for k, prefix in _PREFIXED if prefix.match(text)]
            for name in kinds:
                if (value := _FIND[name](text)) and name not in found:
                    found[name] = value
    return found


def _extract_entry(node: etree._Element) -> str:
    parts: list[str] = []
    _add(node, parts)
    return _SPACE_BEFORE.sub("", collapse_space("".join(parts)))


def _add(node: etree._Element, parts: list[str]) -> None:
    """Take in the text of `node`, which is nested no deeper than the parser lets it. Structured
    entries bring no punctuation, so that their parts are set apart by spaces."""
    if node.text:
        parts.append(node.text)
    for child in node:
        name = local_name(child.tag)
        apart = "" if name in _FORMATTING else " "
        parts.append(apart)
        if name != "label":
            if name == "pub-id":
                parts.append(_PREFIXES.get(child.get("pub-id-type", ""), ""))
            _add(child, parts)
        parts.append(apart)
        if child.tail:
            parts.append(child.tail)
