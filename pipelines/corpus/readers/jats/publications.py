"""The publications of a JATS article: itself, in the front matter, and its reference lists."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import islice
from typing import cast

from lxml import etree

from citespan.pipelines.corpus.identifiers import FINDERS, read_identifiers
from citespan.pipelines.corpus.inline_text import extract_text
from citespan.pipelines.corpus.notices import read_notices
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.corpus.publication import Identifiers, Publication, find_year, join_name
from citespan.pipelines.corpus.reference_text import add_identifiers, read_entry
from citespan.pipelines.corpus.references import Reference, ReferenceList
from citespan.pipelines.corpus.xml import find_child, local_name

_PMC = re.compile(r"(?:PMC)?(\d+)(?:\.\d+)?", re.IGNORECASE)
_PMC_STEM = re.compile(r"PMC(\d+)", re.IGNORECASE)
_NOT_IN_TITLE = frozenset(("fn", "xref"))
_YEAR = re.compile(r"\d{4}")
# Reference lists name the year of the issue rather than that of the first publication online.
_DATES = ("ppub", "collection", "epub-ppub", "epub", "pub", "epreprint", "")
_JOURNAL_TITLES = ("journal-title", "abbrev-journal-title", "journal-id")


def _read_title(meta: etree._Element) -> str:
    """Return the title and subtitle that `<article-meta>` has, without notes."""
    group = find_child(meta, "title-group")
    if group is None:
        return ""
    written = (find_child(group, name) for name in ("article-title", "subtitle"))
    return ": ".join(
        filter(None, (extract_text(t, _NOT_IN_TITLE) for t in written if t is not None))
    )


def find_identifiers(meta: etree._Element | None, stem: str) -> list[str]:
    """Return all identifiers, the one to go by first."""
    written = {
        c.get("pub-id-type", ""): (c.text or "").strip()
        for c in (meta if meta is not None else ())
        if local_name(c.tag) == "article-id"
    }
    pmc = _PMC.fullmatch(written.pop("pmc", "") or written.pop("pmcid", ""))
    stem_pmc = _PMC_STEM.match(stem)
    best = [f"PMC{m[1]}" for m in (pmc, stem_pmc) if m]
    best += [written.pop(kind, "") for kind in ("pmid", "doi")]
    return list(dict.fromkeys(filter(None, [*best, stem, *written.values()])))


def read_publication(root: etree._Element, identifiers: list[str]) -> Publication:
    """Return what the front matter says of an article.

    Args:
        identifiers: as `find_identifiers` gives them.
    """
    front = find_child(root, "front")
    meta = find_child(front, "article-meta") if front is not None else None
    if front is None or meta is None:
        return Publication()
    title = _read_title(meta)
    written = {
        node.get("pub-id-type", ""): node.text or "" for node in meta.iterchildren("{*}article-id")
    }
    related = meta.iterchildren("{*}related-article", "{*}related-object")
    return Publication(
        authors=tuple(_read_authors(meta)),
        title=title,
        year=_read_year(meta),
        journal=_read_journal(front),
        **read_identifiers(
            {
                "pmid": written.get("pmid", ""),
                "pmcid": identifiers[0] if identifiers[0].startswith("PMC") else "",
                "doi": written.get("doi", ""),
            }
        ),
        **read_notices([root.get("article-type", "")], map(_read_related, related), title),
    )


def _read_related(related: etree._Element) -> tuple[str, list[str]]:
    """Return how another article is related, and its identifiers: those of the link, or else of
    the citation in it."""
    kind = (related.get("ext-link-type") or "").lower()
    name = {"pubmed": "pmid", **_KINDS}.get(kind, "")
    linked = FINDERS[name](related.get(_HREF) or "") if name else ""
    parts = related.iter("{*}pub-id", "{*}ext-link")
    found = {name: linked} if linked else _read_identifiers(list(parts))
    relation = related.get("related-article-type") or related.get("link-type") or ""
    return relation.lower(), [f"{name}:{value}" for name, value in found.items()]


def _read_authors(meta: etree._Element) -> list[str]:
    authors = []
    for group in meta.iterchildren("{*}contrib-group"):
        for contributor in group.iterchildren("{*}contrib"):
            if contributor.get("contrib-type", "author") == "author":
                authors += [read_name(node) for node in islice(contributor.iter(*NAMES), 1)]
    return [author for author in authors if author]


NAMES = ("{*}name", "{*}string-name", "{*}collab")
"""Elements that name an author."""


def read_name(node: etree._Element) -> str:
    """Return an author as "Surname, Given names", or the name of a group."""
    parts: dict[str, etree._Element] = {}
    for child in node:
        parts.setdefault(local_name(child.tag), child)
    if "surname" not in parts:
        return extract_text(node, _NOT_IN_TITLE | {"contrib-group"})
    surname = extract_text(parts["surname"])
    given = extract_text(parts["given-names"]) if "given-names" in parts else ""
    return join_name(surname, given)


def _read_year(meta: etree._Element) -> int | None:
    years: dict[str, int] = {}
    for date in meta.iterchildren("{*}pub-date"):
        year = find_child(date, "year")
        found = _YEAR.search(year.text or "") if year is not None else None
        kind = date.get("pub-type") or date.get("date-type") or ""
        if found and "release" not in kind:
            years.setdefault(kind, int(found[0]))
    return next((years[kind] for kind in _DATES if kind in years), next(iter(years.values()), None))


def _read_journal(front: etree._Element) -> str:
    meta = find_child(front, "journal-meta")
    nodes = {local_name(node.tag): node for node in meta.iter()} if meta is not None else {}
    return next((extract_text(nodes[name]) for name in _JOURNAL_TITLES if name in nodes), "")


_FORMATTING = frozenset(("bold", "italic", "monospace", "sc", "sub", "sup", "underline"))
_PREFIXES = {"doi": "doi:", "pmid": "PMID ", "pmcid": "", "pmc": ""}
_SPACE_BEFORE = re.compile(r" (?:(?=[,.;:)\]])|(?<=[(\[] ))")
_CITATIONS = frozenset(
    ("citation", "element-citation", "mixed-citation", "nlm-citation", "product")
)
_TITLES = ("article-title", "chapter-title", "data-title", "part-title", "trans-title")
_LOOKED_AT = frozenset((*_TITLES, "source", "year"))
_NAMES = frozenset(("collab", "name", "string-name"))
_PARTS_OF_NAMES = frozenset(("given-names", "prefix", "suffix", "surname"))
_IDENTIFIED = frozenset(("ext-link", "object-id", "pub-id", "uri"))
_OTHER_ARTICLES = ("{*}sub-article", "{*}response", "{*}ref-list")
_HREF = "{http://www.w3.org/1999/xlink}href"
_KINDS = {"pmid": "pmid", "pmc": "pmcid", "pmcid": "pmcid", "doi": "doi"}
_PREFIXED = (("doi", re.compile(r"(?i)10\.|doi|https?:")), ("pmcid", re.compile(r"(?i)PMC\d")))


@dataclass(slots=True)
class _Form:
    """One form of an entry, as its elements are gone through once.

    Attributes:
        text: all of it, without its label.
        first: the first of its elements by their local names, of those that are looked at.
        grouped, alone: its authors, in groups of them and outside of any.
        identified: the elements that may hold an identifier.
    """

    node: etree._Element
    text: str = ""
    label: etree._Element | None = None
    first: dict[str, etree._Element] = field(default_factory=dict)
    grouped: list[str] = field(default_factory=list)
    alone: list[str] = field(default_factory=list)
    identified: list[etree._Element] = field(default_factory=list)


def read_references(article: etree._Element) -> ReferenceList:
    """Return the references of every list of an article, in order."""
    refs = (
        ref
        for part in article.iter("{*}ref-list")
        if next(part.iterancestors(*_OTHER_ARTICLES), None) is None
        for ref in part.iter("{*}ref")
    )
    return ReferenceList.of(entry for ref in refs for entry in _read_entry(ref))


def _read_entry(ref: etree._Element) -> Sequence[Reference]:
    """Return the references of one entry, usually one; an empty entry is one without text."""
    children = [(local_name(child.tag), child) for child in ref]
    shown = next((_read_label(child) for kind, child in children if kind == "label"), "")
    name = ref.get("id") or ""
    found: list[Reference] = []
    for kind, child in children:
        nodes = list(child) if kind == "citation-alternatives" else [child]
        forms = [_read_form(node) for node in nodes if local_name(node.tag) in _CITATIONS]
        if forms:
            entry = _merge_forms(forms, name, shown)
            if found and _is_same(found[-1].publication, entry.publication):
                before = found.pop()
                names = tuple(dict.fromkeys((*before.names, *entry.names)))
                merged = before.publication.complete(entry.publication)
                entry = replace(before, names=names, publication=merged)
            found.append(entry)
    if not found:
        text = _read_form(ref).text
        found = [Reference(name, (name,) if name else (), shown, text, read_entry(text))]
    if len(found) == 1 and name and found[0].key != name:
        found = [replace(found[0], key=name)]
    return found


def _merge_forms(forms: Sequence[_Form], name: str, shown: str) -> Reference:
    """Return the reference that an entry gives in several forms, usually one.

    Args:
        name, shown: the id and the label of the entry.
    """
    ids = [form.node.get("id") for form in forms]
    own = forms[0].label
    return Reference(
        key=next(filter(None, ids), name),
        names=tuple(dict.fromkeys(filter(None, (name, *ids)))),
        label=(_read_label(own) if own is not None else "") or shown,
        text=forms[0].text,
        publication=reduce(Publication.complete, map(_read_publication, forms)),
    )


def _read_label(label: etree._Element) -> str:
    return extract_text(label).strip("[]().")


def _read_form(node: etree._Element) -> _Form:
    form = _Form(node)
    parts = [node.text or ""]
    _take_in(node, form, parts, in_group=False)
    form.text = _SPACE_BEFORE.sub("", collapse_space("".join(parts)))
    return form


def _take_in(node: etree._Element, form: _Form, parts: list[str], *, in_group: bool) -> None:
    """Take in all below `node`, which is nested no deeper than the parser lets it. Structured
    entries bring no punctuation, so that the parts of their text are set apart by spaces.

    Args:
        in_group: whether `node` is in a group of authors.
    """
    add = parts.append
    for child in node:
        name = local_name(child.tag)
        if name == "label":
            add(" ")
            if form.label is None and node is form.node:
                form.label = child
        elif name in _NAMES and (in_group or node is form.node):
            author = _take_in_name(child, form, parts, in_group=in_group)
            (form.grouped if in_group else form.alone).append(author)
        else:
            apart = "" if name in _FORMATTING else " "
            add(apart)
            if name in _LOOKED_AT:
                form.first.setdefault(name, child)
            elif name in _IDENTIFIED:
                form.identified.append(child)
                add(_PREFIXES.get(child.get("pub-id-type", ""), "") if name == "pub-id" else "")
            add(child.text or "")
            if len(child):
                grouped = in_group or (name == "person-group" and _is_of_authors(child))
                _take_in(child, form, parts, in_group=grouped)
            add(apart)
        add(child.tail or "")


def _take_in_name(node: etree._Element, form: _Form, parts: list[str], *, in_group: bool) -> str:
    """Take in an author as `_take_in` does, and return it as `read_name` does. Most are a surname
    and given names, and each of these is looked at once."""
    own = [" ", node.text or ""]
    written: dict[str, str] = {}
    for child in node:
        name = local_name(child.tag)
        if len(child) or name not in _PARTS_OF_NAMES:
            written.clear()
            break
        text = child.text or ""
        written.setdefault(name, collapse_space(text))
        own += (" ", text, " ", child.tail or "")
    if "surname" in written:
        parts += own
        author = join_name(written["surname"], written.get("given-names", ""))
    else:
        parts += own[:2]
        _take_in(node, form, parts, in_group=in_group)
        author = read_name(node)
    parts.append(" ")
    return author


def _is_same(first: Publication, other: Publication) -> bool:
    """Whether two forms beside each other in an entry are of one publication."""
    shared = set(first.identifiers) & set(other.identifiers)
    return bool(shared) or bool(first.title and first.title == other.title)


def _read_publication(form: _Form) -> Publication:
    """Return what a form says; what its mark-up leaves out is looked for in its text."""
    first = form.first
    titles = (extract_text(first[name]) for name in _TITLES if name in first)
    title = next(filter(None, titles), "").rstrip(".")
    source = extract_text(first["source"]).rstrip(".") if "source" in first else ""
    if not title and source and _kind(form.node) != "journal":
        title, source = source, ""
    marked = Publication(
        authors=tuple(filter(None, form.grouped or form.alone)),
        title=title,
        year=find_year(extract_text(first["year"])) if "year" in first else None,
        journal=source,
        **cast(Identifiers, _read_identifiers(form.identified)),
    )
    if title or source:
        return add_identifiers(marked, form.text)
    return marked.complete(read_entry(form.text))


def _kind(node: etree._Element) -> str:
    return node.get("publication-type") or node.get("citation-type") or ""


def _is_of_authors(group: etree._Element) -> bool:
    return group.get("person-group-type", "author") in ("author", "allauthors")


def _read_identifiers(nodes: Sequence[etree._Element]) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in nodes:
        written = "".join(map(str, node.itertext())) if len(node) else node.text or ""
        kind = _KINDS.get((node.get("pub-id-type") or node.get("ext-link-type") or "").lower(), "")
        for text in (written.strip(), node.get(_HREF)):
            if text:
                kinds = [kind] if kind else [k for k, prefix in _PREFIXED if prefix.match(text)]
                for name in kinds:
                    if name not in found and (value := FINDERS[name](text)):
                        found[name] = value
    return found
