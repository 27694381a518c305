"""Pages of `citespan serve`: how long a reader waits, alone and among fifty, and memory.

The clients run on the same machine and share its processors with the pages and Elasticsearch.
A reader of fifty thinks for one to three seconds between two pages; fifty who do not think measure
how many pages a second there are.
"""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil

from benchmarks.citances import jats_articles
from benchmarks.node import citespan, wipe
from benchmarks.row import Row
from citespan.pipelines.corpus.article import Article
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

_PAGES = 200
_USERS = 50
_PAGES_OF_A_USER = 8
_THOUGHT = (1.0, 3.0)  # seconds
_REQUESTS = 10_000
_SETTLED = 1_000
_FEWEST_CHARACTERS = 60

Parameters = dict[str, str]


def run(folder: Path, _scratch: Path) -> Iterator[Row]:
    """What readers wait for, and what the process grows by."""
    wipe()
    citespan("index", str(folder), "--format", "jats", "--layout", "sentences")
    articles = list(jats_articles(folder))
    questions = make_questions(articles, _PAGES)
    with serving() as (url, process):
        with httpx.Client(base_url=url, timeout=60) as client:
            yield from time_one(client, questions)
        yield from time_many(url, questions)
        yield from measure_memory(url, process, questions)
    wipe()


def make_questions(articles: Sequence[Article], count: int) -> list[Parameters]:
    """Return so many articles, each with a sentence of it that stands for a citance."""
    generator = random.Random(0)
    questions: list[Parameters] = []
    while len(questions) < count:
        article = generator.choice(articles)
        sentence = generator.choice(split_article(article, splitters[DEFAULT]))
        citance = article.text[sentence.start : sentence.end]
        if len(citance) >= _FEWEST_CHARACTERS:
            questions.append({"article": article.id, "citance": citance})
    return questions


@contextmanager
def serving() -> Iterator[tuple[str, psutil.Process]]:
    """The address of a running `citespan serve`, and its process."""
    command = [sys.executable, "-m", "citespan.cli.main", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        yield line.split()[2], psutil.Process(process.pid)
        process.terminate()


def time_one(client: httpx.Client, questions: Sequence[Parameters]) -> Iterator[Row]:
    """Yield what one reader waits for on a warm server."""
    views: dict[str, tuple[Callable[[Parameters], Any], int]] = {
        "an article": (lambda question: {"article": question["article"]}, 300),
        "an article with its evidence": (lambda question: question, 400),
    }
    for name, (choose, most) in views.items():
        for question in questions:
            read(client, choose(question))
        seconds = [read(client, choose(question)) for question in questions]
        yield make_row(f"{name}, one reader, {len(seconds)} pages", seconds, most)


def time_many(url: str, questions: Sequence[Parameters]) -> Iterator[Row]:
    """Yield what each of many readers waits for."""
    for thinks in (True, False):

        def use(user: int, thinks: bool = thinks) -> list[float]:
            generator = random.Random(user)
            seconds = []
            with httpx.Client(base_url=url, timeout=60) as client:
                for _ in range(_PAGES_OF_A_USER):
                    if thinks:
                        time.sleep(generator.uniform(*_THOUGHT))
                    seconds.append(read(client, generator.choice(questions)))
            return seconds

        started = time.perf_counter()
        with ThreadPoolExecutor(_USERS) as threads:
            seconds = [second for some in threads.map(use, range(_USERS)) for second in some]
        passed = time.perf_counter() - started
        how = "who think" if thinks else "who do not think"
        label = f"the same, {_USERS} readers {how}, {len(seconds) / passed:.0f} pages a second"
        yield make_row(label, seconds, 2000 if thinks else None)


def measure_memory(
    url: str, process: psutil.Process, questions: Sequence[Parameters]
) -> Iterator[Row]:
    """Yield what the process has grown by while it has answered many requests."""
    resident = []
    with httpx.Client(base_url=url, timeout=60) as client:
        for number in range(_REQUESTS):
            if number in (_SETTLED, _REQUESTS // 2):
                resident.append(process.memory_info().rss / 1e6)
            read(client, questions[number % len(questions)])
    resident.append(process.memory_info().rss / 1e6)
    first, _, last = resident
    yield Row(
        f"memory after {_REQUESTS:,} requests",
        f"{last:.0f} MB",
        f"after {_SETTLED:,}: {first:.0f} MB",
        f"{last / first:.2f} times as much",
        "flat",
    )


def read(client: httpx.Client, parameters: Parameters) -> float:
    """Return the seconds that a page takes.

    Raises:
        HTTPStatusError: if it is an error.
    """
    started = time.perf_counter()
    client.get("/article", params=parameters).raise_for_status()
    return time.perf_counter() - started


def make_row(label: str, seconds: Sequence[float], most: int | None) -> Row:
    """Return the median and the 95th percentile, in milliseconds."""
    p50, p95 = np.percentile(np.array(seconds) * 1000, [50, 95])
    wanted = f"p95 at most {most:,} ms" if most is not None else ""
    return Row(label, f"p50 {p50:.0f} ms, p95 {p95:.0f} ms", wanted=wanted)
