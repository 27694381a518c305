"""A process that reads units and makes their articles ready: `python -m` this module.

It is told all by its standard input, and tells all by its standard output, as pickled frames. It
ends when either is closed, as by the end of the load's own process. Keyboard interrupts are the
load's business.
"""

import logging
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import IO

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import CitespanError
from citespan.pipelines.indexing.documents.preparer import LOOKED_UP, Known, Preparer
from citespan.pipelines.indexing.known_articles import known_articles
from citespan.pipelines.indexing.reading.protocol import (
    Reading,
    Ready,
    Task,
    opened,
    read_frame,
    write_frame,
)
from citespan.pipelines.indexing.reading.recipe import Recipe
from citespan.pipelines.indexing.reading.unit_reading import readings
from citespan.pipelines.indexing.writing.patience import Patience, without_retries


def main() -> None:
    """Do as the standard input says, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    told, tells = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a library that prints must not get between the frames
    try:
        recipe = _next(told)
        assert isinstance(recipe, Recipe)
        try:
            preparer = recipe.preparer()
            known = _hinting(recipe)
        except CitespanError as error:
            write_frame(tells, Ready(str(error)))
            tells.flush()
            return
        write_frame(tells, Ready())
        tells.flush()
        while isinstance(task := _next(told), Task):
            for reading in _prepared(task, preparer, known):
                write_frame(tells, reading)
                if task.careful:
                    tells.flush()
            tells.flush()
    except BrokenPipeError:
        sys.stderr.close()  # the load has ended; nothing is to be said of that


def _prepared(task: Task, preparer: Preparer, known: Known) -> Iterator[Reading]:
    found = readings(task.units, task.received)
    return preparer.prepare_all(found, known, 1 if task.careful else LOOKED_UP)


def _next(told: IO[bytes]) -> object:
    data = read_frame(told)
    return opened(data) if data is not None else None


def _hinting(recipe: Recipe) -> Known:
    """The articles that are known, or none where the server doesn't answer: the load itself asks
    again, and with patience."""
    asked: list[Known] = []

    def hint(article_ids: Sequence[str]) -> Mapping[str, ArticleEntry]:
        try:
            if not asked:
                asked.append(known_articles(without_retries(recipe.connect()), Patience(0)))
            return asked[0](article_ids)
        except Exception:  # noqa: BLE001  whatever it is, the load will meet it and tell
            return {}

    return hint


if __name__ == "__main__":
    main()
