"""QuickUMLS over texts, as a program of its own: it needs packages that citespan doesn't.

Run by `benchmarks/concepts.py` with a Python that has QuickUMLS. Arguments: a META folder, and an
empty folder to install to. A JSON list of texts on stdin; on stdout a JSON object with the
seconds that matching took, and for each text a list of [start, end, CUI].

All of QuickUMLS's settings are its defaults (Jaccard similarity of at least 0.7, at most 5 tokens,
at least 3 characters, the best score of overlapping ones), but for what it would fetch from the
net: spaCy's tokenizer and sentencizer stand in for en_core_web_sm, so that its rules about parts
of speech don't apply, and spaCy's list of stop words for NLTK's.
"""

import contextlib
import json
import sys
import time
import types
from pathlib import Path
from typing import Any

import nltk
import spacy
from spacy.language import Language

_TYPE = "T047"  # one that QuickUMLS accepts, for concepts without types


def _stand_ins() -> None:
    def load(name: str) -> Language:
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        return pipeline

    words = sorted(spacy.blank("en").Defaults.stop_words)
    nltk.corpus.stopwords = types.SimpleNamespace(words=lambda *_: words)
    vars(spacy)["load"] = load


def _install(meta: Path, to: Path) -> None:
    from quickumls import install

    cuis = {line.partition("|")[0] for line in (meta / "MRCONSO.RRF").open(encoding="utf-8")}
    types_table = to / "MRSTY.RRF"
    types_table.write_text("".join(f"{cui}|{_TYPE}||||\n" for cui in sorted(cuis)))
    options = types.SimpleNamespace(lowercase=False, normalize_unicode=False, language="ENG")
    (to / "language.flag").write_text("ENG")
    (to / "database_backend.flag").write_text("unqlite")
    terms = install.extract_from_mrconso(meta / "MRCONSO.RRF", types_table, options)
    folders = (str(to / "umls-simstring.db"), str(to / "cui-semtypes.db"))
    install.parse_and_encode_ngrams(terms, *folders, database_backend="unqlite")


def main() -> None:
    """Read, match, print."""
    meta, to = map(Path, sys.argv[1:])
    texts = json.load(sys.stdin)
    _stand_ins()
    with contextlib.redirect_stdout(sys.stderr):
        _install(meta, to)
        from quickumls import QuickUMLS

        matcher = QuickUMLS(str(to))
        matcher.match("Libraries load here.")
        start = time.perf_counter()
        found = [
            [(best["start"], best["end"], best["cui"]) for best in map(_best, matcher.match(text))]
            for text in texts
        ]
        seconds = time.perf_counter() - start
    json.dump({"seconds": seconds, "found": found}, sys.stdout)


def _best(candidates: list[dict[str, Any]]) -> dict[str, Any]:
    """QuickUMLS gives all concepts of a place; the most similar, the preferred, the lowest CUI."""
    return min(candidates, key=lambda c: (-c["similarity"], -c["preferred"], c["cui"]))


main()
