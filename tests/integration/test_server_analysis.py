"""The analyzer in Python is the server's, for every character that it covers."""

import random

import pytest
from elasticsearch import Elasticsearch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from citespan.es_mappings import sentences
from citespan.es_mappings.spelling import SPELLINGS
from citespan.pipelines.store.analysis import analysed, server_lengths, server_tokens
from citespan.pipelines.text import lucene

INDEX = "analysis-test"
COVERED = [chr(code) for code in range(0x3000) if lucene.covers(chr(code))]
ROOTS = [
    *("Tumour", "haemorrhag", "ORGANIS", "oesophag", "gastrooesoph", "centre", "fibr", "analys"),
    *("signall", "sulph", "anaemi", "behaviour", "diarrhoea", "pr", "exerc", "leucocyte", "twelve"),
    *("randomis", "labell", "rumour", "odour", "malodour", "grey", "foet", "two", "improvis"),
]
ENDINGS = ["", "s", "e", "ed", "er", "ers", "ing", "ation", "ational", "able", "a", "ic", "'s", "-"]
_FREQUENT = [*"aeiosty'’.,:;-12 ", " the ", "ss", "ies ", "'s "]


@pytest.fixture(scope="module")
def index(node: str) -> str:
    client = Elasticsearch(node)
    client.options(ignore_status=404).indices.delete(index=INDEX)
    client.indices.create(index=INDEX, mappings=sentences.mapping(), settings=sentences.settings())
    client.close()
    return INDEX


def test_every_character_in_every_place(es: Elasticsearch, index: str) -> None:
    assert len(COVERED) > 300
    texts = [
        f"a{c}b x{c} {c}y 1{c}2 z1{c}s tone{c}s {c} q{c}'s {c}{c} 3{c}a b{c}4 The{c} a{c}.b"
        for c in COVERED
    ]
    for text, told in zip(texts, server_tokens(es, index, texts), strict=True):
        first = told[0].position
        known = lucene.tokenise(text)
        assert [t._replace(position=t.position - known[0].position) for t in known] == [
            t._replace(position=t.position - first) for t in told
        ], text


def test_white_space_parts_words(es: Elasticsearch, index: str) -> None:
    spaces = [chr(code) for code in range(0x110000) if chr(code).isspace()]
    texts = [f"a{c}b x{c} {c}y 1{c}2 .{c}z tone{c}s {c}{c} the{c}" for c in spaces]
    told = server_lengths(es, index, texts)
    known = [lucene.count_terms(text) for text in texts]
    assert [c for c, length in zip(spaces, known, strict=True) if length is None] == ["\u202f"]
    assert told == [terms if terms is not None else told[at] for at, terms in enumerate(known)]


@pytest.mark.parametrize("seed", range(4))
def test_random_texts(es: Elasticsearch, index: str, seed: int) -> None:
    generator = random.Random(seed)
    texts = [
        "x "
        + "".join(
            generator.choice(_FREQUENT if generator.random() < 0.7 else COVERED) for _ in range(60)
        )
        for _ in range(200)
    ]
    assert server_tokens(es, index, texts) == [lucene.tokenise(text) for text in texts]
    assert server_lengths(es, index, texts) == [lucene.count_terms(text) for text in texts]


def test_spelling_is_unified_as_on_the_server(es: Elasticsearch, index: str) -> None:
    words = [f"{first}{root}{end}" for root in ROOTS for end in ENDINGS for first in ("", "anti")]
    words += [*SPELLINGS, *(f"{word}s" for word in SPELLINGS)]
    texts = [" ".join(words[at : at + 400]) for at in range(0, len(words), 400)]
    assert server_tokens(es, index, texts) == [lucene.tokenise(text) for text in texts]


def test_either_spelling_finds_the_same(es: Elasticsearch, index: str) -> None:
    british = (
        "Two randomised trials of oestrogens in haemodialysis: behaviour, tumours, foetal grey"
    )
    american = "2 randomized trials of estrogens in hemodialysis: behavior, tumors, fetal gray"
    [first], [other] = (server_tokens(es, index, [text]) for text in (british, american))
    assert [(t.term, t.position) for t in first] == [(t.term, t.position) for t in other]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(texts=st.lists(st.text(max_size=30).map(lambda t: "w " + t), max_size=5))
def test_what_is_not_covered_is_asked_for(es: Elasticsearch, index: str, texts: list[str]) -> None:
    """Texts together are analysed as each by itself, with offsets in characters."""
    together = analysed(es, index, texts)
    assert together == [analysed(es, index, [text])[0] for text in texts]
    assert server_lengths(es, index, texts) == [len(tokens) for tokens in together]
    for text, tokens in zip(texts, together, strict=True):
        assert all(0 <= t.start < t.end <= len(text) for t in tokens)


def test_offsets_behind_characters_of_two_units(es: Elasticsearch, index: str) -> None:
    text = "\U0001f600 and 𝛼 cells of 日"
    [tokens] = analysed(es, index, [text])
    assert text[tokens[-2].start : tokens[-2].end] == "cells"
    assert text[tokens[-1].start : tokens[-1].end] == "日"
