"""Fuzzes one reader with atheris: `python tests/fuzz/run.py READER [libFuzzer's options]`.

Inputs that reach new code are kept in build/fuzz/READER, those that break something are written
to build/fuzz/READER-crash-*; `make fuzz` runs all readers for FUZZ_SECONDS each.
"""

import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "support")]

with atheris.instrument_imports(include=["citespan"]):
    from fuzz.targets import BETWEEN, TARGETS, readers, vocabulary_readers

    readers.names()  # imports all, to be instrumented
    vocabulary_readers.names()

LIMITS = ("-timeout=20", "-rss_limit_mb=2048", "-max_len=65536")


def main(name: str, options: list[str]) -> None:
    """Fuzz until libFuzzer ends this process, with status 0 if nothing was found."""
    target = TARGETS[name]
    corpus = ROOT / "build" / "fuzz" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seed_inputs()):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = corpus.parent / f"{name}.dict"
    words.write_text("".join(f'"{word}"\n' for word in _words(target.seed_inputs())))
    folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{name}-"))
    prefix = f"-artifact_prefix={corpus.parent / name}-"
    arguments = [sys.argv[0], *LIMITS, prefix, f"-dict={words}", *options, str(corpus)]
    atheris.Setup(arguments, lambda data: target.run(data, folder))
    atheris.Fuzz()


def _words(seeds: list[bytes]) -> list[str]:
    """Words that are worth putting in: those of the format itself, by their marks."""
    found = {
        word
        for seed in seeds
        for word in seed.decode("utf-8", "ignore").replace(">", "> ").replace("|", " | ").split()
        if word.isascii() and word.isprintable() and 1 < len(word) < 40 and not set(word) & {*'"\\'}
    }
    special = {"&#0;", "&#x10FFFF;", "<!DOCTYPE a [", "<!ENTITY b ", "]]>", "<![CDATA[", "UTF-16"}
    return sorted(found | special | {repr(BETWEEN)[2:-1].replace("\\n", "\\x0a")})


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
