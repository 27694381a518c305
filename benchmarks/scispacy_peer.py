"""scispaCy's entity linker over texts, with a knowledge base of the same terms.

Its trained recogniser of mentions is not on PyPI, so every run of at most five tokens of a
sentence stands for a mention, as in QuickUMLS, if it doesn't begin or end with a stop word or
punctuation; of overlapping ones that are linked, the longest counts, then the more similar, then
the first. All else is the linker's default: 30 neighbours by TF-IDF of character trigrams, and a
similarity of at least 0.95, as for concepts without a definition.
"""

import contextlib
import sys
import time
from collections import defaultdict
from collections.abc import Iterable

import spacy
from scispacy import candidate_generation
from scispacy.linking import EntityLinker
from scispacy.linking_utils import Entity, KnowledgeBase
from spacy.tokens import Doc, Span

from citespan.pipelines.vocabulary.terms import VocabularyTerm

_LONGEST = 5
Found = list[tuple[int, int, str]]


def link(terms: Iterable[VocabularyTerm], texts: list[str]) -> tuple[float, list[Found]]:
    """The seconds that linking took, and for each text the places and CUIs."""
    aliases: dict[str, list[str]] = defaultdict(list)
    preferred = {}
    for term in terms:
        aliases[term.cui].append(term.text)
        if term.preferred:
            preferred[term.cui] = term.text
    entities = [Entity(cui, preferred.get(cui, names[0]), names) for cui, names in aliases.items()]
    # scispaCy builds an index only where SciPy can store it in 16 bits; this one isn't stored.
    candidate_generation.scipy_supports_sparse_float16 = lambda: True
    with contextlib.redirect_stdout(sys.stderr):
        linker = EntityLinker.from_kb(KnowledgeBase(entities))
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    pipeline.max_length = 10**8
    start = time.perf_counter()
    found = [_linked(linker, pipeline(text)) for text in texts]
    return time.perf_counter() - start, found


def _linked(linker: EntityLinker, document: Doc) -> Found:
    places: dict[str, list[Span]] = defaultdict(list)
    for mention in _mentions(document):
        places[mention.text].append(mention)
    names = list(places)
    linked = []
    for name, candidates in zip(names, linker.candidate_generator(names, linker.k), strict=True):
        scored = [(max(c.similarities), c.concept_id) for c in candidates]
        above = [s for s in scored if s[0] >= linker.no_definition_threshold]
        if above:
            score, cui = min(above, key=lambda s: (-s[0], s[1]))
            linked += [(mention, score, cui) for mention in places[name]]
    linked.sort(key=lambda link: (-len(link[0]), -link[1], link[0].start))
    taken: set[int] = set()
    found = []
    for mention, _, cui in linked:
        tokens = range(mention.start, mention.end)
        if taken.isdisjoint(tokens):
            taken.update(tokens)
            found.append((mention.start_char, mention.end_char, cui))
    return found


def _mentions(document: Doc) -> Iterable[Span]:
    for sentence in document.sents:
        for first in range(sentence.start, sentence.end):
            if not _may_stand_at_an_end(document, first):
                continue
            for last in range(first, min(first + _LONGEST, sentence.end)):
                if _may_stand_at_an_end(document, last):
                    yield document[first : last + 1]


def _may_stand_at_an_end(document: Doc, place: int) -> bool:
    token = document[place]
    return not (token.is_stop or token.is_punct or token.is_space)
