"""What holds for every sentence splitter."""

import builtins
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from places import SHARED_DATA

from citespan.pipelines.errors import CitespanError
from citespan.pipelines.text.splitter import Splitter, splitters
from citespan.pipelines.text.splitters.libraries import load_pysbd, load_sentencizer

CRAFT = SHARED_DATA / "craft" / "train" / "txt"
SPACE = re.compile(r"[\s\ufeff]")
PIECES = st.sampled_from(
    [". ", "? ", "!", "...", " [1,2] ", "(Smith et al., 2006)", "Fig. 2", "E. coli", "e.g. ", "A. ",
     "p53", " cells", "The ", "12.5 ", "\n", "\r\n\r\n", "\n \n", "\ufeff", "\u00a0", "”", ")", "α"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join))


@pytest.fixture(params=splitters.names())
def splitter(request: pytest.FixtureRequest) -> Splitter:
    chosen = splitters[request.param]
    try:
        chosen.split("One. Two.")
    except CitespanError as error:
        pytest.skip(str(error))
    return chosen


def check(splitter: Splitter, text: str) -> None:
    found = splitter.split(text)
    end = 0
    for sentence in found:
        assert end <= sentence.start < sentence.end <= len(text)
        assert not SPACE.fullmatch(text[sentence.start])
        assert not SPACE.fullmatch(text[sentence.end - 1])
        assert not SPACE.sub("", text[end : sentence.start])
        assert not re.search(r"\n\s*\n", text[sentence.start : sentence.end])
        end = sentence.end
    assert not SPACE.sub("", text[end:])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=TEXTS)
@example(text="")
@example(text="\ufeff One.\n\ufeff\nTwo. \ufeff")
@example(text=". . .\n\n.")
@example(text="One. One. One. One.")
def test_sentences_cover_the_text_in_order(splitter: Splitter, text: str) -> None:
    check(splitter, text)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=TEXTS)
def test_same_text_same_sentences(splitter: Splitter, text: str) -> None:
    assert splitter.split(text) == splitter.split(text)


def test_plain_sentences(splitter: Splitter) -> None:
    text = "The mice were fed. They grew well.\n\nHeading\n\nAll of them died."
    assert [text[s.start : s.end] for s in splitter.split(text)] == [
        "The mice were fed.",
        "They grew well.",
        "Heading",
        "All of them died.",
    ]


def test_articles(splitter: Splitter) -> None:
    if not CRAFT.is_dir():
        pytest.skip("CRAFT is not beside the checkout (../shared/data/craft)")
    for file in sorted(CRAFT.glob("*.txt"))[:3]:
        check(splitter, file.read_text(encoding="utf-8"))


def test_names_and_descriptions(splitter: Splitter) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9-]*", splitter.name)
    assert splitter.description
    assert "\n" not in splitter.description


@pytest.mark.parametrize(("name", "cached"), [("pysbd", load_pysbd), ("spacy", load_sentencizer)])
def test_a_missing_library_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, cached: object
) -> None:
    real = builtins.__import__

    def without(wanted: str, *args: object, **kwargs: object) -> object:
        if wanted == name:
            raise ModuleNotFoundError(f"No module named '{name}'")
        return real(wanted, *args, **kwargs)  # type: ignore[arg-type]

    cached.cache_clear()  # type: ignore[attr-defined]
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CitespanError, match=r"pip install 'citespan\[splitters\]'"):
        splitters[name].split("One. Two.")
