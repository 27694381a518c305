"""The real `citespan serve` for tests, and articles that pages must get right."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

from command_line import COMMAND

from citespan.pipelines.corpus.article import Article

HOSTILE = Article(
    "hostile/../<b>",
    "<script>alert(1)</script> & friends",
    "<script>document.title='run'</script> binds p53 &amp; \"cells\" <b onmouseover=alert(1)>.\n\n"
    "החלבון p53 עוצר את מחזור התא לאחר נזק.\n\n"
    "</mark></span><img src=x onerror=document.title='run'> repairs DNA damage in cells 𝛽.",
    "hostile.jsonl",
)


def make_long_article() -> Article:
    """An article of more than a million characters, of which one sentence is about whales."""
    sentence = "The kinase {} binds the receptor of the cell and repairs the damage to its gene. "
    paragraphs = [
        "".join(
            sentence.format(number * 10 + sentence_number) for sentence_number in range(5)
        ).strip()
        for number in range(2600)
    ]
    paragraphs[2000] += " Whales sing at night below the ice."
    return Article("long", "A long article", "\n\n".join(paragraphs), "long.txt")


@dataclass(frozen=True)
class Served:
    """A running `citespan serve`.

    Attributes:
        log: the lines that it has written to standard error after the first.
    """

    process: subprocess.Popen[str]
    url: str
    log: list[str]


@contextmanager
def served(environment: Mapping[str, str] | None = None, *options: str) -> Iterator[Served]:
    """A running `citespan serve`, of this version or of another, which is stopped at the end."""
    command = [*COMMAND, "serve", "--port", "0", *options]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    log: list[str] = []
    reader = Thread(target=log.extend, args=(process.stderr,))
    try:
        line = process.stderr.readline()
        assert line.startswith("citespan serves http://"), line + process.stderr.read()
        reader.start()
        yield Served(process, line.split()[2], log)
    finally:
        process.terminate()
        process.wait(20)
        if reader.ident is not None:
            reader.join(20)


@contextmanager
def serving(environment: Mapping[str, str] | None = None, *options: str) -> Iterator[str]:
    """The address of a running `citespan serve`, which is stopped at the end."""
    with served(environment, *options) as server:
        yield server.url
