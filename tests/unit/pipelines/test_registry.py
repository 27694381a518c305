"""The registry of named things."""

import subprocess
import sys

import pytest

from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.registry import Registry
from citespan.pipelines.retrieval.model import models, similarities


class Thing:
    name = "thing"


def test_two_of_one_name_are_refused() -> None:
    registry: Registry[Thing] = Registry("thing", "citespan.pipelines.corpus", "no.such.group")
    registry.register(Thing)
    with pytest.raises(ValueError, match="two things are called 'thing'"):
        registry.register(Thing)


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="unknown model 'tfidf'; choose from: bm25, dfr"):
        models["tfidf"]


def test_the_four_models_of_the_paper_are_there() -> None:
    assert models.names() == ["bm25", "dfr", "lmd", "vsm"]


def test_the_vector_space_is_always_among_the_similarities_and_each_is_once() -> None:
    assert [s.name for s in similarities(["bm25", " vsm", "bm25"])] == ["vsm", "bm25"]
    assert [s.field for s in similarities(["bm25"])] == ["text", "text.bm25"]


def test_threads_that_ask_while_a_registry_is_loaded_wait_for_all_of_it() -> None:
    code = (
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from threading import Barrier\n"
        "from citespan.pipelines.corpus.reader import readers\n"
        "start = Barrier(8)\n"
        "def ask(_):\n"
        "    start.wait()\n"
        "    return readers.names()\n"
        "with ThreadPoolExecutor(8) as threads:\n"
        "    found = list(threads.map(ask, range(8)))\n"
        "assert all(one == readers.names() for one in found), found\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
